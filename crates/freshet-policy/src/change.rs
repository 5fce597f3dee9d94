//! Change models, one file each: what a source is expected to post, and when.
//!
//! A model is one value per source, a few bytes when stored. It answers three questions, for
//! times after its last look: the rate λ(t), the expected posts L(s,t) = ∫λ(u)du, and the
//! expected delay D(s,t) = ∫λ(u)(t−u)du that they gather until a visit at t.

pub mod bounds;
pub mod burst;
mod change_rate;
pub mod chooser;
pub mod curve;
pub mod estimate;
pub mod hash;
mod interval;
pub mod kind;
mod known;
pub(crate) mod levels;
mod poisson;
mod profile;
mod recent;

use freshet_types::Timestamp;

pub(crate) use crate::rhythm::decay;
pub use crate::rhythm::{shape, week};
use crate::{Look, Pool};

pub use burst::Burst;
pub(crate) use change_rate::CHANGE_RATE_BYTES;
pub use change_rate::{ChangeRate, Forecast};
pub(crate) use chooser::Chooser;
pub use hash::HashTable;
pub use interval::Interval;
pub use known::Known;
pub use levels::Levels;
pub use poisson::Poisson;
pub use profile::Profile;
pub use recent::Recent;

/// Learns when a source posts.
pub trait ChangeModel: Clone + Default + Send + std::fmt::Debug {
    /// Reads the model back; anything unreadable is a model that knows nothing.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// The model as stored.
    fn to_bytes(&self) -> Vec<u8>;
    /// Takes in what a visit saw.
    fn learn(&mut self, look: &Look<'_>, pool: &Pool);
    /// Posts a second in the long run; finite, never negative.
    fn rate_per_s(&self, pool: &Pool) -> f64;
    /// λ(at): posts a second at an instant.
    fn rate_per_s_at(&self, pool: &Pool, _at: Timestamp) -> f64 {
        self.rate_per_s(pool)
    }
    /// L(since, until): posts expected in between.
    fn posts(&self, pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        self.rate_per_s(pool) * seconds(since, until)
    }
    /// D(since, until): seconds that these posts are expected to wait for a visit at `until`.
    fn wait_s(&self, pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        self.rate_per_s(pool) * seconds(since, until).powi(2) / 2.0
    }
    /// Logarithm of the likelihood that it gave to what a visit then saw (a point process:
    /// Σ ln λ(post) − L); asked before [`ChangeModel::learn`].
    fn score(&self, pool: &Pool, look: &Look<'_>) -> f64 {
        let from = look.complete_since();
        let seen = look.news.iter().filter(|at| **at >= from);
        let points: f64 = seen.map(|at| self.rate_per_s_at(pool, *at).max(RATE_PER_S_MIN).ln()).sum();
        points - self.posts(pool, from, look.at)
    }
}

/// Rates below this (a post in thirty years) count as this where a logarithm is taken.
pub(crate) const RATE_PER_S_MIN: f64 = 1e-9;

/// Length of a stretch in seconds, never negative.
pub(crate) fn seconds(since: Timestamp, until: Timestamp) -> f64 {
    (until - since).secs_f64().max(0.0)
}
