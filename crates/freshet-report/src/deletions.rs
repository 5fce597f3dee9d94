//! The reports of `freshet export --tombstones` and `--apply-deletions`, and the receipt that lies in the folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::UnixNumber;

/// What was taken out of an export that was made before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeletionsReport {
    /// The folder.
    pub folder: String,
    /// The files were written anew; else it was only written down what is to go.
    pub is_applied: bool,
    /// The list of what is to go, where there is one.
    pub tombstones: Option<String>,
    /// Its receipt, a file of the folder; none where nothing was to be changed.
    pub receipt: Option<String>,
    /// The SHA-256 of the receipt.
    pub receipt_sha256: Option<String>,
    /// Files of the folder that were left as they are, those of others included.
    pub left_alone: Vec<LeftAlone>,
    /// What the receipt says.
    pub deletions: DeletionsReceipt,
}

/// What is written down of it beside the files: counts and hashes, no names of anybody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeletionsReceipt {
    /// Form of this document.
    pub version: u32,
    /// Version of the program.
    pub freshet: String,
    /// What was erased before this instant, by the crawl's clock, is not in the files.
    pub applied_at: Option<UnixNumber>,
    pub sums: DeletionSums,
    /// The files that changed.
    pub files: Vec<DeletionsFile>,
    /// Files of the export that were left as they are, and why.
    pub left_alone: Vec<LeftAlone>,
    /// Of a snapshot: which revision this is; the first has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
    /// Of a snapshot: what named the revision before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_before: Option<String>,
}

/// How many records, by what happened to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeletionSums {
    /// Taken out, because somebody asked to forget it.
    pub forgotten_count: u64,
    /// Taken out, because it is not kept any more: too old, or gone with something else.
    pub expired_count: u64,
    /// Emptied, because its network deleted it or its author asks not to be collected.
    pub redacted_count: u64,
    /// Marked as deleted, or as of somebody who asks not to be collected.
    pub marked_count: u64,
}

/// A file that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeletionsFile {
    /// Its path in the folder, with `/`.
    pub name: String,
    pub records_before_count: u64,
    pub records_count: u64,
    pub sums: DeletionSums,
    pub sha256_before: String,
    pub sha256: String,
    pub bytes: u64,
}

/// A file that was left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftAlone {
    /// Its path in the folder.
    pub name: String,
    pub why: String,
    /// It may hold what was to go.
    pub is_export: bool,
}

impl DeletionSums {
    /// Nothing is to be changed.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Records that are taken out.
    pub fn erased_count(self) -> u64 {
        self.forgotten_count + self.expired_count
    }
}

impl std::ops::AddAssign for DeletionSums {
    fn add_assign(&mut self, more: Self) {
        self.forgotten_count += more.forgotten_count;
        self.expired_count += more.expired_count;
        self.redacted_count += more.redacted_count;
        self.marked_count += more.marked_count;
    }
}

/// The report of `freshet care apply`: all exports and snapshots that had to hear of something.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeletionsAppliedReport {
    pub folders: Vec<DeletionsReport>,
    /// Folders that could not be gone through.
    pub failed: Vec<LeftAlone>,
}
