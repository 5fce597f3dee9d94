//! `ring`: the pure circular order of [MBCrawler, section 2.1].
//!
//! A visited source goes to the end of the queue: it is due at once, behind all that are due
//! already. The quota alone sets the pace.

use freshet_types::Timestamp;

use crate::{Forecast, Policy};

/// Every source in turn, round and round.
#[derive(Clone, Copy, Debug, Default)]
pub struct RingOrder;

impl Policy for RingOrder {
    fn name(&self) -> &'static str {
        "ring"
    }

    fn due_at(&self, _forecast: &Forecast, now: Timestamp) -> Timestamp {
        now
    }
}
