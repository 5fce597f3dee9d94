//! Taking records out: exports, and snapshots to cite ([`snapshot`]).
//!
//! A [`Wish`] becomes a list of files ([`Part`]): one for each kind of record, or one for each kind and
//! day. Invariants: memory does not grow with the export; a file appears whole or not at all (it is
//! written under another name and renamed when it is on disk); what was first seen after the export
//! began is left out, so that an export that was interrupted and goes on later is of one piece.
//! Which files are finished, and how far the others are, stands in a [`Manifest`] beside them.
//!
//! An export that goes on ([`resume`]) has the same files, to the byte, as one that was never interrupted, if
//! nothing changed in between. Where records were taken away in between (forgotten, expired), the files
//! that had them are written anew. Records that were edited in between are as they were when they were
//! written. What is damaged is left out and told ([`Damages`]). Nothing here prints.
//!
//! | room | does |
//! |---|---|
//! | [`export`] | one export from beginning to end |
//! | [`part`], [`stream`], [`write`], [`file`], [`resume`] | which files there are; records out of the store; writing, and going on |
//! | [`manifest`], [`check`], [`damage`] | what is finished; wishes that can only be mistakes; what could not be read |
//! | [`snapshot`] | an export with hashes, definitions and coverage |
//! | [`deletions`], [`small`] | taking out of a finished export what was deleted or forgotten since; small files |

mod check;
mod damage;
pub mod deletions;
mod export;
mod file;
mod manifest;
mod part;
mod resume;
mod small;
pub mod snapshot;
mod stream;
mod write;

pub(crate) use check::{check_network, check_times};
pub use damage::Damages;
pub use export::{Export, ExportWish};
pub(crate) use file::hash_file;
pub(crate) use manifest::{Asked, FileEntry, Manifest};
pub(crate) use part::plan;
pub use part::{Part, day_name};
pub(crate) use stream::each_record;
pub(crate) use write::{hold, to_folder};

use freshet_sink::{Format, RecordKind};
use freshet_store::api::{Store, StoreError};
use freshet_store::row::Filter;

/// Records between two checkpoints: a row group of Parquet, and a second or two of work.
pub const CHECKPOINT_EVERY: u64 = 64 * 1024;

/// What somebody wants to take out.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    /// As which kind of file.
    pub(crate) format: Format,
    /// Which kinds of record, each in files of its own.
    pub(crate) kinds: Vec<RecordKind>,
    /// Which of them.
    pub(crate) filter: Filter,
    /// One file for each day.
    pub(crate) is_split: bool,
    /// What came after the export began has higher numbers.
    pub(crate) up_to: Bounds,
    /// Records between two checkpoints.
    pub(crate) checkpoint_every: u64,
}

/// The last numbers of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Of objects and changes.
    pub(crate) change: u64,
    /// Of relations, which have no lines in the change log.
    pub(crate) relation: u64,
    /// Of links, which have none either.
    pub(crate) link: u64,
}

impl Bounds {
    /// No bounds.
    #[cfg(test)]
    pub(crate) const NONE: Self = Self { change: u64::MAX, relation: u64::MAX, link: u64::MAX };

    /// Everything there is now.
    pub(crate) fn now(store: &dyn Store) -> Result<Self, StoreError> {
        let (change, relation) = (store.last_change()?, store.last_relation()?);
        Ok(Self { change, relation, link: store.last_number()? })
    }

    /// The last number of a kind of record.
    pub(crate) fn of(self, kind: RecordKind) -> u64 {
        match kind {
            RecordKind::Relations => self.relation,
            RecordKind::Links => self.link,
            RecordKind::Posts | RecordKind::Accounts | RecordKind::Changes | RecordKind::Objects => {
                self.change
            }
        }
    }
}

#[cfg(test)]
mod tests;
