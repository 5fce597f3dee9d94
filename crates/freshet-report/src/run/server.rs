//! Servers, their quotas and the prices of their calls, as a run reports them.

use freshet_types::{NetworkName, RobotKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::{UnixFloat, UnixNumber, number};

/// No network: what a report that says nothing of it has.
pub(super) fn nowhere() -> NetworkName {
    NetworkName::from("")
}

/// What a network still allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QuotaStatus {
    /// Whose quota it is.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// Which rule of it.
    pub rule: String,
    /// Who it is given to: `ip`, or a credential.
    pub holder: String,
    /// Calls in a window.
    pub limit: u32,
    /// Length of the window.
    #[serde(deserialize_with = "number")]
    pub window_s: f64,
    /// Calls that can be made at once at most; 0 where an older version did not say.
    pub burst: u32,
    /// Whole calls that could be made at once.
    #[serde(deserialize_with = "number")]
    pub ready: f64,
    /// Calls that this run was granted.
    pub granted_count: u64,
    /// Nothing is asked before this.
    pub blocked_until: Option<UnixFloat>,
}

impl Default for QuotaStatus {
    fn default() -> Self {
        Self {
            network: nowhere(),
            rule: String::new(),
            holder: String::new(),
            limit: 0,
            window_s: 0.0,
            burst: 0,
            ready: 0.0,
            granted_count: 0,
            blocked_until: None,
        }
    }
}

/// What a call of a quota is worth, or a call to a server that has none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PriceStatus {
    /// Whose quota it is.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// Which rule of it; `manners` for the pause between two calls.
    pub rule: String,
    /// Who it is given to.
    pub holder: String,
    /// Waiting of posts, summed, that a call must end.
    #[serde(deserialize_with = "number")]
    pub price_post_s: f64,
    /// Waiting of posts that one more call an hour would end.
    #[serde(deserialize_with = "number")]
    pub saved_post_s_per_h: f64,
    /// Calls an hour that flow in.
    #[serde(deserialize_with = "number")]
    pub budget_per_h: f64,
    /// Calls an hour that news take.
    #[serde(deserialize_with = "number")]
    pub news_per_h: f64,
    /// Calls an hour that all else takes.
    #[serde(deserialize_with = "number")]
    pub others_per_h: f64,
    /// Sources that pay here.
    pub sources_count: u64,
}

impl Default for PriceStatus {
    fn default() -> Self {
        Self {
            network: nowhere(),
            rule: String::new(),
            holder: String::new(),
            price_post_s: 0.0,
            saved_post_s_per_h: 0.0,
            budget_per_h: 0.0,
            news_per_h: 0.0,
            others_per_h: 0.0,
            sources_count: 0,
        }
    }
}

/// How far a round is in which sources of a server are visited in turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RoundStatus {
    /// Of which server.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// By which robot.
    pub robot: RobotKind,
    /// Which round it is since the run began, from 1 on.
    pub round: u64,
    /// When it began.
    pub begun_at: Option<UnixNumber>,
    /// Sources that stand in line.
    pub sources_count: u64,
    /// Those that have not had their turn.
    pub left_count: u64,
}

impl Default for RoundStatus {
    fn default() -> Self {
        Self {
            network: nowhere(),
            robot: RobotKind::Status,
            round: 0,
            begun_at: None,
            sources_count: 0,
            left_count: 0,
        }
    }
}

/// A server that does not answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ServerStatus {
    /// Which.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// Nothing is asked of it but whether it is back.
    pub is_down: bool,
    /// Since when it does not answer.
    pub since: UnixFloat,
    /// What was wrong last.
    pub said: String,
    /// Requests in a row without an answer.
    pub faults_count: u32,
    /// When it is asked again, where it is down; in the past while it is being asked.
    pub next_at: Option<UnixFloat>,
    /// Due sources that wait for it.
    pub sources_count: u64,
}

impl Default for ServerStatus {
    fn default() -> Self {
        Self {
            network: nowhere(),
            is_down: false,
            since: UnixFloat::default(),
            said: String::new(),
            faults_count: 0,
            next_at: None,
            sources_count: 0,
        }
    }
}
