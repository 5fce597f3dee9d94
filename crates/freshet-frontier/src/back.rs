//! Back queues: what may be asked now, one queue a politeness key [SocWeb, section 4.1].
//! Step 3 of 10 (pick).
//!
//! A key is a number that the caller gives each server. A key is *ready* when it has items, a
//! free place in flight, and neither its pause nor a hold lasts; ready keys take turns. Every
//! operation is logarithmic in the number of keys.
//!
//! A key has the caller's [`Trust`]. One that is not trusted has one place, and all of them
//! together have a share of the places ([`Back::set_room`]), so that servers which take a
//! connection and say nothing leave most places to those that answer.
//! Invariants: between two starts of one key lies its pause; never more than its limit is in
//! flight; a key that waits holds up no other. Quotas are not known here: they are the engine's.

use std::collections::{BTreeSet, VecDeque};

use freshet_types::{Politeness, ServerKey, Span, Timestamp};

/// Politeness towards a server of which nothing is known.
pub(crate) const UNKNOWN_SERVER: Politeness = Politeness { pause: Span::SECOND, in_flight_max: 1 };

/// Of all places, the part that keys without trust may take together: one in so many.
const UNTRUSTED_PART: usize = 2;
/// The part of those that failed their last request.
const FAILING_PART: usize = 4;

/// What is known of a key's answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    #[default]
    Answering,
    /// It has not been asked yet.
    New,
    /// It did not answer when it was last asked.
    Failing,
}

impl Trust {
    const ALL: [Self; 3] = [Self::Answering, Self::New, Self::Failing];
}

/// Queues by politeness key.
#[derive(Debug)]
pub(crate) struct Back {
    keys: Vec<Key>,
    /// By trust, then by turn.
    ready: [BTreeSet<(u64, ServerKey)>; 3],
    /// Visits under way, by the trust of their keys.
    in_flight: [usize; 3],
    /// Places in all.
    room: usize,
    /// By the instant they become ready.
    waiting: BTreeSet<(Timestamp, ServerKey)>,
    next_turn: u64,
    /// The instant at which keys were last found ready.
    looked_at: Timestamp,
    len: usize,
}

impl Default for Back {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            ready: Default::default(),
            in_flight: [0; 3],
            room: usize::MAX,
            waiting: BTreeSet::new(),
            next_turn: 0,
            looked_at: Timestamp::default(),
            len: 0,
        }
    }
}

#[derive(Debug)]
struct Key {
    queue: VecDeque<u32>,
    politeness: Politeness,
    trust: Trust,
    in_flight_count: u32,
    /// The pause lasts until then.
    paused_until: Timestamp,
    /// What `paused_until` was before the last start, for a start that is cancelled.
    paused_before: Timestamp,
    held_until: Timestamp,
    status: KeyStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyStatus {
    /// No items, or no free slot.
    Idle,
    Ready(u64),
    Waiting(Timestamp),
}

impl Key {
    fn new() -> Self {
        Self {
            queue: VecDeque::new(),
            politeness: UNKNOWN_SERVER,
            trust: Trust::default(),
            in_flight_count: 0,
            paused_until: Timestamp::MIN,
            paused_before: Timestamp::MIN,
            held_until: Timestamp::MIN,
            status: KeyStatus::Idle,
        }
    }

    fn allowed_at(&self) -> Timestamp {
        self.paused_until.max(self.held_until)
    }

    fn has_slot(&self) -> bool {
        let slots = if self.trust == Trust::Answering { self.politeness.in_flight_max.max(1) } else { 1 };
        self.in_flight_count < slots
    }

    fn has_work(&self) -> bool {
        !self.queue.is_empty() && self.has_slot()
    }
}

impl Back {
    /// Items in all queues.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Items that wait for one key.
    pub(crate) fn len_of(&self, key: ServerKey) -> usize {
        self.keys.get(key.index()).map_or(0, |state| state.queue.len())
    }

    /// Says how gently a key is to be treated; [`UNKNOWN_SERVER`] until then.
    pub(crate) fn set_politeness(&mut self, key: ServerKey, politeness: Politeness) {
        self.key(key).politeness = politeness;
        self.settle(key);
    }

    /// Says how many visits there may be at once in all.
    pub(crate) fn set_room(&mut self, room: usize) {
        self.room = room;
    }

