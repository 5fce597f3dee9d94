//! `sia-cho`: square-root rates, probes placed by the source's own day [Sia 2007].
//!
//! Formula: across sources f = √(wλ/2p). Within a source the sum of delays is stationary where
//! λ(t)·(next gap) = L(s,t): with the gap 1/f, due when L(s,t)·f/λ(t) reaches 1. One probe a day
//! falls on the falling edge where the rate equals its daily mean.

use freshet_types::Timestamp;

use crate::change::{ChangeModel as _, Profile};
use crate::{Market, Rule, SourceFacts};

/// The rate now is taken as at least this share of the mean, so that nights do not count for all.
const RATE_SHARE_MIN: f64 = 0.1;

/// Square root across sources, stationary probes within.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SiaCho;

impl Rule for SiaCho {
    type Model = Profile;

    fn name(&self) -> &'static str {
        "sia-cho"
    }

    fn worth(&self, model: &Profile, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        let mean_per_s = model.rate_per_s(&market.pool);
        let rate_per_s = model.rate_per_s_at(&market.pool, at).max(RATE_SHARE_MIN * mean_per_s);
        model.posts(&market.pool, source.visited_at, at) * visits(mean_per_s, source, market) / rate_per_s
    }

    fn visits_per_s(&self, model: &Profile, source: &SourceFacts, market: &Market) -> Option<f64> {
        Some(visits(model.rate_per_s(&market.pool), source, market))
    }
}

fn visits(rate_per_s: f64, source: &SourceFacts, market: &Market) -> f64 {
    (source.weight * rate_per_s / (2.0 * market.price)).sqrt()
}
