//! One drawing of the live view: a report in, lines out. Pure.
//!
//! A line is made of parts, the most important first; parts that do not fit are left out whole, so that
//! no word and no number is cut. What has room is shown: more visits and more news where the terminal is tall.

use std::collections::VecDeque;
use std::time::Duration;

use freshet_app::text::{brief, grouped};
use freshet_types::{Span, Timestamp};
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

use super::left::Left;
use crate::output::{self, Tone, count, shorten};

/// Quotas shown; the others are in `freshet status`.
const QUOTAS_MAX: usize = 3;
/// Failures shown.
const FAILURES_MAX: usize = 2;
/// Servers that are down shown.
const SERVERS_MAX: usize = 2;
/// Visits that have a line of their own, where there is room.
const VISITS_MAX: usize = 6;
/// Posts shown as news, at most.
pub(super) const NEWS_MAX: usize = 30;
/// News that come before visits are given lines of their own.
const NEWS_FIRST: usize = 8;
/// Columns of a bar.
const BAR: usize = 12;
/// Columns of the names at the left.
const NAME: usize = 10;
/// Columns of an author in the news.
const AUTHOR: usize = 16;
/// Columns of a time in the news, and of the gaps around the author.
const NEWS_REST: usize = 14;
/// The share of a quota that the ledger lets go at once.
const BURST_SHARE: f64 = 10.0;

/// A line, perhaps with a tone.
pub(crate) type Line = (String, Option<Tone>);

/// How much can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// Columns of a line.
    pub(crate) columns: usize,
    /// Lines.
    pub(crate) rows: usize,
}

/// Everything that one drawing shows beside the report.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// What is being run, for the title.
    pub(crate) title: String,
    /// Where a browser sees the same and more.
    pub(crate) dashboard: Option<String>,
    /// Wall time since the start.
    pub(crate) elapsed: Duration,
    /// Wall time until it ends by itself.
    pub(crate) lasts: Option<Duration>,
    /// Somebody asked it to end.
    pub(crate) is_stopping: bool,
    /// Per second of wall time: posts, visits, fetches.
    pub(crate) rates: [f64; 3],
    /// How much history is still to be read.
    pub(crate) left: Option<Left>,
    /// The latest posts, newest last: when, who, what.
    pub(crate) news: VecDeque<(Timestamp, String, String)>,
}

impl Frame {
    /// The lines of the drawing.
    pub(crate) fn lines(&self, report: &Value, room: Room) -> Vec<Line> {
        let columns = room.columns;
        let mut lines = vec![(self.headline(columns), Some(Tone::Title)), ("─".repeat(columns), None)];
        lines.extend(counts(report, self.rates, columns).map(|line| (line, None)));
        lines
            .extend(self.left.filter(|left| left.lists_count > 0).map(|left| (history(left, columns), None)));
        lines.push((row("lag", &self.lag(report), ", ", columns), None));
        lines.extend(quotas(report, columns));
        let visits_at = lines.len();
        lines.push((self.waits(report, columns), self.is_stopping.then_some(Tone::Warn)));
        lines.push((robots(report, columns), None));
        lines.extend(self.dashboard.iter().map(|url| (format!("{:<NAME$}{url}", "dashboard"), None)));
        lines.extend(servers(report, columns));
        for failure in report["failures"].as_array().into_iter().flatten().rev().take(FAILURES_MAX) {
            let text = |key: &str| output::one_line(failure[key].as_str().unwrap_or("?"));
            lines.push((format!("{:<NAME$}{}: {}", "failed", text("source"), text("why")), Some(Tone::Bad)));
        }
        let rest = room.rows.saturating_sub(lines.len() + 2);
        let visits = visits(report, columns, rest.saturating_sub(NEWS_FIRST).min(VISITS_MAX));
        let rest = room.rows.saturating_sub(lines.len() + visits.len() + 1);
        lines.splice(visits_at..visits_at, visits);
        if rest > 0 {
            lines.push((rule("posts as they come in (times in UTC)", columns), None));
            let skipped = self.news.len().saturating_sub(rest);
            lines.extend(self.news.iter().skip(skipped).map(|post| (news(post, columns), None)));
        }
        lines.truncate(room.rows);
        lines.into_iter().map(|(line, tone)| (shorten_end(&line, columns), tone)).collect()
    }

