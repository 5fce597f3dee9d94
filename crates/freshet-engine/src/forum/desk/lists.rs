//! One index list and one thread, as the desk of their forum knows them.

use freshet_policy::forum::idle::class_of;
use freshet_policy::forum::{Activity, Board};
use freshet_store::row::LeadTold;
use freshet_types::{SourceId, Timestamp};

use super::Table;

/// An index list: a board, or a front page.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) board: Board,
    /// It has shown threads.
    pub(super) has_threads: bool,
    /// Threads that it showed and that posted within half a day.
    pub(super) hot: Vec<SourceId>,
    /// Boards whose last activity it shows.
    pub(super) boards: Vec<SourceId>,
    /// What happened before this is archive, where the list has not been read twice.
    pub(super) since_s: f64,
    pub(super) not_before_s: f64,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            board: Board::default(),
            has_threads: false,
            hot: Vec::new(),
            boards: Vec::new(),
            since_s: f64::NEG_INFINITY,
            not_before_s: f64::NEG_INFINITY,
        }
    }
}

impl Index {
    pub(super) fn looked(&mut self, now_s: f64) {
        self.not_before_s = f64::NEG_INFINITY;
        self.board.looked(now_s);
    }

    /// It showed this of another index list.
    pub(super) fn tells_of(&mut self, lead: &LeadTold, board: &mut Self, now_s: f64) {
        let Some(active_at) = lead.active_at else { return };
        if !self.boards.contains(&lead.id) {
            self.boards.push(lead.id);
        }
        match lead.due_at {
            None => board.board.told(active_at.secs_f64(), None, now_s),
            Some(at) if at.secs_f64() <= now_s => board.board.told(active_at.secs_f64(), Some(1), now_s),
            // Its time is written too coarsely to say.
            Some(_) => {}
        }
    }

    /// It showed this of a thread, of which so much was known; gives what is known now, where that is worth keeping.
    pub(super) fn on_told(
        &mut self,
        lead: &LeadTold,
        is_unread: bool,
        known: Option<Thread>,
        now_s: f64,
    ) -> Option<Thread> {
        self.has_threads = true;
        let before_s = self.board.before_s.max(self.since_s);
        let Some(active_s) = lead.active_at.map(Timestamp::secs_f64) else {
            if lead.is_new && self.board.before_s.is_finite() {
                self.board.arrived();
            }
            return None;
        };
        let was_hot = known.is_some_and(|thread| thread.activity.is_hot(now_s));
        let is_more = known.is_none_or(|thread| active_s > thread.activity.last_s);
        let is_fresh = active_s >= before_s;
        let news_s = lead.due_at.map(Timestamp::secs_f64).filter(|_| !is_unread || is_fresh);
        if news_s.is_some() && is_more && is_fresh && !was_hot && self.board.before_s.is_finite() {
            self.board.arrived();
        }
        let mut thread = known.unwrap_or_else(|| Thread::met(lead, active_s));
        if known.is_some() && is_more {
            thread.activity.told(active_s, 1);
        }
        // What a look after that did not find may appear later, or never: each look doubles the wait.
        let looked_s = lead.visited_at.map_or(f64::NEG_INFINITY, Timestamp::secs_f64);
        let over_s = active_s + lead.grain.secs_f64();
        let again_s = if looked_s > over_s { 2.0 * looked_s - over_s } else { f64::NEG_INFINITY };
        thread.news_s = news_s.map(|news_s| thread.news_s.unwrap_or(news_s.max(again_s)));
        let is_hot = thread.activity.is_hot(now_s);
        if is_hot && !self.hot.contains(&lead.id) {
            self.hot.push(lead.id);
        }
        (is_hot || news_s.is_some()).then_some(thread)
    }
}

/// A thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Thread {
    pub(super) activity: Activity,
    /// Its newest post that was read, and the class of the gap before it where that is known.
    pub(super) newest: Option<(f64, Option<usize>)>,
    /// It has news, which may be read from then on.
    pub(super) news_s: Option<f64>,
    /// The index list that tells of it.
    pub(super) index: Option<SourceId>,
}

impl Thread {
    /// Nothing is remembered of it but what is stored.
    fn met(lead: &LeadTold, active_s: f64) -> Self {
        let newest_s = lead.newest_at.map(Timestamp::secs_f64);
        let fetched_s = lead.visited_at.map_or(active_s, Timestamp::secs_f64);
        let class = class_of(newest_s.map(|newest_s| active_s - newest_s));
        let activity = Activity { last_s: active_s, class, fetched_s };
        Self { activity, newest: newest_s.map(|at_s| (at_s, None)), ..Self::default() }
    }

    /// It has a post of that time; times ascend.
    pub(super) fn learn(&mut self, at_s: f64, table: &mut Table) {
        let gap_s = self.newest.map(|(before_s, _)| (at_s - before_s).max(0.0));
        // What had fallen silent was counted then.
        if let (Some(gap_s), Some((_, Some(class)))) = (gap_s, self.newest) {
            table.idle.learn(class, gap_s);
        }
        table.hours.learn(at_s);
        table.post_count += 1;
        self.newest = Some((at_s, Some(class_of(gap_s))));
        if at_s >= self.activity.last_s {
            (self.activity.last_s, self.activity.class) = (at_s, class_of(gap_s));
        }
    }

    /// It was read to its end; gives whether it posted of late.
    pub(super) fn read(&mut self, now_s: f64) -> bool {
        (self.activity.fetched_s, self.news_s) = (now_s, None);
        self.activity.is_hot(now_s)
    }

    /// It is not watched any more: its silence counts as far as it has come.
    pub(super) fn fall_silent(&self, now_s: f64, table: &mut Table) {
        if let Some((at_s, Some(class))) = self.newest {
            table.idle.fall_silent(class, now_s - at_s);
        }
    }
}
