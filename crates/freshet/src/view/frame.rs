//! One drawing of the live view: a report in, lines out. Pure.
//!
//! A line is made of parts, the most important first; parts that do not fit are left out whole, so that
//! no word and no number is cut. What has room is shown: more visits and more news where the terminal is tall.

use std::collections::VecDeque;
use std::time::Duration;

use freshet_app::text::{brief, grouped};
use freshet_engine::budget::BUDGET;
use freshet_report::run::{OpenVisit, PriceStatus, Queues, QuotaStatus, RunStatus, ServerStatus};
use freshet_types::{RobotState, Span, Timestamp};
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
/// A line, perhaps with a tone.
pub(crate) type Line = (String, Option<Tone>);

/// How much can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// Columns of a line.
    pub(crate) columns: usize,
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
    pub(crate) fn lines(&self, report: &RunStatus, room: Room) -> Vec<Line> {
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
        for failure in report.work.failures.iter().rev().take(FAILURES_MAX) {
            let (source, why) = (output::one_line(&failure.source), output::one_line(&failure.why));
            lines.push((format!("{:<NAME$}{source}: {why}", "failed"), Some(Tone::Bad)));
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

    fn lag(&self, report: &RunStatus) -> Vec<String> {
        let has_history = self.left.is_none_or(|left| left.todo() > 0);
        match report.lag_s {
            Some(lag) => vec![
                format!("half of the new posts seen within {}", brief(Span::from_secs_f64(lag.median))),
                format!("nine in ten within {}", brief(Span::from_secs_f64(lag.p90))),
            ],
            None if has_history => vec!["no new post yet: history is read first".to_owned()],
            None => vec!["no new post yet".to_owned()],
        }
    }

    /// What it waits for, and why.
    fn waits(&self, report: &RunStatus, columns: usize) -> String {
        let Queues { due, open_visits: open, sources, .. } = report.work.queues;
        let parts = if self.is_stopping {
            vec![match open {
                0 => "to end".to_owned(),
                1 => "to end: 1 visit is finished and stored first".to_owned(),
                _ => format!("to end: {open} visits are finished and stored first"),
            }]
        } else if sources == 0 {
            vec!["for something to watch".to_owned(), "`freshet add REF` adds it".to_owned()]
        } else if due > 0 {
            match empty_quota(report) {
                Some(reason) => vec![format!("{} due, for the {reason}", grouped(due))],
                None => vec![format!("{} due, for their turn at their servers", grouped(due))],
            }
        } else {
            let next = self.left.and_then(|left| left.due_at).filter(|&at| at < Timestamp::MAX);
            let next = next.map(|at| at - report.now.0).filter(|&ahead| ahead > Span::ZERO);
            let next = next.map(|ahead| format!("the next visit is due in {}", brief(ahead)));
            ["nothing is due".to_owned()].into_iter().chain(next).collect()
        };
        row("waits", &parts, "; ", columns)
    }
}

/// Servers that are down, those that have been longest.
fn servers(report: &RunStatus, columns: usize) -> Vec<Line> {
    let down = report.work.servers.iter().filter(|it| it.is_down);
    let more = report.work.servers_count.saturating_sub(SERVERS_MAX as u64);
    let line = |(at, it): (usize, &ServerStatus)| {
        let lasted = (report.now.0 - it.since.0).max(Span::ZERO);
        let mut parts = vec![
            format!("{} is down for {}", output::one_line(it.network.as_str()), brief(lasted)),
            format!("{} due there", grouped(it.sources_count)),
        ];
        parts.extend(
            (at + 1 == SERVERS_MAX && more > 0).then(|| format!("{} more do not answer", grouped(more))),
        );
        parts.push(output::one_line(&it.said));
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

fn counts(report: &RunStatus, rates: [f64; 3], columns: usize) -> [String; 3] {
    let queues = report.work.queues;
    let edited = [
        format!("{} edited", grouped(report.edited_count)),
        format!("{} deleted", grouped(report.deleted_count)),
    ];
    let sources = [format!("{} due", grouped(queues.due)), format!("of {} sources", grouped(queues.sources))];
    let refused = [
        format!("{} refused", grouped(report.rate_limited_count)),
        count(report.complaints_count, "complaint"),
    ];
    let line = |name: &str, number: u64, rate: f64, parts: &[String], between: &str| {
        let first = format!("{:>9} {:>7}   ", grouped(number), format!("{rate:.0}/s"));
        let parts: Vec<String> = [first].into_iter().chain(parts.iter().cloned()).collect();
        let joined = row(name, &parts[..1], "", columns);
        let rest = row("", &parts[1..], between, columns.saturating_sub(joined.width()) + NAME);
        format!("{joined}{}", &rest[NAME..])
    };
    [
        line("posts", report.posts_count, rates[0], &edited, ", "),
        line("visits", report.visits_count, rates[1], &sources, " "),
        line("fetches", report.fetches_count, rates[2], &refused, ", "),
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

/// What people and networks still allow, budgets first, and what one more call would save. The networks' names are left out where there is
/// only one.
fn quotas(report: &RunStatus, columns: usize) -> Vec<Line> {
    let mut all: Vec<&QuotaStatus> = report.work.quotas.iter().collect();
    all.sort_by_key(|quota| quota.rule != BUDGET);
    let has_many = all.iter().any(|quota| quota.network != all[0].network);
    let rule = |quota: &QuotaStatus| match quota.rule.as_str() {
        BUDGET => quota.network.to_string(),
        rule if has_many => format!("{rule} {}", quota.network),
        rule => rule.to_owned(),
    };
    let named = all.iter().take(QUOTAS_MAX).map(|quota| shorten(&rule(quota), 22));
    let width = named.clone().map(|name| name.width()).max().unwrap_or(0);
    let shown = all.iter().zip(named).enumerate().map(|(at, (quota, name))| {
        let mut parts = quota_parts(quota, report.now.0);
        let pad = " ".repeat(width.saturating_sub(name.width()));
        parts[0] = format!("{name}{pad} {}", parts[0]);
        if at + 1 == QUOTAS_MAX && all.len() > QUOTAS_MAX {
            parts.push(format!("{} more", all.len() - QUOTAS_MAX));
        }
        parts.extend(price_part(quota, &report.work.prices));
        let tone = quota.blocked_until.map(|_| Tone::Warn);
        let label = if quota.rule == BUDGET { BUDGET } else { "quota" };
        (row(label, &parts, "; ", columns), tone)
    });
    shown.collect()
}

/// What a call of a quota or budget is worth, where calls are scarce.
fn price_part(quota: &QuotaStatus, prices: &[PriceStatus]) -> Option<String> {
    let of = |price: &&PriceStatus| {
        price.network == quota.network && price.rule == quota.rule && price.holder == quota.holder
    };
    let saved_s = prices.iter().find(of)?.saved_post_s_per_h;
    (saved_s.is_finite() && saved_s > 0.0)
        .then(|| format!("one more saves {}", brief(Span::from_secs_f64(saved_s))))
}

fn quota_parts(quota: &QuotaStatus, now: Timestamp) -> Vec<String> {
    let limit = f64::from(quota.limit.max(1));
    let burst = f64::from(quota.burst.max(1));
    let ready = quota.ready.min(burst);
    let window = Span::from_secs_f64(quota.window_s);
    let left = match quota.blocked_until {
        Some(until) => format!("nothing for {}", brief((until.0 - now).max(Span::ZERO))),
        None => format!("{ready:.0} of {burst:.0} calls ready"),
    };
    vec![format!("{} {left}", bar(ready / burst)), format!("{limit:.0} per {}", brief(window))]
}

/// The quota that holds visits up, and when it gives the next call.
fn empty_quota(report: &RunStatus) -> Option<String> {
    let empty = |quota: &&QuotaStatus| quota.blocked_until.is_some() || quota.ready < 1.0;
    let quotas = report.work.quotas.iter().filter(empty);
    let quota = quotas.max_by_key(|quota| quota.blocked_until.is_some())?;
    let rule = &quota.rule;
    if quota.blocked_until.is_some() {
        return Some(format!("quota `{rule}`, which the server has shut"));
    }
    let gap = quota.window_s / f64::from(quota.limit.max(1));
    Some(format!("quota `{rule}`: a call every {gap:.1}s"))
}

/// One visit in a few words.
fn visit(visit: &OpenVisit) -> String {
    let pages = visit.fetches_count;
    let pages = if pages > 1 { format!(", {pages} pages") } else { String::new() };
    let lasts = brief(Span::from_secs_f64(visit.for_s));
    let name = output::one_line(name_of(&visit.source));
    format!("{} for {lasts}{pages}", shorten(&name, 40))
}

/// What is being visited at this moment, the longest first: in one line, or in some more where there is room.
fn visits(report: &RunStatus, columns: usize, more_max: usize) -> Vec<Line> {
    let open = report.work.queues.open_visits;
    if open == 0 {
        return vec![(row("now", &["no visit under way".to_owned()], "", columns), None)];
    }
    let mut named: Vec<String> = report.work.visits.iter().map(visit).collect();
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

fn robots(report: &RunStatus, columns: usize) -> String {
    let states = [RobotState::Running, RobotState::Paused, RobotState::Stopped];
    let parts = states.into_iter().filter_map(|state| {
        let robots = report.work.robots.iter().filter(|(_, at)| **at == state);
        let names: Vec<&str> = robots.map(|(robot, _)| robot.name()).collect();
        (!names.is_empty()).then(|| format!("{} {}", names.join(", "), state.name()))
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
