//! `azar`: visits at random times at the optimal rates, without the randomness [Azar 2018].
//!
//! Formula: maximise Σ w·ρ/(ρ+λ) with Σρ = R: ρ = √(wλ/p) − λ where that is positive, else 0.
//! The paper draws visits from a Poisson process and then replaces it by virtual deadlines: due
//! when ρ·τ reaches 1. Like every policy for binary freshness it gives up the busiest.

use freshet_types::Timestamp;

use crate::change::{ChangeModel as _, Poisson};
use crate::{Market, Rule, SourceFacts};

/// Binary freshness of randomised visits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Azar;

impl Rule for Azar {
    type Model = Poisson;

    fn name(&self) -> &'static str {
        "azar"
    }

    fn worth(&self, model: &Poisson, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        visits(model, source, market) * source.elapsed_s(at)
    }

    fn visits_per_s(&self, model: &Poisson, source: &SourceFacts, market: &Market) -> Option<f64> {
        Some(visits(model, source, market))
    }
}

fn visits(model: &Poisson, source: &SourceFacts, market: &Market) -> f64 {
    let rate_per_s = model.rate_per_s(&market.pool);
    ((source.weight * rate_per_s / market.price).sqrt() - rate_per_s).max(0.0)
}
