//! A clock that is set back and forth under one that follows it.

use std::sync::atomic::{AtomicI64, Ordering};

use super::*;

/// A clock that runs, and is set by hand: time that passed, and how far it was set.
#[derive(Debug, Default)]
struct Wall {
    passed_ms: AtomicI64,
    set_ms: AtomicI64,
}

/// Where it begins.
const START_MS: i64 = 1_700_000_000_000;

impl Clock for Wall {
    fn now(&self) -> Timestamp {
        let passed_ms = self.passed_ms.load(Ordering::Relaxed);
        Timestamp::from_ms(START_MS + passed_ms + self.set_ms.load(Ordering::Relaxed))
    }
}

fn steady() -> (Arc<Wall>, SteadyClock) {
    let wall = Arc::new(Wall::default());
    let timer = Arc::clone(&wall);
    let elapsed = move || Duration::from_millis(timer.passed_ms.load(Ordering::Relaxed) as u64);
    (Arc::clone(&wall), SteadyClock::timed_by(wall, Box::new(elapsed)))
}

/// Sets the clock by `step`, then lets time pass in pieces; time never stands still or runs back, and after `hours` the
/// followed clock is ahead by what is left.
fn check(step: Span, hours: i64, left: Span) {
    let (wall, clock) = steady();
    wall.passed_ms.fetch_add(5000, Ordering::Relaxed);
    assert_eq!((clock.now().ms(), clock.ahead()), (START_MS + 5000, Span::ZERO));
    wall.set_ms.fetch_add(step.ms(), Ordering::Relaxed);
    let mut last = clock.now();
    for _ in 0..hours * 60 {
        wall.passed_ms.fetch_add(60_000, Ordering::Relaxed);
        let now = clock.now();
        assert!(now - last >= Span::MINUTE * CATCH_UP_SPEED, "{step}: {last} {now}");
        last = now;
    }
    assert_eq!(clock.ahead(), left, "{step}");
    assert_eq!(clock.now(), wall.now() + left, "{step}");
}

#[test]
fn time_never_runs_back_and_comes_nearer_to_the_clock() {
    check(Span::ZERO, 1, Span::ZERO);
    check(Span::HOUR, 1, Span::ZERO);
    check(Span::from_secs(-61), 1, Span::ZERO);
    check(Span::HOUR * -1.0, 1, Span::MINUTE * 30.0);
    check(Span::HOUR * -1.0, 2, Span::ZERO);
    check(Span::DAY * -30.0, 24, Span::DAY * 29.5);
}

#[test]
fn time_that_is_asked_for_often_does_not_stand_still() {
    let (wall, clock) = steady();
    wall.set_ms.fetch_add(-60_000, Ordering::Relaxed);
    let before = clock.now();
    for _ in 0..1000 {
        wall.passed_ms.fetch_add(1, Ordering::Relaxed);
        clock.now();
    }
    assert_eq!(clock.now() - before, Span::from_ms(500));
    assert!((clock.speed() - CATCH_UP_SPEED).abs() < 1e-9, "waits on the wall are as long as they last");
    assert_eq!(clock.wall_until(clock.now() + Span::SECOND), Duration::from_secs(2));
}
