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

/// The comparison on a forum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForumSimulateReport {
    /// What the history is called.
    pub trace: String,
    /// The stretch of it.
    pub window: ForumWindowReport,
    /// What each policy came to.
    pub policies: Vec<ForumPolicyResult>,
}

/// The stretch of a forum's history that was compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForumWindowReport {
    /// Policies begin here, at the portal.
    pub from: UnixNumber,
    /// They are measured from here on.
    pub start: UnixNumber,
    /// Where it ends.
    pub end: UnixNumber,
    /// Days in which policies mirror the archive and are not measured.
    pub warm_days: u32,
    /// Days in which they are measured.
    pub eval_days: u32,
    /// Records of a page.
    pub page_size: u32,
    /// Boards at the end.
    pub boards: u32,
    /// Threads at the end.
    pub threads: usize,
    /// Posts made before policies begin.
    pub archived_posts: usize,
    /// Posts made in the days that are measured.
    pub posts: usize,
}

/// What one policy reached on a forum at one bandwidth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForumPolicyResult {
    /// Which policy.
    pub policy: String,
    /// The bandwidth.
    pub pages_per_day: f64,
    /// Pages that it fetched in the days that are measured.
    pub pages: u64,
    /// Threads, which index lists show.
    pub threads: ForumShare,
    /// Posts, which post lists show.
    pub posts: ForumShare,
}

/// What was reached of threads or of posts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForumShare {
    /// Share of all pages that were pages of that kind of list with something new: bandwidth utilisation, equation 4 of the list-wise paper.
    pub useful_page_share: f64,
    /// Share of all that there is that was fetched, mean over the days: coverage, equation 5.
    pub coverage: f64,
    /// Mean time from being made to being fetched, of what was fetched in these days: timeliness, equation 6; absent where nothing was.
    pub timeliness_s: Option<f64>,
    /// The same over all that was made in these days: what was never fetched waits until the end; absent where nothing was made.
    pub mean_delay_s: Option<f64>,
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
