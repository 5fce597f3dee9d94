//! The live terminal view: progress, rates, lag, quotas, what is visited and what is waited for, the latest news.
//!
//! [`show`] draws a [`Frame`] a few times a second, or prints a line now and then where nobody looks. It reads
//! what the running engine reports and what the store holds; it steers nothing. How long the reading of history
//! still takes is estimated in [`left`].

mod frame;
mod left;
mod work;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use freshet_app::place::Place;
use freshet_app::plain::plain;
use freshet_app::text::brief;
use freshet_network::networks::Networks;
use freshet_report::RunStatus;
use freshet_store::api::Store;
use freshet_types::{ChangeKind, Clock, Span};
use terminal_size::{Height, Width};
use tokio::sync::watch;
use unicode_width::UnicodeWidthStr as _;

use crate::output;
use frame::{Frame, NEWS_MAX, Room};
use left::Progress;

/// Between two drawings.
const DRAW_EVERY: Duration = Duration::from_millis(250);
/// Without a terminal, a line is printed this often instead.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Rates are taken over about this long.
const RATE_OVER: Duration = Duration::from_secs(3);
/// Columns drawn, where the terminal has them: longer lines are hard to read.
const COLUMNS_MAX: usize = 120;
/// Columns below which nothing sensible can be drawn.
const COLUMNS_MIN: usize = 20;
/// Lines drawn, where the terminal has them.
const ROWS_MAX: usize = 40;
/// Changes looked at for news in one drawing.
const LOG_BATCH: usize = 500;

/// What a view needs.
pub(crate) struct ViewKit {
    pub(crate) title: String,
    /// Where the dashboard is served.
    pub(crate) dashboard: Option<String>,
    /// Wall time after which the crawl ends by itself.
    pub(crate) lasts: Option<Duration>,
    /// What the engine reports.
    pub(crate) reports: watch::Receiver<RunStatus>,
    /// Turns true when somebody asks the crawl to end.
    pub(crate) stopped: watch::Receiver<bool>,
    /// The store, for news.
    pub(crate) store: Box<dyn Store>,
    /// The data directory and what reads it, for what is left.
    pub(crate) place: Place,
    pub(crate) networks: Arc<Networks>,
    /// The clock of the crawl.
    pub(crate) clock: Arc<dyn Clock>,
}

/// Draws until the sender of reports is gone.
pub(crate) async fn show(kit: ViewKit) {
    let ViewKit { title, dashboard, lasts, mut reports, stopped, store, place, networks, clock } = kit;
    let is_terminal = std::io::stdout().is_terminal();
    let every = if is_terminal { DRAW_EVERY } else { LINE_EVERY };
    let began = Instant::now();
    let mut frame = Frame { title, dashboard, lasts, ..Frame::default() };
    let mut past: VecDeque<(Instant, [f64; 3])> = VecDeque::new();
    let mut seen = store.last_change().unwrap_or(0).saturating_sub(LOG_BATCH as u64);
    let mut progress = Progress::new(place, networks, clock);
    let mut screen = Screen::default();
    let _held = is_terminal.then(output::hold_asides);
    loop {
        let report = reports.borrow().clone();
        frame.elapsed = began.elapsed();
        frame.is_stopping = *stopped.borrow();
        frame.rates = rates(&mut past, &report);
        frame.left = progress.look(!is_terminal).await;
        seen = read_news(&mut frame, &*store, seen);
        if is_terminal {
            screen.draw(&frame, &report);
        } else {
            put(&format!("{}\n", plain_line(&frame, &report)));
        }
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            changed = closed(&mut reports) => if changed { break },
        }
    }
    if is_terminal {
        // The terminal has written the `^C` of whoever ended it below the drawing.
        put("\r\u{1b}[K");
    }
}

/// Waits until no report will come any more.
async fn closed(reports: &mut watch::Receiver<RunStatus>) -> bool {
    while reports.changed().await.is_ok() {}
    true
}

/// What stands on the terminal, so that the next drawing can take its place.
#[derive(Default)]
struct Screen {
    /// Columns of each line drawn.
    widths: Vec<usize>,
}

impl Screen {
    /// Moves up over the last drawing and overwrites it line by line, which does not flicker.
    fn draw(&mut self, frame: &Frame, report: &RunStatus) {
        let size = terminal_size::terminal_size();
        let (columns, rows) = size.map_or((output::COLUMNS, ROWS_MAX), |(Width(columns), Height(rows))| {
            (usize::from(columns), usize::from(rows))
        });
        let room = Room {
            columns: columns.saturating_sub(1).clamp(COLUMNS_MIN, COLUMNS_MAX),
            rows: rows.saturating_sub(1).clamp(2, ROWS_MAX),
        };
        let lines = frame.lines(report, room);
        let is_coloured = output::has_colour(true);
        let mut out = self.start(columns.max(1), rows);
        for line in output::held_asides().lines() {
            let _ = writeln!(out, "{line}\u{1b}[K");
        }
        for (line, tone) in &lines {
            let line = tone.map_or_else(|| line.clone(), |tone| output::painted(line, tone, is_coloured));
            let _ = writeln!(out, "{line}\u{1b}[K");
        }
        // What is left of a longer drawing goes.
        out.push_str("\u{1b}[J");
        self.widths = lines.iter().map(|(line, _)| line.width()).collect();
        put(&out);
    }

    /// Back to the first line. A terminal that became narrower has broken the lines of the last drawing.
    fn start(&self, columns: usize, rows: usize) -> String {
        let lines: usize = self.widths.iter().map(|width| width.div_ceil(columns).max(1)).sum();
        match lines.min(rows.saturating_sub(1)) {
            0 => String::new(),
            lines => format!("\u{1b}[{lines}A\r"),
        }
    }
}

fn put(text: &str) {
    // A closed output ends the drawing, not the crawl.
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// One line where nobody looks at a terminal.
fn plain_line(frame: &Frame, report: &RunStatus) -> String {
    let left = frame.left.filter(|left| left.lists_count > 0);
    let left = left.map_or_else(String::new, |left| format!("; {}", left.brief()));
    let refused = match report.rate_limited_count {
        0 => String::new(),
        count => format!(", {count} refused"),
    };
    let lag = report.lag_s.map(|lag| Span::from_secs_f64(lag.median));
    let lag = lag.map_or_else(String::new, |lag| format!("; lag {}", brief(lag)));
    format!(
        "{:>5.0}s  {} posts, {} fetches{refused}{lag}{left}",
        frame.elapsed.as_secs_f64(),
        report.posts_count,
        report.fetches_count,
    )
}

fn rates(past: &mut VecDeque<(Instant, [f64; 3])>, report: &RunStatus) -> [f64; 3] {
    let counts = [report.posts_count, report.visits_count, report.fetches_count].map(|count| count as f64);
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
fn read_news(frame: &mut Frame, store: &dyn Store, seen: u64) -> u64 {
    let Ok(changes) = store.changes_above(seen, LOG_BATCH) else { return seen };
    let Some(last) = changes.last().map(|change| change.number) else { return seen };
    let posts =
        changes.iter().filter(|change| change.kind == ChangeKind::Created && &*change.address.kind == "post");
    let latest: Vec<u64> = posts.rev().take(NEWS_MAX).map(|change| change.object).collect();
    let posts = store.posts_numbered(&latest).unwrap_or_default();
    for row in posts.into_iter().rev().flatten() {
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
