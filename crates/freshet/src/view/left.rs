//! How much history is still to be read, and how long that takes.
//!
//! A list counts as done when it is proven complete; what is left of the others is estimated in pages
//! ([`work`](super::work)). The time left is the pages to be read over the pace, and the pace is what was read
//! lately, forgotten over about a minute of crawling. The store remembers it, so the estimate goes on after a
//! restart; the time between two processes is no part of it. Between two looks it counts down. Looking at all lists costs a pass
//! over the sources, so it is done beside the drawing, and rarely where it takes long.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use freshet_app::data::Data;
use freshet_app::gaps::GapsSum;
use freshet_app::place::Place;
use freshet_app::text::{brief, grouped};
use freshet_network::networks::Networks;
use freshet_store::setting::Setting;
use freshet_types::{Clock, RobotKind, RobotState, Span, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;

use super::work::{Pages, Work};

/// Between two looks at all lists, at least.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Looking takes at most one part in so many of the time.
const LOOK_SHARE: u32 = 20;
/// What was read is forgotten over this long, but not within so many looks.
const MEMORY: Duration = Duration::from_mins(1);
/// Looks that a memory holds at least.
const MEMORY_LOOKS: u32 = 4;
/// Seconds of crawling before a time is named.
const KNOWN_S_MIN: f64 = 4.0;
/// Pages that must have been read before a time is named.
const KNOWN_PAGES_MIN: f64 = 3.0;
/// The pace is remembered this often.
const REMEMBER_EVERY: Duration = Duration::from_secs(10);
/// Setting under which the store remembers it.
const PACE: Setting<String> = Setting::new("history_pace");

/// What is left of the history.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Left {
    /// Lists that are watched.
    pub(crate) lists_count: u64,
    /// Of them, those that are proven complete.
    pub(crate) complete_count: u64,
    /// Of them, those that no request can complete.
    pub(crate) shut_count: u64,
    /// What is read and to be read.
    pub(crate) pages: Pages,
    /// Wall time until the others are complete too, where that can be told.
    pub(crate) seconds: Option<f64>,
    /// When the next source is due that a robot at work visits.
    pub(crate) due_at: Option<Timestamp>,
}

impl Left {
    /// Lists that are not complete and can become so.
    pub(crate) fn todo(self) -> u64 {
        self.lists_count.saturating_sub(self.complete_count + self.shut_count)
    }

    /// The share of the reading that is done.
    pub(crate) fn share(self) -> f64 {
        match self.todo() {
            0 => 1.0,
            _ => self.pages.done / (self.pages.done + self.pages.todo).max(1.0),
        }
    }

    /// In words, the most important first.
    pub(crate) fn parts(self) -> Vec<String> {
        let complete = if self.todo() == 0 { " complete" } else { "" };
        let mut parts = vec![format!(
            "{} of {} lists{complete}",
            grouped(self.complete_count),
            grouped(self.lists_count)
        )];
        parts.extend(self.time_left().map(|time| format!("about {time} left")));
        if self.shut_count > 0 && self.todo() == 0 {
            parts.push(format!("{} cannot be completed", grouped(self.shut_count)));
        }
        parts
    }

    /// In a few words.
    pub(crate) fn brief(self) -> String {
        let lists = format!("{} of {} lists", self.complete_count, self.lists_count);
        self.time_left().map_or_else(|| lists.clone(), |time| format!("{lists}, {time} left"))
    }

    fn time_left(self) -> Option<String> {
        let seconds = self.seconds.filter(|_| self.todo() > 0)?;
        Some(brief(Span::from_secs_f64(seconds.max(1.0))))
    }
}

/// How fast history is read: pages, and the seconds of crawling that they took, both fading.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
struct Pace {
    pages: f64,
    seconds: f64,
}

impl Pace {
    /// So many pages more, in this time.
    fn add(&mut self, pages: f64, elapsed: Duration, memory: Duration) {
        let keep = (-elapsed.as_secs_f64() / memory.as_secs_f64().max(1.0)).exp();
        self.pages = self.pages * keep + pages.max(0.0);
        self.seconds = self.seconds * keep + elapsed.as_secs_f64();
    }

