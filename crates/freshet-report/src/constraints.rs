//! The report of `freshet constraints`: which posts and accounts are wanted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All constraints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConstraintsReport {
    /// In order.
    pub constraints: Vec<ConstraintLine>,
    /// Days that objects wait for a property that a constraint needs.
    pub parked_days: u32,
    /// Objects that wait for one.
    pub parked_count: u64,
}

/// One constraint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConstraintLine {
    /// Its number, from 1.
    pub number: usize,
    /// The type of objects that it is about.
    #[serde(rename = "type")]
    pub type_name: String,
    /// What must be true of them.
    pub text: String,
}
