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
//! | [`send`] | to a web address, a program or a mailbox |
//!
//! An alert is stored before it is sent, with those who are to be told: whoever is killed in between tells
//! them when it runs again. Nothing here steers a crawl, and a receiver that hangs delays nobody but itself.

pub(crate) mod chance;
pub(crate) mod config;
pub(crate) mod courier;
pub(crate) mod memory;
pub(crate) mod outbox;
pub(crate) mod rule;
pub(crate) mod send;
pub(crate) mod watch;

use serde::{Deserialize, Serialize};

use rule::{Finding, RuleName};

/// Something that somebody should know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Alert {
    /// Its place among all alerts of the data directory, rising.
    pub(crate) number: u64,
    /// The rule that found it.
    pub(crate) rule: RuleName,
    /// What it is about.
    pub(crate) subject: String,
    /// The same for people.
    pub(crate) text: String,
    /// What was measured.
    pub(crate) value: f64,
    /// What it was compared with.
    pub(crate) threshold: f64,
    /// When, in unix seconds of the crawl's clock.
    pub(crate) at: f64,
    /// Who was told, and with what success.
    #[serde(default)]
    pub(crate) sent: Vec<Sent>,
}

/// Somebody who is to be told, and with what success.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sent {
    /// The receiver's name.
    pub(crate) to: String,
    /// It was taken.
    pub(crate) is_ok: bool,
    /// Why not, at the last try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    /// How often it was tried.
    #[serde(default = "once")]
    pub(crate) tries_count: u32,
    /// When it is tried next, in unix seconds of the computer's clock; never where it was taken or given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) again_at: Option<f64>,
}

/// Earlier versions tried once.
fn once() -> u32 {
    1
}

/// What became of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tested {
    /// The receiver or rule that was named.
    pub(crate) name: String,
    /// When, in unix seconds of the crawl's clock.
    pub(crate) at: f64,
    /// Who was told.
    pub(crate) sent: Vec<Sent>,
}

impl Alert {
    /// Of a finding.
    pub(crate) fn new(number: u64, finding: Finding, threshold: f64, at: f64) -> Self {
        let Finding { rule, subject, text, value } = finding;
        Self { number, rule, subject, text, value, threshold, at, sent: Vec::new() }
    }
}
