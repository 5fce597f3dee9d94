//! Role: sources and the servers they are on.

use freshet_types::{NetworkName, Source, SourceId, SourceState, Span, Timestamp, Weight};

use super::page::{Flow, ROWS_MAX, Rows, SLOTS_MAX, each_row};
use super::{StoreError, first};
use crate::row::{InstanceRow, OnDelete, SourceSlot};

/// What is watched, and where.
pub trait Sources {
    /// Adds a server, or updates its base URL and allowance; keeps its `on_delete`.
    fn put_instance(&mut self, row: &InstanceRow) -> Result<(), StoreError>;
    /// Sets what happens to deleted content of this network.
    fn set_on_delete(&mut self, network: &NetworkName, on_delete: OnDelete) -> Result<(), StoreError>;
    /// All servers.
    fn instances(&self) -> Result<Vec<InstanceRow>, StoreError>;
    /// All networks with a number above this one, servers or only named by something, in order; numbers rise as networks are met.
    fn networks_above(&self, above: u64) -> Result<Vec<(u64, NetworkName)>, StoreError>;
    /// Adds sources that are not there yet (same network, endpoint and root or handle) in one
    /// transaction; gives the number of each and whether it is new. One that was removed is revived.
    /// One of an account that is known to ask not to be collected rests from the start. What is forgotten is not
    /// added; its number is 0.
    fn add_sources(&mut self, sources: &[Source]) -> Result<Vec<(SourceId, bool)>, StoreError>;
    /// Sets so many numbers of sources aside, for whoever numbers sources elsewhere; gives the first of them.
    fn reserve_sources(&mut self, count: u32) -> Result<SourceId, StoreError>;
    /// The same as [`Sources::add_sources`], where those that are new get these numbers, in order from the first on.
    fn add_sources_from(
        &mut self,
        first: SourceId,
        sources: &[Source],
    ) -> Result<Vec<(SourceId, bool)>, StoreError>;
    /// The whole records of these numbers, in the order asked for; `None` for one that is not there.
    fn sources(&self, ids: &[SourceId]) -> Result<Vec<Option<Source>>, StoreError>;
    /// The whole record of one source.
    fn source(&self, id: SourceId) -> Result<Option<Source>, StoreError> {
        self.sources(&[id]).map(first)
    }
    /// Writes the whole record outside a visit.
    fn put_source(&mut self, source: &Source) -> Result<(), StoreError>;
    /// Sources above this number, slim, in order of number, at most `limit`; fewer only where there are no more.
    fn slots_above(&self, above: SourceId, limit: usize) -> Result<Vec<SourceSlot>, StoreError>;
    /// All sources above this number, slim, in order of number.
    fn each_slot(&self, above: SourceId, each: &mut dyn FnMut(SourceSlot) -> Flow) -> Result<(), StoreError> {
        let read = |above: &SourceId| {
            let rows = self.slots_above(*above, SLOTS_MAX)?;
            let next = rows.last().filter(|_| rows.len() == SLOTS_MAX).map(|slot| slot.id);
            Ok(Rows { rows, next })
        };
        each_row(above, read, each)
    }
    /// A page of sources above this number, whole, in order of number.
    fn sources_above(&self, above: SourceId, limit: usize) -> Result<Rows<Source, SourceId>, StoreError>;
    /// All sources, whole, in order of number.
    fn each_source(&self, each: &mut dyn FnMut(Source) -> Flow) -> Result<(), StoreError> {
        each_row(SourceId(0), |above| self.sources_above(*above, ROWS_MAX), each)
    }
    /// Sources that a person may mean by this: number, handle, root id, or address of the root.
    fn find_sources(&self, reference: &str) -> Result<Vec<Source>, StoreError>;
    /// Of each of these root ids whether a source of this network has it; no source has an empty one.
    fn have_roots(&self, network: &NetworkName, root_ids: &[String]) -> Result<Vec<bool>, StoreError>;
    /// Of each of these the state of the one that is stored (same network, endpoint and root id); `None` where none is.
    fn states_of(&self, sources: &[Source]) -> Result<Vec<Option<SourceState>>, StoreError>;
    /// Sets the state of these sources.
    fn set_state(&mut self, ids: &[SourceId], state: SourceState) -> Result<(), StoreError>;
    /// A source is visited this often from now on, or as the policy says again. Its next visit is due
    /// at this instant at the latest.
    fn pin(&mut self, id: SourceId, every: Option<Span>, due_at: Timestamp) -> Result<(), StoreError>;
    /// The news of these sources count so much from now on; no visit changes that. The next visit of each is due at the
    /// instant beside it at the latest.
    fn weigh(&mut self, sources: &[(SourceId, Timestamp)], weight: Weight) -> Result<(), StoreError>;
}
