//! The whole frontier against plain sets, and the promises of its header one by one.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::priority::CLASS_COUNT;

const SOURCES: u32 = 24;
const KEYS: u32 = 4;
const FREE: Politeness = Politeness { pause: Span::ZERO, in_flight_max: u32::MAX };

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms)
}

#[derive(Clone, Debug)]
enum Action {
    Schedule(u32, u32, u8, i64),
    Cancel(u32),
    Pick,
    GiveBack(i64),
    Close(usize),
    Expire,
    Hold(u32, i64),
    Wait(i64),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => (0..SOURCES, 0..KEYS, 0_u8..10, -2000_i64..4000)
            .prop_map(|(id, key, class, ms)| Action::Schedule(id, key, class, ms)),
        1 => (0..SOURCES).prop_map(Action::Cancel),
        8 => Just(Action::Pick),
        1 => (0_i64..2000).prop_map(Action::GiveBack),
        3 => any::<usize>().prop_map(Action::Close),
        1 => Just(Action::Expire),
        1 => (0..KEYS, 0_i64..3000).prop_map(|(key, ms)| Action::Hold(key, ms)),
        4 => (0_i64..1200).prop_map(Action::Wait),
    ]
}

/// What the frontier must know: due times, leases, and when each key may be asked.
struct Run {
    frontier: Frontier,
    now: i64,
    due: BTreeMap<u32, (u32, i64)>,
    leased: BTreeMap<u64, (Pick, i64)>,
    paused_until: [i64; KEYS as usize],
    held_until: [i64; KEYS as usize],
    next_visit: u64,
}

/// A tick of a millisecond, so that nothing is rounded.
const TICK: Span = Span::from_ms(1);
const LEASE_MS: i64 = 2500;

fn politeness(key: u32) -> Politeness {
    Politeness { pause: Span::from_ms(i64::from(key) * 300), in_flight_max: 1 + key }
}

impl Run {
    fn new() -> Self {
        let mut frontier = Frontier::new(TICK, at(0));
        for key in 0..KEYS {
            frontier.set_politeness(ServerKey(key), politeness(key));
        }
        Self {
            frontier,
            now: 10_000,
            due: BTreeMap::new(),
            leased: BTreeMap::new(),
            paused_until: [0; KEYS as usize],
            held_until: [0; KEYS as usize],
            next_visit: 1,
        }
    }

    fn may_ask(&self, key: u32) -> bool {
        let in_flight_count = self.leased.values().filter(|(pick, _)| pick.key.0 == key).count();
        self.paused_until[key as usize].max(self.held_until[key as usize]) <= self.now
            && in_flight_count < politeness(key).in_flight_max as usize
    }

    fn is_leased(&self, id: u32) -> bool {
        self.leased.values().any(|(pick, _)| pick.id.0 == id)
    }

    fn pick(&mut self) -> Option<Pick> {
        let must = self
            .due
            .iter()
            .any(|(&id, &(key, due_at))| due_at <= self.now && self.may_ask(key) && !self.is_leased(id));
        let pick = self.frontier.pick(at(self.now));
        assert!(pick.is_some() || !must, "something is due and allowed");
        let found = pick?;
        let due = self.due.remove(&found.id.0);
        let (key, due_at) = due.expect("only scheduled sources are picked, and once");
        assert_eq!(key, found.key.0);
        assert!(due_at <= self.now, "source {} is picked early", found.id.0);
        assert!(self.may_ask(key) && !self.is_leased(found.id.0));
        self.paused_until[key as usize] = self.now + politeness(key).pause.ms();
        Some(found)
    }

    fn nth_lease(&mut self, which: usize) -> Option<(u64, Pick)> {
        let visit = *self.leased.keys().nth(which.checked_rem(self.leased.len())?)?;
        self.leased.remove(&visit).map(|(pick, _)| (visit, pick))
    }

