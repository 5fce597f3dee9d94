//! The report of `freshet gaps`: what is not proven complete, and the price of closing it, in calls.

use freshet_types::{NetworkName, SourceId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::UnixNumber;

/// What is not proven complete.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GapsReport {
    /// Lists that are watched.
    pub sources_count: u64,
    /// Those that are complete.
    pub complete_count: u64,
    /// Those that were never visited.
    pub unvisited_count: u64,
    /// Stretches that may hide posts.
    pub holes_count: u64,
    /// Lists or holes that no call can close.
    pub uncloseable_count: u64,
    /// Calls that would close the others.
    pub calls: u64,
    /// The lists that are not complete, the dearest first.
    pub sources: Vec<SourceGaps>,
    /// Streams that send whole lists, and what they missed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<StreamGaps>,
}

/// What a stream missed of the lists that it sends whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StreamGaps {
    /// Of which server.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// Its name in the definition.
    pub stream: String,
    /// Without a hole since then.
    pub covers_since: Option<UnixNumber>,
    /// Until then, as far as is known.
    pub covers_until: Option<UnixNumber>,
    /// Watched lists that it sends.
    pub lists_count: u64,
    /// Those that were not visited since: what it missed before is not known of them. A visit each closes that.
    pub unvisited_count: u64,
}

/// A list that is not complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceGaps {
    /// Its number.
    #[schemars(with = "u32")]
    pub source: SourceId,
    /// What a person calls it.
    pub label: String,
    /// Where it is.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// Up to when its newest part is complete.
    pub complete_until: Option<UnixNumber>,
    /// Calls that would close it.
    pub calls: u64,
    /// Why nothing of it can be closed.
    pub obstacle: Option<String>,
    /// Its holes.
    pub holes: Vec<Gap>,
}

/// One hole with its price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// The post above it.
    pub above_id: String,
    /// When that was made.
    pub above_at: Option<UnixNumber>,
    /// The post below it, where one is known.
    pub below_id: Option<String>,
    /// When that was made.
    pub below_at: Option<UnixNumber>,
    /// Calls that would close it; null where none can.
    pub calls: Option<u64>,
    /// Why no call can close it.
    pub obstacle: Option<String>,
    /// It has no lower end, so that it may cost more.
    pub is_lower_bound: bool,
}