    fn headline(&self, columns: usize) -> String {
        let whole = |it: Duration| brief(Span::from_ms(it.as_millis() as i64 / 1000 * 1000));
        let time = match self.lasts {
            None => whole(self.elapsed),
            Some(lasts) => format!("{} of {}", whole(self.elapsed.min(lasts)), whole(lasts)),
        };
        let room = columns.saturating_sub(time.width() + 1);
        format!("{:<room$} {time}", shorten(&self.title, room))
    }

    fn lag(&self, report: &Value) -> Vec<String> {
        let seconds = |key: &str| report["lag_s"][key].as_f64().map(Span::from_secs_f64);
        let has_history = self.left.is_none_or(|left| left.todo() > 0);
        match (seconds("median"), seconds("p90")) {
            (Some(median), Some(p90)) => vec![
                format!("half of the new posts seen within {}", brief(median)),
                format!("nine in ten within {}", brief(p90)),
            ],
            _ if has_history => vec!["no new post yet: history is read first".to_owned()],
            _ => vec!["no new post yet".to_owned()],
        }
    }

    /// What it waits for, and why.
    fn waits(&self, report: &Value, columns: usize) -> String {
        let number = |key: &str| report["queues"][key].as_u64().unwrap_or(0);
        let (due, open) = (number("due"), number("open_visits"));
        let parts = if self.is_stopping {
            vec![match open {
                0 => "to end".to_owned(),
                1 => "to end: 1 visit is finished and stored first".to_owned(),
                _ => format!("to end: {open} visits are finished and stored first"),
            }]
        } else if number("sources") == 0 {
            vec!["for something to watch".to_owned(), "`freshet add REF` adds it".to_owned()]
        } else if due > 0 {
            match empty_quota(report) {
                Some(reason) => vec![format!("{} due, for the {reason}", grouped(due))],
                None => vec![format!("{} due, for their turn at their servers", grouped(due))],
            }
        } else {
            let now = report["now"].as_f64().unwrap_or(0.0);
            let next = self.left.and_then(|left| left.due_at).filter(|&at| at < Timestamp::MAX);
            let next = next.map(|at| at.secs_f64() - now).filter(|&ahead| ahead > 0.0);
            let next =
                next.map(|ahead| format!("the next visit is due in {}", brief(Span::from_secs_f64(ahead))));
            ["nothing is due".to_owned()].into_iter().chain(next).collect()
        };
        row("waits", &parts, "; ", columns)
    }
}

/// Servers that are down, those that have been longest.
fn servers(report: &Value, columns: usize) -> Vec<Line> {
    let is_down = |it: &&Value| it["is_down"] == true;
    let down = report["servers"].as_array().into_iter().flatten().filter(is_down);
    let more = report["servers_count"].as_u64().unwrap_or(0).saturating_sub(SERVERS_MAX as u64);
    let line = |(at, it): (usize, &Value)| {
        let text = |key: &str| output::one_line(it[key].as_str().unwrap_or("?"));
        let waits = it["sources_count"].as_u64().unwrap_or(0);
        let lasted_s = report["now"].as_f64().unwrap_or(0.0) - it["since"].as_f64().unwrap_or(0.0);
        let mut parts = vec![
            format!("{} is down for {}", text("network"), brief(Span::from_secs_f64(lasted_s.max(0.0)))),
            format!("{} due there", grouped(waits)),
        ];
        parts.extend(
            (at + 1 == SERVERS_MAX && more > 0).then(|| format!("{} more do not answer", grouped(more))),
        );
        parts.push(text("said"));
        (row("server", &parts, "; ", columns), Some(Tone::Bad))
    };
    down.take(SERVERS_MAX).enumerate().map(line).collect()
}

/// A line of a name and of the parts that fit, the first in any case.
fn row(name: &str, parts: &[String], between: &str, columns: usize) -> String {
    let mut line = format!("{name:<NAME$}");
    for (at, part) in parts.iter().enumerate() {
        let between = if at == 0 { "" } else { between };
        if at > 0 && line.width() + between.width() + part.width() > columns {
            break;
        }
        line.push_str(between);
        line.push_str(part);
    }
    line
}