    /// Says what is known of a key's answers; it is trusted until then.
    pub(crate) fn set_trust(&mut self, key: ServerKey, trust: Trust) {
        let state = self.key(key);
        let (before, count) = (state.trust, state.in_flight_count as usize);
        if before == trust {
            return;
        }
        state.trust = trust;
        // It keeps its turn, among others.
        if let KeyStatus::Ready(turn) = state.status {
            assert!(self.ready[before as usize].remove(&(turn, key)), "a ready key has a turn");
            self.ready[trust as usize].insert((turn, key));
        }
        self.in_flight[before as usize] -= count;
        self.in_flight[trust as usize] += count;
        self.settle(key);
    }

    /// Appends an item to the queue of a key.
    pub(crate) fn push(&mut self, key: ServerKey, item: u32) {
        self.key(key).queue.push_back(item);
        self.len += 1;
        self.settle(key);
    }

    /// Takes the first item of the ready key whose turn it is. The key's pause begins with
    /// `started`, which must follow unless the item is dropped.
    pub(crate) fn pop(&mut self, now: Timestamp) -> Option<(ServerKey, u32)> {
        self.look(now);
        let open = Trust::ALL.into_iter().filter(|&trust| self.is_open(trust));
        let first = open.filter_map(|trust| self.ready[trust as usize].first().copied());
        let (turn, key) = first.min()?;
        let state = &mut self.keys[key.index()];
        assert!(self.ready[state.trust as usize].remove(&(turn, key)), "it was found a moment ago");
        state.status = KeyStatus::Idle;
        let item = state.queue.pop_front().expect("a ready key has items");
        self.len -= 1;
        self.settle(key);
        Some((key, item))
    }

    /// Takes an item out of the queue of a key; gives whether it was in.
    pub(crate) fn remove(&mut self, key: ServerKey, item: u32) -> bool {
        let queue = &mut self.key(key).queue;
        let found = queue.iter().position(|&other| other == item).map(|at| queue.remove(at)).is_some();
        if found {
            self.len -= 1;
            self.settle(key);
        }
        found
    }

    /// Takes the last item that is meant out of the queue of a key.
    pub(crate) fn remove_last(&mut self, key: ServerKey, is_meant: impl Fn(&u32) -> bool) -> Option<u32> {
        let queue = &mut self.key(key).queue;
        let item = queue.iter().rposition(is_meant).and_then(|at| queue.remove(at))?;
        self.len -= 1;
        self.settle(key);
        Some(item)
    }

    /// A visit begins: it takes a place in flight, and the pause begins.
    pub(crate) fn started(&mut self, key: ServerKey, now: Timestamp) {
        let state = self.key(key);
        let trust = state.trust;
        state.in_flight_count += 1;
        state.paused_before = state.paused_until;
        state.paused_until = now + state.politeness.pause;
        self.in_flight[trust as usize] += 1;
        self.settle(key);
    }

    /// A visit that gave its slot away takes one again, if there is one; its next request asks
    /// with `allow_request`, as any does.
    pub(crate) fn occupy(&mut self, key: ServerKey) -> bool {
        let state = self.key(key);
        let (has_slot, trust) = (state.has_slot(), state.trust);
        state.in_flight_count += u32::from(has_slot);
        self.in_flight[trust as usize] += usize::from(has_slot);
        self.settle(key);
        has_slot
    }

    /// Cancels the start at `started_at`: nothing was sent, so no pause is due for it.
    pub(crate) fn cancel_start(&mut self, key: ServerKey, started_at: Timestamp) {
        self.unpause(key, started_at);
        self.finished(key);
    }

    /// Ends the pause that began with the start at `started_at`, unless another request began one.
    pub(crate) fn unpause(&mut self, key: ServerKey, started_at: Timestamp) {
        let state = self.key(key);
        if state.paused_until == started_at + state.politeness.pause {
            state.paused_until = state.paused_before;
        }
        self.settle(key);
    }

    /// A visit under way asks to send one more request: allowed, and the pause begins anew; or
    /// to be asked again at the instant given.
    pub(crate) fn allow_request(&mut self, key: ServerKey, now: Timestamp) -> Result<(), Timestamp> {
        let state = self.key(key);
        let allowed_at = state.allowed_at();
        if allowed_at > now {
            return Err(allowed_at);
        }
        state.paused_until = now + state.politeness.pause;
        self.settle(key);
        Ok(())
    }

