//! How much history is still to be read, and how long that takes.
//!
//! A list counts as done when it is proven complete. The time left is the number of lists that can still
//! be closed, over the number that this process closed in the time it had: what an earlier process
//! did counts as done and not as speed, so the estimate stays right after a restart. Before a few
//! lists are closed nothing is claimed. Looking at all lists costs a pass over the sources, so it is
//! done beside the drawing, and rarely where it takes long.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use freshet_network::networks::Networks;
use freshet_types::{Clock, Span};
use tokio::task::JoinHandle;

use super::bar;
use crate::commands::gaps;
use crate::data::Data;

/// Between two looks at all lists, at least.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Looking takes at most one part in so many of the time.
const LOOK_SHARE: u32 = 20;
/// Lists that must have been closed by this process before a time is named.
const CLOSED_MIN: u64 = 3;

/// What is left of the history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Left {
    /// Lists that are watched.
    pub(crate) lists_count: u64,
    /// Of them, those that are proven complete.
    pub(crate) complete_count: u64,
    /// Of them, those that no request can complete.
    pub(crate) shut_count: u64,
    /// Wall time until the others are complete too, where that can be told.
    pub(crate) seconds: Option<f64>,
}

impl Left {
    fn todo(self) -> u64 {
        self.lists_count.saturating_sub(self.complete_count + self.shut_count)
    }

    /// The line of the drawing.
    pub(crate) fn line(self) -> String {
        let done = self.lists_count - self.todo().min(self.lists_count);
        let shown = bar(done as f64 / self.lists_count.max(1) as f64);
        format!("{shown} {}", self.short())
    }

    /// The same without a bar.
    pub(crate) fn short(self) -> String {
        let shut = match self.shut_count {
            0 => String::new(),
            count => format!(", {count} cannot be closed"),
        };
        let lists = format!("{} of {} lists{shut}", self.complete_count, self.lists_count);
        match self.seconds {
            _ if self.todo() == 0 => lists,
            Some(seconds) => format!("{lists}; about {} left", Span::from_secs_f64(seconds)),
            None => format!("{lists}; {} to go", self.todo()),
        }
    }
}

impl Left {
    /// In a few words.
    pub(crate) fn brief(self) -> String {
        let lists = format!("{} of {} lists", self.complete_count, self.lists_count);
        match self.seconds.filter(|_| self.todo() > 0) {
            Some(seconds) => format!("{lists}, {} left", Span::from_secs_f64(seconds)),
            None => lists,
        }
    }
}

/// Wall time until the rest is done: `closed` lists took `elapsed`.
fn seconds_left(todo: u64, closed: u64, elapsed: Duration) -> Option<f64> {
    (closed >= CLOSED_MIN).then(|| todo as f64 * elapsed.as_secs_f64() / closed as f64)
}

/// Looks at all lists now and then.
pub(super) struct Progress {
    kit: (PathBuf, Arc<Networks>, Arc<dyn Clock>),
    looking: Option<JoinHandle<Option<Left>>>,
    looked_at: Option<Instant>,
    took: Duration,
    /// When this process first looked, and how many were complete then.
    first: Option<(Instant, u64)>,
    /// When the last list was closed: a crawl that is done does not slow down by waiting.
    last: Option<Left>,
}

impl Progress {
    pub(super) fn new(dir: PathBuf, networks: Arc<Networks>, clock: Arc<dyn Clock>) -> Self {
        let kit = (dir, networks, clock);
        Self { kit, looking: None, looked_at: None, took: Duration::ZERO, first: None, last: None }
    }

    /// What is known. A drawing does not wait for a look that is under way; a line that is printed does.
    pub(super) async fn look(&mut self, waits: bool) -> Option<Left> {
        if self.looking.is_none() && self.is_time() {
            let (dir, networks, clock) = self.kit.clone();
            self.looked_at = Some(Instant::now());
            self.looking = Some(tokio::task::spawn_blocking(move || count(&dir, &networks, &*clock)));
        }
        if let Some(looking) = self.looking.take_if(|looking| waits || looking.is_finished()) {
            let looked = looking.await;
            self.took = self.looked_at.map_or(Duration::ZERO, |at| at.elapsed());
            if let Ok(Some(left)) = looked {
                self.take(left, Instant::now());
            }
        }
        self.last
    }

    fn is_time(&self) -> bool {
        self.looked_at.is_none_or(|at| at.elapsed() >= LOOK_EVERY.max(self.took * LOOK_SHARE))
    }

    fn take(&mut self, left: Left, at: Instant) {
        let (first_at, before) = *self.first.get_or_insert((at, left.complete_count));
        let closed = left.complete_count.saturating_sub(before);
        let seconds = seconds_left(left.todo(), closed, at.duration_since(first_at));
        self.last = Some(Left { seconds, ..left });
    }
}

/// A pass over all sources.
fn count(dir: &Path, networks: &Networks, clock: &dyn Clock) -> Option<Left> {
    let data = Data::reader(dir).ok()?;
    let report = gaps::report(&data, networks, clock.now(), 0).ok()?;
    let (lists_count, complete_count, shut_count) = report.lists();
    Some(Left { lists_count, complete_count, shut_count, seconds: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_what_this_process_did() {
        for (todo, closed, elapsed_s, expected) in [
            (10, 0, 60, None),
            (10, 2, 60, None),
            (10, 5, 60, Some(120.0)),
            (0, 5, 60, Some(0.0)),
            (1000, 10, 1, Some(100.0)),
        ] {
            assert_eq!(seconds_left(todo, closed, Duration::from_secs(elapsed_s)), expected);
        }
    }

    #[test]
    fn a_restart_does_not_count_as_speed() {
        let clock: Arc<dyn Clock> = Arc::new(freshet_types::SystemClock);
        let mut progress = Progress::new(PathBuf::new(), Arc::new(Networks::empty()), clock);
        let left = |complete_count| Left { lists_count: 1000, complete_count, shut_count: 0, seconds: None };
        let start = Instant::now();
        // Nine hundred were complete before; ten more took ten seconds, so ninety take ninety.
        progress.take(left(900), start);
        assert_eq!(progress.last.unwrap().seconds, None);
        progress.take(left(910), start + Duration::from_secs(10));
        assert_eq!(progress.last.unwrap().seconds, Some(90.0));
        assert_eq!(progress.last.unwrap().short(), "910 of 1000 lists; about 1m 30s left");
    }

    #[test]
    fn what_cannot_be_closed_is_not_waited_for() {
        let left = Left { lists_count: 10, complete_count: 8, shut_count: 2, seconds: Some(0.0) };
        assert_eq!(left.line(), "████████████ 8 of 10 lists, 2 cannot be closed");
    }
}