    fn act(&mut self, action: &Action) {
        match *action {
            Action::Schedule(id, key, class, ms) => {
                self.frontier.schedule(SourceId(id), ServerKey(key), class, at(self.now + ms));
                self.due.insert(id, (key, self.now + ms));
            }
            Action::Cancel(id) => {
                assert_eq!(self.frontier.cancel(SourceId(id)), self.due.remove(&id).is_some());
            }
            Action::Pick => {
                let Some(pick) = self.pick() else { return };
                let visit = self.next_visit;
                self.next_visit += 1;
                self.frontier.lease(pick, VisitId(visit), at(self.now + LEASE_MS));
                self.leased.insert(visit, (pick, self.now + LEASE_MS));
            }
            Action::GiveBack(ms) => {
                let paused_until = self.paused_until;
                let Some(pick) = self.pick() else { return };
                self.paused_until = paused_until;
                self.frontier.give_back(pick, at(self.now + ms));
                self.due.insert(pick.id.0, (pick.key.0, self.now + ms));
            }
            Action::Close(which) => {
                let Some((visit, pick)) = self.nth_lease(which) else { return };
                assert_eq!(self.frontier.close(VisitId(visit)), Some(pick.id));
                assert_eq!(self.frontier.close(VisitId(visit)), None, "a visit ends once");
            }
            Action::Expire => self.expire(),
            Action::Hold(key, ms) => {
                self.frontier.hold(ServerKey(key), at(self.now + ms));
                let held_until = &mut self.held_until[key as usize];
                *held_until = (*held_until).max(self.now + ms);
            }
            Action::Wait(ms) => self.now += ms,
        }
    }

