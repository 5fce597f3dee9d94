//! The live terminal view: progress, rates, lag, quotas, robots and the latest news.
//!
//! [`Frame::text`] is pure (a report in, lines out); [`show`] redraws it a few times a second.
//! It reads what the running engine reports and what the store holds; it steers nothing.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use freshet_store::api::Store;
use freshet_types::{ChangeKind, Span, Timestamp};
use serde_json::Value;
use tokio::sync::watch;
use unicode_width::UnicodeWidthChar as _;

use crate::output::shorten;

/// Between two drawings.
const DRAW_EVERY: Duration = Duration::from_millis(250);
/// Without a terminal, a line is printed this often instead.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Posts shown as news.
const NEWS_MAX: usize = 6;
/// Quotas shown; the others are in `freshet status`.
const QUOTAS_MAX: usize = 4;
/// Rates are taken over about this long.
const RATE_OVER: Duration = Duration::from_secs(3);
/// Columns drawn.
const WIDTH: usize = 78;
/// Changes looked at for news in one drawing.
const LOG_BATCH: usize = 500;

/// Everything that one drawing shows.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// What is being run, for the title.
    pub(crate) title: String,
    /// Wall time since the start.
    pub(crate) elapsed: Duration,
    /// Per second of wall time: posts, visits, fetches.
    pub(crate) rates: [f64; 3],
    /// The latest posts, newest last: when, who, what.
    pub(crate) news: VecDeque<(Timestamp, String, String)>,
}

impl Frame {
    /// The lines of the drawing.
    pub(crate) fn text(&self, report: &Value) -> String {
        let number = |key: &str| report[key].as_u64().unwrap_or(0);
        let queue = |key: &str| report["queues"][key].as_u64().unwrap_or(0);
        let elapsed = Span::from_ms(self.elapsed.as_millis() as i64 / 1000 * 1000);
        let mut text = String::new();
        let mut line = |shown: String| {
            text.push_str(&clip(&shown));
            text.push('\n');
        };
        line(format!("{:<66}{:>12}", self.title, elapsed.to_string()));
        line("─".repeat(WIDTH));
        line(row(
            "posts",
            number("posts_count"),
            self.rates[0],
            &format!("{} edited, {} deleted", number("edited_count"), number("deleted_count")),
        ));
        line(row(
            "visits",
            number("visits_count"),
            self.rates[1],
            &format!(
                "{} sources, {} due, {} with history left",
                queue("sources"),
                queue("due"),
                queue("backlog")
            ),
        ));
        line(row(
            "fetches",
            number("fetches_count"),
            self.rates[2],
            &format!(
                "{} postponed, {} refused, {} complaints",
                number("postponed_count"),
                number("rate_limited_count"),
                number("complaints_count")
            ),
        ));
        line(format!(" lag       {}", lag(report)));
        for quota in report["quotas"].as_array().into_iter().flatten().take(QUOTAS_MAX) {
            line(format!(" quota     {}", quota_line(quota)));
        }
        line(format!(" robots    {}", robots(report)));
        for failure in report["failures"].as_array().into_iter().flatten().rev().take(2) {
            let (source, why) = (failure["source"].as_str(), failure["why"].as_str());
            line(format!(
                " failed    {}: {}",
                source.unwrap_or("?"),
                crate::output::one_line(why.unwrap_or("?"))
            ));
        }
        line("─".repeat(WIDTH));
        for (at, who, what) in &self.news {
            let clock = at.to_string();
            let time = clock.get(5..16).unwrap_or(&clock).replace('T', " ");
            line(format!(" {time}  {:<16} {}", shorten(who, 16), shorten(what, 44)));
        }
        text
    }
}

fn row(name: &str, count: u64, rate: f64, more: &str) -> String {
    format!(" {name:<9} {:>9} {:>9}   {more}", grouped(count), format!("{rate:.0}/s"))
}

