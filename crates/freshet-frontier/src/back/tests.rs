//! Back queues against a list of keys that is searched from end to end.

use proptest::prelude::*;

use super::*;

const KEY_COUNT: u32 = 5;

#[derive(Clone, Debug)]
enum Action {
    Push(u32),
    Visit,
    Drop,
    Finish(u32),
    Again(u32),
    Hold(u32, i64),
    Release(u32),
    Wait(i64),
}

fn action() -> impl Strategy<Value = Action> {
    let key = || 0..KEY_COUNT;
    prop_oneof![
        6 => key().prop_map(Action::Push),
        6 => Just(Action::Visit),
        1 => Just(Action::Drop),
        4 => key().prop_map(Action::Finish),
        1 => key().prop_map(Action::Again),
        1 => (key(), 0_i64..5000).prop_map(|(key, ms)| Action::Hold(key, ms)),
        1 => key().prop_map(Action::Release),
        4 => (0_i64..1500).prop_map(Action::Wait),
    ]
}

#[derive(Clone, Debug)]
struct TwinKey {
    politeness: Politeness,
    items: VecDeque<u32>,
    in_flight_count: u32,
    paused_until: i64,
    held_until: i64,
}

impl TwinKey {
    fn allowed_at(&self) -> i64 {
        self.paused_until.max(self.held_until)
    }

    fn has_work(&self) -> bool {
        !self.items.is_empty() && self.in_flight_count < self.politeness.in_flight_max
    }
}

struct Run {
    back: Back,
    keys: Vec<TwinKey>,
    now: i64,
    next_item: u32,
}

impl Run {
    fn new() -> Self {
        let politeness =
            |key: u32| Politeness { pause: Span::from_ms(i64::from(key) * 400), in_flight_max: 1 + key % 3 };
        let twin = |key| TwinKey {
            politeness: politeness(key),
            items: VecDeque::new(),
            in_flight_count: 0,
            paused_until: i64::MIN,
            held_until: i64::MIN,
        };
        let mut back = Back::default();
        for key in 0..KEY_COUNT {
            back.set_politeness(ServerKey(key), politeness(key));
        }
        Self { back, keys: (0..KEY_COUNT).map(twin).collect(), now: 1000, next_item: 0 }
    }

    fn pop(&mut self, is_dropped: bool) {
        let may_pop = self.keys.iter().any(|key| key.has_work() && key.allowed_at() <= self.now);
        let popped = self.back.pop(Timestamp::from_ms(self.now));
        assert_eq!(popped.is_some(), may_pop, "something comes exactly when something may");
        let Some((ServerKey(number), item)) = popped else { return };
        let key = &mut self.keys[number as usize];
        assert!(key.has_work() && key.allowed_at() <= self.now, "key {number} may not be asked");
        assert_eq!(key.items.pop_front(), Some(item));
        if !is_dropped {
            key.in_flight_count += 1;
            key.paused_until = self.now + key.politeness.pause.ms();
            self.back.started(ServerKey(number), Timestamp::from_ms(self.now));
        }
    }

    fn act(&mut self, action: &Action) {
        let at = |ms| Timestamp::from_ms(ms);
        match *action {
            Action::Push(key) => {
                self.back.push(ServerKey(key), self.next_item);
                self.keys[key as usize].items.push_back(self.next_item);
                self.next_item += 1;
            }
            Action::Visit => self.pop(false),
            Action::Drop => self.pop(true),
            Action::Finish(key) if self.keys[key as usize].in_flight_count > 0 => {
                self.keys[key as usize].in_flight_count -= 1;
                self.back.finished(ServerKey(key));
            }
            Action::Finish(_) => {}
            Action::Again(number) => {
                let key = &mut self.keys[number as usize];
                let answer = self.back.allow_request(ServerKey(number), at(self.now));
                assert_eq!(answer.is_ok(), key.allowed_at() <= self.now);
                match answer {
                    Ok(()) => key.paused_until = self.now + key.politeness.pause.ms(),
                    Err(until) => assert_eq!(until.ms(), key.allowed_at()),
                }
            }
            Action::Hold(key, ms) => {
                let held_until = &mut self.keys[key as usize].held_until;
                *held_until = (*held_until).max(self.now + ms);
                self.back.hold(ServerKey(key), at(self.now + ms));
            }
            Action::Release(key) => {
                self.keys[key as usize].held_until = i64::MIN;
                self.back.release(ServerKey(key));
            }
            Action::Wait(ms) => self.now += ms,
        }
    }

