//! `index-profile` and `index-mixed`: the index on a rate that varies.
//!
//! Delay: the envelope condition of a varying rate is L(s,t) = λ(t)·(next gap), which turns
//! λτ²/2 into L²/(2λ(t)): visit just after a busy stretch, not during its rise. Capture: only
//! L matters, so the index is that of a constant rate with L in place of λτ. The rate is that of
//! the source's own hour-of-week profile, or of the [`crate::change::Chooser`]'s mix.

use std::marker::PhantomData;

use freshet_types::Timestamp;

use super::{capture, index};
use crate::change::ChangeModel;
use crate::{Market, Objective, Rule, SourceFacts};

/// The rate now is taken as at least this share of the mean: a visit in the dead of night is
/// worth much, not infinitely much.
const RATE_SHARE_MIN: f64 = 0.05;

/// L²/2λ, or c·P(N > c), with the source's own hours.
#[derive(Clone, Copy, Debug)]
pub struct IndexProfile<M> {
    name: &'static str,
    model: PhantomData<fn() -> M>,
}

impl<M> IndexProfile<M> {
    /// Under the name of its model.
    pub const fn new(name: &'static str) -> Self {
        Self { name, model: PhantomData }
    }
}

impl<M: ChangeModel> Rule for IndexProfile<M> {
    type Model = M;

    fn name(&self) -> &'static str {
        self.name
    }

    fn worth(&self, model: &M, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        let posts = model.posts(&market.pool, source.visited_at, at);
        let index = match market.objective {
            Objective::Delay => {
                let floor = RATE_SHARE_MIN * model.rate_per_s(&market.pool);
                let rate_per_s = model.rate_per_s_at(&market.pool, at).max(floor);
                posts * posts / (2.0 * rate_per_s)
            }
            Objective::Capture => capture::index(posts, source.page_size),
        };
        source.weight * index / market.price
    }

    fn visits_per_s(&self, model: &M, source: &SourceFacts, market: &Market) -> Option<f64> {
        Some(index::visits_per_s(model.rate_per_s(&market.pool), source, market))
    }
}
