//! The report of `freshet demo spider` and `freshet demo world`: what a crawl of a use-case gave.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::run::RunStatus;

/// What a use-case gave, type by type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseReport {
    /// Its name.
    pub case: String,
    /// Names that were searched for.
    pub names_count: usize,
    /// Accounts that the network found by them; these were added.
    pub found_count: usize,
    /// What is stored now.
    pub objects: Vec<ObjectCount>,
    /// The crawl itself.
    pub run: RunStatus,
}

/// How many objects of one type are stored of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ObjectCount {
    pub network: String,
    /// The type, as the network's definition calls it.
    #[serde(rename = "type")]
    pub kind: String,
    pub count: u64,
}
