//! `random`: lots are drawn at every instant, without memory.
//!
//! Formula: worth = a hash of the seed, the source and the instant. The seed is handed in, so
//! one seed gives one experiment.

use freshet_types::Timestamp;

use crate::change::Poisson;
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

/// A bijection of 64 bits in which every bit of the input moves half of the output
/// (the finaliser of `SplitMix64` [Steele 2014]).
pub(crate) fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
