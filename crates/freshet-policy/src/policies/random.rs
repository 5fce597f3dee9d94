//! `random`: lots are drawn at every instant, without memory.
//!
//! Formula: worth = a hash of the seed, the source and the instant. The seed is handed in, so
//! one seed gives one experiment.

use freshet_types::Timestamp;

use crate::change::Poisson;
use crate::turns::mixed;
use crate::{Market, Rule, SourceFacts};

/// Draws lots.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random {
    /// One seed, one order.
    pub seed: u64,
}

impl Rule for Random {
    type Model = Poisson;

    fn name(&self) -> &'static str {
        "random"
    }

    fn worth(&self, _model: &Poisson, source: &SourceFacts, _market: &Market, at: Timestamp) -> f64 {
        let lot = mixed(self.seed ^ mixed(at.ms() as u64) ^ mixed(u64::from(source.number) + 1));
        lot as f64 / u64::MAX as f64
    }
}
