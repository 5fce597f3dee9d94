//! The reports of `freshet forget`: what was erased, and what was let in again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
}

/// What was let in again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UndoReport {
    /// What was named.
    pub reference: String,
    /// Names under which it was kept out.
    pub hashes_count: u64,
}
