//! The report of `freshet robots`: which robots work.

use freshet_types::{RobotKind, RobotState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The robots and their states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RobotsReport {
    /// A run is under way.
    pub is_running: bool,
    /// The focus that says whom they visit first, as a person would write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// All robots.
    pub robots: Vec<RobotLine>,
    /// The collections that the robot `link` can gather, of the networks in use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<CollectionLine>,
}

/// A collection that a definition lists for the robot `link`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollectionLine {
    /// Its name: `network/type.link`.
    pub name: String,
    /// Whether it is gathered: the robot works or waits, and this is among what was chosen. Else as if it were stopped.
    #[schemars(with = "String")]
    pub state: RobotState,
    /// So many members in the run under way, or the last one.
    pub collected_count: Option<u64>,
    /// So many an hour, over that run.
    pub collected_per_hour: Option<f64>,
}

/// One robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RobotLine {
    /// Which.
    pub name: RobotKind,
    /// Whether it works.
    #[schemars(with = "String")]
    pub state: RobotState,
    /// The credential that it shows.
    pub credential: Option<String>,
    /// What it collects: relations, profiles, posts, replies, tags or members.
    pub collects: String,
    /// So many of them in the run under way, or the last one.
    pub collected_count: Option<u64>,
    /// So many an hour, over that run.
    pub collected_per_hour: Option<f64>,
}
