//! Real time for the shell: the clock of the crawl, and how long the process has run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use freshet_types::{Clock, Timestamp};

use crate::core::Moment;

/// Reads both clocks.
#[derive(Clone, Debug)]
pub(crate) struct Wall {
    clock: Arc<dyn Clock>,
    began: Instant,
}

impl Wall {
    /// Wall time counts from now on.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, began: Instant::now() }
    }

    /// What time it is.
    pub(crate) fn moment(&self) -> Moment {
        let wall_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Moment { now: self.clock.now(), wall_ms }
    }

    /// The clock of the crawl.
    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// When this wall time is.
    pub(crate) fn instant(&self, wall_ms: u64) -> Instant {
        self.began + Duration::from_millis(wall_ms)
    }

    /// How long until this wall time.
    pub(crate) fn until(&self, wall_ms: u64) -> Duration {
        self.instant(wall_ms).saturating_duration_since(Instant::now())
    }

    /// How long to wait until this time of the crawl.
    pub(crate) fn until_at(&self, at: Timestamp) -> Duration {
        self.clock.wall_until(at)
    }
}
