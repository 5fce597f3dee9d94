//! What hubs of feeds tell a run: where they reach it, and which of them does.

use freshet_types::SourceId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::UnixNumber;

/// Hubs that a run asks to be told of news.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HubsStatus {
    /// Where they reach it.
    pub at: String,
    /// Why that address does not lead to it, where that was found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Feeds that name a hub.
    pub feeds: Vec<HubLine>,
}

/// A feed and its hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HubLine {
    #[schemars(with = "u32")]
    pub source: SourceId,
    /// The feed, as people know it.
    pub feed: String,
    pub hub: String,
    /// `asked`, `live`, `resting` or `leaving`.
    pub state: String,
    /// The end of its lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<UnixNumber>,
    /// What it brought that was signed.
    pub taken_count: u64,
    /// What came in its name and was not.
    pub refused_count: u64,
    /// Why it does not tell, or what was wrong last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
