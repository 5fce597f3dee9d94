//! Alerts: what somebody should know though nobody looks.
//!
//! | room | does |
//! |---|---|
//! | [`rule`] | what is worth an alert: seven rules as data, pure |
//! | [`chance`] | how improbable a silence or a burst is |
//! | [`config`] | `alerts.toml` of the data directory: thresholds, quiet times, receivers |
//! | [`memory`] | which alerts there were, so that none is repeated in its quiet time |
//! | [`watch`] | looks at a few sources at each tick of a running crawl |
//! | [`outbox`] | who is still to be told, and when it is tried again |
//! | [`courier`] | messages under way, each in a thread of its own |
//! | [`report`] | what there was and what holds, for whoever shows it |
//! | [`send`] | to a web address, a program or a mailbox |
//!
//! An alert is stored before it is sent, with those who are to be told: whoever is killed in between tells
//! them when it runs again. Nothing here steers a crawl, and a receiver that hangs delays nobody but itself.

mod chance;
pub mod config;
mod courier;
pub mod memory;
mod outbox;
pub mod report;
pub mod rule;
pub mod send;
pub mod watch;

use serde::{Deserialize, Serialize};

use rule::{Finding, RuleName};

/// Something that somebody should know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// When, in unix seconds of the crawl's clock.
    pub at: f64,
    /// Who was told, and with what success.
    #[serde(default)]
    pub sent: Vec<Sent>,
}

/// Somebody who is to be told, and with what success.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// When it is tried next, in unix seconds of the computer's clock; never where it was taken or given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_at: Option<f64>,
}

/// Earlier versions tried once.
fn once() -> u32 {
    1
}

/// What became of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// The receiver or rule that was named.
    pub name: String,
    /// When, in unix seconds of the crawl's clock.
    pub at: f64,
    /// Who was told.
    pub sent: Vec<Sent>,
}

impl Alert {
    /// Of a finding.
    pub fn new(number: u64, finding: Finding, threshold: f64, at: f64) -> Self {
        let Finding { rule, subject, text, value } = finding;
        Self { number, rule, subject, text, value, threshold, at, sent: Vec::new() }
    }
}