    /// When the next request may leave.
    pub(crate) fn allowed_at(&self, key: ServerKey) -> Timestamp {
        self.keys.get(key.index()).map_or(Timestamp::MIN, Key::allowed_at)
    }

    /// A visit ended: its place in flight is free.
    pub(crate) fn finished(&mut self, key: ServerKey) {
        let state = self.key(key);
        assert!(state.in_flight_count > 0, "a visit of key {} ends that never began", key.0);
        state.in_flight_count -= 1;
        let trust = state.trust;
        self.in_flight[trust as usize] -= 1;
        self.settle(key);
    }

    /// Nothing is asked of a key before `until`; an earlier hold that lasts longer stays.
    pub(crate) fn hold(&mut self, key: ServerKey, until: Timestamp) {
        let state = self.key(key);
        state.held_until = state.held_until.max(until);
        self.settle(key);
    }

    /// Ends the hold of a key.
    pub(crate) fn release(&mut self, key: ServerKey) {
        self.key(key).held_until = Timestamp::MIN;
        self.settle(key);
    }

    /// Keys that `pop` can give at `now`.
    pub(crate) fn ready_count(&mut self, now: Timestamp) -> usize {
        self.look(now);
        self.open_ready_count()
    }

    /// When `pop` can give something, unless a visit ends before.
    pub(crate) fn next_ready(&self) -> Option<Timestamp> {
        if self.open_ready_count() > 0 {
            Some(self.looked_at)
        } else {
            self.waiting.first().map(|first| first.0)
        }
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let queues: usize = self.keys.iter().map(|key| key.queue.capacity() * size_of::<u32>()).sum();
        // A B-tree node is at least half full.
        let ready_count: usize = self.ready.iter().map(BTreeSet::len).sum();
        let sets = 2 * 16 * (ready_count + self.waiting.len());
        size_of::<Self>() + self.keys.capacity() * size_of::<Key>() + queues + sets
    }

    /// Whether keys of this trust may take one more place.
    fn is_open(&self, trust: Trust) -> bool {
        let [_, new, failing] = self.in_flight;
        let share = |part: usize| (self.room / part).max(1);
        match trust {
            Trust::Answering => true,
            Trust::New => new + failing < share(UNTRUSTED_PART),
            Trust::Failing => failing < share(FAILING_PART) && new + failing < share(UNTRUSTED_PART),
        }
    }

    fn open_ready_count(&self) -> usize {
        let open = Trust::ALL.into_iter().filter(|&trust| self.is_open(trust));
        open.map(|trust| self.ready[trust as usize].len()).sum()
    }

    fn key(&mut self, key: ServerKey) -> &mut Key {
        let needed = key.index() + 1;
        if self.keys.len() < needed {
            self.keys.resize_with(needed, Key::new);
        }
        &mut self.keys[key.index()]
    }

    /// Gives turns to the keys that have become ready.
    fn look(&mut self, now: Timestamp) {
        self.looked_at = self.looked_at.max(now);
        while let Some(&(at, key)) = self.waiting.first().filter(|first| first.0 <= now) {
            self.waiting.remove(&(at, key));
            let turn = self.next_turn;
            self.next_turn += 1;
            let state = &mut self.keys[key.index()];
            state.status = KeyStatus::Ready(turn);
            self.ready[state.trust as usize].insert((turn, key));
        }
    }

    /// Puts a key where its state says. One that is ready and stays so keeps its turn.
    fn settle(&mut self, key: ServerKey) {
        let looked_at = self.looked_at;
        let state = &mut self.keys[key.index()];
        let allowed_at = state.allowed_at();
        let status = match state.status {
            _ if !state.has_work() => KeyStatus::Idle,
            KeyStatus::Ready(turn) if allowed_at <= looked_at => KeyStatus::Ready(turn),
            _ => KeyStatus::Waiting(allowed_at),
        };
        let trust = state.trust;
        let before = std::mem::replace(&mut state.status, status);
        if before == status {
            return;
        }
        match before {
            KeyStatus::Idle => {}
            KeyStatus::Ready(turn) => {
                assert!(self.ready[trust as usize].remove(&(turn, key)), "a ready key has a turn");
            }
            KeyStatus::Waiting(at) => assert!(self.waiting.remove(&(at, key)), "a waiting key is listed"),
        }
        if let KeyStatus::Waiting(at) = status {
            self.waiting.insert((at, key));
        }
    }
}

#[cfg(test)]
mod tests;
