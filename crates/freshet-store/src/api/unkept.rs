//! Role: what is seen and not kept: whose that is, and where it passes instead.

use std::sync::Arc;

use freshet_types::{NetworkName, SourceId};

use super::StoreError;
use crate::pass::Pass;
use crate::row::{NotKept, Storing, Upload};

/// Content that goes to subscribers only.
///
/// Of a network or a source that keeps nothing, rows stay without content: ids, links to other ids, times, counts, and fingerprints by a
/// key of the store alone, so that edits, deletions and coverage are what they were. A post that any other source keeps is kept.
pub trait Unkept {
    /// Whatever keeps nothing.
    fn not_kept(&self) -> Result<NotKept, StoreError>;
    /// Of each of these sources whether it was itself told to keep nothing.
    fn are_unkept(&self, ids: &[SourceId]) -> Result<Vec<bool>, StoreError>;
    /// Whether all that this upload shows is kept.
    fn keeps(&self, upload: &Upload) -> Result<bool, StoreError>;
    /// What becomes of what is seen on this network from now on; what is stored stays ([`Unkept::empty_some`]).
    fn set_keeping(&mut self, network: &NetworkName, keeping: Storing) -> Result<(), StoreError>;
    /// What becomes of what these sources bring from now on. What is found by one of them and becomes a source keeps as little.
    fn set_keeping_of(&mut self, ids: &[SourceId], keeping: Storing) -> Result<(), StoreError>;
    /// Takes the content out of some of what is stored of a network, in one short transaction; gives how many rows that were, 0 when nothing
    /// is left. Remains in indexes and logs go with [`Care::erase_some`](super::Care::erase_some) after that.
    fn empty_some(&mut self, network: &NetworkName) -> Result<u64, StoreError>;
    /// What this handle does not keep it puts there from now on, and what it reads without content it looks for there.
    fn pass_through(&mut self, pass: &Arc<Pass>) -> Result<(), StoreError>;
}
