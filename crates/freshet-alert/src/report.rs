//! What there was to know, and what holds, for whoever shows it.

use freshet_app::data::Data;
use serde::Serialize;

use crate::config::{AlertConfig, Receiver};
use crate::memory::Memory;
use crate::rule::RuleName;
use crate::{Alert, Tested};

/// What there was, and what holds.
#[derive(Debug, Serialize)]
pub struct AlertsReport {
    /// When, in unix seconds of the crawl's clock.
    pub now: f64,
    /// The latest, newest first.
    pub alerts: Vec<Alert>,
    /// Alerts of which somebody was not told, be it not yet or given up, among all that are kept.
    pub undelivered_count: usize,
    /// All rules.
    pub rules: Vec<RuleLine>,
    /// Who is told.
    pub receivers: Vec<ReceiverLine>,
    /// The last test that a running crawl was asked for.
    pub tested: Option<Tested>,
}

/// One rule.
#[derive(Debug, Serialize)]
pub struct RuleLine {
    /// Its name.
    pub rule: RuleName,
    /// It is looked at.
    pub is_on: bool,
    /// From which value on it alerts.
    pub threshold: f64,
    /// What the value counts.
    pub unit: &'static str,
    /// How long nothing more is said about the same subject.
    pub quiet_s: f64,
}

/// One receiver.
#[derive(Debug, Serialize)]
pub struct ReceiverLine {
    /// Its name.
    pub name: String,
    /// How it is told.
    pub way: String,
    /// What it wants to know; nothing is everything.
    pub rules: Vec<RuleName>,
}

/// The latest alerts, newest first, with rules and receivers.
pub fn report(data: &Data, config: &AlertConfig, limit: usize) -> anyhow::Result<AlertsReport> {
    let memory = Memory::from_store(&data.store)?;
    let rule = |name: RuleName| {
        let rule = config.rules.of(name);
        RuleLine {
            rule: name,
            is_on: rule.is_on,
            threshold: rule.threshold,
            unit: name.unit(),
            quiet_s: rule.quiet.secs_f64(),
        }
    };
    let receiver =
        |it: &Receiver| ReceiverLine { name: it.name.clone(), way: it.way.shown(), rules: it.rules.clone() };
    Ok(AlertsReport {
        now: data.now_for_report(None).secs_f64(),
        alerts: memory.alerts().take(limit).cloned().collect(),
        undelivered_count: memory.alerts().filter(|it| it.sent.iter().any(|sent| !sent.is_ok)).count(),
        rules: RuleName::ALL.into_iter().map(rule).collect(),
        receivers: config.receivers.iter().map(receiver).collect(),
        tested: memory.tested,
    })
}
