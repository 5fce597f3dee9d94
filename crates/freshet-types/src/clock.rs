//! The clock seam: time is a parameter, never taken from the air.
//!
//! Three real implementations exist: [`SystemClock`], the simulator's virtual clock, and the
//! remote clock of a simulated world (`--clock URL`). The clock governs due times, rates,
//! quotas, politeness and every `_at`; I/O time-outs and drawing are wall time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{Timestamp, time::Span};

/// What time it is, and how fast it passes.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// The present instant.
    fn now(&self) -> Timestamp;

    /// Seconds of this clock per second of wall time; 1 for the real clock.
    fn speed(&self) -> f64 {
        1.0
    }

    /// How long to wait on the wall until `at`; zero when `at` has passed.
    fn wall_until(&self, at: Timestamp) -> Duration {
        let span: Span = at - self.now();
        Duration::from_secs_f64((span.secs_f64() / self.speed().max(1e-9)).clamp(0.0, 1e9))
    }
}

/// The computer's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the real time enters")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}
