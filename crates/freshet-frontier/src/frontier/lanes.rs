//! Lanes: the sources of one class that wait with one key, and until when a lane is held.
//!
//! A lane is held while no quota is left for its robot. What waits in it stays where it is, in the order in which it
//! fell due: were each source taken out, refused and scheduled anew, some would lose their turn at every refusal.

use std::collections::{BTreeMap, BTreeSet};

use freshet_types::{Map, ServerKey, Timestamp};

/// Which lanes are held.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    held: Map<(ServerKey, u8), Timestamp>,
    ends: BTreeSet<(Timestamp, ServerKey, u8)>,
    /// Sources that were picked and given back: they go before the others of their lane, in the order of their picks.
    returned: BTreeMap<(ServerKey, u8, u64), u32>,
}

impl Lanes {
    /// Nothing of a lane before `until`; an earlier hold that lasts longer stays.
    pub(super) fn hold(&mut self, key: ServerKey, class: u8, until: Timestamp) {
        let before = self.held.get(&(key, class)).copied();
        if before.is_some_and(|before| before >= until) {
            return;
        }
        self.release(key, class);
        self.held.insert((key, class), until);
        self.ends.insert((until, key, class));
    }

    /// Ends the hold of a lane.
    pub(super) fn release(&mut self, key: ServerKey, class: u8) {
        if let Some(until) = self.held.remove(&(key, class)) {
            self.ends.remove(&(until, key, class));
        }
    }

    pub(super) fn is_held(&self, key: ServerKey, class: u8) -> bool {
        !self.held.is_empty() && self.held.contains_key(&(key, class))
    }

    /// Ends one hold that has lasted long enough; gives its key.
    pub(super) fn pop_ended(&mut self, now: Timestamp) -> Option<ServerKey> {
        let &(_, key, class) = self.ends.first().filter(|(until, ..)| *until <= now)?;
        self.release(key, class);
        Some(key)
    }

    /// A source goes back to the head of its lane.
    pub(super) fn put_back(&mut self, key: ServerKey, class: u8, turn: u64, id: u32) {
        self.returned.insert((key, class, turn), id);
    }

    /// Takes the first source that went back to a lane of this key which is not held.
    pub(super) fn pop_returned(&mut self, key: ServerKey) -> Option<u32> {
        let of_key = (key, 0, 0)..=(key, u8::MAX, u64::MAX);
        let first = *self.returned.range(of_key).find(|(at, _)| !self.is_held(at.0, at.1))?.0;
        self.returned.remove(&first)
    }

    /// Takes out a source that went back; gives whether it was there.
    pub(super) fn remove(&mut self, key: ServerKey, class: u8, id: u32) -> bool {
        let mut of_lane = self.returned.range((key, class, 0)..=(key, class, u64::MAX));
        let Some(found) = of_lane.find(|(_, other)| **other == id).map(|(at, _)| *at) else { return false };
        self.returned.remove(&found).is_some()
    }

    /// Sources that went back and wait.
    pub(super) fn len(&self) -> usize {
        self.returned.len()
    }

    /// Of those, the ones of this key.
    pub(super) fn len_of(&self, key: ServerKey) -> usize {
        self.returned.range((key, 0, 0)..=(key, u8::MAX, u64::MAX)).count()
    }

    /// When the next hold ends.
    pub(super) fn next_end(&self) -> Option<Timestamp> {
        self.ends.first().map(|(until, ..)| *until)
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        // A B-tree node is at least half full.
        let sets = size_of::<(Timestamp, ServerKey, u8)>() * self.ends.len()
            + size_of::<((ServerKey, u8, u64), u32)>() * self.returned.len();
        self.held.allocation_size() + 2 * sets
    }
}
