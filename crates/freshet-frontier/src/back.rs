//! Back queues: what may be asked now, one queue a politeness key [SocWeb, section 4.1].
//! Step 3 of 10 (pick).
//!
//! A key is a number that the caller gives each server. A key is *ready* when it has items, a
//! free place in flight, and neither its pause nor a hold lasts; ready keys take turns. Every
//! operation is logarithmic in the number of keys.
//! Invariants: between two starts of one key lies its pause; never more than its limit is in
//! flight; a key that waits holds up no other. Quotas are not known here: they are the engine's.

use std::collections::{BTreeSet, VecDeque};

use freshet_types::{Politeness, Span, Timestamp};

/// Manners towards a server of which nothing is known.
pub const UNKNOWN_SERVER: Politeness = Politeness { pause: Span::SECOND, in_flight_max: 1 };

/// Queues by politeness key.
#[derive(Debug, Default)]
pub struct Back {
    keys: Vec<Key>,
    /// By turn.
    ready: BTreeSet<(u64, u32)>,
    /// By the instant they become ready.
    waiting: BTreeSet<(Timestamp, u32)>,
    next_turn: u64,
    /// The instant at which keys were last found ready.
    looked_at: Timestamp,
    len: usize,
}

#[derive(Debug)]
struct Key {
    queue: VecDeque<u32>,
    manners: Politeness,
    in_flight_count: u32,
    /// The pause lasts until then.
    paused_until: Timestamp,
    /// What `paused_until` was before the last start, for a start that is taken back.
    paused_before: Timestamp,
    held_until: Timestamp,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// No items, or no place in flight.
    Idle,
    Ready(u64),
    Waiting(Timestamp),
}

impl Key {
    fn new() -> Self {
        Self {
            queue: VecDeque::new(),
            manners: UNKNOWN_SERVER,
            in_flight_count: 0,
            paused_until: Timestamp::MIN,
            paused_before: Timestamp::MIN,
            held_until: Timestamp::MIN,
            place: Place::Idle,
        }
    }

    fn allowed_at(&self) -> Timestamp {
        self.paused_until.max(self.held_until)
    }

    fn has_place(&self) -> bool {
        self.in_flight_count < self.manners.in_flight_max.max(1)
    }

    fn has_work(&self) -> bool {
        !self.queue.is_empty() && self.has_place()
    }
}

impl Back {
    /// Items in all queues.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no item waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Items that wait for one key.
    pub fn len_of(&self, key: u32) -> usize {
        self.keys.get(key as usize).map_or(0, |state| state.queue.len())
    }

    /// Says how gently a key is to be treated; [`UNKNOWN_SERVER`] until then.
    pub fn set_manners(&mut self, key: u32, manners: Politeness) {
        self.key(key).manners = manners;
        self.settle(key);
    }

    /// Appends an item to the queue of a key.
    pub fn push(&mut self, key: u32, item: u32) {
        self.key(key).queue.push_back(item);
        self.len += 1;
        self.settle(key);
    }

    /// Takes the first item of the ready key whose turn it is. The key's pause begins with
    /// `started`, which must follow unless the item is dropped.
    pub fn pop(&mut self, now: Timestamp) -> Option<(u32, u32)> {
        self.look(now);
        let (_, key) = self.ready.pop_first()?;
        let state = &mut self.keys[key as usize];
        state.place = Place::Idle;
        let item = state.queue.pop_front().expect("a ready key has items");
        self.len -= 1;
        self.settle(key);
        Some((key, item))
    }

    /// Takes an item out of the queue of a key; gives whether it was in.
    pub fn remove(&mut self, key: u32, item: u32) -> bool {
        let queue = &mut self.key(key).queue;
        let found = queue.iter().position(|&other| other == item).map(|at| queue.remove(at)).is_some();
        if found {
            self.len -= 1;
            self.settle(key);
        }
        found
    }

    /// A visit begins: it takes a place in flight, and the pause begins.
    pub fn started(&mut self, key: u32, now: Timestamp) {
        let state = self.key(key);
        state.in_flight_count += 1;
        state.paused_before = state.paused_until;
        state.paused_until = now + state.manners.pause;
        self.settle(key);
    }

    /// A visit that gave its place away takes one again, if there is one; its next request asks
    /// with `again`, as any does.
    pub fn occupy(&mut self, key: u32) -> bool {
        let state = self.key(key);
        let has_place = state.has_place();
        state.in_flight_count += u32::from(has_place);
        self.settle(key);
        has_place
    }

