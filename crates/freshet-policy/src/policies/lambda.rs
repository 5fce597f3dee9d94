//! `lambda-crawl`: the harmonic penalty of [Kolobov 2019]: the n-th missed change costs 1/n.
//!
//! Formula: minimise Σ w·ln(1 + λ/ρ) with Σρ = R: ρ = (−λ + √(λ² + 4wλ/p))/2, always positive,
//! so nobody is given up. Visits by virtual deadlines: due when ρ·τ reaches 1. Rates come from
//! the same posterior as the other policies', not from one bit a visit.

use freshet_types::Timestamp;

use crate::change::{ChangeModel as _, Poisson};
use crate::{Market, Rule, SourceFacts};

/// Harmonic cost of missed changes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lambda;

impl Rule for Lambda {
    type Model = Poisson;

    fn name(&self) -> &'static str {
        "lambda-crawl"
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
    let root = (rate_per_s * rate_per_s + 4.0 * source.weight * rate_per_s / market.price).sqrt();
    // The difference of nearly equal numbers, without the cancellation.
    2.0 * source.weight * rate_per_s / market.price / (rate_per_s + root)
}
