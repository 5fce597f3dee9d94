//! Long work: how much is done, how fast, how long it will still take.
//!
//! One line, drawn by the listener ([`notice`]) only where a person looks at it. The time left
//! follows from what this process did in the time it had: what an earlier one left behind counts
//! as done and not as speed. [`line`] is pure. Work of which nothing can be counted shows how long it has
//! taken ([`during`]). A crawl stops by itself and is no such work.

use std::fmt::Write as _;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use freshet_types::Span;

use crate::notice;
use crate::text::{self, brief, grouped};

/// Between two drawings.
const DRAW_EVERY: Duration = Duration::from_millis(200);
/// Steps between two looks at the clock, at most.
const LOOK_EVERY_MAX: u64 = 256;
/// Looks at the clock over the whole work, at least.
const LOOKS_MIN: u64 = 1000;
/// Before this, a rate says nothing.
const RATE_AFTER: Duration = Duration::from_millis(500);
/// Work that takes no longer is not spoken of.
const WAIT_SHOWN_AFTER: Duration = Duration::from_secs(1);
/// Columns of the bar.
const BAR: usize = 20;
/// Columns of the whole line; the `^C` of whoever stops it has room behind it.
const WIDTH: usize = 76;

/// One piece of long work.
#[derive(Debug)]
pub struct Progress {
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
    pub fn new(what: impl Into<String>, done: u64, total: u64) -> Self {
        let is_shown = notice::draws_progress();
        let began = Instant::now();
        Self { what: what.into(), total, done, done_before: done, began, drawn_at: None, is_shown }
    }

    /// What is being done from now on.
    pub fn rename(&mut self, what: impl Into<String>) {
        self.what = what.into();
    }

    /// So much more was done by somebody before.
    pub fn found(&mut self, count: u64) {
        self.done += count;
        self.done_before += count;
    }

    /// One step more.
    pub fn step(&mut self) {
        self.advance(1);
    }

    /// So many steps more.
    pub fn advance(&mut self, steps: u64) {
        let look_every = (self.total / LOOKS_MIN).clamp(1, LOOK_EVERY_MAX);
        let is_look = (self.done + steps) / look_every > self.done / look_every;
        self.done += steps;
        let is_time = |at: Instant| at.elapsed() >= DRAW_EVERY;
        if self.is_shown && is_look && self.drawn_at.is_none_or(is_time) {
            self.drawn_at = Some(Instant::now());
            let shown = line(&self.what, [self.done_before, self.done, self.total], self.began.elapsed());
            notice::draw(&shown);
        }
    }

    /// The line is taken away, so that a report can follow.
    pub fn end(&mut self) {
        if self.drawn_at.take().is_some() {
            notice::draw("");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// Does work of which nothing can be counted; after a moment a person is shown what is done, and for how long.
pub fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if !notice::draws_progress() {
        return work();
    }
    let (end, ended) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let began = Instant::now();
            let mut wait = WAIT_SHOWN_AFTER;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
                let elapsed = Span::from_ms(began.elapsed().as_millis() as i64);
                notice::draw(&text::shorten(&format!("{what}  {}", brief(elapsed)), WIDTH));
                wait = DRAW_EVERY;
            }
            if began.elapsed() >= WAIT_SHOWN_AFTER {
                notice::draw("");
            }
        });
        let done = work();
        drop(end);
        done
    })
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
        // What takes seconds a step has no rate to speak of.
        if per_s >= 1.0 {
            let _ = write!(shown, "  {}/s", grouped(per_s as u64));
        }
        let _ = write!(shown, "  about {} left", brief(left));
    }
    text::shorten(&shown, WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_before_is_no_speed() {
        let second = Duration::from_secs(10);
        for (counts, elapsed, shown) in [
            (
                [0, 500, 1000],
                second,
                "posts      ██████████░░░░░░░░░░  50 %  500 of 1,000  50/s  about 10s left",
            ),
            (
                [400, 500, 1000],
                second,
                "posts      ██████████░░░░░░░░░░  50 %  500 of 1,000  10/s  about 50s left",
            ),
            ([400, 400, 1000], second, "posts      ████████░░░░░░░░░░░░  40 %  400 of 1,000"),
            ([0, 5, 20], second, "posts      █████░░░░░░░░░░░░░░░  25 %  5 of 20  about 30s left"),
            ([0, 3, 0], Duration::ZERO, "posts      ████████████████████ 100 %  3 of 3"),
            ([0, 0, 0], second, "posts      ░░░░░░░░░░░░░░░░░░░░   0 %  0 of 1"),
        ] {
            assert_eq!(line("posts", counts, elapsed), shown, "{counts:?}");
        }
    }

    #[test]
    fn work_gives_what_it_made() {
        assert_eq!(during("counting", || 7), 7);
    }
}
