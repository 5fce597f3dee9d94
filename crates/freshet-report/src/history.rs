//! The recent past in a few numbers: lag, new posts by robot and requests, for charts.

use freshet_types::RobotKind;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Both levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryReport {
    /// The last half hour, oldest first.
    pub fine: Vec<Point>,
    /// The last week, oldest first.
    pub coarse: Vec<Point>,
}

/// What happened since the point before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// When it ended, in unix seconds of the crawl's clock.
    pub at: f64,
    /// How long it lasted by the same clock.
    pub lasted_s: f64,
    /// Median lag of recent news.
    pub lag_median_s: Option<f64>,
    /// Nine of ten are below.
    pub lag_p90_s: Option<f64>,
    /// New posts by robot, in the order of [`RobotKind::ALL`].
    #[serde(deserialize_with = "by_robot")]
    pub posts: [u64; RobotKind::ALL.len()],
    /// Requests sent.
    pub fetches: u64,
}

/// Counts by robot; what was written when there were fewer robots lacks the last of them.
fn by_robot<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u64; RobotKind::ALL.len()], D::Error> {
    let counts = Vec::<u64>::deserialize(deserializer)?;
    Ok(std::array::from_fn(|robot| counts.get(robot).copied().unwrap_or(0)))
}
