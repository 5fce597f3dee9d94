//! The part of the core that knows backlogs: sources of each server whose history has holes, in turn, behind the news.
//!
//! A few of them at a time stand in the last front queue of the frontier; the others wait here. No event walks over all
//! servers: those with something to do stand in a set.

use std::collections::{BTreeSet, VecDeque};

use freshet_types::{Politeness, ServerKey, SourceId, SourceState, Timestamp, VisitId};

use super::begin::HISTORY_CLASS;
use super::{Core, Slot};
use crate::walk::Aim;

/// Sources of one server that may read their history at once, at least; more where its politeness
/// leaves a place for news beside them.
const OPEN_MIN: usize = 4;

/// The backlog of one server.
#[derive(Debug, Default)]
struct Backlog {
    queue: VecDeque<SourceId>,
    ready_at: Timestamp,
    open_count: usize,
    open_max: usize,
    /// Who is next is decided elsewhere (`core/desk.rs`).
    is_dealt: bool,
    /// The time under which it stands among those that have something to do.
    listed_at: Option<Timestamp>,
}

impl Backlog {
    fn is_waiting(&self) -> bool {
        !self.is_dealt && !self.queue.is_empty() && self.open_count < self.open_max
    }
}

/// All backlogs, by server.
#[derive(Debug, Default)]
pub(super) struct Backlogs {
    list: Vec<Backlog>,
    /// The servers whose backlog may have a source begin, by when.
    ready: BTreeSet<(Timestamp, ServerKey)>,
    /// Sources in all of them.
    count: usize,
    /// Sources that stand in the frontier for their history, by when their news are due.
    standing: BTreeSet<(Timestamp, SourceId)>,
}

impl Backlogs {
    /// One more server, in the order of their keys.
    pub(super) fn add_server(&mut self, politeness: Politeness) {
        self.list.push(Backlog { open_max: open_max(politeness), ..Backlog::default() });
    }

    pub(super) fn set_politeness(&mut self, key: ServerKey, politeness: Politeness) {
        self.list[key.index()].open_max = open_max(politeness);
        self.settle(key);
    }

    /// Whether who is next at this server is decided elsewhere.
    pub(super) fn set_dealt(&mut self, key: ServerKey, is_dealt: bool) {
        self.list[key.index()].is_dealt = is_dealt;
        self.settle(key);
    }

    /// The first source of a server that may go on.
    pub(super) fn first_of(&self, key: ServerKey, may_go_on: impl Fn(SourceId) -> bool) -> Option<SourceId> {
        self.list[key.index()].queue.iter().copied().find(|id| may_go_on(*id))
    }

