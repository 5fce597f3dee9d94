//! The report of `freshet complaints`: what could not be used of answers, with samples.

use freshet_types::{NetworkName, SourceId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::UnixNumber;

/// What could not be used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComplaintsReport {
    /// The kinds, those met last first.
    pub complaints: Vec<ComplaintKind>,
}

/// Complaints of one kind about one endpoint of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComplaintKind {
    /// Where it was.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// The endpoint of the source that was visited.
    pub endpoint: String,
    /// What is wrong; `…` stands for what differs from case to case.
    pub what: String,
    /// How often, since the store was made.
    pub count: u64,
    /// First.
    pub first_at: Option<UnixNumber>,
    /// Last.
    pub last_at: Option<UnixNumber>,
    /// Some of them, the newest first; none where somebody was forgotten since.
    pub samples: Vec<ComplaintSample>,
}

/// One complaint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComplaintSample {
    /// The source whose answer it is about.
    #[schemars(with = "Option<u32>")]
    pub source: Option<SourceId>,
    /// When the answer came.
    pub seen_at: Option<UnixNumber>,
    /// Where in the answer.
    pub place: String,
    /// What is wrong with it.
    pub what: String,
    /// How the record begins; empty where it must not be shown.
    pub sample: String,
}
