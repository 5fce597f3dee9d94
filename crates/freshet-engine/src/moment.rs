//! An instant as the engine is told of it: time is a parameter of everything that decides.
//!
//! The shells (`drive` with tokio, the simulator's driver on a virtual clock) read clocks; everything behind them is handed a
//! [`Moment`] and reads none.

use freshet_types::Timestamp;

/// The same instant by both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// By the clock of the crawl: due times, quotas, politeness, every `_at`.
    pub now: Timestamp,
    /// Wall time since the process started, in milliseconds: leases, retries, drawing.
    pub wall_ms: u64,
}
