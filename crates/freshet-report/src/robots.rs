//! The report of `freshet robots`: which robots work.

use freshet_types::{RobotKind, RobotState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The robots and their states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RobotsReport {
    /// A run is under way.
    pub is_running: bool,
    /// All robots.
    pub robots: Vec<RobotLine>,
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
}