fn counts(report: &Value, rates: [f64; 3], columns: usize) -> [String; 3] {
    let number = |key: &str| report[key].as_u64().unwrap_or(0);
    let queue = |key: &str| report["queues"][key].as_u64().unwrap_or(0);
    let edited = ["edited_count", "deleted_count"].map(number);
    let edited = [format!("{} edited", grouped(edited[0])), format!("{} deleted", grouped(edited[1]))];
    let sources =
        [format!("{} due", grouped(queue("due"))), format!("of {} sources", grouped(queue("sources")))];
    let refused = [
        format!("{} refused", grouped(number("rate_limited_count"))),
        count(number("complaints_count"), "complaint"),
    ];
    let line = |name: &str, key: &str, rate: f64, parts: &[String], between: &str| {
        let first = format!("{:>9} {:>7}   ", grouped(number(key)), format!("{rate:.0}/s"));
        let parts: Vec<String> = [first].into_iter().chain(parts.iter().cloned()).collect();
        let joined = row(name, &parts[..1], "", columns);
        let rest = row("", &parts[1..], between, columns.saturating_sub(joined.width()) + NAME);
        format!("{joined}{}", &rest[NAME..])
    };
    [
        line("posts", "posts_count", rates[0], &edited, ", "),
        line("visits", "visits_count", rates[1], &sources, " "),
        line("fetches", "fetches_count", rates[2], &refused, ", "),
    ]
}

/// A bar that is full by this share.
fn bar(share: f64) -> String {
    let full = (share.clamp(0.0, 1.0) * BAR as f64).floor() as usize;
    "█".repeat(full) + &"░".repeat(BAR - full)
}

fn history(left: Left, columns: usize) -> String {
    let mut parts = left.parts();
    parts[0] = format!("{} {}", bar(left.share()), parts[0]);
    row("history", &parts, "; ", columns)
}

/// What the networks still allow. Their names are left out where there is only one.
fn quotas(report: &Value, columns: usize) -> Vec<Line> {
    let all: Vec<&Value> = report["quotas"].as_array().into_iter().flatten().collect();
    let has_many = all.iter().any(|quota| quota["network"] != all[0]["network"]);
    let rule = |quota: &Value| {
        let text = |key: &str| quota[key].as_str().unwrap_or("?").to_owned();
        if has_many { format!("{} {}", text("rule"), text("network")) } else { text("rule") }
    };
    let named = all.iter().take(QUOTAS_MAX).map(|quota| shorten(&rule(quota), 22));
    let width = named.clone().map(|name| name.width()).max().unwrap_or(0);
    let shown = all.iter().zip(named).enumerate().map(|(at, (quota, name))| {
        let mut parts = quota_parts(quota, &report["now"]);
        let pad = " ".repeat(width.saturating_sub(name.width()));
        parts[0] = format!("{name}{pad} {}", parts[0]);
        if at + 1 == QUOTAS_MAX && all.len() > QUOTAS_MAX {
            parts.push(format!("{} more", all.len() - QUOTAS_MAX));
        }
        let tone = (!quota["blocked_until"].is_null()).then_some(Tone::Warn);
        (row("quota", &parts, "; ", columns), tone)
    });
    shown.collect()
}

fn quota_parts(quota: &Value, now: &Value) -> Vec<String> {
    let limit = quota["limit"].as_f64().unwrap_or(1.0).max(1.0);
    let burst = (limit / BURST_SHARE).floor().max(1.0);
    let ready = quota["ready"].as_f64().unwrap_or(0.0).min(burst);
    let window = Span::from_secs_f64(quota["window_s"].as_f64().unwrap_or(0.0));
    let left = match (quota["blocked_until"].as_f64(), now.as_f64()) {
        (Some(until), Some(now)) => {
            format!("nothing for {}", brief(Span::from_secs_f64((until - now).max(0.0))))
        }
        (Some(_), None) => "nothing for now".to_owned(),
        (None, _) => format!("{ready:.0} of {burst:.0} calls ready"),
    };
    vec![format!("{} {left}", bar(ready / burst)), format!("{limit:.0} per {}", brief(window))]
}

