//! The reports of `freshet forget`: what was erased, and what was let in again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::UnixNumber;

/// What was erased.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForgetReport {
    /// What was named.
    pub reference: String,
    /// Accounts that were erased.
    pub accounts_count: u64,
    /// Posts.
    pub posts_count: u64,
    /// Relations.
    pub relations_count: u64,
    /// Tags.
    pub tags_count: u64,
    /// Sources.
    pub sources_count: u64,
    /// Visits.
    pub visits_count: u64,
    /// Lines of the change log.
    pub changes_count: u64,
    /// Answers that were kept as received.
    pub payloads_count: u64,
    /// Objects that waited for a property that a constraint needs.
    pub parked_count: u64,
    /// What may be shown to whoever asked for it: counts and times, no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<ForgetReceipt>,
    /// The SHA-256 of the receipt as `--receipt` writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt_sha256: Option<String>,
}

/// A receipt: that something was erased, when and how much of it. It names nobody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForgetReceipt {
    /// Form of this document.
    pub version: u32,
    /// Version of the program.
    pub freshet: String,
    /// The number under which the store remembers that it was given.
    pub number: u64,
    /// When it was asked for, by the crawl's clock.
    pub asked_at: Option<UnixNumber>,
    /// When all of it was erased.
    pub erased_at: Option<UnixNumber>,
    /// It is kept out from now on.
    pub is_kept_out: bool,
    pub accounts_count: u64,
    pub posts_count: u64,
    pub relations_count: u64,
    /// Links and things.
    pub others_count: u64,
    pub sources_count: u64,
    pub changes_count: u64,
    pub payloads_count: u64,
    /// Exports and snapshots that are remembered and still have to hear of it.
    pub exports_count: u64,
}

/// What was let in again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UndoReport {
    /// What was named.
    pub reference: String,
    /// Names under which it was kept out.
    pub hashes_count: u64,
}
