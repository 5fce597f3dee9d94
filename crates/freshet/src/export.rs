//! Taking records out: what `export` and `snapshot` share.
//!
//! A [`Wish`] becomes a list of files ([`Part`]): one for each kind of record, or one for each kind and
//! day. Invariants: memory does not grow with the export; a file appears whole or not at all (it is
//! written under another name and renamed when it is on disk); what was first seen after the export
//! began is left out, so that an export that was interrupted and goes on later is of one piece
//! (relations, which the change log does not number, are taken as they are). Which files are finished
//! stands in a [`Manifest`] beside them. Nothing here prints, except progress.

mod manifest;
mod part;
mod stream;
mod write;

pub(crate) use manifest::{Asked, FileEntry, Manifest};
pub(crate) use part::{Part, day_name, plan};
pub(crate) use stream::{each_record, to_writer};
pub(crate) use write::{hash_file, to_folder};

use freshet_sink::{Format, RecordKind};
use freshet_store::row::Filter;

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
    /// Objects and changes of a higher number came after the export began.
    pub(crate) up_to: u64,
}

#[cfg(test)]
mod tests;