/// As much of a line as fits; some letters are two columns wide.
fn clip(line: &str) -> String {
    let mut columns = 0;
    let fits = |letter: &char| {
        columns += letter.width().unwrap_or(0);
        columns <= WIDTH
    };
    line.chars().take_while(fits).collect()
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

fn lag(report: &Value) -> String {
    let seconds = |key: &str| report["lag_s"][key].as_f64().map(Span::from_secs_f64);
    match (seconds("median"), seconds("p90")) {
        (Some(median), Some(p90)) => format!("median {median}, nine in ten within {p90} of being posted"),
        _ => "no news yet: history first".to_owned(),
    }
}

fn quota_line(quota: &Value) -> String {
    const BAR: usize = 12;
    let limit = quota["limit"].as_f64().unwrap_or(1.0).max(1.0);
    let burst = (limit / 10.0).max(1.0);
    let ready = quota["ready"].as_f64().unwrap_or(0.0);
    let full = ((ready / burst).clamp(0.0, 1.0) * BAR as f64).round() as usize;
    let window = Span::from_secs_f64(quota["window_s"].as_f64().unwrap_or(0.0));
    let name =
        format!("{} {}", quota["network"].as_str().unwrap_or("?"), quota["rule"].as_str().unwrap_or("?"));
    let bar = "█".repeat(full) + &"░".repeat(BAR - full);
    let state = if quota["blocked_until"].is_null() { "" } else { "  blocked" };
    format!("{:<34} {bar} {limit:.0} per {window}{state}", shorten(&name, 34))
}

fn robots(report: &Value) -> String {
    let sign = |state: &str| match state {
        "running" => '●',
        "paused" => '◐',
        _ => '○',
    };
    let robots = report["robots"].as_object().into_iter().flatten();
    robots
        .map(|(name, state)| format!("{} {name}", sign(state.as_str().unwrap_or(""))))
        .collect::<Vec<_>>()
        .join("   ")
}

/// Draws until the sender of reports is gone.
pub(crate) async fn show(title: String, mut reports: watch::Receiver<Value>, store: Box<dyn Store>) {
    let is_terminal = std::io::stdout().is_terminal();
    let every = if is_terminal { DRAW_EVERY } else { LINE_EVERY };
    let began = Instant::now();
    let mut frame = Frame { title, ..Frame::default() };
    let mut past: VecDeque<(Instant, [f64; 3])> = VecDeque::new();
    let mut seen = store.last_change().unwrap_or(0).saturating_sub(LOG_BATCH as u64);
    let mut drawn_lines = 0;
    loop {
        let report = reports.borrow().clone();
        frame.elapsed = began.elapsed();
        frame.rates = rates(&mut past, &report);
        seen = take_news(&mut frame, &*store, seen);
        let text = if is_terminal { frame.text(&report) } else { plain_line(&frame, &report) };
        draw(&text, if is_terminal { drawn_lines } else { 0 });
        drawn_lines = text.lines().count();
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            changed = closed(&mut reports) => if changed { break },
        }
    }
}

/// Waits until no report will come any more.
async fn closed(reports: &mut watch::Receiver<Value>) -> bool {
    while reports.changed().await.is_ok() {}
    true
}

/// Moves up over the last drawing and overwrites it line by line, which does not flicker.
fn draw(text: &str, lines_before: usize) {
    let mut out = String::new();
    if lines_before > 0 {
        let _ = write!(out, "\u{1b}[{lines_before}A");
    }
    let tail = if lines_before > 0 { "\u{1b}[K" } else { "" };
    for line in text.lines() {
        let _ = writeln!(out, "{line}{tail}");
    }
    for _ in text.lines().count()..lines_before {
        let _ = writeln!(out, "\u{1b}[K");
    }
    // A closed output ends the drawing, not the crawl.
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(out.as_bytes()).and_then(|()| stdout.flush());
}

