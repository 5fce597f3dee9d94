//! `rr` and `ring`: every source in turn, round and round [CUVIM; MBCrawler, section 2.1].
//!
//! Formula: the longest unvisited goes first; before the first round, the lowest number. It
//! learns nothing: the yardstick of every comparison.

use freshet_types::Timestamp;

use crate::change::Poisson;
use crate::{Market, Rule, SourceFacts};

/// Every source in turn.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundRobin;

impl Rule for RoundRobin {
    type Model = Poisson;

    fn name(&self) -> &'static str {
        "rr"
    }

    fn worth(&self, _model: &Poisson, source: &SourceFacts, _market: &Market, _at: Timestamp) -> f64 {
        -(source.turn as f64)
    }
}
