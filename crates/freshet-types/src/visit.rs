//! Visits: one scheduled look at one source, of one or more fetches.

use serde::{Deserialize, Serialize};

use crate::{SourceId, Timestamp, VisitId};

/// What is remembered of a visit that ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisitSummary {
    pub id: VisitId,
    /// Of which source.
    pub source: SourceId,
    /// When its first request left.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// Exchanges it took.
    pub fetch_count: u32,
    /// Posts never seen before.
    pub new_post_count: u32,
    /// Name of the outcome, or of the fault.
    pub outcome: String,
    /// Which attempt this was, from 1.
    pub attempt: u8,
}