    fn check(&self) {
        let first = self.keys.iter().filter(|key| key.has_work()).map(TwinKey::allowed_at).min();
        let ready = self.back.next_ready().map(Timestamp::ms);
        assert_eq!(ready.map(|at| at.max(self.now)), first.map(|at| at.max(self.now)));
        assert_eq!(self.back.len(), self.keys.iter().map(|key| key.items.len()).sum::<usize>());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_gives_what_may_be_asked_and_nothing_else(actions in prop::collection::vec(action(), 1..150)) {
        let mut run = Run::new();
        for action in &actions {
            run.act(action);
            run.check();
        }
    }
}

/// Pushes items of keys, visits each without waiting, and writes down the keys that came.
fn check_turns(pushed: &str, expected: &str) {
    let mut back = Back::default();
    for key in pushed.bytes().map(|key| u32::from(key - b'a')) {
        back.set_politeness(ServerKey(key), Politeness { pause: Span::ZERO, in_flight_max: u32::MAX });
        back.push(ServerKey(key), 0);
    }
    let now = Timestamp::from_secs(10);
    let mut came = String::new();
    while let Some((ServerKey(key), _)) = back.pop(now) {
        back.started(ServerKey(key), now);
        came.push(char::from(b'a' + key as u8));
    }
    assert_eq!(came, expected);
}

#[test]
fn ready_keys_take_turns() {
    check_turns("aaabbc", "abcaba");
    check_turns("cba", "abc");
    check_turns("aaaaab", "abaaaa");
}

#[test]
fn a_key_keeps_its_turn_when_one_of_its_visits_ends() {
    let mut back = Back::default();
    let now = Timestamp::from_secs(10);
    for key in [0, 1, 2, 0, 1, 2] {
        back.set_politeness(ServerKey(key), Politeness { pause: Span::ZERO, in_flight_max: 9 });
        back.push(ServerKey(key), 0);
    }
    let mut came = Vec::new();
    while let Some((ServerKey(key), _)) = back.pop(now) {
        back.started(ServerKey(key), now);
        came.push(key);
        if came == [0, 1] {
            assert_eq!(back.ready_count(now), 3);
            back.finished(ServerKey(0));
        }
    }
    assert_eq!(came, [0, 1, 2, 0, 1, 2]);
}

#[test]
fn an_unknown_server_is_asked_once_a_second_and_once_at_a_time() {
    let mut back = Back::default();
    back.push(ServerKey(7), 1);
    back.push(ServerKey(7), 2);
    let at = Timestamp::from_ms;
    assert_eq!(back.pop(at(0)), Some((ServerKey(7), 1)));
    back.started(ServerKey(7), at(0));
    assert_eq!((back.pop(at(5000)), back.next_ready()), (None, None), "one is in flight");
    back.finished(ServerKey(7));
    assert_eq!((back.pop(at(999)), back.next_ready()), (None, Some(at(1000))));
    assert_eq!(back.pop(at(1000)), Some((ServerKey(7), 2)));
}

/// Keys of this trust with two items each, in a room of so many places: how many visits begin, and how many more
/// at a server that answers.
fn check_share(trust: Trust, room: usize, expected: (usize, usize)) {
    let (mut back, now) = (Back::default(), Timestamp::from_secs(10));
    back.set_room(room);
    let free = Politeness { pause: Span::ZERO, in_flight_max: 8 };
    for key in 0..1000 {
        back.set_politeness(ServerKey(key), free);
        back.set_trust(ServerKey(key), trust);
        back.push(ServerKey(key), key);
        back.push(ServerKey(key), key);
    }
    let begin = |back: &mut Back| {
        let begun = std::iter::from_fn(|| back.pop(now).inspect(|&(key, _)| back.started(key, now)));
        begun.take(room).map(|(key, _)| key.0).collect::<Vec<u32>>()
    };
    let begun = begin(&mut back);
    assert_eq!(begun.len(), expected.0, "{trust:?} of {room}");
    assert_eq!(back.next_ready(), None, "nobody is woken for nothing");
    back.set_politeness(ServerKey(1000), free);
    (0..100).for_each(|item| back.push(ServerKey(1000), item));
    assert_eq!(begin(&mut back).len(), expected.1, "{trust:?} of {room}: one that answers");
    // One of them answers: it has all its places at once, and the others a place more.
    back.set_trust(ServerKey(begun[0]), Trust::Answering);
    let more = begin(&mut back);
    assert_eq!(more.iter().filter(|&&key| key == begun[0]).count(), 1, "its second item");
    assert_eq!(more.len(), 2, "and somebody's first");
}

#[test]
fn servers_that_do_not_answer_leave_room_for_those_that_do() {
    check_share(Trust::New, 256, (128, 8));
    check_share(Trust::Failing, 256, (64, 8));
    check_share(Trust::Failing, 9, (2, 8));
}
