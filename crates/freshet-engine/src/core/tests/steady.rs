//! A clock that is set back or forth in the middle of a crawl: requests go on, and stored times come nearer to it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use freshet_types::{Clock, SteadyClock};

use super::*;

/// The computer's clock: it runs, and somebody sets it.
#[derive(Debug)]
struct Wall {
    passed_ms: AtomicI64,
    set_ms: AtomicI64,
}

impl Clock for Wall {
    fn now(&self) -> Timestamp {
        let passed = self.passed_ms.load(Ordering::Relaxed) + self.set_ms.load(Ordering::Relaxed);
        Timestamp::from_ms(100_000_000_000 + passed)
    }
}

/// How often each source is wanted.
const EVERY: Span = Span::MINUTE;
/// Wall time before and after the step.
const LASTS_S: i64 = 30 * 60;

/// Sets the clock by `step` half an hour after the start; half an hour later the times of what is stored are `ahead_s` ahead of it.
fn check(step: Span, ahead_s: f64) {
    let wall = Arc::new(Wall { passed_ms: AtomicI64::new(0), set_ms: AtomicI64::new(0) });
    let timer = Arc::clone(&wall);
    let elapsed = move || Duration::from_millis(timer.passed_ms.load(Ordering::Relaxed) as u64);
    let clock = SteadyClock::timed_by(Arc::clone(&wall) as Arc<dyn Clock>, Box::new(elapsed));
    let mut bench = Bench::new("change-rate");
    bench.now = clock.now();
    let pinned = |number: u32| Source {
        id: SourceId(number),
        pinned: Some(EVERY),
        due_at: clock.now(),
        ..Source::new(&NETWORK.into(), "posts", RobotKind::Status, "account", &number.to_string())
    };
    bench.know_all((1..=5).map(pinned));
    let mut asked_at: Map<String, i64> = Map::default();
    let mut stored_at = Timestamp::MIN;
    for second in 0..2 * LASTS_S {
        if second == LASTS_S {
            wall.set_ms.fetch_add(step.ms(), Ordering::Relaxed);
        }
        wall.passed_ms.fetch_add(1000, Ordering::Relaxed);
        bench.now = clock.now();
        bench.wall_ms += 1000;
        bench.tell(Event::Tick);
        while let Some(order) = bench.orders.front() {
            let root = order.root.clone();
            let gap = second - asked_at.insert(root.clone(), second).unwrap_or(second - 60);
            // Twice as long while the clock catches up; sooner only where the clock says that it is late.
            assert!(gap <= 125, "{step}: `{root}` waited {gap} s at {second} s");
            assert!(gap >= 55 || step > Span::ZERO, "{step}: `{root}` was asked after {gap} s");
            bench.answer(list(&root, [second]));
        }
        while let Some(upload) = bench.uploads.front() {
            assert!(upload.seen_at >= stored_at, "{step}: stored times never run back");
            stored_at = upload.seen_at;
            bench.commit(Applied::default());
        }
    }
    assert!(asked_at.values().all(|at| 2 * LASTS_S - at <= 125), "{step}: requests go on: {asked_at:?}");
    let ahead = (clock.now() - wall.now()).secs_f64();
    assert!((ahead - ahead_s).abs() < 2.0, "{step}: ahead by {ahead}");
    assert!((clock.now() - stored_at).secs_f64() <= 125.0, "{step}");
}

#[test]
fn a_step_of_the_clock_stops_no_crawl() {
    check(Span::from_secs(-61), 0.0);
    check(Span::HOUR * -1.0, 3600.0 - LASTS_S as f64 / 2.0);
    check(Span::DAY * -30.0, 30.0 * 86_400.0 - LASTS_S as f64 / 2.0);
    check(Span::HOUR, 0.0);
}

#[test]
fn times_of_a_clock_that_was_ahead_keep_no_source_waiting() {
    let mut bench = Bench::new("change-rate");
    let later = bench.now + Span::DAY * 60.0;
    for (number, state, robot, endpoint) in [
        (1, SourceState::Active, RobotKind::Status, "posts"),
        (2, SourceState::Failed, RobotKind::Status, "posts"),
        (3, SourceState::Gone, RobotKind::User, "account"),
        (4, SourceState::Active, RobotKind::User, "account"),
    ] {
        let source = Source {
            id: SourceId(number),
            state,
            due_at: later,
            visited_at: Some(later),
            ..Source::new(&NETWORK.into(), endpoint, robot, "account", &number.to_string())
        };
        bench.know_all([source]);
        let latest = bench.now + Span::DAY.max(bench.core.options.ceiling);
        assert!(bench.slot(SourceId(number)).news_at <= latest, "{number}");
    }
    bench.wait(Span::DAY);
    let mut asked = BTreeSet::new();
    for _ in 0..60 {
        bench.wait(Span::SECOND);
        while let Some(order) = bench.orders.front() {
            asked.insert(order.root.clone());
            bench.answer(list("7", [900_000]));
        }
    }
    assert_eq!(asked.len(), 4, "all of them are visited: {asked:?}");
}
