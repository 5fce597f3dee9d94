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

use freshet_report::alerts::Alert;
use freshet_report::time::UnixFloat;
use freshet_types::Timestamp;

use rule::Finding;

/// The alert of a finding, of which nobody was told yet.
fn alert_of(number: u64, finding: Finding, threshold: f64, at: Timestamp) -> Alert {
    let Finding { rule, subject, text, value } = finding;
    Alert { number, rule, subject, text, value, threshold, at: UnixFloat(at), sent: Vec::new() }
}
