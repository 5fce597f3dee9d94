//! The report of `freshet check`: whether what is stored is whole, and nobody else may read it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// The data directory.
    pub data: String,
    /// Nothing was found.
    pub is_whole: bool,
    /// What is wrong.
    pub findings: Vec<CheckFinding>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckFinding {
    /// With what.
    pub subject: String,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub remedy: String,
}
