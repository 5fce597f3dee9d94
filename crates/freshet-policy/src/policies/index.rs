//! `index`: the index of each objective for a constant rate.
//!
//! Delay: waiting posts gather at λ, so a cycle of length T costs λT²/2 and a visit's price p is
//! earned back after τ with w·λτ²/2 = p; visits ∝ √(wλ). Capture: a page shows c posts and the
//! rest is lost; the price of a call is w·c·P(N > c), N ~ Poisson(λτ) ([`super::capture`]).

use freshet_types::Timestamp;

use super::capture;
use crate::change::{ChangeModel as _, Poisson};
use crate::{Market, Objective, Rule, SourceFacts};

/// λτ²/2, or c·P(N > c).
#[derive(Clone, Copy, Debug, Default)]
pub struct Index;

impl Rule for Index {
    type Model = Poisson;

    fn name(&self) -> &'static str {
        "index"
    }

    fn worth(&self, model: &Poisson, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        let posts = model.rate_per_s(&market.pool) * source.elapsed_s(at);
        let index = match market.objective {
            Objective::Delay => posts * source.elapsed_s(at) / 2.0,
            Objective::Capture => capture::index(posts, source.page_size),
        };
        source.weight * index / market.price
    }

    fn visits_per_s(&self, model: &Poisson, source: &SourceFacts, market: &Market) -> Option<f64> {
        Some(visits_per_s(model.rate_per_s(&market.pool), source, market))
    }
}

/// Visits a second that a source of this rate is worth under the market's objective.
pub(super) fn visits_per_s(rate_per_s: f64, source: &SourceFacts, market: &Market) -> f64 {
    match market.objective {
        Objective::Delay => (source.weight * rate_per_s / (2.0 * market.price)).sqrt(),
        Objective::Capture => {
            capture::posts_at(market.price, source, 0.0).map_or(0.0, |posts| rate_per_s / posts.max(1e-9))
        }
    }
}
