//! `proportional`: visits in proportion to the rate of posting.
//!
//! Formula: f = w·λ/p, a visit when w·λ·τ reaches the price p (virtual deadlines). Right for
//! counting distinct posts behind a page limit, wrong for the mean delay (square root) and for
//! binary freshness [Cho 2003].

use freshet_types::Timestamp;

use crate::change::{ChangeModel as _, Poisson};
use crate::{Market, Rule, SourceFacts};

/// Rate of visits proportional to rate of posts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Proportional;

impl Rule for Proportional {
    type Model = Poisson;

    fn name(&self) -> &'static str {
        "proportional"
    }

    fn worth(&self, model: &Poisson, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        source.weight * model.rate_per_s(&market.pool) * source.elapsed_s(at) / market.price
    }

    fn visits_per_s(&self, model: &Poisson, source: &SourceFacts, market: &Market) -> Option<f64> {
        Some(source.weight * model.rate_per_s(&market.pool) / market.price)
    }
}
