//! Who has calls to give and is to be looked at, each by one time: the earliest that was said.

use std::collections::BTreeSet;
use std::hash::Hash;

use freshet_types::{Map, Timestamp};

/// Servers, or others that give calls.
#[derive(Debug)]
pub(super) struct Calls<K> {
    queue: BTreeSet<(Timestamp, K)>,
    times: Map<K, Timestamp>,
}

impl<K> Default for Calls<K> {
    fn default() -> Self {
        Self { queue: BTreeSet::new(), times: Map::default() }
    }
}

impl<K: Copy + Ord + Hash> Calls<K> {
    /// The next time.
    pub(super) fn first(&self) -> Option<Timestamp> {
        self.queue.first().map(|&(at, _)| at)
    }

    /// One is to be looked at then, or earlier where that was said before.
    pub(super) fn add(&mut self, key: K, at: Timestamp) {
        if let Some(&before) = self.times.get(&key) {
            if before <= at {
                return;
            }
            self.queue.remove(&(before, key));
        }
        self.times.insert(key, at);
        self.queue.insert((at, key));
    }

    /// One whose time has come.
    pub(super) fn pop(&mut self, now: Timestamp) -> Option<K> {
        let &(at, key) = self.queue.first().filter(|first| first.0 <= now)?;
        self.queue.remove(&(at, key));
        self.times.remove(&key);
        Some(key)
    }
}