    /// Takes back the start at `started_at`: nothing was sent, so no pause is due for it.
    pub fn take_back(&mut self, key: u32, started_at: Timestamp) {
        self.unpause(key, started_at);
        self.finished(key);
    }

    /// Ends the pause that began with the start at `started_at`, unless another request began one.
    pub fn unpause(&mut self, key: u32, started_at: Timestamp) {
        let state = self.key(key);
        if state.paused_until == started_at + state.manners.pause {
            state.paused_until = state.paused_before;
        }
        self.settle(key);
    }

    /// A visit under way asks to send one more request: allowed, and the pause begins anew; or
    /// to be asked again at the instant given.
    pub fn again(&mut self, key: u32, now: Timestamp) -> Result<(), Timestamp> {
        let state = self.key(key);
        let allowed_at = state.allowed_at();
        if allowed_at > now {
            return Err(allowed_at);
        }
        state.paused_until = now + state.manners.pause;
        self.settle(key);
        Ok(())
    }

    /// When the next request may leave.
    pub fn allowed_at(&self, key: u32) -> Timestamp {
        self.keys.get(key as usize).map_or(Timestamp::MIN, Key::allowed_at)
    }

    /// A visit ended: its place in flight is free.
    pub fn finished(&mut self, key: u32) {
        let state = self.key(key);
        assert!(state.in_flight_count > 0, "a visit of key {key} ends that never began");
        state.in_flight_count -= 1;
        self.settle(key);
    }

    /// Nothing is asked of a key before `until`; an earlier hold that lasts longer stays.
    pub fn hold(&mut self, key: u32, until: Timestamp) {
        let state = self.key(key);
        state.held_until = state.held_until.max(until);
        self.settle(key);
    }

    /// Ends the hold of a key.
    pub fn release(&mut self, key: u32) {
        self.key(key).held_until = Timestamp::MIN;
        self.settle(key);
    }

    /// Keys ready at `now`.
    pub fn ready_count(&mut self, now: Timestamp) -> usize {
        self.look(now);
        self.ready.len()
    }

    /// When `pop` can give something, unless a visit ends before.
    pub fn next_ready(&self) -> Option<Timestamp> {
        if self.ready.is_empty() { self.waiting.first().map(|first| first.0) } else { Some(self.looked_at) }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let queues: usize = self.keys.iter().map(|key| key.queue.capacity() * size_of::<u32>()).sum();
        // A B-tree node is at least half full.
        let sets = 2 * 16 * (self.ready.len() + self.waiting.len());
        size_of::<Self>() + self.keys.capacity() * size_of::<Key>() + queues + sets
    }

    fn key(&mut self, key: u32) -> &mut Key {
        let needed = key as usize + 1;
        if self.keys.len() < needed {
            self.keys.resize_with(needed, Key::new);
        }
        &mut self.keys[key as usize]
    }

    /// Gives turns to the keys that have become ready.
    fn look(&mut self, now: Timestamp) {
        self.looked_at = self.looked_at.max(now);
        while let Some(&(at, key)) = self.waiting.first().filter(|first| first.0 <= now) {
            self.waiting.remove(&(at, key));
            let turn = self.next_turn;
            self.next_turn += 1;
            self.ready.insert((turn, key));
            self.keys[key as usize].place = Place::Ready(turn);
        }
    }

    /// Puts a key where its state says. One that is ready and stays so keeps its turn.
    fn settle(&mut self, key: u32) {
        let looked_at = self.looked_at;
        let state = &mut self.keys[key as usize];
        let allowed_at = state.allowed_at();
        let place = match state.place {
            _ if !state.has_work() => Place::Idle,
            Place::Ready(turn) if allowed_at <= looked_at => Place::Ready(turn),
            _ => Place::Waiting(allowed_at),
        };
        let before = std::mem::replace(&mut state.place, place);
        if before == place {
            return;
        }
        match before {
            Place::Idle => {}
            Place::Ready(turn) => assert!(self.ready.remove(&(turn, key)), "a ready key has a turn"),
            Place::Waiting(at) => assert!(self.waiting.remove(&(at, key)), "a waiting key is listed"),
        }
        if let Place::Waiting(at) = place {
            self.waiting.insert((at, key));
        }
    }
}

#[cfg(test)]
mod tests;
