//! The wheel against an ordered set that does the same slowly.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Action {
    Schedule(u32, i64),
    Cancel(u32),
    Advance(i64, usize),
}

/// Spans from within a tick to beyond one turn of the wheel.
fn span_ms() -> impl Strategy<Value = i64> {
    prop_oneof![
        -5_000_i64..20,
        0_i64..2_000,
        0_i64..2_000_000,
        0_i64..20_000_000_000,
        0_i64..500_000_000_000,
        Just(2047),
        Just(2048),
        Just(1 << 27),
        Just(1 << 32),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        4 => (0_u32..64, span_ms()).prop_map(|(id, ahead)| Action::Schedule(id, ahead)),
        1 => (0_u32..64).prop_map(Action::Cancel),
        3 => (span_ms(), 0_usize..20).prop_map(|(by, limit)| Action::Advance(by, limit)),
    ]
}

/// The twin: entries with the tick they become due in.
struct Twin {
    tick_ms: i64,
    cursor: i64,
    entries: BTreeSet<(i64, u32)>,
}

impl Twin {
    fn schedule(&mut self, id: u32, due_ms: i64) {
        self.entries.retain(|&(_, other)| other != id);
        let tick = (due_ms + self.tick_ms - 1).div_euclid(self.tick_ms);
        self.entries.insert((tick, id));
    }

    /// Checks that `out` is what may come out at `target`, and takes it out.
    fn accept(&mut self, target: i64, limit: usize, out: &[u32]) {
        let mut last = i64::MIN;
        for id in out {
            let found = self.entries.iter().find(|entry| entry.1 == *id).copied();
            let entry = found.expect("only scheduled entries come out");
            assert!(entry.0 <= target, "entry {id} came out {} ticks early", entry.0 - target);
            assert!(entry.0.max(self.cursor) >= last, "earlier ticks come first");
            last = entry.0.max(self.cursor);
            self.entries.remove(&entry);
        }
        let left = self.entries.first().map_or(i64::MAX, |entry| entry.0);
        assert!(left.max(self.cursor) >= last, "nothing earlier is left behind");
        assert!(out.len() == limit || left > target || target < self.cursor, "all that is due comes out");
    }
}

