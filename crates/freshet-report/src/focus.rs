//! The report of `freshet focus`: which posts are wanted first, or alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The focus in force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FocusReport {
    /// As a person would write it; none where there is no focus.
    pub focus: Option<String>,
    /// Of what robots find, the share in percent that is visited in order of arrival.
    pub explore_percent: Option<u8>,
    /// Nothing else is collected: of other posts only ids, times and counts are stored.
    #[serde(default)]
    pub is_only: bool,
    /// Newest posts that were looked at.
    pub looked_count: u64,
    /// Of those, posts that the focus wants.
    pub wanted_count: u64,
}
