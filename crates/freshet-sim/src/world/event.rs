//! What is going to happen, in one total order.
//!
//! Events are ordered by instant, then by kind, then by subject. No two different events are
//! equal in that order, so the heap hands them out the same way in every run; that is what
//! makes a world independent of the steps in which time advances.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::rhythm::NEVER_MS;

/// One thing that is going to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// A hidden account comes back.
    Return { account: u32 },
    /// An account is suspended, goes private or leaves.
    Misfortune { account: u32 },
    /// An unstable account falls silent or wakes up.
    Mood { account: u32 },
    /// An account posts, unless its plans have changed since (`round`).
    Post { account: u32, round: u32 },
    /// An account posts as a recorded history tells; posts are numbered from 0.
    Recorded { account: u32, number: u32 },
    /// An account that has never posted does so now.
    FirstPost { account: u32 },
    /// A post is edited.
    Edit { post: u32 },
    /// A post is deleted.
    Delete { post: u32 },
    /// An account follows or unfollows somebody.
    Follow { account: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at_ms: i64,
    what: What,
}

/// All that is going to happen; one to three events per account, a few for recent posts.
#[derive(Debug, Default)]
pub(crate) struct Agenda(BinaryHeap<Reverse<Event>>);

impl Agenda {
    /// Plans an event; what never happens is not kept.
    pub(crate) fn add(&mut self, at_ms: i64, what: What) {
        if at_ms < NEVER_MS {
            self.0.push(Reverse(Event { at_ms, what }));
        }
    }

    /// The next event up to and including `now_ms`.
    pub(crate) fn next_until(&mut self, now_ms: i64) -> Option<(i64, What)> {
        if self.0.peek()?.0.at_ms > now_ms {
            return None;
        }
        self.0.pop().map(|Reverse(event)| (event.at_ms, event.what))
    }
}