/// The quota that holds visits up, and when it gives the next call.
fn empty_quota(report: &Value) -> Option<String> {
    let quotas = report["quotas"].as_array().into_iter().flatten();
    let empty = |quota: &&Value| !quota["blocked_until"].is_null() || quota["ready"].as_f64() < Some(1.0);
    let quota = quotas.filter(empty).max_by_key(|quota| !quota["blocked_until"].is_null())?;
    let name = quota["rule"].as_str().unwrap_or("?");
    if !quota["blocked_until"].is_null() {
        return Some(format!("quota `{name}`, which the server has shut"));
    }
    let gap = quota["window_s"].as_f64().unwrap_or(0.0) / quota["limit"].as_f64().unwrap_or(1.0).max(1.0);
    Some(format!("quota `{name}`: a call every {gap:.1}s"))
}

/// One visit in a few words.
fn visit(visit: &Value) -> String {
    let pages = visit["fetches_count"].as_u64().unwrap_or(0);
    let pages = if pages > 1 { format!(", {pages} pages") } else { String::new() };
    let lasts = brief(Span::from_secs_f64(visit["for_s"].as_f64().unwrap_or(0.0)));
    let name = output::one_line(name_of(visit["source"].as_str().unwrap_or("?")));
    format!("{} for {lasts}{pages}", shorten(&name, 40))
}

/// What is being visited at this moment, the longest first: in one line, or in some more where there is room.
fn visits(report: &Value, columns: usize, more_max: usize) -> Vec<Line> {
    let open = report["queues"]["open_visits"].as_u64().unwrap_or(0);
    if open == 0 {
        return vec![(row("now", &["no visit under way".to_owned()], "", columns), None)];
    }
    let mut named: Vec<String> = report["visits"].as_array().into_iter().flatten().map(visit).collect();
    let more = named.split_off(named.len().min(if more_max == 0 { named.len() } else { 1 }));
    let parts: Vec<String> = [count(open, "visit")].into_iter().chain(named).collect();
    let first = row("now", &parts, "; ", columns);
    let more = more.iter().take(more_max).map(|it| row("", std::slice::from_ref(it), "", columns));
    [first].into_iter().chain(more).map(|line| (line, None)).collect()
}

/// The label of a source without its network, where it has a handle.
fn name_of(label: &str) -> &str {
    match label.split_once(' ') {
        Some((_, rest)) if !rest.starts_with('(') => rest,
        _ => label,
    }
}

fn robots(report: &Value, columns: usize) -> String {
    let robots: Vec<(&String, &str)> = report["robots"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, state)| (name, state.as_str().unwrap_or("")))
        .collect();
    let parts = ["running", "paused", "stopped"].into_iter().filter_map(|state| {
        let names: Vec<&str> =
            robots.iter().filter(|(_, at)| *at == state).map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| format!("{} {state}", names.join(", ")))
    });
    row("robots", &parts.collect::<Vec<_>>(), "; ", columns)
}

/// A line with a title in it.
fn rule(title: &str, columns: usize) -> String {
    let title = shorten(title, columns.saturating_sub(6));
    format!("── {title} {}", "─".repeat(columns.saturating_sub(title.width() + 4)))
}

fn news((at, who, what): &(Timestamp, String, String), columns: usize) -> String {
    let clock = at.to_string();
    let time = clock.get(5..16).unwrap_or(&clock).replace('T', " ");
    let who = shorten(who, AUTHOR);
    let pad = " ".repeat(AUTHOR.saturating_sub(who.width()));
    format!("{time}  {who}{pad} {}", shorten(what, columns.saturating_sub(AUTHOR + NEWS_REST)))
}

/// At most so many columns; spaces at the start stay.
fn shorten_end(line: &str, columns: usize) -> String {
    let indent = line.len() - line.trim_start().len();
    format!("{}{}", &line[..indent], shorten(line, columns.saturating_sub(indent)))
}
