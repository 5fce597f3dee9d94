//! Pages of which nothing can be read: no empty lists, but a sign that a definition no longer fits, or that the server hides.
//!
//! One rule for all connectors ([`freshet_types::Page::is_unread`]). A visit that meets such a page fails, and is tried again like any
//! other; where it was the last page of a thread, the first is asked for before that, since the thread may have become
//! shorter. After [`UNREAD_MAX`] such pages in a row, whichever source they are of (what another robot can read does not count), the whole server waits, longer each time: asking on would
//! cost it thousands of requests for nothing. A page that can be read, or a definition that was replaced, ends
//! that. A forum is learned anew by itself ([`super::relearn`]); where that does not help, the failure says what a person can do.
//!
//! A board without threads cannot be told from one that is unreadable; where none was ever seen on it, it is taken for empty.

use freshet_types::list::BOARD;
use freshet_types::{
    Intent, NetworkName, Outcome, Page, RobotKind, ServerKey, SourceId, SourceState, Span, Timestamp,
};

use super::{Core, Slot};
use crate::schedule;
use crate::walk::{Leg, Seen};

/// Pages in a row after which a server waits.
pub(crate) const UNREAD_MAX: u32 = 8;
/// How long it waits at first; the wait doubles.
pub(super) const REST_FIRST: Span = Span::HOUR;
/// The longest wait.
const REST_MAX: Span = Span::DAY;

/// How a server's pages are read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unread {
    /// Pages in a row that could not be read.
    count: u32,
    /// Whose page it was last: what another robot can read says nothing of its pages.
    robot: Option<RobotKind>,
    /// Times that it has waited since one could.
    rest_count: u32,
    until: Option<Timestamp>,
}

/// A server whose pages cannot be read, as reports show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnreadView {
    pub network: NetworkName,
    /// Pages in a row that could not be read.
    pub pages_count: u32,
    /// Until when it is left alone, where it is.
    pub until: Option<Timestamp>,
    /// What a person can do.
    pub advice: String,
}

impl Unread {
    pub(super) fn is_resting(&self) -> bool {
        self.until.is_some()
    }

    /// Until when it waits, where it does.
    pub(super) fn rests_until(&self) -> Option<Timestamp> {
        self.until
    }

    /// It waits at least until then; gives until when.
    pub(super) fn rest_on(&mut self, until: Timestamp) -> Timestamp {
        let until = self.until.map_or(until, |known| known.max(until));
        self.until = Some(until);
        until
    }
}

impl Core {
    /// Servers whose last pages could not be read.
    pub(crate) fn unread_views(&self) -> Vec<UnreadView> {
        let view = |key: ServerKey| {
            let (unread, network) = (self.servers.unread(key), self.servers.network(key));
            (unread.count > 0).then(|| UnreadView {
                network: network.clone(),
                pages_count: unread.count,
                until: unread.until,
                advice: self.advice(network),
            })
        };
        self.servers.keys().filter_map(view).collect()
    }

    /// Whether nothing follows from this page.
    pub(super) fn is_unread(&self, seen: Seen, page: &Page) -> bool {
        let is_blank_board = self.visits.get(seen.visit).is_some_and(|visit| {
            &*visit.source.root_kind == BOARD
                && visit.source.coverage.intervals.is_empty()
                && visit.walk.intent == Intent::First
        });
        page.is_unread() && !is_blank_board
    }

    /// Nothing of an answer can be read.
    pub(super) fn on_unreadable(&mut self, page: Page, seen: Seen, now: Timestamp) {
        let visit = &mut self.visits[seen.visit];
        if !matches!(visit.walk.leg, Leg::List | Leg::Recheck) {
            return self.on_refusal(&Outcome::Unreadable, page, seen, now);
        }
        if visit.walk.turn_to_first() {
            return self.send(seen.visit, now);
        }
        let (key, network, robot) = (visit.key, visit.source.network.clone(), visit.source.robot);
        let unread = self.servers.unread_mut(key);
        (unread.count, unread.robot) = (unread.count.saturating_add(1), Some(robot));
        let what = page.complaints.first().map_or("it is empty", |complaint| complaint.what.as_str());
        let why = format!("nothing of the page can be read: {what}; {}", self.advice(&network));
        if self.servers.unread(key).count >= UNREAD_MAX {
            self.rest_server(key, now);
            let visit = &self.visits[seen.visit];
            self.tally.failure(&visit.source, &why, now);
        }
        self.fail(seen.visit, &why, true, now);
    }

    /// A page of this server was read by a robot.
    pub(super) fn read_some(&mut self, key: ServerKey, robot: RobotKind, now: Timestamp) {
        let unread = self.servers.unread(key);
        if unread.count > 0 && unread.robot.is_none_or(|unable| unable == robot) {
            self.forgive_unread(key, now);
        }
    }

    /// What a person can do about pages that cannot be read.
    fn advice(&self, network: &NetworkName) -> String {
        let registry = self.networks.snapshot();
        let front = registry.get(network.definition()).and_then(|network| network.front.as_ref());
        match front {
            Some(front) => format!(
                "if its layout has changed, `freshet forum learn {} -o networks/{network}.toml` in the data directory \
                 learns it anew",
                front.url
            ),
            None => format!("the definition of `{network}` may be out of date"),
        }
    }

    fn rest_server(&mut self, key: ServerKey, now: Timestamp) {
        let unread = self.servers.unread_mut(key);
        let wait = (REST_FIRST * f64::from(1_u32 << unread.rest_count.min(10))).min(REST_MAX);
        unread.rest_count += 1;
        // One page more decides whether it waits again.
        unread.count = UNREAD_MAX - 1;
        unread.until = Some(now + wait);
        self.servers.rest_all(key, now + wait);
    }

    /// Its pages can be read, or are read otherwise from now on: nobody waits any longer.
    pub(super) fn forgive_unread(&mut self, key: ServerKey, now: Timestamp) {
        let before = std::mem::take(self.servers.unread_mut(key));
        if before.until.is_none() {
            return;
        }
        self.servers.end_rests(key);
        for robot in RobotKind::ALL {
            self.frontier.release_class(key, schedule::class_of(robot));
        }
        let is_waiting = |(_, slot): &(SourceId, Slot)| {
            slot.key == key && slot.waits_for_news() && slot.state.is_watched() && self.is_at_work(slot)
        };
        let waiting: Vec<(SourceId, Slot)> = self.sources.all().filter(is_waiting).collect();
        for (id, slot) in waiting {
            let news_at = if slot.state == SourceState::Failed { now } else { slot.news_at };
            self.sources.set(id, Slot { news_at, ..slot });
            self.await_news(id);
        }
    }
}
