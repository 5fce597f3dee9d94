//! The report of `freshet budget`: what a person allows, beside what the networks allow.

use freshet_types::NetworkName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All budgets in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetsReport {
    /// Those that a person set, in order of scope, then the usual ones.
    pub budgets: Vec<BudgetLine>,
    /// What a server is asked at most for pages made for people that names no quota, where nobody said.
    pub usual_pages: String,
    /// The same for an API.
    pub usual_calls: String,
    /// Servers with the usual budget beyond those that are listed.
    pub more_count: u64,
}

/// One budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetLine {
    /// `all`, a network, or a server or forum.
    #[schemars(with = "String")]
    pub scope: NetworkName,
    /// As it was written: `600/h`.
    pub rate: String,
    /// Calls an hour.
    pub per_h: f64,
    /// Nobody set it.
    pub is_usual: bool,
    /// Calls an hour that the tightest quotas of its servers allow, by the last run; none where they name none.
    pub quota_per_h: Option<f64>,
    /// Calls an hour that it was used for, by the last run.
    pub used_per_h: Option<f64>,
    /// Waiting of posts, summed, that one more call an hour would end, by the last run.
    pub saved_post_s_per_h: Option<f64>,
}
