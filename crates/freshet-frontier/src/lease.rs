//! Leases: visits handed out and not yet closed [SocWeb, section 4.1]. Step 3 of 10 (pick).
//!
//! Each visit has an id of its own (the paper's `sid`) and a deadline. Whoever handed it out ends
//! it, also one whose deadline has passed; how often a source may fail, and where that is
//! counted, is the engine's business, since it must outlast the process.
//! Invariants: a source has at most one lease; a lease ends once. Deadlines are compared with the
//! time the caller gives, which is wall time: a stalled connection does not know of simulated
//! clocks. Leases are not written down: those of an earlier process are void.

use std::collections::BTreeSet;

use freshet_types::{Map, ServerKey, SourceId, Timestamp, VisitId};

/// A source to visit now. Its key's place in flight is taken until the visit ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    pub id: SourceId,
    /// Its politeness key.
    pub key: ServerKey,
    /// When it was picked.
    pub picked_at: Timestamp,
    /// Picks are numbered, so that those who are given back keep their order.
    pub(crate) turn: u64,
}

/// One visit under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lease {
    /// Of which source.
    pub id: SourceId,
    /// The politeness key it occupies.
    pub key: ServerKey,
    /// When it was picked.
    pub picked_at: Timestamp,
    /// The number of the pick.
    pub turn: u64,
    /// When it is overdue.
    pub deadline: Timestamp,
    /// It asks nothing for now, and has given its place at the server to others.
    pub is_resting: bool,
}

/// All visits under way.
#[derive(Debug, Default)]
pub(crate) struct Leases {
    by_visit: Map<VisitId, Lease>,
    by_source: Map<SourceId, VisitId>,
    deadlines: BTreeSet<(Timestamp, VisitId)>,
}

impl Leases {
    /// Visits under way.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.by_visit.len()
    }

    /// Whether a source is being visited.
    pub(crate) fn holds(&self, id: SourceId) -> bool {
        self.by_source.contains_key(&id)
    }

    /// The lease of a visit.
    pub(crate) fn get(&self, visit: VisitId) -> Option<&Lease> {
        self.by_visit.get(&visit)
    }

    /// Begins a visit.
    pub(crate) fn begin(&mut self, visit: VisitId, pick: Pick, deadline: Timestamp) {
        let Pick { id, key, picked_at, turn } = pick;
        let lease = Lease { id, key, picked_at, turn, deadline, is_resting: false };
        assert!(self.by_source.insert(id, visit).is_none(), "source {} is visited twice at once", id.0);
        assert!(self.by_visit.insert(visit, lease).is_none(), "visit {} begins twice", visit.0);
        self.deadlines.insert((deadline, visit));
    }

    /// Says whether a visit rests; `None` where it had ended, else whether that changes anything.
    pub(crate) fn set_resting(&mut self, visit: VisitId, is_resting: bool) -> Option<bool> {
        let lease = self.by_visit.get_mut(&visit)?;
        Some(std::mem::replace(&mut lease.is_resting, is_resting) != is_resting)
    }

    /// Moves the deadline of a visit that makes progress; gives whether there is such a visit.
    pub(crate) fn extend(&mut self, visit: VisitId, deadline: Timestamp) -> bool {
        let Some(lease) = self.by_visit.get_mut(&visit) else { return false };
        self.deadlines.remove(&(lease.deadline, visit));
        self.deadlines.insert((deadline, visit));
        lease.deadline = deadline;
        true
    }

    /// Ends a visit, however it went; `None` where it had ended.
    pub(crate) fn close(&mut self, visit: VisitId) -> Option<Lease> {
        let lease = self.by_visit.remove(&visit)?;
        self.by_source.remove(&lease.id);
        self.deadlines.remove(&(lease.deadline, visit));
        Some(lease)
    }

    /// The visit whose deadline passed first, if any has.
    pub(crate) fn first_expired(&self, wall_now: Timestamp) -> Option<VisitId> {
        self.deadlines.first().filter(|first| first.0 <= wall_now).map(|first| first.1)
    }

    /// The next deadline.
    #[cfg(test)]
    pub(crate) fn next_deadline(&self) -> Option<Timestamp> {
        self.deadlines.first().map(|first| first.0)
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let maps = self.by_visit.allocation_size() + self.by_source.allocation_size();
        size_of::<Self>() + maps + 2 * 16 * self.deadlines.len()
    }
}
