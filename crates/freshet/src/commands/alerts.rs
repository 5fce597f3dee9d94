//! `freshet alerts`: what somebody should have known, the rules, and whether they arrive.
//!
//! A running crawl finds and sends alerts ([`freshet_alert`]); this shows them. `test` sends one that says
//! that it is a test, to one receiver or, for a rule, to all who want it.

use std::process::ExitCode;
use std::sync::Arc;

use freshet_alert::config::{self, AlertConfig};
use freshet_alert::report;
use freshet_alert::send::Sender;
use freshet_app::config::Globals;
use freshet_app::data::{CONTACT_UNKNOWN, Data};
use freshet_report::alerts::{Alert, AlertTestReport, AlertsReport, ReceiverLine, RuleLine, Sent};
use freshet_types::{Span, SystemClock};

use crate::args::{AlertsArgs, AlertsCommand, ReportArgs};
use crate::failure;
use crate::output::{self, COLUMNS, Report, relative};

/// Lists, tests or prints the file.
pub(crate) fn execute(globals: &Globals, args: &AlertsArgs) -> anyhow::Result<ExitCode> {
    let data = Data::look(globals)?;
    let config = config::read(data.dir())?;
    match &args.command {
        Some(AlertsCommand::Test { name, report }) => test(globals, &data, &config, name, *report),
        Some(AlertsCommand::Config) => {
            output::line(config::example(&config.rules).trim_end())?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            output::print(args.report, &report::report(&data, &config, args.limit)?)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

impl Report for AlertsReport {
    fn text(&self) -> String {
        let mut parts = Vec::new();
        let shown = |it: &Alert| {
            let head = format!(
                "{:>4}  {:<8} {}{}",
                it.number,
                it.rule.name(),
                relative(it.at.0, self.now.0),
                told(&it.sent)
            );
            let failed = it.sent.iter().filter_map(untold);
            let lines = std::iter::once(it.text.clone()).chain(failed);
            let lines = lines.map(|line| format!("      {}", output::wrapped(&line, COLUMNS - 6, "      ")));
            std::iter::once(output::shorten(&head, COLUMNS)).chain(lines).collect::<Vec<_>>().join("\n")
        };
        parts.push(if self.alerts.is_empty() {
            "no alerts yet; a crawl that runs looks for them".to_owned()
        } else {
            self.alerts.iter().map(shown).collect::<Vec<_>>().join("\n")
        });
        if self.undelivered_count > 0 {
            let alerts = output::count(self.undelivered_count as u64, "alert");
            parts.push(format!(
                "{alerts} did not reach everybody; `freshet alerts test NAME` tries a receiver"
            ));
        }
        let rule = |it: &RuleLine| {
            let threshold = if it.is_on { format!("{} {}", it.unit, it.threshold) } else { "off".to_owned() };
            vec![it.rule.to_string(), threshold, Span::from_secs_f64(it.quiet_s).to_string()]
        };
        parts.push(output::fitted(&["rule", "alerts at", "quiet for"], self.rules.iter().map(rule)));
        parts.push(if self.receivers.is_empty() {
            "nobody is told; `freshet alerts config` prints a file to start from".to_owned()
        } else {
            let row = |it: &ReceiverLine| {
                let rules = it.rules.iter().map(|rule| rule.name()).collect::<Vec<_>>().join(" ");
                let rules = if rules.is_empty() { "all".to_owned() } else { rules };
                vec![it.name.clone(), it.way.clone(), rules]
            };
            output::fitted(&["receiver", "how", "rules"], self.receivers.iter().map(row))
        });
        parts.join("\n\n")
    }
}

/// Who was told.
fn told(sent: &[Sent]) -> String {
    let names: Vec<&str> = sent.iter().filter(|it| it.is_ok).map(|it| it.to.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("; told {}", names.join(", ")) }
}

/// Who was not, after how many tries, and why.
fn untold(sent: &Sent) -> Option<String> {
    let tries =
        if sent.tries_count == 1 { "1 try".to_owned() } else { format!("{} tries", sent.tries_count) };
    let state = match (sent.is_ok, sent.tries_count, sent.again_at) {
        (true, _, _) => return None,
        (false, 0, Some(_)) => "not told yet".to_owned(),
        (false, _, Some(_)) => format!("not reached in {tries}, is tried again"),
        (false, 0, None) => "not told".to_owned(),
        (false, _, None) => format!("given up after {tries}"),
    };
    let why = sent.why.as_ref().map_or_else(String::new, |why| format!(": {}", output::one_line(why)));
    Some(format!("{}: {state}{why}", sent.to))
}

impl Report for AlertTestReport {
    fn text(&self) -> String {
        let line = |it: &Sent| match &it.why {
            None => format!("{}: taken", it.to),
            Some(why) => format!("{}: {}", it.to, output::one_line(why)),
        };
        self.sent.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn test(
    globals: &Globals,
    data: &Data,
    config: &AlertConfig,
    name: &str,
    report: ReportArgs,
) -> anyhow::Result<ExitCode> {
    let contact = data.contact(globals)?.unwrap_or_else(|| CONTACT_UNKNOWN.to_owned());
    let sender = Sender::new(&globals.config, contact, Arc::new(SystemClock));
    let sent = sender.test(config, name, data.now_for_report(None))?;
    let is_ok = sent.iter().all(|it| it.is_ok);
    output::print(report, &AlertTestReport { sent })?;
    Ok(if is_ok { ExitCode::SUCCESS } else { failure::partly() })
}

#[cfg(test)]
mod tests {
    use freshet_report::time::UnixFloat;
    use freshet_types::Timestamp;

    use super::*;

    fn check(is_ok: bool, tries_count: u32, again_at: Option<i64>, why: Option<&str>, shown: Option<&str>) {
        let why = why.map(str::to_owned);
        let again_at = again_at.map(|secs| UnixFloat(Timestamp::from_secs(secs)));
        let sent = Sent { to: "phone".to_owned(), is_ok, why, tries_count, again_at };
        assert_eq!(untold(&sent).as_deref(), shown, "{sent:?}");
    }

    #[test]
    fn who_was_not_told_is_shown_with_the_reason() {
        let why = Some("no\nroute");
        check(true, 3, None, None, None);
        check(false, 0, Some(1), None, Some("phone: not told yet"));
        check(false, 1, Some(1), why, Some("phone: not reached in 1 try, is tried again: no route"));
        check(false, 8, None, why, Some("phone: given up after 8 tries: no route"));
        check(false, 0, None, Some("gone"), Some("phone: not told: gone"));
    }
}
