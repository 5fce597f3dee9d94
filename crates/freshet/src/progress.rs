//! A progress bar for long work: how much is done, how fast, how long it will still take.
//!
//! Drawn on standard error, in one line, only where a person looks at a terminal. The time left
//! follows from what this process did in the time it had: what an earlier one left behind counts
//! as done and not as speed. [`line`] is pure.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use freshet_types::Span;

use crate::output;
use crate::view::grouped;

/// Between two drawings.
const DRAW_EVERY: Duration = Duration::from_millis(200);
/// Work between two looks at the clock.
const LOOK_EVERY: u64 = 256;
/// Before this, a rate says nothing.
const RATE_AFTER: Duration = Duration::from_millis(500);
/// Columns of the bar.
const BAR: usize = 20;
/// Columns of the whole line.
const WIDTH: usize = 79;

/// One piece of long work.
#[derive(Debug)]
pub(crate) struct Progress {
    what: String,
    total: u64,
    done: u64,
    done_before: u64,
    began: Instant,
    drawn_at: Option<Instant>,
    is_shown: bool,
}

impl Progress {
    /// Work of `total` steps, of which `done` were done by somebody before.
    pub(crate) fn new(what: impl Into<String>, done: u64, total: u64) -> Self {
        let is_shown = output::draws_progress();
        let began = Instant::now();
        Self { what: what.into(), total, done, done_before: done, began, drawn_at: None, is_shown }
    }

    /// What is being done from now on.
    pub(crate) fn rename(&mut self, what: impl Into<String>) {
        self.what = what.into();
    }

    /// So much more was done by somebody before.
    pub(crate) fn found(&mut self, count: u64) {
        self.done += count;
        self.done_before += count;
    }

    /// One step more.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        let is_time = |at: Instant| at.elapsed() >= DRAW_EVERY;
        if self.is_shown && self.done.is_multiple_of(LOOK_EVERY) && self.drawn_at.is_none_or(is_time) {
            self.drawn_at = Some(Instant::now());
            let shown = line(&self.what, [self.done_before, self.done, self.total], self.began.elapsed());
            put(&format!("\r{shown}\u{1b}[K"));
        }
    }

    /// The line is taken away, so that a report can follow.
    pub(crate) fn end(&mut self) {
        if self.drawn_at.take().is_some() {
            put("\r\u{1b}[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

fn put(text: &str) {
    // Nobody is left to be shown anything when standard error is closed.
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// The line: what was done before this process, what is done, and what there is to do.
fn line(what: &str, [before, done, total]: [u64; 3], elapsed: Duration) -> String {
    let total = total.max(done).max(1);
    let share = done as f64 / total as f64;
    let full = (share * BAR as f64) as usize;
    let bar = "█".repeat(full) + &"░".repeat(BAR - full);
    let mut shown = format!(
        "{what:<10} {bar} {:>3.0} %  {} of {}",
        (share * 100.0).floor(),
        grouped(done),
        grouped(total)
    );
    let own = done.saturating_sub(before);
    if own > 0 && elapsed >= RATE_AFTER {
        let per_s = own as f64 / elapsed.as_secs_f64();
        let left = Span::from_secs_f64((total - done) as f64 / per_s);
        let _ = write!(shown, "  {}/s, {left} left", grouped(per_s as u64));
    }
    output::shorten(&shown, WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_before_is_no_speed() {
        let second = Duration::from_secs(10);
        for (counts, elapsed, shown) in [
            ([0, 500, 1000], second, "posts      ██████████░░░░░░░░░░  50 %  500 of 1,000  50/s, 10.0s left"),
            (
                [400, 500, 1000],
                second,
                "posts      ██████████░░░░░░░░░░  50 %  500 of 1,000  10/s, 50.0s left",
            ),
            ([400, 400, 1000], second, "posts      ████████░░░░░░░░░░░░  40 %  400 of 1,000"),
            ([0, 3, 0], Duration::ZERO, "posts      ████████████████████ 100 %  3 of 3"),
            ([0, 0, 0], second, "posts      ░░░░░░░░░░░░░░░░░░░░   0 %  0 of 1"),
        ] {
            assert_eq!(line("posts", counts, elapsed), shown, "{counts:?}");
        }
    }
}
