//! Changes: the difference between what was observed and what is stored.
//!
//! The change log is the truth for everything derived: exports that follow, rings, the search
//! index. A number in the log is never used twice and never disappears, except by `forget`.

use serde::{Deserialize, Serialize};

use crate::{Address, RobotKind, Timestamp, VisitId};

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Seen for the first time.
    Created,
    /// Its content differs from the stored one.
    Edited,
    /// The network confirmed that it is gone; "missing" alone is not this.
    Deleted,
    /// It is there again.
    Restored,
    /// An account was suspended, went private, moved or vanished.
    Invalidated,
    /// A relation that was known is no longer listed.
    Unlinked,
    /// It was found in fewer steps from what a person added than before.
    Approached,
    /// A forum is read by a definition that was learned anew; told of its front page.
    Relearnt,
    /// Something of another network leads to it, and nothing more is known of it: a stub was made. When it is read, it is `created`.
    Pointed,
}

impl ChangeKind {
    /// All kinds, for reading them back.
    pub const ALL: [Self; 9] = [
        Self::Created,
        Self::Edited,
        Self::Deleted,
        Self::Restored,
        Self::Invalidated,
        Self::Unlinked,
        Self::Approached,
        Self::Relearnt,
        Self::Pointed,
    ];

    /// The name in exports and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited => "edited",
            Self::Deleted => "deleted",
            Self::Restored => "restored",
            Self::Invalidated => "invalidated",
            Self::Unlinked => "unlinked",
            Self::Approached => "approached",
            Self::Relearnt => "relearnt",
            Self::Pointed => "pointed",
        }
    }
}

/// One line of the change log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its place in the log, rising.
    pub number: u64,
    /// When it was noticed.
    pub seen_at: Timestamp,
    pub kind: ChangeKind,
    /// To which object.
    pub address: Address,
    /// The object's number in the store; what rings hold.
    pub object: u64,
    /// Steps from what a person added.
    pub depth: u16,
    /// Which visit noticed it.
    pub visit: VisitId,
    /// The robot whose visit that was; `None` in lines from before this was written down.
    pub finder: Option<RobotKind>,
}
