//! What there was to know, and what holds, for whoever shows it.

use freshet_app::data::Data;
use freshet_report::alerts::{AlertsReport, ReceiverLine, RuleLine, RuleName};
use freshet_report::time::UnixFloat;

use crate::config::{AlertConfig, Receiver};
use crate::memory::Memory;

/// The latest alerts, newest first, with rules and receivers.
pub fn report(data: &Data, config: &AlertConfig, limit: usize) -> anyhow::Result<AlertsReport> {
    let memory = Memory::from_store(&data.store)?;
    let rule = |name: RuleName| {
        let rule = config.rules.of(name);
        RuleLine {
            rule: name,
            is_on: rule.is_on,
            threshold: rule.threshold,
            unit: name.unit().to_owned(),
            quiet_s: rule.quiet.secs_f64(),
        }
    };
    let receiver =
        |it: &Receiver| ReceiverLine { name: it.name.clone(), way: it.way.shown(), rules: it.rules.clone() };
    Ok(AlertsReport {
        now: UnixFloat(data.now_for_report(None)),
        alerts: memory.alerts().take(limit).cloned().collect(),
        undelivered_count: memory.alerts().filter(|it| it.sent.iter().any(|sent| !sent.is_ok)).count(),
        rules: RuleName::ALL.into_iter().map(rule).collect(),
        receivers: config.receivers.iter().map(receiver).collect(),
        tested: memory.tested,
    })
}