fn check(tick_ms: i64, start_ms: i64, actions: Vec<Action>) {
    let mut wheel = Wheel::new(Span::from_ms(tick_ms), Timestamp::from_ms(start_ms));
    let mut twin = Twin { tick_ms, cursor: start_ms.div_euclid(tick_ms), entries: BTreeSet::new() };
    let mut now = start_ms;
    for action in actions {
        match action {
            Action::Schedule(id, ahead) => {
                wheel.schedule(id, Timestamp::from_ms(now + ahead));
                twin.schedule(id, now + ahead);
                let due_at = wheel.due_at(id).unwrap().ms();
                assert!(due_at >= now + ahead, "due times are rounded up, never down");
                let is_overdue = now + ahead < wheel.cursor * tick_ms;
                assert!(is_overdue || due_at < now + ahead + tick_ms, "by less than a tick");
            }
            Action::Cancel(id) => {
                let was_in = twin.entries.iter().any(|entry| entry.1 == id);
                twin.entries.retain(|entry| entry.1 != id);
                assert_eq!(wheel.cancel(id), was_in);
            }
            Action::Advance(by, limit) => {
                now = (now + by).max(start_ms);
                let mut out = Vec::new();
                wheel.advance(Timestamp::from_ms(now), limit, &mut out);
                assert!(out.len() <= limit);
                twin.accept(now.div_euclid(tick_ms), limit, &out);
                assert!(
                    wheel.cursor >= twin.cursor && wheel.cursor <= twin.cursor.max(now.div_euclid(tick_ms))
                );
                twin.cursor = wheel.cursor;
            }
        }
        assert_eq!(wheel.len(), twin.entries.len());
        let bound = wheel.next_due().map(Timestamp::ms);
        let first = twin.entries.first().map(|entry| entry.0.max(twin.cursor) * tick_ms);
        assert_eq!(bound.is_some(), first.is_some());
        assert!(bound <= first, "{bound:?} is later than {first:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_does_what_an_ordered_set_does(
        tick_ms in prop_oneof![Just(1_i64), Just(7), Just(100), Just(1_000), Just(10_000)],
        start_ms in prop_oneof![Just(0_i64), -3_000_000_i64..3_000_000, Just(1_790_000_000_123_i64)],
        actions in prop::collection::vec(action(), 1..120),
    ) {
        check(tick_ms, start_ms, actions);
    }
}

#[test]
fn time_goes_on_through_empty_years() {
    let mut wheel = Wheel::new(Span::from_ms(50), Timestamp::from_ms(0));
    let due_at = Timestamp::from_ms(10 * 365 * Span::DAY.ms() + 50);
    wheel.schedule(5, due_at);
    assert_eq!(wheel.due_at(5), Some(due_at));
    let (mut out, mut wakes) = (Vec::new(), 0);
    while out.is_empty() {
        let at = wheel.next_due().expect("something is scheduled");
        wheel.advance(at, 1, &mut out);
        assert!(out.is_empty() || at == due_at);
        wakes += 1;
    }
    assert!(wakes < 500, "one wake for each turn and window, not for each tick: {wakes}");
}

#[test]
fn many_entries_come_out_in_order_and_cost_five_bytes() {
    const COUNT: u32 = 200_000;
    let mut wheel = Wheel::new(Span::from_secs(10), Timestamp::from_ms(0));
    wheel.reserve(COUNT as usize);
    let due_ms = |id: u32| i64::from(id.wrapping_mul(2_654_435_761) >> 6) * 40;
    for id in 0..COUNT {
        wheel.schedule(id, Timestamp::from_ms(due_ms(id)));
    }
    assert!(wheel.bytes() < COUNT as usize * 5, "{} bytes", wheel.bytes());
    let (mut out, mut last) = (Vec::new(), 0);
    for hour in 0.. {
        out.clear();
        wheel.advance(Timestamp::from_secs(hour * 3600), usize::MAX, &mut out);
        for &id in &out {
            let tick = (due_ms(id) + 9_999) / 10_000;
            assert!(tick >= last);
            last = tick;
        }
        if wheel.is_empty() {
            break;
        }
    }
    assert_eq!(wheel.next_due(), None);
}

#[test]
fn a_million_due_at_once_are_handed_out_in_portions() {
    let mut wheel = Wheel::new(Span::SECOND, Timestamp::from_secs(100));
    for id in 0..1_000_000 {
        wheel.schedule(id, Timestamp::MIN);
    }
    let mut out = Vec::new();
    wheel.advance(Timestamp::from_secs(100), 1000, &mut out);
    assert_eq!((out.len(), wheel.len()), (1000, 999_000));
    assert_eq!(out[..3], [0, 1, 2], "in the order they came");
    assert_eq!(wheel.next_due(), Some(Timestamp::from_secs(100)));
    assert!(wheel.cancel(500_000) && !wheel.cancel(500_000));
    wheel.schedule(7, Timestamp::MAX);
    wheel.advance(Timestamp::from_secs(1000), usize::MAX, &mut out);
    assert_eq!((out.len(), wheel.len()), (999_999, 1));
}

#[test]
fn entries_that_are_moved_for_ever_take_no_room_for_ever() {
    let mut wheel = Wheel::new(Span::SECOND, Timestamp::from_secs(0));
    for round in 0..200 {
        for id in 0..1000 {
            wheel.schedule(id, Timestamp::from_secs(100 + i64::from(id) + 300 * round));
        }
    }
    assert!(wheel.number_count <= 2 * wheel.len() + STALE_MIN, "{} numbers", wheel.number_count);
    assert!(wheel.bytes() < 200_000, "{} bytes", wheel.bytes());
    let mut out = Vec::new();
    wheel.advance(Timestamp::from_secs(99 + 300 * 199), usize::MAX, &mut out);
    assert!(out.is_empty(), "where they once were nothing is due");
    wheel.advance(Timestamp::from_secs(1100 + 300 * 199), usize::MAX, &mut out);
    assert_eq!(out, (0..1000).collect::<Vec<_>>());
    assert_eq!((wheel.number_count, wheel.is_empty()), (0, true));
}
