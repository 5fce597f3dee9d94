//! The reports of `freshet alerts`: what somebody should have known, the rules, and who is told.
//!
//! [`Alert`], [`Sent`] and [`Tested`] are also what the store remembers of alerts, so their form must stay readable.

mod rule;

pub use rule::RuleName;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::UnixFloat;

/// What there was, and what holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlertsReport {
    /// When this was asked.
    pub now: UnixFloat,
    /// The latest alerts, newest first.
    pub alerts: Vec<Alert>,
    /// Alerts of which somebody was not told, be it not yet or given up, among all that are kept.
    pub undelivered_count: usize,
    /// The rules as they are set.
    pub rules: Vec<RuleLine>,
    /// Who is told.
    pub receivers: Vec<ReceiverLine>,
    /// The last test that a running crawl was asked for.
    pub tested: Option<Tested>,
}

/// A rule as it is set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleLine {
    /// Which.
    pub rule: RuleName,
    /// It is looked at.
    pub is_on: bool,
    /// From where on it alerts.
    pub threshold: f64,
    /// What that is measured in.
    pub unit: String,
    /// How long nothing more is said about the same subject.
    pub quiet_s: f64,
}

/// Somebody who is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiverLine {
    /// The name in `alerts.toml`.
    pub name: String,
    /// How it is told, in words.
    pub way: String,
    /// The rules that it wants; all where none is named.
    pub rules: Vec<RuleName>,
}

/// Something that somebody should know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Alert {
    /// Its place among all alerts of the data directory, rising.
    pub number: u64,
    /// The rule that found it.
    pub rule: RuleName,
    /// What it is about.
    pub subject: String,
    /// The same for people.
    pub text: String,
    /// What was measured.
    pub value: f64,
    /// What it was compared with.
    pub threshold: f64,
    /// When, by the crawl's clock.
    pub at: UnixFloat,
    /// Who was told, and with what success.
    #[serde(default)]
    pub sent: Vec<Sent>,
}

/// Somebody who is to be told, and with what success.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sent {
    /// The receiver's name.
    pub to: String,
    /// It was taken.
    pub is_ok: bool,
    /// Why not, at the last try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How often it was tried.
    #[serde(default = "once")]
    pub tries_count: u32,
    /// When it is tried next, by the computer's clock; never where it was taken or given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_at: Option<UnixFloat>,
}

/// Earlier versions tried once.
fn once() -> u32 {
    1
}

/// What became of a test that a running crawl was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tested {
    /// The receiver or rule that was named.
    pub name: String,
    /// When, by the crawl's clock.
    pub at: UnixFloat,
    /// Who was told.
    pub sent: Vec<Sent>,
}

/// What became of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlertTestReport {
    /// Who was told.
    pub sent: Vec<Sent>,
}

/// The same report as the dashboard gives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlertsView {
    /// The report.
    #[serde(flatten)]
    pub report: AlertsReport,
    /// A run is under way that could send a test.
    pub is_running: bool,
}

/// What a receiver is told: the body of a request to a web address, or a line for a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlertMessage {
    /// Version of the program that sends it.
    pub freshet: String,
    /// Nothing happened.
    pub is_test: bool,
    /// All of it in a line, for people.
    pub text: String,
    /// The first alerts.
    pub alerts: Vec<ToldAlert>,
    /// Alerts that are left out.
    pub more_count: usize,
}

/// An alert as a receiver is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToldAlert {
    /// Its place among all alerts of the data directory, rising.
    pub number: u64,
    /// The rule that found it.
    pub rule: RuleName,
    /// What it is about.
    pub subject: String,
    /// The same for people.
    pub text: String,
    /// What was measured.
    pub value: f64,
    /// What it was compared with.
    pub threshold: f64,
    /// When, by the crawl's clock.
    pub at: UnixFloat,
}
