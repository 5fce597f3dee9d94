//! The live terminal view: progress, rates, lag, quotas, robots and the latest news.
//!
//! [`Frame::lines`] is pure (a report in, lines out); [`show`] redraws it a few times a second, or prints
//! a line now and then where nobody looks. It reads what the running engine reports and what the store
//! holds; it steers nothing. How long the reading of history still takes is estimated in [`left`].

mod left;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use freshet_network::networks::Networks;
use freshet_store::api::Store;
use freshet_types::{ChangeKind, Clock, Span, Timestamp};
use serde_json::Value;
use terminal_size::{Height, Width};
use tokio::sync::watch;

use crate::output::{self, Tone, shorten};
use crate::plain::plain;
use left::{Left, Progress};

/// Between two drawings.
const DRAW_EVERY: Duration = Duration::from_millis(250);
/// Without a terminal, a line is printed this often instead.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Posts shown as news.
const NEWS_MAX: usize = 6;
/// Quotas shown; the others are in `freshet status`.
const QUOTAS_MAX: usize = 3;
/// Rates are taken over about this long.
const RATE_OVER: Duration = Duration::from_secs(3);
/// Columns drawn, where the terminal has them.
const WIDTH: usize = 78;
/// Columns of a bar.
const BAR: usize = 12;
/// Changes looked at for news in one drawing.
const LOG_BATCH: usize = 500;

/// Everything that one drawing shows.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// What is being run, for the title.
    pub(crate) title: String,
    /// Wall time since the start.
    pub(crate) elapsed: Duration,
    /// Wall time until it ends by itself.
    pub(crate) lasts: Option<Duration>,
    /// Per second of wall time: posts, visits, fetches.
    pub(crate) rates: [f64; 3],
    /// How much history is still to be read.
    pub(crate) left: Option<Left>,
    /// The latest posts, newest last: when, who, what.
    pub(crate) news: VecDeque<(Timestamp, String, String)>,
}

impl Frame {
    /// The lines of the drawing, at most `columns` wide, some with a tone.
    pub(crate) fn lines(&self, report: &Value, columns: usize) -> Vec<(String, Option<Tone>)> {
        let mut lines = vec![(self.headline(columns), Some(Tone::Title)), ("─".repeat(columns), None)];
        lines.extend(counts(report, self.rates).map(|line| (line, None)));
        lines.extend(self.left.map(|left| (format!("history   {}", left.line()), None)));
        lines.push((format!("lag       {}", lag(report)), None));
        let quotas = report["quotas"].as_array().into_iter().flatten();
        for quota in quotas.take(QUOTAS_MAX) {
            let tone = (!quota["blocked_until"].is_null()).then_some(Tone::Warn);
            lines.push((format!("quota     {}", quota_line(quota, &report["now"])), tone));
        }
        lines.push((format!("now       {}", visits(report)), None));
        lines.push((format!("robots    {}", robots(report)), None));
        for failure in report["failures"].as_array().into_iter().flatten().rev().take(2) {
            let text = |key: &str| output::one_line(failure[key].as_str().unwrap_or("?"));
            lines.push((format!("failed    {}: {}", text("source"), text("why")), Some(Tone::Bad)));
        }
        lines.push(("─".repeat(columns), None));
        for (at, who, what) in &self.news {
            let clock = at.to_string();
            let time = clock.get(5..16).unwrap_or(&clock).replace('T', " ");
            lines.push((format!("{time}  {:<16} {}", shorten(who, 16), shorten(what, 44)), None));
        }
        lines.into_iter().map(|(line, tone)| (shorten(&line, columns), tone)).collect()
    }

    fn headline(&self, columns: usize) -> String {
        let whole = |it: Duration| Span::from_ms(it.as_millis() as i64 / 1000 * 1000).to_string();
        let time = match self.lasts {
            None => whole(self.elapsed),
            Some(lasts) => format!("{} of {}", whole(self.elapsed.min(lasts)), whole(lasts)),
        };
        let room = columns.saturating_sub(time.chars().count() + 1);
        format!("{:<room$} {time}", shorten(&self.title, room))
    }
}

fn counts(report: &Value, rates: [f64; 3]) -> [String; 3] {
    let number = |key: &str| report[key].as_u64().unwrap_or(0);
    let queue = |key: &str| report["queues"][key].as_u64().unwrap_or(0);
    let edited = format!("{} edited, {} deleted", number("edited_count"), number("deleted_count"));
    let sources = format!(
        "{} sources, {} due, {} with history left",
        grouped(queue("sources")),
        grouped(queue("due")),
        grouped(queue("backlog"))
    );
    let refused = format!(
        "{} postponed, {} refused, {} complaints",
        number("postponed_count"),
        number("rate_limited_count"),
        number("complaints_count")
    );
    [
        row("posts", number("posts_count"), rates[0], &edited),
        row("visits", number("visits_count"), rates[1], &sources),
        row("fetches", number("fetches_count"), rates[2], &refused),
    ]
}

