//! The reports of `freshet simulate` and of the dashboard's backtest: what policies came to on the same history.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::UnixNumber;

/// The comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimulateReport {
    /// What the history is called.
    pub trace: String,
    /// The stretch of it.
    pub window: WindowReport,
    /// What each policy came to.
    pub policies: Vec<PolicyResult>,
    /// What must be said about the history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
}

/// The stretch that was compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WindowReport {
    /// Where it begins: policies learn from here on.
    pub from: UnixNumber,
    /// They are measured from here on.
    pub start: UnixNumber,
    /// Where it ends.
    pub end: UnixNumber,
    /// Days in which policies learn and are not measured.
    pub warm_days: u32,
    /// Days in which they are measured.
    pub eval_days: u32,
    /// Sources of the history.
    pub sources: usize,
    /// Posts that are measured.
    pub posts: u64,
    /// What policies are asked for: `delay` or `capture`.
    pub objective: String,
    /// Posts of a page, where pages are limited.
    pub page_size: Option<u32>,
}

/// What one policy reached at one budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyResult {
    /// Which policy.
    pub policy: String,
    /// The budget.
    pub calls_per_hour: f64,
    /// Calls that it made.
    pub calls: u64,
    /// Posts that are measured.
    pub posts_total: u64,
    /// Posts that a visit returned.
    pub captured: u64,
    /// Share of them; absent without posts.
    pub coverage: Option<f64>,
    /// Mean delay over all posts, weighted where sources have weights.
    pub mean_delay_s: Option<f64>,
    /// Half of the posts waited at most so long.
    pub median_delay_s: Option<f64>,
    /// Nine of ten waited at most so long.
    pub p90_delay_s: Option<f64>,
    /// Posts returned per call.
    pub posts_per_call: f64,
    /// Share of the visits that returned anything.
    pub useful_call_share: f64,
    /// Time the computation took.
    pub wall_ms: u64,
}

/// The backtest that runs on the dashboard, or ran last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BacktestReport {
    /// It is under way.
    pub is_running: bool,
    /// What is compared and how far it is; nothing before the first one.
    #[serde(flatten)]
    pub progress: Option<BacktestProgress>,
    /// The results so far.
    pub policies: Vec<PolicyResult>,
}

/// How far a backtest is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BacktestProgress {
    /// Why it ended without all results.
    pub ended: Option<String>,
    /// Policies that are done.
    pub done_count: usize,
    /// Policies that were asked for.
    pub asked_count: usize,
    /// How long it has lasted.
    pub took_s: f64,
    /// Sources of the history.
    pub sources_count: usize,
    /// The budget.
    pub calls_per_hour: f64,
    /// What policies are asked for: `delay` or `capture`.
    pub objective: String,
    /// Where the window begins, as it was typed.
    pub from: String,
    /// Days in which policies learn and are not measured.
    pub warm_days: u32,
    /// Days in which they are measured.
    pub eval_days: u32,
    /// What must be said about the history.
    pub caveat: String,
}
