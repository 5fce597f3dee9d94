//! Steps 1 (plan) and 10 (learn) of 10: when to look again.
//!
//! *Model predicts, policy decides, scheduler acts.* A [`ChangeModel`] turns what visits saw
//! into a forecast; a [`Policy`] turns the forecast into the time of the next visit. Pure: no
//! I/O, no clock, no randomness that is not handed in, so that a million synthetic sources can
//! be run through it in a second.

pub mod change;
pub mod partition;
pub mod policies;
pub mod refresh;

use freshet_types::Timestamp;

pub use change::ChangeRate;
pub use policies::{ByChangeRate, POLICY_NAMES, Pacing, RingOrder, policy_named};

/// What one visit saw, as a model is told of it.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// When the visit was.
    pub at: Timestamp,
    /// Posting times of the posts that were new to us, in any order.
    pub news: &'a [Timestamp],
}

/// What a model expects of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Expected posts per second; 0 where nothing is known.
    pub rate_per_s: f64,
    /// When the last known post was made.
    pub last_at: Option<Timestamp>,
}

/// Learns when a source posts. One value per source, a few bytes when stored.
pub trait ChangeModel: Sized {
    /// Reads the model back; anything unreadable is a model that knows nothing.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// The model as stored.
    fn to_bytes(&self) -> Vec<u8>;
    /// Takes in what a visit saw.
    fn learn(&mut self, look: &Look<'_>);
    /// What it expects.
    fn forecast(&self, now: Timestamp) -> Forecast;
}

/// Decides when a source is visited next.
pub trait Policy: Send + Sync + std::fmt::Debug {
    /// The name that people select it by.
    fn name(&self) -> &'static str;
    /// When to look again at a source that was looked at `now`.
    fn due_at(&self, forecast: &Forecast, now: Timestamp) -> Timestamp;
}
