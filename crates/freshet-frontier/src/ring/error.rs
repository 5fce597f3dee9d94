//! What can go wrong with a ring's files: errors stop the caller, warnings are told and survived.

use std::io;
use std::path::{Path, PathBuf};

/// Why a ring could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum RingError {
    /// The file system refused.
    #[error("cannot {action} `{}`: {source}; check the disk and its permissions", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An entry that was whole when the ring was opened no longer is.
    #[error("entry {seq} in `{}` is damaged; start again to rebuild the ring from the change log", path.display())]
    Damaged {
        /// In which file.
        path: PathBuf,
        seq: u64,
    },
    /// An id was given back that the ring had not handed out.
    #[error("id {id} is not leased from ring `{ring}`; only an id that was popped can be closed or put back")]
    NotLeased { id: u64, ring: String },
}

impl RingError {
    /// For `map_err` on file operations.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}

/// What was found and repaired when a ring was opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RingWarning {
    /// The end of the file was not whole; the change log gives the lost ids again.
    #[error("ring `{ring}`: {byte_count} bytes at its end were not whole and were cut off")]
    TornTail {
        ring: String,
        /// How much was cut.
        byte_count: u64,
    },
    /// Something that had been whole was lost; the whole change log must be read again.
    #[error("ring `{ring}` lost entries that had been saved; it is rebuilt from the whole change log")]
    Rebuilt { ring: String },
    /// The checkpoint cannot be read; ids may be handed out once more.
    #[error("the checkpoint of ring `{ring}` cannot be read; ids may be handed out once more")]
    CheckpointLost { ring: String },
}