    /// Ends what is overdue, as the engine does: in the order of the deadlines.
    fn expire(&mut self) {
        let mut overdue: Vec<(i64, u64)> =
            self.leased.iter().map(|(&visit, lease)| (lease.1, visit)).collect();
        overdue.retain(|&(deadline, _)| deadline <= self.now);
        overdue.sort_unstable();
        for (_, visit) in overdue {
            assert_eq!(self.frontier.overdue(at(self.now)), Some(VisitId(visit)));
            let (pick, _) = self.leased.remove(&visit).expect("it was found a moment ago");
            assert_eq!(self.frontier.close(VisitId(visit)), Some(pick.id));
        }
        assert_eq!(self.frontier.overdue(at(self.now)), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_picks_what_is_due_and_allowed(actions in prop::collection::vec(action(), 1..200)) {
        let mut run = Run::new();
        for action in &actions {
            run.act(action);
            prop_assert_eq!(run.frontier.leased_count(), run.leased.len());
        }
        // In the end everything comes, once holds and pauses are over.
        for visit in run.leased.keys() {
            run.frontier.close(VisitId(*visit));
        }
        run.leased.clear();
        for _ in 0..run.due.len() {
            run.now += 100_000;
            let pick = run.pick().expect("what is due comes when nothing forbids it");
            run.frontier.lease(pick, VisitId(run.next_visit), at(run.now));
            run.frontier.close(VisitId(run.next_visit));
            run.next_visit += 1;
        }
        prop_assert!(run.due.is_empty());
    }
}

#[test]
fn the_next_wake_is_enough_to_miss_nothing() {
    let mut frontier = Frontier::new(Span::from_ms(10), at(0));
    frontier.set_politeness(ServerKey(0), Politeness { pause: Span::from_ms(250), in_flight_max: 1 });
    for id in 0..20 {
        frontier.schedule(SourceId(id), ServerKey(0), 0, at(i64::from(id) * 700_000));
    }
    let (mut now, mut picked_count, mut wake_count) = (at(0), 0, 0);
    while picked_count < 20 {
        while let Some(pick) = frontier.pick(now) {
            assert!(now.ms() - i64::from(pick.id.0) * 700_000 < 10, "source {} came late", pick.id.0);
            picked_count += 1;
            frontier.lease(pick, VisitId(picked_count), Timestamp::MAX);
            frontier.close(VisitId(picked_count));
        }
        now = frontier.next_wake().unwrap_or(now);
        wake_count += 1;
    }
    assert!(wake_count < 100, "{wake_count} wakes for 20 visits");
}

#[test]
fn a_held_server_with_much_to_do_blocks_nobody() {
    let mut frontier = Frontier::new(Span::SECOND, at(0));
    for id in 0..100_000 {
        frontier.schedule(SourceId(id), ServerKey(0), 0, at(0));
    }
    frontier.hold(ServerKey(0), at(1_000_000));
    frontier.schedule(SourceId(100_000), ServerKey(1), 7, at(0));
    let pick = frontier.pick(at(0)).expect("the other server is free");
    assert_eq!((pick.key, frontier.pick(at(0))), (ServerKey(1), None));
    assert_eq!((frontier.due_count(), frontier.scheduled_count()), (100_000, 0));
    assert!(frontier.pick(at(1_000_000)).is_some());
}

#[test]
fn a_million_due_at_once_cost_no_memory_that_was_not_there() {
    const COUNT: u32 = 1_000_000;
    let mut frontier = Frontier::new(Span::SECOND, at(0));
    frontier.reserve(COUNT as usize);
    for id in 0..COUNT {
        frontier.schedule(SourceId(id), ServerKey(id % 100), (id % 8) as u8, at(0));
    }
    let before = frontier.bytes();
    assert!(before < COUNT as usize * 21 + 100_000, "{before} bytes for a million sources");
    let mut picked_count = 0;
    while frontier.pick(at(0)).is_some() {
        picked_count += 1;
    }
    assert_eq!(picked_count, 100, "one visit a server");
    let gained = frontier.bytes() - before;
    assert!(gained < 150_000, "{gained} bytes more");
}

#[test]
fn urgent_sources_of_one_server_come_first_and_the_others_still_come() {
    let mut frontier = Frontier::new(Span::SECOND, at(0));
    frontier.set_politeness(ServerKey(0), FREE);
    for id in 0..4000 {
        frontier.schedule(SourceId(id), ServerKey(0), if id < 2000 { 3 } else { 0 }, at(0));
    }
    let picks: Vec<u32> = (0..900).map(|_| frontier.pick(at(0)).unwrap().id.0).collect();
    let urgent_count = picks.iter().filter(|&&id| id >= 2000).count();
    assert!((780..=820).contains(&urgent_count), "eight of nine: {urgent_count}");
}

#[test]
fn urgent_servers_come_first_when_many_are_ready() {
    let mut frontier = Frontier::new(Span::SECOND, at(0));
    for id in 0..2000 {
        frontier.schedule(
            SourceId(id),
            ServerKey(id),
            if id < 1000 { (CLASS_COUNT - 1) as u8 } else { 0 },
            at(0),
        );
    }
    let picks: Vec<u32> = (0..900).map(|_| frontier.pick(at(0)).unwrap().id.0).collect();
    let urgent_count = picks.iter().filter(|&&id| id >= 1000).count();
    assert!(urgent_count > 850, "{urgent_count} of 900");
}

#[test]
fn a_visit_under_way_keeps_its_politeness_and_its_lease() {
    let mut frontier = Frontier::new(Span::SECOND, at(0));
    frontier.schedule(SourceId(0), ServerKey(0), 0, at(0));
    let pick = frontier.pick(at(0)).unwrap();
    frontier.lease(pick, VisitId(1), at(100));
    assert_eq!(frontier.allow_request(ServerKey(0), at(400)), Err(at(1000)));
    assert_eq!(frontier.allow_request(ServerKey(0), at(1000)), Ok(()));
    assert_eq!(frontier.allow_request(ServerKey(0), at(1001)), Err(at(2000)));
    assert!(frontier.extend(VisitId(1), at(9000)));
    assert_eq!((frontier.overdue(at(8999)), frontier.overdue(at(9000))), (None, Some(VisitId(1))));
    frontier.schedule(SourceId(0), ServerKey(0), 0, at(3000));
    assert_eq!(frontier.close(VisitId(1)), Some(SourceId(0)));
    assert_eq!((frontier.pick(at(2999)), frontier.next_deadline()), (None, None));
    assert_eq!(frontier.pick(at(3000)).map(|pick| pick.id), Some(SourceId(0)));
}

#[test]
fn a_visit_that_rests_gives_its_place_away_and_waits_for_another() {
    let mut frontier = Frontier::new(Span::from_ms(1), at(0));
    frontier.set_politeness(ServerKey(0), Politeness { pause: Span::ZERO, in_flight_max: 1 });
    for id in 0..2 {
        frontier.schedule(SourceId(id), ServerKey(0), 0, at(0));
    }
    let lease = |frontier: &mut Frontier, visit: u64| {
        let pick = frontier.pick(at(5));
        pick.map(|pick| frontier.lease(pick, VisitId(visit), Timestamp::MAX)).is_some()
    };
    assert!(lease(&mut frontier, 1));
    assert!(!lease(&mut frontier, 2), "there is one place");
    frontier.rest(VisitId(1));
    frontier.rest(VisitId(1));
    assert!(lease(&mut frontier, 2), "the place of a resting visit is free");
    assert!(!frontier.resume(VisitId(1)), "another has its place");
    frontier.close(VisitId(2));
    assert!(frontier.resume(VisitId(1)) && frontier.resume(VisitId(1)));
    frontier.rest(VisitId(1));
    frontier.close(VisitId(1));
    frontier.schedule(SourceId(1), ServerKey(0), 0, at(6));
    assert!(frontier.pick(at(7)).is_some(), "a visit that ends resting frees no second place");
    assert!(!frontier.resume(VisitId(9)), "nobody knows this visit");
}

#[test]
fn a_visit_that_sent_nothing_leaves_its_key_free() {
    for (has_asked, expected) in [(true, at(2000)), (false, at(1000))] {
        let mut frontier = Frontier::new(TICK, at(0));
        frontier.set_politeness(ServerKey(0), Politeness { pause: Span::SECOND, in_flight_max: 1 });
        for id in [1, 2] {
            frontier.schedule(SourceId(id), ServerKey(0), 0, at(1000));
        }
        let pick = frontier.pick(at(1000)).unwrap();
        frontier.lease(pick, VisitId(1), Timestamp::MAX);
        let ended = if has_asked { frontier.close(VisitId(1)) } else { frontier.close_unsent(VisitId(1)) };
        assert_eq!(ended, Some(pick.id));
        assert_eq!(frontier.next_wake().max(Some(at(1000))), Some(expected));
        assert_eq!(frontier.pick(at(1000)).is_some(), !has_asked, "the other source");
    }
}

/// Begins visits until nothing more is given; writes down the sources.
fn begin_all(frontier: &mut Frontier, now: i64, next_visit: &mut u64) -> Vec<u32> {
    let mut begun = Vec::new();
    while let Some(pick) = frontier.pick(at(now)) {
        *next_visit += 1;
        frontier.lease(pick, VisitId(*next_visit), Timestamp::MAX);
        begun.push(pick.id.0);
    }
    begun
}

#[test]
fn a_lane_that_is_held_keeps_its_order_and_stops_no_other() {
    let key = ServerKey(0);
    let mut frontier = Frontier::new(TICK, at(0));
    frontier.set_politeness(key, Politeness { pause: Span::ZERO, in_flight_max: 4 });
    for id in 0..8 {
        frontier.schedule(SourceId(id), key, 0, at(i64::from(id)));
    }
    frontier.schedule(SourceId(20), key, 5, at(0));
    let mut visit = 0;
    // Visits 1 to 4 begin; one call is left, so that all but the first go back, in any order.
    let begun = begin_all(&mut frontier, 100, &mut visit);
    let news: Vec<u32> = begun.iter().copied().filter(|id| *id != 20).collect();
    assert!(news.is_sorted() && news[0] == 0, "{begun:?}");
    for number in (1..=visit).rev().filter(|number| begun[*number as usize - 1] != 20 && *number > 1) {
        frontier.hold_class(key, 0, at(500));
        frontier.return_first(VisitId(number), false);
    }
    frontier.close(VisitId(1));
    let others = begin_all(&mut frontier, 200, &mut visit);
    assert!(others.iter().chain(&begun).any(|id| *id == 20), "another class has its turn");
    assert!(others.iter().all(|id| *id == 20), "nothing of a held lane: {others:?}");
    assert_eq!(frontier.next_wake(), Some(at(500)));
    let mut seen = Vec::new();
    while seen.len() < 7 {
        let now = 500 + seen.len() as i64;
        let pick = frontier.pick(at(now)).expect("the hold has ended");
        visit += 1;
        frontier.lease(pick, VisitId(visit), Timestamp::MAX);
        frontier.close(VisitId(visit));
        seen.push(pick.id.0);
    }
    assert_eq!(seen, (1..8).collect::<Vec<_>>(), "nobody lost a turn");
}

#[test]
fn a_source_that_changes_its_class_leaves_its_lane() {
    let key = ServerKey(0);
    let mut frontier = Frontier::new(TICK, at(0));
    frontier.set_politeness(key, FREE);
    frontier.hold_class(key, 7, at(1000));
    frontier.schedule(SourceId(3), key, 7, at(0));
    assert!(frontier.pick(at(10)).is_none());
    frontier.schedule(SourceId(3), key, 0, at(20));
    assert_eq!(frontier.pick(at(20)).map(|pick| pick.id), Some(SourceId(3)));
    assert!(frontier.pick(at(2000)).is_none(), "it is in no lane any more");
}

#[test]
fn candidates_are_handed_out_when_their_time_comes_and_never_picked() {
    let key = ServerKey(0);
    let mut frontier = Frontier::new(TICK, at(0));
    frontier.set_politeness(key, FREE);
    for (id, ms) in [(1, 100), (2, 50), (3, 5000), (4, 60)] {
        frontier.schedule(SourceId(id), key, CANDIDATE, at(ms));
    }
    frontier.cancel(SourceId(4));
    assert_eq!(frontier.pop_candidate(at(10)), None);
    assert_eq!(frontier.pick(at(200)), None, "whether they are visited is decided elsewhere");
    assert!(frontier.next_wake() <= Some(at(200)), "two of them wait to be handed out");
    let risen: Vec<_> = std::iter::from_fn(|| frontier.pop_candidate(at(200))).map(|id| id.0).collect();
    assert_eq!(risen, [2, 1]);
    // One of them is chosen; the other is known no longer.
    frontier.schedule(SourceId(1), key, 0, Timestamp::MIN);
    assert_eq!(frontier.pick(at(200)).map(|pick| pick.id), Some(SourceId(1)));
    assert_eq!(frontier.pick(at(4000)), None);
    // Who becomes a candidate while it waits in a lane leaves the lane.
    frontier.schedule(SourceId(2), key, 0, at(300));
    frontier.hold_class(key, 0, at(9000));
    assert_eq!(frontier.pick(at(400)), None);
    frontier.schedule(SourceId(2), key, CANDIDATE, at(500));
    let risen: Vec<_> = std::iter::from_fn(|| frontier.pop_candidate(at(6000))).map(|id| id.0).collect();
    assert_eq!(risen, [2, 3]);
    assert_eq!(frontier.pick(at(10_000)), None);
}

#[test]
fn those_that_wait_behind_a_pick_can_be_taken_together() {
    let (key, mut frontier) = (ServerKey(0), Frontier::new(TICK, at(0)));
    frontier.set_politeness(key, Politeness { pause: Span::SECOND, in_flight_max: 1 });
    for id in 0..8 {
        frontier.schedule(SourceId(id), key, if id == 5 { 4 } else { 3 }, at(i64::from(id)));
    }
    let first = frontier.pick(at(10)).unwrap();
    assert_eq!(first.id, SourceId(0));
    // One of another class stays, and so do those that stand at the server already or were taken back.
    frontier.cancel(SourceId(6));
    let taken = |frontier: &mut Frontier, bounds| frontier.take_due(key, 3, bounds, |id| id != SourceId(4));
    assert_eq!(taken(&mut frontier, (4, 9)), []);
    assert_eq!(taken(&mut frontier, (3, 9)), [SourceId(2), SourceId(3), SourceId(7)]);
    assert_eq!(frontier.take_due(ServerKey(7), 3, (0, 9), |_| true), []);
    frontier.schedule(SourceId(3), key, 3, at(10));
    frontier.give_back(first, at(20));
    let mut picked = Vec::new();
    let mut now = 20;
    while let Some(pick) = frontier.pick(at(now)) {
        picked.push(pick.id.0);
        frontier.lease(pick, VisitId(u64::from(pick.id.0)), Timestamp::MAX);
        frontier.close(VisitId(u64::from(pick.id.0)));
        now += 1000;
    }
    picked.sort_unstable();
    assert_eq!(picked, [0, 1, 3, 4, 5], "each once, and not who is known to others");
}
