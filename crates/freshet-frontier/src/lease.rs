//! Leases: visits handed out and not yet closed [SocWeb, section 4.1]. Step 3 of 10 (pick).
//!
//! Each visit has an id of its own (the paper's `sid`), a deadline and an attempt number. A visit
//! that fails or whose deadline passes gives its source back, at most [`ATTEMPTS_MAX`] times;
//! then the failure is final and the caller makes it visible.
//! Invariants: a source has at most one lease; a lease ends once. Deadlines are compared with the
//! time the caller gives, which is wall time: a stalled connection does not know of simulated
//! clocks. Leases are not written down: those of an earlier process are void.

use std::collections::BTreeSet;

use freshet_types::{Map, SourceId, Timestamp, VisitId};

/// Visits of one source that may fail in a row; the number is the paper's.
pub const ATTEMPTS_MAX: u8 = 3;

/// One visit under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Of which source.
    pub id: SourceId,
    /// The politeness key it occupies.
    pub key: u32,
    /// When it is taken back.
    pub deadline: Timestamp,
    /// Which attempt it is, from 1.
    pub attempt: u8,
    /// It asks nothing for now, and has given its place at the server to others.
    pub is_resting: bool,
}

/// A visit that failed or was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which visit.
    pub visit: VisitId,
    /// Of which source.
    pub id: SourceId,
    /// Which attempt it was, from 1.
    pub attempt: u8,
    /// It was the last attempt; the source is not scheduled again.
    pub is_final: bool,
}

/// All visits under way.
#[derive(Debug, Default)]
pub struct Leases {
    by_visit: Map<VisitId, Lease>,
    by_source: Map<SourceId, VisitId>,
    deadlines: BTreeSet<(Timestamp, VisitId)>,
    /// Failed attempts in a row, of the sources that have any.
    failures: Map<SourceId, u8>,
}

impl Leases {
    /// Visits under way.
    pub fn len(&self) -> usize {
        self.by_visit.len()
    }

    /// Whether no visit is under way.
    pub fn is_empty(&self) -> bool {
        self.by_visit.is_empty()
    }

    /// Whether a source is being visited.
    pub fn holds(&self, id: SourceId) -> bool {
        self.by_source.contains_key(&id)
    }

    /// The lease of a visit.
    pub fn get(&self, visit: VisitId) -> Option<&Lease> {
        self.by_visit.get(&visit)
    }

    /// Says how many attempts had failed before this process began.
    pub fn set_failures(&mut self, id: SourceId, count: u8) {
        if count == 0 {
            self.failures.remove(&id);
        } else {
            self.failures.insert(id, count);
        }
    }

    /// Begins a visit and gives its attempt number.
    pub fn begin(&mut self, visit: VisitId, id: SourceId, key: u32, deadline: Timestamp) -> u8 {
        let attempt = self.failures.get(&id).map_or(1, |failed| failed.saturating_add(1));
        let lease = Lease { id, key, deadline, attempt, is_resting: false };
        assert!(self.by_source.insert(id, visit).is_none(), "source {} is visited twice at once", id.0);
        assert!(self.by_visit.insert(visit, lease).is_none(), "visit {} begins twice", visit.0);
        self.deadlines.insert((deadline, visit));
        attempt
    }

    /// Says whether a visit rests; `None` where it had ended, else whether that changes anything.
    pub fn set_resting(&mut self, visit: VisitId, is_resting: bool) -> Option<bool> {
        let lease = self.by_visit.get_mut(&visit)?;
        Some(std::mem::replace(&mut lease.is_resting, is_resting) != is_resting)
    }

    /// Moves the deadline of a visit that makes progress; gives whether there is such a visit.
    pub fn extend(&mut self, visit: VisitId, deadline: Timestamp) -> bool {
        let Some(lease) = self.by_visit.get_mut(&visit) else { return false };
        self.deadlines.remove(&(lease.deadline, visit));
        self.deadlines.insert((deadline, visit));
        lease.deadline = deadline;
        true
    }

    /// Ends a visit that succeeded, and forgets earlier failures; `None` where it had ended.
    pub fn close(&mut self, visit: VisitId) -> Option<Lease> {
        let lease = self.end(visit)?;
        self.failures.remove(&lease.id);
        Some(lease)
    }

    /// Ends a visit that failed; `None` where it had ended.
    pub fn fail(&mut self, visit: VisitId) -> Option<(Lease, Failure)> {
        let lease = self.end(visit)?;
        let is_final = lease.attempt >= ATTEMPTS_MAX;
        self.set_failures(lease.id, if is_final { 0 } else { lease.attempt });
        Some((lease, Failure { visit, id: lease.id, attempt: lease.attempt, is_final }))
    }

    /// Ends a visit that was neither: nothing was asked. `None` where it had ended.
    pub fn end(&mut self, visit: VisitId) -> Option<Lease> {
        let lease = self.by_visit.remove(&visit)?;
        self.by_source.remove(&lease.id);
        self.deadlines.remove(&(lease.deadline, visit));
        Some(lease)
    }

    /// The visit whose deadline passed first, if any has.
    pub fn first_expired(&self, wall_now: Timestamp) -> Option<VisitId> {
        self.deadlines.first().filter(|first| first.0 <= wall_now).map(|first| first.1)
    }

    /// The next deadline.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.deadlines.first().map(|first| first.0)
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let maps = self.by_visit.allocation_size()
            + self.by_source.allocation_size()
            + self.failures.allocation_size();
        size_of::<Self>() + maps + 2 * 16 * self.deadlines.len()
    }
}
