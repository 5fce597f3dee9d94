//! The reports of `freshet subscriptions`: who gets changes, how far each has got, and what came of a test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::UnixNumber;

/// All subscriptions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubscriptionsReport {
    /// In order of name.
    pub subscriptions: Vec<SubscriptionLine>,
}

/// One subscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubscriptionLine {
    pub name: String,
    /// `running`, `paused`, or `ended` by its receiver.
    pub state: String,
    /// What it gets: `posts`, `accounts`, `relations`, `links`, `deletions`, `forgettings`, `alerts`.
    pub kinds: Vec<String>,
    /// How: `file`, `stdout`, `command`, `webhook`, `websocket` or `nats`.
    pub way: String,
    /// Where to; empty where the way says all.
    pub target: String,
    /// What must hold of objects of a type.
    pub filters: Vec<FilterLine>,
    /// Changes that it may be behind before the oldest are dropped; nothing is dropped without it.
    pub buffer_max: Option<u64>,
    pub added_at: Option<UnixNumber>,
    /// The last change that it has taken.
    pub cursor: u64,
    /// How many numbers of the log that is behind the newest.
    pub behind: u64,
    /// Records that it has taken.
    pub delivered_count: u64,
    /// Records that were dropped because it was too far behind.
    pub dropped_count: u64,
    /// Records that it has taken without their content, which is not kept and was gone.
    #[serde(default)]
    pub lost_count: u64,
    /// Tries that failed.
    pub failed_count: u64,
    /// What went wrong last; it may work since.
    pub failure: Option<String>,
    pub failed_at: Option<UnixNumber>,
}

/// A condition on objects of a type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FilterLine {
    #[serde(rename = "type")]
    pub type_name: String,
    pub text: String,
}

/// A subscription that was added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubscriptionAdded {
    pub subscription: SubscriptionLine,
    /// What signs its batches, shown this once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// What a receiver made of one marked record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubscriptionTest {
    pub name: String,
    /// The receiver took it.
    pub is_taken: bool,
    /// What came back, in words.
    pub said: String,
}