    /// A source of a server that waited to read its history begins.
    pub(super) fn open(&mut self, key: ServerKey, id: SourceId) {
        let queue = &mut self.list[key.index()].queue;
        if let Some(place) = queue.iter().position(|waiting| *waiting == id) {
            queue.remove(place);
            self.count -= 1;
        }
        self.opened(key);
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// When the next source may begin, or has news to read first.
    pub(super) fn ready_at(&self) -> Option<Timestamp> {
        let news_at = self.standing.first().map(|&(at, _)| at);
        self.ready.first().map(|&(at, _)| at).into_iter().chain(news_at).min()
    }

    /// A source that stands for its history although its news are due.
    fn pop_newsworthy(&mut self, now: Timestamp) -> Option<SourceId> {
        let &first = self.standing.first().filter(|first| first.0 <= now)?;
        self.standing.remove(&first);
        Some(first.1)
    }

    fn push(&mut self, key: ServerKey, id: SourceId, is_first: bool) {
        let queue = &mut self.list[key.index()].queue;
        if is_first {
            queue.push_front(id);
        } else {
            queue.push_back(id);
        }
        self.count += 1;
        self.settle(key);
    }

    /// The next source whose history may be read, with its server. Whoever begins it says so with `opened`.
    fn pop(&mut self, now: Timestamp) -> Option<(ServerKey, SourceId)> {
        let &(_, key) = self.ready.first().filter(|first| first.0 <= now)?;
        let id = self.list[key.index()].queue.pop_front().expect("only those with sources are ready");
        self.count -= 1;
        self.settle(key);
        Some((key, id))
    }

    /// Whether sources of a server read their history, or wait to.
    pub(super) fn is_busy(&self, key: ServerKey) -> bool {
        let backlog = &self.list[key.index()];
        !backlog.queue.is_empty() || backlog.open_count > 0
    }

    fn opened(&mut self, key: ServerKey) {
        self.list[key.index()].open_count += 1;
        self.settle(key);
    }

    fn closed(&mut self, key: ServerKey) {
        let backlog = &mut self.list[key.index()];
        backlog.open_count = backlog.open_count.saturating_sub(1);
        self.settle(key);
    }

    /// Nothing of a server before then.
    pub(super) fn put_off(&mut self, key: ServerKey, until: Timestamp) {
        let backlog = &mut self.list[key.index()];
        backlog.ready_at = backlog.ready_at.max(until);
        self.settle(key);
    }

    /// Its sources wait for nothing any longer.
    pub(super) fn end_wait(&mut self, key: ServerKey) {
        self.list[key.index()].ready_at = Timestamp::MIN;
        self.settle(key);
    }

    /// Notes whether and when a backlog has something to do.
    fn settle(&mut self, key: ServerKey) {
        let backlog = &mut self.list[key.index()];
        let listed_at = backlog.is_waiting().then_some(backlog.ready_at);
        let before = std::mem::replace(&mut backlog.listed_at, listed_at);
        if before == listed_at {
            return;
        }
        if let Some(at) = before {
            self.ready.remove(&(at, key));
        }
        if let Some(at) = listed_at {
            self.ready.insert((at, key));
        }
    }
}

/// Sources that may read their history at once, beside the news.
fn open_max(politeness: Politeness) -> usize {
    (politeness.in_flight_max.saturating_sub(1) as usize).max(OPEN_MIN)
}

impl Core {
    /// Lets history come after the news: a few sources of each server at a time.
    ///
    /// News go first: a source whose news fall due while it stands for its history is visited for them, and comes back
    /// afterwards if that leaves more to do.
    pub(super) fn pump_history(&mut self, now: Timestamp) {
        while let Some(id) = self.backlogs.pop_newsworthy(now) {
            let has_news = |slot: &Slot| slot.aim == Aim::History && !slot.is_leased && slot.news_at <= now;
            let Some(slot) = self.sources.get(id).filter(has_news) else { continue };
            self.leave_history(id);
            self.frontier.schedule(id, slot.key, slot.class(), Timestamp::MIN);
        }
        while let Some((key, id)) = self.backlogs.pop(now) {
            // One that takes turns leaves its history when it has its turn, whenever that is.
            let takes_turns = self.sources.get(id).is_some_and(|slot| self.takes_turns(id, &slot));
            let Some(slot) = self.sources.get_mut(id) else { continue };
            slot.is_backlogged = false;
            // One that is being visited comes back if that leaves more to do.
            let has_time = slot.news_at > now || takes_turns;
            if slot.waits_for_news() && slot.state == SourceState::Active && has_time {
                slot.aim = Aim::History;
                if !takes_turns {
                    self.backlogs.standing.insert((slot.news_at, id));
                }
                self.backlogs.opened(key);
                // Due since ever, hence at once: `now` would be rounded up to the next tick.
                self.frontier.schedule(id, key, HISTORY_CLASS, Timestamp::MIN);
            }
        }
    }

    /// Puts a source that has more history into the backlog of its server, once.
    pub(super) fn enqueue(&mut self, id: SourceId, is_first: bool) {
        let Some(slot) = self.sources.get_mut(id).filter(|slot| !slot.is_backlogged) else { return };
        slot.is_backlogged = true;
        self.backlogs.push(slot.key, id, is_first);
    }

    /// The source is not visited for its history after all.
    pub(super) fn leave_history(&mut self, id: SourceId) {
        let Some(slot) = self.sources.get_mut(id) else { return };
        let (key, aim) = (slot.key, std::mem::replace(&mut slot.aim, Aim::News));
        self.end_history(key, aim);
    }

    /// The visit asks for no more history, for now or at all: another source may.
    pub(super) fn free_history(&mut self, id: VisitId) {
        if let Some(key) = self.visits.get_mut(id).and_then(|visit| visit.history_key.take()) {
            self.end_history(key, Aim::History);
        }
    }

    pub(super) fn end_history(&mut self, key: ServerKey, aim: Aim) {
        if aim == Aim::History {
            self.backlogs.closed(key);
        }
    }
}