    fn seconds_left(self, todo: f64) -> Option<f64> {
        let is_known = self.seconds >= KNOWN_S_MIN && self.pages >= KNOWN_PAGES_MIN;
        is_known.then(|| todo * self.seconds / self.pages)
    }

    fn from_text(text: &str) -> Option<Self> {
        let is_sound = |pace: &Self| pace.pages.is_finite() && pace.seconds.is_finite() && pace.pages >= 0.0;
        serde_json::from_str(text).ok().filter(is_sound)
    }
}

/// Looks at all lists now and then.
pub(super) struct Progress {
    kit: (Place, Arc<Networks>, Arc<dyn Clock>),
    looking: Option<JoinHandle<Option<Left>>>,
    looked_at: Option<Instant>,
    look_time: Duration,
    pace: Pace,
    remembered_at: Instant,
    /// What the last look saw, and when.
    last: Option<(Instant, Left)>,
}

impl Progress {
    pub(super) fn new(place: Place, networks: Arc<Networks>, clock: Arc<dyn Clock>) -> Self {
        let remembered = Data::reader(&place).ok().and_then(|data| PACE.get(&data.store).ok().flatten());
        let pace = remembered.and_then(|text| Pace::from_text(&text)).unwrap_or_default();
        let kit = (place, networks, clock);
        let remembered_at = Instant::now();
        Self {
            kit,
            looking: None,
            looked_at: None,
            look_time: Duration::ZERO,
            pace,
            remembered_at,
            last: None,
        }
    }

    /// What is known. A drawing does not wait for a look that is under way; a line that is printed does.
    pub(super) async fn look(&mut self, waits: bool) -> Option<Left> {
        if self.looking.is_none() && self.is_time() {
            let (place, networks, clock) = self.kit.clone();
            self.looked_at = Some(Instant::now());
            self.looking = Some(tokio::task::spawn_blocking(move || count(&place, &networks, &*clock)));
        }
        if let Some(looking) = self.looking.take_if(|looking| waits || looking.is_finished()) {
            let looked = looking.await;
            self.look_time = self.looked_at.map_or(Duration::ZERO, |at| at.elapsed());
            if let Ok(Some(left)) = looked {
                self.on_look(left, Instant::now());
                self.remember();
            }
        }
        self.now(Instant::now())
    }

    fn is_time(&self) -> bool {
        self.looked_at.is_none_or(|at| at.elapsed() >= self.every())
    }

    fn every(&self) -> Duration {
        LOOK_EVERY.max(self.look_time * LOOK_SHARE)
    }

    fn on_look(&mut self, left: Left, at: Instant) {
        if let Some((then, before)) = self.last
            && before.todo() > 0
        {
            let memory = MEMORY.max(self.every() * MEMORY_LOOKS);
            self.pace.add(left.pages.done - before.pages.done, at.duration_since(then), memory);
        }
        self.last = Some((at, Left { seconds: self.pace.seconds_left(left.pages.todo), ..left }));
    }

    /// What the last look saw, its time counted down since.
    fn now(&self, at: Instant) -> Option<Left> {
        let (then, left) = self.last?;
        let since = at.duration_since(then).as_secs_f64();
        Some(Left { seconds: left.seconds.map(|seconds| (seconds - since).max(0.0)), ..left })
    }

    /// The next process goes on with this pace. Where the store is busy, it is remembered the next time.
    fn remember(&mut self) {
        if self.remembered_at.elapsed() < REMEMBER_EVERY {
            return;
        }
        self.remembered_at = Instant::now();
        let (place, pace) = (self.kit.0.clone(), self.pace);
        drop(tokio::task::spawn_blocking(move || -> anyhow::Result<()> {
            let text = serde_json::to_string(&pace)?;
            Ok(PACE.put(&mut Data::reopen(&place)?.store, &text)?)
        }));
    }
}

