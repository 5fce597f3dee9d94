//! The clock seam: time is a parameter, never taken from the air.
//!
//! Three real implementations exist: [`SystemClock`], the simulator's virtual clock, and the
//! remote clock of a simulated world (`--clock URL`). The clock governs due times, rates,
//! quotas, politeness and every `_at`; I/O time-outs and drawing are wall time.
//!
//! Whoever plans by a clock plans by a [`SteadyClock`] over it: that one never runs back, whatever happens to the
//! computer's clock.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::{Timestamp, time::Span};

/// What time it is, and how fast it passes.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// The present instant.
    fn now(&self) -> Timestamp;

    /// Seconds of this clock per second of wall time; 1 for the real clock.
    fn speed(&self) -> f64 {
        1.0
    }

    /// How far it is ahead of the clock that it follows, if it follows one.
    fn ahead(&self) -> Span {
        Span::ZERO
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

/// How fast time passes, as a share of the usual, while a clock that was set back catches up.
///
/// Half: every pause, interval and quota window lasts at most twice as long on the wall, which errs on the polite side, and a
/// step of a minute is made up in two. A step of days is not made up in any useful time at any speed at which a
/// crawl still works; the run goes on all the same, says so, and the next start takes the clock as it is.
pub(crate) const CATCH_UP_SPEED: f64 = 0.5;

/// How long something has run, by a clock that nobody sets.
type Elapsed = Box<dyn Fn() -> Duration + Send + Sync>;

/// Follows another clock and never runs back.
///
/// Steps forward (a computer that slept, a correction) are taken at once. After a step back time goes on from where it
/// was, at [`CATCH_UP_SPEED`], until the other clock has caught up: what was planned stays planned, and times that
/// are written down come nearer to the clock's with every second.
pub struct SteadyClock {
    followed: Arc<dyn Clock>,
    elapsed: Elapsed,
    shown: Mutex<Shown>,
}

/// Unix time in milliseconds at an instant of the clock that nobody sets; fractions add up.
#[derive(Clone, Copy, Debug)]
struct Shown {
    ms: f64,
    at: Duration,
}

/// Below this, time is counted on from the instant before: of tiny steps nothing would be left after rounding.
const STEP_MIN: Duration = Duration::from_millis(1);

impl SteadyClock {
    /// Follows this clock.
    pub fn over(followed: Arc<dyn Clock>) -> Self {
        let started = Instant::now();
        Self::timed_by(followed, Box::new(move || started.elapsed()))
    }

    /// As [`SteadyClock::over`]; `elapsed` says how much time has passed, however the clock was set.
    pub fn timed_by(followed: Arc<dyn Clock>, elapsed: Elapsed) -> Self {
        let shown = Shown { ms: followed.now().ms() as f64, at: elapsed() };
        Self { followed, elapsed, shown: Mutex::new(shown) }
    }

    /// The time shown and that of the followed clock, in milliseconds.
    fn show(&self) -> (f64, f64) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let (followed_ms, at) = (self.followed.now().ms() as f64, (self.elapsed)());
        let passed = at.saturating_sub(shown.at);
        let own_ms = shown.ms + passed.as_secs_f64() * 1000.0 * self.followed.speed() * CATCH_UP_SPEED;
        let ms = own_ms.max(followed_ms);
        if followed_ms >= own_ms || passed >= STEP_MIN {
            *shown = Shown { ms, at };
        }
        (ms, followed_ms)
    }
}

impl std::fmt::Debug for SteadyClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SteadyClock").field("followed", &self.followed).finish_non_exhaustive()
    }
}

impl Clock for SteadyClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.show().0 as i64)
    }

    fn speed(&self) -> f64 {
        let share = if self.ahead() > Span::ZERO { CATCH_UP_SPEED } else { 1.0 };
        self.followed.speed() * share
    }

    fn ahead(&self) -> Span {
        let (ms, followed_ms) = self.show();
        Span::from_ms((ms - followed_ms) as i64)
    }
}

#[cfg(test)]
mod tests;
