//! The report of `freshet plan`: a lag and its calls an hour.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::UnixNumber;

/// A lag and its price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanReport {
    /// Calls an hour.
    pub calls_per_hour: f64,
    /// Mean time from post to seen.
    pub lag_s: f64,
    /// Of these calls, those for profiles, relations and tags.
    pub others_per_hour: f64,
    /// Lists of posts.
    pub sources_count: u64,
    /// Posts a day that they are expected to bring.
    pub posts_per_day: f64,
    /// Waiting of posts, summed, that one more call would end.
    pub price_post_s: f64,
    /// Why the answer is not what was asked for.
    pub note: Option<String>,
    /// The networks.
    pub scopes: Vec<PlanScope>,
    /// Other budgets and their lags.
    pub table: Vec<PlanPoint>,
    /// What runs foretold, day by day, and what came; the newest first.
    #[serde(default)]
    pub foretold: Vec<Foretold>,
}

/// A lag that a run foretold, and the one that came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Foretold {
    /// When; it is about a day, or until the next forecast.
    pub at: UnixNumber,
    /// Mean time from post to seen, as foretold.
    pub lag_s: f64,
    /// The same over the posts that were made then and seen since; none where there were none.
    pub measured_lag_s: Option<f64>,
    /// Those posts.
    pub posts_count: u64,
}

/// One network in a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanScope {
    /// Which.
    pub network: String,
    /// Its lists of posts.
    pub sources_count: u64,
    /// Posts a day that they are expected to bring.
    pub posts_per_day: f64,
    /// Calls an hour.
    pub calls_per_hour: f64,
    /// Mean time from post to seen.
    pub lag_s: f64,
    /// Calls an hour that its quota and budget allow.
    pub quota_per_hour: Option<f64>,
    /// The plan needs more calls than that.
    pub is_over: bool,
}

/// A budget and its lag.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanPoint {
    /// Calls an hour.
    pub calls_per_hour: f64,
    /// Mean time from post to seen.
    pub lag_s: f64,
}