/// A pass over all sources.
fn count(place: &Place, networks: &Networks, clock: &dyn Clock) -> Option<Left> {
    let data = Data::reader(place).ok()?;
    let now = clock.now();
    let robots = data.store.robots().ok()?;
    let is_at_work =
        |kind: RobotKind| robots.iter().any(|row| row.kind == kind && row.state == RobotState::Running);
    let (mut lists, mut work, mut due_at) = (GapsSum::keeping(0), Work::default(), None::<Timestamp>);
    let passed = data.store.each_source(&mut |source| {
        if source.state.is_watched() && is_at_work(source.robot) {
            due_at = Some(due_at.map_or(source.due_at, |at| at.min(source.due_at)));
        }
        lists.add(networks, &source, now, &mut |endpoint| work.add_list(&source, endpoint, now));
        ControlFlow::Continue(())
    });
    passed.ok()?;
    let (lists_count, complete_count, shut_count) = lists.lists();
    Some(Left { lists_count, complete_count, shut_count, pages: work.pages(), seconds: None, due_at })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn left(complete_count: u64, done: f64, todo: f64) -> Left {
        Left { lists_count: 1000, complete_count, pages: Pages { done, todo }, ..Left::default() }
    }

    fn progress(dir: &Path) -> Progress {
        let clock: Arc<dyn Clock> = Arc::new(freshet_types::SystemClock);
        Progress::new(Place::new(dir, None), Arc::new(Networks::empty()), clock)
    }

    #[test]
    fn the_time_left_follows_from_what_this_process_did() {
        let mut progress = progress(Path::new(""));
        let start = Instant::now();
        let at = |s: u64| start + Duration::from_secs(s);
        // Nine hundred were complete before; ten pages took ten seconds, so ninety take ninety.
        progress.on_look(left(900, 5000.0, 100.0), start);
        assert_eq!(progress.now(start).unwrap().seconds, None);
        progress.on_look(left(910, 5010.0, 90.0), at(10));
        assert_eq!(progress.now(at(10)).unwrap().seconds, Some(90.0));
        assert_eq!(progress.now(at(40)).unwrap().seconds, Some(60.0), "it counts down");
        assert_eq!(progress.now(at(500)).unwrap().seconds, Some(0.0));
        let parts = progress.now(at(10)).unwrap().parts().join("; ");
        assert_eq!(parts, "910 of 1,000 lists; about 1m 30s left");
    }

    #[test]
    fn the_pace_is_that_of_late() {
        let mut pace = Pace::default();
        let second = Duration::from_secs(1);
        (0..120).for_each(|_| pace.add(10.0, second, MEMORY));
        assert!((pace.seconds_left(100.0).unwrap() - 10.0).abs() < 0.1);
        (0..180).for_each(|_| pace.add(1.0, second, MEMORY));
        let slow = pace.seconds_left(100.0).unwrap();
        assert!((60.0..100.0).contains(&slow), "{slow}");
        (0..600).for_each(|_| pace.add(0.0, second, MEMORY));
        assert_eq!(pace.seconds_left(100.0), None, "what stands still comes to no end");
    }

    #[test]
    fn a_restart_knows_the_pace_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = freshet_store::testing::open(&dir.path().join("store.sqlite"));
        for (text, expected) in [
            (r#"{"pages": 60.0, "seconds": 30.0}"#, Some(50.0)),
            (r#"{"pages": 1.0, "seconds": 30.0}"#, None),
            (r#"{"pages": -60.0, "seconds": 30.0}"#, None),
            ("nonsense", None),
        ] {
            PACE.put(&mut store, &text.to_owned()).unwrap();
            let mut progress = progress(dir.path());
            let start = Instant::now();
            progress.on_look(left(900, 5000.0, 100.0), start);
            assert_eq!(progress.now(start).unwrap().seconds, expected, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_closed_is_not_waited_for() {
        let left = Left {
            lists_count: 10,
            complete_count: 8,
            shut_count: 2,
            seconds: Some(0.0),
            ..left(8, 1.0, 9.0)
        };
        assert_eq!(
            (left.share(), left.parts().join("; ")),
            (1.0, "8 of 10 lists complete; 2 cannot be completed".to_owned())
        );
    }
}