fn row(name: &str, count: u64, rate: f64, more: &str) -> String {
    format!("{name:<9} {:>9} {:>9}   {more}", grouped(count), format!("{rate:.0}/s"))
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

/// A bar that is full by this share.
fn bar(share: f64) -> String {
    let full = (share.clamp(0.0, 1.0) * BAR as f64).round() as usize;
    "█".repeat(full) + &"░".repeat(BAR - full)
}

fn quota_line(quota: &Value, now: &Value) -> String {
    let limit = quota["limit"].as_f64().unwrap_or(1.0).max(1.0);
    let burst = (limit / 10.0).max(1.0);
    let ready = quota["ready"].as_f64().unwrap_or(0.0);
    let window = Span::from_secs_f64(quota["window_s"].as_f64().unwrap_or(0.0));
    let name =
        format!("{} {}", quota["rule"].as_str().unwrap_or("?"), quota["network"].as_str().unwrap_or("?"));
    let state = match (quota["blocked_until"].as_f64(), now.as_f64()) {
        (Some(until), Some(now)) => format!("; nothing for {}", Span::from_secs_f64((until - now).max(0.0))),
        (Some(_), None) => "; nothing for now".to_owned(),
        (None, _) => String::new(),
    };
    format!("{:<20} {} {limit:.0} per {window}{state}", shorten(&name, 20), bar(ready / burst))
}

/// How many visits are under way, and which has been longest.
fn visits(report: &Value) -> String {
    let open = report["queues"]["open_visits"].as_u64().unwrap_or(0);
    let longest = &report["visits"][0];
    let Some(label) = longest["source"].as_str() else {
        return match open {
            0 => "waiting until something is due".to_owned(),
            open => format!("{} under way", output::count(open, "visit")),
        };
    };
    let pages = longest["fetches_count"].as_u64().unwrap_or(0);
    let pages = if pages > 1 { format!(", {pages} pages") } else { String::new() };
    let lasts = Span::from_secs_f64(longest["for_s"].as_f64().unwrap_or(0.0));
    let name = shorten(name_of(label), 30);
    match open {
        0 | 1 => format!("{name} ({lasts}{pages})"),
        open => format!("{open} visits, longest {name} ({lasts}{pages})"),
    }
}

/// The label of a source without its network, where it has a handle.
fn name_of(label: &str) -> &str {
    match label.split_once(' ') {
        Some((_, rest)) if !rest.starts_with('(') => rest,
        _ => label,
    }
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

/// What a view needs.
pub(crate) struct ViewKit {
    /// The title.
    pub(crate) title: String,
    /// Wall time after which the crawl ends by itself.
    pub(crate) lasts: Option<Duration>,
    /// What the engine reports.
    pub(crate) reports: watch::Receiver<Value>,
    /// The store, for news.
    pub(crate) store: Box<dyn Store>,
    /// The data directory and what reads it, for what is left.
    pub(crate) dir: PathBuf,
    /// The networks.
    pub(crate) networks: Arc<Networks>,
    /// The clock of the crawl.
    pub(crate) clock: Arc<dyn Clock>,
}

/// Draws until the sender of reports is gone.
pub(crate) async fn show(kit: ViewKit) {
    let ViewKit { title, lasts, mut reports, store, dir, networks, clock } = kit;
    let is_terminal = std::io::stdout().is_terminal();
    let every = if is_terminal { DRAW_EVERY } else { LINE_EVERY };
    let began = Instant::now();
    let mut frame = Frame { title, lasts, ..Frame::default() };
    let mut past: VecDeque<(Instant, [f64; 3])> = VecDeque::new();
    let mut seen = store.last_change().unwrap_or(0).saturating_sub(LOG_BATCH as u64);
    let mut progress = Progress::new(dir, networks, clock);
    let mut drawn_lines = 0;
    loop {
        let report = reports.borrow().clone();
        frame.elapsed = began.elapsed();
        frame.rates = rates(&mut past, &report);
        frame.left = progress.look(!is_terminal).await;
        seen = take_news(&mut frame, &*store, seen);
        drawn_lines = if is_terminal {
            draw(&frame, &report, drawn_lines)
        } else {
            print_line(&plain_line(&frame, &report));
            0
        };
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

/// Moves up over the last drawing and overwrites it line by line, which does not flicker. Draws no more
/// than the terminal has room for; gives how many lines.
fn draw(frame: &Frame, report: &Value, lines_before: usize) -> usize {
    let size = terminal_size::terminal_size();
    let (columns, rows) = size.map_or((WIDTH, usize::MAX), |(Width(columns), Height(rows))| {
        (usize::from(columns).saturating_sub(1).clamp(20, WIDTH), usize::from(rows).saturating_sub(1).max(2))
    });
    let mut lines = frame.lines(report, columns);
    lines.truncate(rows);
    let is_coloured = output::has_colour(true);
    let mut out = String::new();
    if lines_before > 0 {
        let _ = write!(out, "\u{1b}[{lines_before}A");
    }
    for (line, tone) in &lines {
        let line = tone.map_or_else(|| line.clone(), |tone| output::painted(line, tone, is_coloured));
        let _ = writeln!(out, "{line}\u{1b}[K");
    }
    for _ in lines.len()..lines_before {
        let _ = writeln!(out, "\u{1b}[K");
    }
    put(&out);
    lines.len().max(lines_before)
}

fn print_line(line: &str) {
    put(&format!("{line}\n"));
}

fn put(text: &str) {
    // A closed output ends the drawing, not the crawl.
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// One line where nobody looks at a terminal.
fn plain_line(frame: &Frame, report: &Value) -> String {
    let number = |key: &str| report[key].as_u64().unwrap_or(0);
    let left = frame.left.map_or_else(String::new, |left| format!("; {}", left.brief()));
    let refused = match number("rate_limited_count") {
        0 => String::new(),
        count => format!(", {count} refused"),
    };
    let lag = report["lag_s"]["median"].as_f64().map(Span::from_secs_f64);
    let lag = lag.map_or_else(String::new, |lag| format!("; lag {lag}"));
    format!(
        "{:>5.0}s  {} posts, {} fetches{refused}{lag}{left}",
        frame.elapsed.as_secs_f64(),
        number("posts_count"),
        number("fetches_count"),
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
        frame.news.push_back((at, who, plain(&row.post.text).replace('\n', " ")));
        if frame.news.len() > NEWS_MAX {
            frame.news.pop_front();
        }
    }
    last
}

#[cfg(test)]
mod tests;