fn plain_line(frame: &Frame, report: &Value) -> String {
    let number = |key: &str| report[key].as_u64().unwrap_or(0);
    format!(
        "{:>5.0}s  {} posts, {} visits, {} fetches, {} refused; lag {}",
        frame.elapsed.as_secs_f64(),
        number("posts_count"),
        number("visits_count"),
        number("fetches_count"),
        number("rate_limited_count"),
        lag(report)
    )
}

fn rates(past: &mut VecDeque<(Instant, [f64; 3])>, report: &Value) -> [f64; 3] {
    let number = |key: &str| report[key].as_f64().unwrap_or(0.0);
    let counts = [number("posts_count"), number("visits_count"), number("fetches_count")];
    let now = Instant::now();
    past.push_back((now, counts));
    while past.len() > 2 && now.duration_since(past[1].0) > RATE_OVER {
        past.pop_front();
    }
    let (then, before) = past[0];
    let seconds = now.duration_since(then).as_secs_f64();
    if seconds < 0.1 {
        return [0.0; 3];
    }
    std::array::from_fn(|at| (counts[at] - before[at]).max(0.0) / seconds)
}

/// The posts among the latest changes; a store that is busy is asked again at the next drawing.
fn take_news(frame: &mut Frame, store: &dyn Store, seen: u64) -> u64 {
    let Ok(changes) = store.changes_above(seen, LOG_BATCH) else { return seen };
    let Some(last) = changes.last().map(|change| change.number) else { return seen };
    let posts =
        changes.iter().filter(|change| change.kind == ChangeKind::Created && &*change.address.kind == "post");
    let latest: Vec<u64> = posts.rev().take(NEWS_MAX).map(|change| change.object).collect();
    for object in latest.into_iter().rev() {
        let Ok(Some(row)) = store.post(object) else { continue };
        let who = row.author_handle.or(row.post.author).unwrap_or_default();
        let at = row.post.created_at.unwrap_or(row.seen_at);
        frame.news.push_back((at, who, plain(&row.post.text)));
        if frame.news.len() > NEWS_MAX {
            frame.news.pop_front();
        }
    }
    last
}

/// Text without tags, for one line.
pub(crate) fn plain(html: &str) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for letter in html.chars() {
        match letter {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            _ if !is_tag => text.push(letter),
            _ => {}
        }
    }
    text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&#39;", "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_frame_shows_what_the_engine_reports() {
        let mut frame =
            Frame { title: "freshet run".to_owned(), rates: [12.0, 3.0, 4.0], ..Frame::default() };
        let at = Timestamp::from_secs(1_770_000_000);
        frame.news.push_back((
            at,
            "ada".to_owned(),
            plain("<p>Hello &amp; good\u{7} day 今日はいい今日はいい今日はいい今日はいい</p>"),
        ));
        let report = json!({
            "posts_count": 12345, "visits_count": 99, "fetches_count": 120, "rate_limited_count": 0,
            "lag_s": {"median": 61.0, "p90": 130.5},
            "queues": {"sources": 7, "due": 1, "backlog": 2},
            "quotas": [{"network": "mastodon:a.example", "rule": "ip", "limit": 300, "window_s": 300.0, "ready": 15}],
            "robots": {"status": "running", "relation": "stopped", "tag": "paused"},
            "failures": [{"source": "x", "why": "no answer"}],
        });
        let text = frame.text(&report);
        for expected in [
            "12,345",
            "7 sources",
            "1m 01s",
            "██████░░░░░░",
            "● status",
            "○ relation",
            "◐ tag",
            "no answer",
            "Hello & good",
        ] {
            assert!(text.contains(expected), "`{expected}` is not in\n{text}");
        }
        let columns = |line: &str| line.chars().map(|letter| letter.width().unwrap_or(0)).sum::<usize>();
        assert!(text.lines().all(|line| columns(line) <= WIDTH), "{text}");
        assert!(!text.contains('\u{7}'));
    }

    #[test]
    fn an_empty_report_is_shown_too() {
        assert!(Frame::default().text(&Value::Null).contains("no news yet"));
    }
}
