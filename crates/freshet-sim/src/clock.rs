//! Clocks of simulated worlds: one that is set by hand and one that runs at a given speed.
//!
//! [`VirtualClock`] moves only when told, and never back, so that a month passes in seconds
//! and two runs see the same instants. [`RunningClock`] follows the wall at a multiple of its
//! speed; it is what a served world and a demonstration in the same process share.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use freshet_types::{Clock, Span, Timestamp};

/// A clock that is set by hand; clones show the same time.
#[derive(Clone, Debug)]
pub struct VirtualClock(Arc<Hands>);

#[derive(Debug)]
struct Hands {
    now_ms: AtomicI64,
    ahead_ms: AtomicI64,
}

impl VirtualClock {
    /// A clock that shows `now` until it is moved.
    pub fn new(now: Timestamp) -> Self {
        Self(Arc::new(Hands { now_ms: AtomicI64::new(now.ms()), ahead_ms: AtomicI64::new(0) }))
    }

    /// Moves on to `at`; an earlier instant changes nothing, since time does not run back.
    pub fn set(&self, at: Timestamp) {
        self.0.now_ms.fetch_max(at.ms(), Ordering::AcqRel);
    }

    /// The computer's clock was set back behind this one by so much, and this one goes on.
    #[cfg(test)]
    pub(crate) fn set_ahead(&self, ahead: Span) {
        self.0.ahead_ms.store(ahead.ms(), Ordering::Release);
    }

    /// Moves on by `span` and returns the new instant.
    pub fn advance(&self, span: Span) -> Timestamp {
        self.set(self.now() + span);
        self.now()
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.0.now_ms.load(Ordering::Acquire))
    }

    fn ahead(&self) -> Span {
        Span::from_ms(self.0.ahead_ms.load(Ordering::Acquire))
    }
}

/// A clock that started at `origin` and runs `speed` times as fast as the wall.
#[derive(Clone, Copy, Debug)]
pub struct RunningClock {
    origin: Timestamp,
    started: Instant,
    speed: f64,
}

impl RunningClock {
    /// Starts at `origin` now.
    pub fn new(origin: Timestamp, speed: f64) -> Self {
        Self { origin, started: Instant::now(), speed }
    }
}

impl Clock for RunningClock {
    fn now(&self) -> Timestamp {
        self.origin + Span::from_secs_f64(self.started.elapsed().as_secs_f64() * self.speed)
    }

    fn speed(&self) -> f64 {
        self.speed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_virtual_clock_moves_when_told_and_never_back() {
        let clock = VirtualClock::new(Timestamp::from_secs(100));
        let same = clock.clone();
        assert_eq!(clock.advance(Span::MINUTE), Timestamp::from_secs(160));
        clock.set(Timestamp::from_secs(10));
        assert_eq!(same.now(), Timestamp::from_secs(160));
    }

    #[test]
    fn a_running_clock_runs_from_its_origin() {
        let clock = RunningClock::new(Timestamp::from_secs(100), 600.0);
        assert!(clock.now() >= Timestamp::from_secs(100));
        assert!((clock.speed() - 600.0).abs() < f64::EPSILON);
    }
}
