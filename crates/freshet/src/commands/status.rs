//! `freshet status`: what is here, what happens now, and what fails.
//!
//! What is reported is made by [`freshet_app::status`]; here are the words.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::data::Data;
use freshet_app::status::{self, StatusReport};
use freshet_engine::price::MANNERS;
use freshet_types::{Span, Timestamp};
use serde_json::{Map, Value};

use crate::args::ReportArgs;
use crate::output::{self, COLUMNS, Report, relative, shorten};

/// Characters of a failure shown in a table.
const FAILURE_CHARS_MAX: usize = 200;

/// Merges and prints.
pub(crate) fn execute(globals: &Globals, args: ReportArgs) -> anyhow::Result<ExitCode> {
    let data = Data::look(globals)?;
    let now = data.now_for_report(status::noted_at(&status::live_report(&data.store)?));
    output::print(args, &status::whole(&data, now)?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for StatusReport {
    fn text(&self) -> String {
        Shown(self.fields()).text()
    }
}

/// The report as people see it.
struct Shown<'a>(&'a Map<String, Value>);

impl Shown<'_> {
    fn number(&self, key: &str) -> u64 {
        self.0.get(key).and_then(Value::as_u64).unwrap_or(0)
    }

    fn list(&self, key: &str) -> &[Value] {
        self.0.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn time(value: Option<&Value>) -> Option<Timestamp> {
        value?.as_f64().map(|secs| Timestamp::from_ms((secs * 1000.0) as i64))
    }

    fn headline(&self) -> String {
        let data = self.0["data"].as_str().unwrap_or_default();
        let (now, since) = (Self::time(self.0.get("now")), Self::time(self.0.get("started_at")));
        let since = match (now, since) {
            (Some(now), Some(since)) => format!(", started {}", relative(since, now)),
            _ => String::new(),
        };
        match (self.0["is_running"].as_bool(), self.0["pid"].as_u64()) {
            (Some(true), Some(pid)) => format!("{data}: running (process {pid}{since})"),
            (Some(true), None) => format!("{data}: running{since}"),
            _ => format!("{data}: not running"),
        }
    }

    fn numbers(&self) -> String {
        let lag = |key: &str| {
            let secs = self.0.get("lag_s")?.get(key)?.as_f64()?;
            Some(Span::from_secs_f64(secs).to_string())
        };
        let mut rows = vec![
            ("posts", self.number("posts_count").to_string()),
            ("  deleted", self.number("deleted_count").to_string()),
            ("accounts", self.number("accounts_count").to_string()),
            ("relations", self.number("relations_count").to_string()),
            ("changes", self.number("changes_count").to_string()),
            ("sources", self.number("sources_count").to_string()),
        ];
        let states = self.0["sources"].as_object().into_iter().flatten();
        let states = states.map(|(state, count)| (format!("  {state}"), count.to_string()));
        let states: Vec<_> = states.collect();
        rows.extend(states.iter().map(|(state, count)| (state.as_str(), count.clone())));
        rows.push(("visits of this run", self.number("visits_count").to_string()));
        rows.push(("fetches of this run", self.number("fetches_count").to_string()));
        rows.push(("refused by a limit", self.number("rate_limited_count").to_string()));
        if let (Some(median), Some(p90)) = (lag("median"), lag("p90")) {
            rows.push(("lag, median", median));
            rows.push(("lag, 9 of 10 below", p90));
        }
        let lines = rows.into_iter().map(|(name, value)| format!("{name:<22}{value:>12}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn quotas(&self) -> Option<String> {
        let text = |value: &Value| match value.as_f64() {
            Some(number) => format!("{number:.0}"),
            None => value.as_str().unwrap_or("-").to_owned(),
        };
        let row = |quota: &Value| {
            let columns = ["network", "rule", "holder", "limit", "ready"];
            columns.iter().map(|key| quota.get(key).map_or_else(|| "-".to_owned(), text)).collect()
        };
        let quotas = self.list("quotas");
        let header = ["network", "quota", "holder", "#limit", "#ready"];
        (!quotas.is_empty()).then(|| output::fitted(&header, quotas.iter().map(row)))
    }

    /// What a call of each quota is worth now; those that have enough for all cost nothing.
    fn prices(&self) -> Option<String> {
        let number = |it: &Value, key: &str| format!("{:.0}", it[key].as_f64().unwrap_or(0.0));
        let text = |it: &Value, key: &str| it[key].as_str().unwrap_or("-").to_owned();
        let row = |it: &Value| {
            let saved = Span::from_secs_f64(it["saved_post_s_per_h"].as_f64().unwrap_or(0.0)).to_string();
            let mut cells = vec![text(it, "network"), text(it, "rule")];
            cells.extend(["budget_per_h", "news_per_h", "others_per_h"].map(|key| number(it, key)));
            cells.push(saved);
            cells
        };
        let is_shown = |it: &&Value| it["rule"] != MANNERS || it["price_post_s"].as_f64() > Some(0.0);
        let rows: Vec<_> = self.list("prices").iter().filter(is_shown).map(row).collect();
        let header = ["network", "price of", "#calls/h", "#news/h", "#others/h", "#one more saves"];
        let note = "(one more saves: waiting of posts, summed, that one more call would end)";
        (!rows.is_empty()).then(|| format!("{}\n{note}", output::fitted(&header, rows)))
    }

    /// Forums: what is complete, and which models foretell their lists.
    fn forums(&self) -> Option<String> {
        let number = |it: &Value, key: &str| it[key].as_u64().unwrap_or(0);
        let model = |network: &Value, key: &str| {
            let live = self.list("forums").iter().find(|it| it["network"] == *network);
            live.and_then(|it| it[key]["model"].as_str()).unwrap_or("ordinary").to_owned()
        };
        let row = |it: &Value| {
            let complete = |kind: &str| {
                format!(
                    "{} of {}",
                    number(it, &format!("complete_{kind}_count")),
                    number(it, &format!("{kind}_count"))
                )
            };
            vec![
                it["network"].as_str().unwrap_or("-").to_owned(),
                complete("boards"),
                complete("threads"),
                number(it, "pages_count").to_string(),
                model(&it["network"], "boards"),
                model(&it["network"], "threads"),
            ]
        };
        let forums = self.list("forum_lists");
        let header = ["forum", "#complete boards", "#threads", "#pages", "model of boards", "of threads"];
        (!forums.is_empty()).then(|| output::fitted(&header, forums.iter().map(row)))
    }

    /// What is wrong with the store or its files, and subscribers that take nothing.
    fn trouble(&self) -> Option<String> {
        let text = |it: &Value, key: &str| it[key].as_str().unwrap_or_default().to_owned();
        // What an earlier run left says nothing of today.
        let now = Self::time(self.0.get("now")).filter(|_| self.0["is_running"] == true)?;
        let lasted = |it: &Value| Self::time(Some(it)).map_or(Span::ZERO, |at| now - at);
        let trouble = self.0.get("trouble").filter(|it| it["what"].is_string()).map(|it| {
            format!("in trouble for {}: {}; {}", lasted(&it["since"]), text(it, "what"), text(it, "advice"))
        });
        let stalled =
            self.list("subscribers").iter().filter(|it| it["stalled_since"].is_number()).map(|it| {
                let behind = output::count(it["behind"].as_u64().unwrap_or(0), "change");
                let lasted = lasted(&it["stalled_since"]);
                format!("{} has taken nothing for {lasted}: {behind} behind", text(it, "name"))
            });
        let lines: Vec<String> = trouble
            .into_iter()
            .chain(stalled)
            .map(|line| output::wrapped(&line, COLUMNS - 2, "  "))
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Servers that do not answer, a line each; what an earlier run left says nothing of today.
    fn servers(&self) -> Option<String> {
        let now = Self::time(self.0.get("now")).filter(|_| self.0["is_running"] == true)?;
        let line = |it: &Value| {
            let text = |key: &str| it[key].as_str().unwrap_or_default();
            let lasts = Self::time(it.get("since")).map_or(Span::ZERO, |at| (now - at).max(Span::ZERO));
            let what = if it["is_down"] == true { "is down" } else { "does not answer" };
            let next = match Self::time(it.get("next_at")) {
                Some(at) if at > now => format!("; it is asked again {}", relative(at, now)),
                Some(_) => "; it is being asked again".to_owned(),
                None => String::new(),
            };
            let waits = match it["sources_count"].as_u64().unwrap_or(0) {
                0 => String::new(),
                1 => "; 1 source waits for it".to_owned(),
                count => format!("; {count} sources wait for it"),
            };
            let said = shorten(text("said"), FAILURE_CHARS_MAX);
            let line = format!("{}: {what} for {lasts}: {said}{next}{waits}", text("network"));
            output::wrapped(&line, COLUMNS - 2, "  ")
        };
        let mut lines: Vec<String> = self.list("servers").iter().map(line).collect();
        let more = self.number("servers_count").saturating_sub(lines.len() as u64);
        if more > 0 {
            lines.push(format!("and {} more", output::count(more, "server")));
        }
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Servers whose pages cannot be read, and what to do.
    fn unreadable(&self) -> Option<String> {
        let line = |it: &Value| {
            let text = |key: &str| it[key].as_str().unwrap_or_default();
            let count = it["pages_count"].as_u64().unwrap_or(0);
            let waits = if it["until"].is_null() { "" } else { "; it is left alone for now" };
            format!(
                "{}: nothing can be read of its last {}{waits}; {}",
                text("network"),
                output::count(count, "page"),
                text("advice")
            )
        };
        let lines: Vec<String> = self.list("unreadable").iter().map(line).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Forums whose layout was learned anew, or not, and when.
    fn relearnt(&self) -> Option<String> {
        let now = Self::time(self.0.get("now"))?;
        let line = |it: &Value| {
            let text = |key: &str| it[key].as_str().unwrap_or_default();
            let ago = Self::time(Some(&it["at"])).map_or(String::new(), |at| relative(at, now));
            match (it["is_under_way"].as_bool(), it["is_accepted"].as_bool()) {
                (Some(true), _) => format!("{}: its layout is being learned anew", text("network")),
                (_, Some(true)) => {
                    format!("{}: its layout was learned anew {ago}: {}", text("network"), text("what"))
                }
                _ => format!("{}: learning anew was tried {ago}: {}", text("network"), text("what")),
            }
        };
        let lines: Vec<String> =
            self.list("relearnt").iter().map(|it| output::wrapped(&line(it), COLUMNS - 2, "  ")).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn failures(&self) -> Option<String> {
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let lines = |it: &Value| {
            let why = shorten(&text(it, "why"), FAILURE_CHARS_MAX);
            let label = shorten(&text(it, "label"), COLUMNS - 8);
            format!("failed: {label}\n  {}", output::wrapped(&why, COLUMNS - 2, "  "))
        };
        let failed = self.list("failed_sources");
        (!failed.is_empty()).then(|| failed.iter().map(lines).collect::<Vec<_>>().join("\n"))
    }

    fn text(&self) -> String {
        let parts = [
            Some(self.headline()),
            Some(self.numbers()),
            self.trouble(),
            self.quotas(),
            self.prices(),
            self.forums(),
            self.servers(),
            self.unreadable(),
            self.relearnt(),
            self.failures(),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(live: &Value, is_running: bool) -> String {
        let mut fields = serde_json::json!({
            "data": "d", "now": 1000, "is_running": is_running, "pid": 77, "sources": { "active": 2, "failed": 1 },
            "failed_sources": [{ "source": 3, "label": "x (posts)", "why": "no\nanswer" }],
        });
        let fields = fields.as_object_mut().expect("it is an object");
        fields.extend(live.as_object().cloned().into_iter().flatten());
        Shown(fields).text()
    }

    #[test]
    fn people_see_what_matters() {
        let live = serde_json::json!({ "prices": [
            { "network": "n", "rule": "api", "price_post_s": 90.0, "saved_post_s_per_h": 90.0, "budget_per_h": 3060.4 },
            { "network": "n", "rule": "manners", "price_post_s": 0.0 },
        ], "servers_count": 3, "servers": [
            { "network": "social", "is_down": true, "since": 940, "said": "no connection", "next_at": 1008.0, "sources_count": 7 },
        ]});
        let text = report(&live, false);
        assert!(!text.contains("manners"), "what costs nothing is not shown:\n{text}");
        assert!(!text.contains("is down"), "nobody knows today what the last run met:\n{text}");
        let others = ["d: not running", "failed", "no answer", "fetches of this run", "3060", "1m 30s"];
        check(&text, &others);
        let servers =
            ["social: is down for 1m 00s: no connection", "in 8.0s", "wait for it", "and 2 servers more"];
        check(&report(&live, true), &servers);
    }

    fn check(text: &str, expected: &[&str]) {
        for words in expected {
            assert!(text.contains(words), "`{words}` is missing in\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "wider than a terminal:\n{text}");
    }
}
