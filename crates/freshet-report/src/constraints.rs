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
    /// Objects that robots do not follow for now, once for each robot.
    #[serde(default)]
    pub held_count: u64,
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
    /// What it decides: `store`, `follow`, `revisit` or `discover`.
    #[serde(rename = "for", default = "usual")]
    pub purpose: String,
}

fn usual() -> String {
    "store".to_owned()
}

/// What the constraints, or one that is only tried, say of an object that is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConstraintTest {
    /// Which object: `network/type/id`.
    pub address: String,
    /// It is in the tables; otherwise only its name is known.
    pub is_stored: bool,
    /// Each answer.
    pub answers: Vec<ConstraintAnswer>,
}

/// What one constraint says of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConstraintAnswer {
    /// What it decides.
    #[serde(rename = "for")]
    pub purpose: String,
    /// What must be true.
    pub text: String,
    /// `yes`, `no` or `unknown`.
    pub answer: String,
    /// Why, where it is not a yes: the value that is missing, or that more members may change it.
    pub why: Option<String>,
}
