//! The part of the core that knows visits: those under way, those whose source is being read, those that wait, and the
//! orders that may not leave yet.
//!
//! Invariants: a visit that is open is not loading; one that waits is open. Leases and places at servers are the
//! frontier's; what a visit does next is decided elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Index, IndexMut, Range};

use freshet_types::{Map, ServerKey, SourceId, Timestamp, VisitId};

use crate::order::Order;
use crate::visit::Visit;
use crate::walk::Aim;

/// Visit numbers reserved at once: a write for each visit would cost as much as the visit.
pub(crate) const VISITS_RESERVED: u64 = 1_000_000;
/// New numbers are reserved when so few are left: enough for every visit that begins until the store has answered.
const VISITS_LOW: u64 = 200_000;

/// All visits.
#[derive(Debug)]
pub(super) struct Visits {
    open: Map<VisitId, Visit>,
    /// Sources that were asked for, with the visit that waits for it.
    loading: Map<SourceId, (VisitId, Aim)>,
    /// Visits that ask again at a time.
    waiting: BTreeSet<(Timestamp, VisitId)>,
    /// Requests that were granted and leave when the store has written the reservation of this number.
    held: BTreeMap<u64, Vec<(VisitId, Order)>>,
    numbers: Range<u64>,
    /// More numbers are being reserved.
    is_reserving: bool,
}

impl Visits {
    /// None yet; these numbers were reserved in the store.
    pub(super) fn new(numbers: Range<u64>) -> Self {
        Self {
            open: Map::default(),
            loading: Map::default(),
            waiting: BTreeSet::new(),
            held: BTreeMap::new(),
            numbers,
            is_reserving: false,
        }
    }

    pub(super) fn get(&self, id: VisitId) -> Option<&Visit> {
        self.open.get(&id)
    }

    pub(super) fn get_mut(&mut self, id: VisitId) -> Option<&mut Visit> {
        self.open.get_mut(&id)
    }

    pub(super) fn open(&mut self, visit: Visit) {
        self.open.insert(visit.id, visit);
    }

    /// The visit is over.
    pub(super) fn close(&mut self, id: VisitId) -> Visit {
        self.open.remove(&id).expect("the caller found it")
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Visit> {
        self.open.values()
    }

    /// The visit that a source is under, if one is; looks through all of them.
    pub(super) fn of_source(&mut self, id: SourceId) -> Option<&mut Visit> {
        self.open.values_mut().find(|visit| visit.source.id == id)
    }

    /// Those begun and not ended, loading ones included.
    pub(super) fn count(&self) -> usize {
        self.open.len() + self.loading.len()
    }

    /// Of these, the ones that do not wait for a time.
    pub(super) fn busy_count(&self) -> usize {
        self.count() - self.waiting.len()
    }

    /// A source was asked for.
    pub(super) fn await_source(&mut self, id: SourceId, visit: VisitId, aim: Aim) {
        self.loading.insert(id, (visit, aim));
    }

    /// It came; gives who waited for it.
    pub(super) fn source_came(&mut self, id: SourceId) -> Option<(VisitId, Aim)> {
        self.loading.remove(&id)
    }

    pub(super) fn loading(&self) -> impl Iterator<Item = SourceId> {
        self.loading.keys().copied()
    }

    /// A visit asks again at this time.
    pub(super) fn wait_until(&mut self, at: Timestamp, id: VisitId) {
        self.waiting.insert((at, id));
    }

    /// When the first of those that wait asks again.
    pub(super) fn waits_until(&self) -> Option<Timestamp> {
        self.waiting.first().map(|&(at, _)| at)
    }

    /// The first whose time has come; it no longer waits.
    pub(super) fn next_waiting(&mut self, now: Timestamp) -> Option<VisitId> {
        let &(at, id) = self.waiting.first().filter(|first| first.0 <= now)?;
        self.waiting.remove(&(at, id));
        Some(id)
    }

    /// All that wait, in order; they no longer do.
    pub(super) fn end_waiting(&mut self) -> Vec<VisitId> {
        std::mem::take(&mut self.waiting).into_iter().map(|(_, id)| id).collect()
    }

    /// Those that wait for a server, but this one; they no longer do.
    pub(super) fn end_waiting_at(&mut self, key: ServerKey, but: VisitId) -> Vec<VisitId> {
        let is_there = |id: VisitId| id != but && self.open.get(&id).is_some_and(|visit| visit.key == key);
        let there: Vec<_> = self.waiting.iter().filter(|entry| is_there(entry.1)).copied().collect();
        for entry in &there {
            self.waiting.remove(entry);
        }
        there.into_iter().map(|(_, id)| id).collect()
    }

    /// An order leaves when this reservation is written.
    pub(super) fn hold(&mut self, number: u64, id: VisitId, order: Order) {
        self.held.entry(number).or_default().push((id, order));
    }

    /// The next orders that leave because this reservation is written.
    pub(super) fn release(&mut self, number: u64) -> Option<Vec<(VisitId, Order)>> {
        let first = self.held.first_entry().filter(|entry| *entry.key() <= number)?;
        Some(first.remove())
    }

    /// A number for a visit, and whether more numbers are to be reserved now.
    pub(super) fn next_number(&mut self) -> (VisitId, bool) {
        let number = self.numbers.next().expect("visit numbers are renewed long before they run out");
        let wants_more = self.numbers.end - self.numbers.start < VISITS_LOW && !self.is_reserving;
        self.is_reserving |= wants_more;
        (VisitId(number), wants_more)
    }

    pub(super) fn set_numbers(&mut self, numbers: Range<u64>) {
        self.is_reserving = false;
        self.numbers = numbers;
    }
}

impl Index<VisitId> for Visits {
    type Output = Visit;
    fn index(&self, id: VisitId) -> &Visit {
        self.open.get(&id).expect("the caller found it")
    }
}

impl IndexMut<VisitId> for Visits {
    fn index_mut(&mut self, id: VisitId) -> &mut Visit {
        self.open.get_mut(&id).expect("the caller found it")
    }
}
