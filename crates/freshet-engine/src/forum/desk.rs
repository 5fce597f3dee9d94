//! Which list of a forum is read next: the one whose page has the highest critical price. Steps 2 and 3 of 10.
//!
//! An index list shows when each of its threads last got a post, and a front page may show the same of boards. So a thread is read when it
//! is *known* to have news, and news are looked for where one page tells of many lists. Prices are those of
//! [`freshet_policy::forum`], as in the experiment of docs/results/forums.md: the page with the highest goes next, which spends any
//! bandwidth without a price being computed.
//!
//! | list | offered | at |
//! |---|---|---|
//! | thread with news that an index told of | until it is read | [`Activity::known_price`] |
//! | thread that posted within half a day | always | what is expected to have gathered, [`Activity::expected`] |
//! | index list | always | what is expected of it and of the boards that it tells of, [`Board::outlook`] |
//! | one not read for the ceiling, or that a person wants | at once | above all others |
//! | thread of which no index tells | when the policy has it due | the price at which it was due |
//!
//! Two queues stand beside the prices, and get a share of the pages (`core/desk.rs`): threads never read (the archive), and threads
//! that are due by their own schedule although an index would have told (`aside`). Pure: times in seconds come in, lists go out. Threads that
//! are silent take no memory here; nothing survives the process but what is trained from the store.

mod lists;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use freshet_policy::forum::{Activity, Hours, Idle};
use freshet_store::row::LeadTold;
use freshet_types::{Set, SourceId, Span};

use lists::{Index, Thread};

/// Seconds after which rates by silence are computed anew.
const REFRESH_S: f64 = 3600.0;
/// Above every price.
const AT_ONCE: f64 = f64::INFINITY;

/// All lists of one forum.
#[derive(Debug)]
pub(crate) struct Desk {
    began_s: f64,
    indexes: BTreeMap<SourceId, Index>,
    /// Those that posted of late, or are known to have news.
    threads: BTreeMap<SourceId, Thread>,
    unread: Set<SourceId>,
    archive: VecDeque<SourceId>,
    aside: VecDeque<SourceId>,
    /// Due threads of which no index tells.
    due: BTreeSet<SourceId>,
    wanted: BTreeSet<SourceId>,
    /// Index lists show when their threads got their last post.
    tells: bool,
    table: Table,
    refreshed_s: f64,
}

/// What all threads of a forum have in common.
#[derive(Clone, Debug, Default)]
pub struct Table {
    idle: Idle,
    hours: Hours,
    /// Posts that it was learned from.
    post_count: usize,
}

impl Table {
    /// One thread, by its ascending times.
    pub(crate) fn learn_list(&mut self, times_s: &[i64], now_s: f64) {
        let mut thread = Thread::default();
        for at_s in times_s {
            thread.learn(*at_s as f64, self);
        }
        thread.fall_silent(now_s, self);
    }

    fn refresh(&mut self, open: impl IntoIterator<Item = (usize, f64)>) {
        self.idle.refresh(open);
    }
}

/// What bounds an offer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// No list is read more often than this, and none that an index does not tell of more rarely than the ceiling.
    pub(crate) floor: Span,
    pub(crate) ceiling: Span,
    /// The price at which the policy has lists due.
    pub(crate) price: f64,
}

/// A list and the critical price of its next page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Offer {
    pub(crate) id: SourceId,
    pub(crate) price: f64,
}

impl Desk {
    pub(crate) fn new(now_s: f64) -> Self {
        Self {
            began_s: now_s,
            indexes: BTreeMap::new(),
            threads: BTreeMap::new(),
            unread: Set::default(),
            archive: VecDeque::new(),
            aside: VecDeque::new(),
            due: BTreeSet::new(),
            wanted: BTreeSet::new(),
            tells: false,
            table: Table::default(),
            refreshed_s: now_s,
        }
    }

    /// There is such an index list; when it was read last, where it was.
    pub(crate) fn add_index(&mut self, id: SourceId, visited_s: Option<f64>) {
        self.indexes.entry(id).or_default().since_s = visited_s.unwrap_or(self.began_s);
    }

    /// There is such a thread, and it was never read.
    pub(crate) fn add_unread(&mut self, id: SourceId) {
        if self.unread.insert(id) {
            self.archive.push_back(id);
        }
    }

    /// A thread is due by its own schedule.
    pub(crate) fn add_due(&mut self, id: SourceId) {
        let is_priced = self.threads.get(&id).is_some_and(|thread| thread.news_s.is_some());
        if self.unread.contains(&id) || is_priced {
            return;
        }
        if self.tells {
            self.aside.push_back(id);
        } else {
            self.due.insert(id);
        }
    }

    /// A person wants this list.
    pub(crate) fn want(&mut self, id: SourceId) {
        self.wanted.insert(id);
    }

    /// The first page of an index list was read.
    pub(crate) fn looked(&mut self, id: SourceId, now_s: f64) {
        self.wanted.remove(&id);
        self.indexes.entry(id).or_default().looked(now_s);
    }

    /// A page of an index list told of these lists.
    pub(crate) fn on_told(&mut self, index_id: SourceId, told: &[LeadTold], now_s: f64) {
        let Some(mut index) = self.indexes.remove(&index_id) else { return };
        for lead in told {
            if let Some(board) = self.indexes.get_mut(&lead.id) {
                index.tells_of(lead, board, now_s);
            } else if lead.is_thread {
                self.tells |= lead.active_at.is_some();
                let is_unread = self.unread.contains(&lead.id);
                let thread = index.on_told(lead, is_unread, self.threads.get(&lead.id).copied(), now_s);
                if let Some(thread) = thread {
                    self.threads.insert(lead.id, Thread { index: Some(index_id), ..thread });
                }
            }
        }
        self.indexes.insert(index_id, index);
    }

    /// These posts of a thread are new, by their times in order.
    pub(crate) fn learn(&mut self, id: SourceId, times_s: impl Iterator<Item = f64>) {
        let thread = self.threads.entry(id).or_default();
        times_s.for_each(|at_s| thread.learn(at_s, &mut self.table));
    }

    /// A thread was read to its end.
    pub(crate) fn read(&mut self, id: SourceId, now_s: f64) {
        self.unread.remove(&id);
        self.due.remove(&id);
        self.wanted.remove(&id);
        let Some(thread) = self.threads.get_mut(&id) else { return };
        if !thread.read(now_s) {
            thread.fall_silent(now_s, &mut self.table);
            self.threads.remove(&id);
        }
    }

    /// A list could not be read: it is offered again from then on.
    pub(crate) fn put_off(&mut self, id: SourceId, until_s: f64) {
        self.unread.remove(&id);
        if let Some(index) = self.indexes.get_mut(&id) {
            index.not_before_s = until_s;
        } else {
            self.threads.entry(id).or_default().news_s = Some(until_s);
        }
    }

    /// What was trained from the store, where that is more than was learned since the start.
    pub(crate) fn set_table(&mut self, table: Table, now_s: f64) {
        if table.post_count > self.table.post_count {
            self.table = table;
            self.refresh(now_s);
        }
    }

    /// Now and then: rates with the gaps that are still open; threads that fell silent are forgotten.
    pub(crate) fn refresh_if_due(&mut self, now_s: f64) {
        if now_s - self.refreshed_s >= REFRESH_S {
            self.refresh(now_s);
        }
    }

    fn refresh(&mut self, now_s: f64) {
        self.refreshed_s = now_s;
        let (table, unread) = (&mut self.table, &self.unread);
        self.threads.retain(|id, thread| {
            let is_kept = thread.activity.is_hot(now_s) || thread.news_s.is_some();
            if !is_kept && !unread.contains(id) {
                thread.fall_silent(now_s, table);
            }
            is_kept
        });
        let open = self.threads.iter().filter(|(id, _)| !unread.contains(*id));
        let open = open.map(|(_, thread)| (thread.activity.class, now_s - thread.activity.last_s));
        table.refresh(open);
        for index in self.indexes.values_mut() {
            index.hot.retain(|id| self.threads.contains_key(id));
        }
    }

    /// The next thread of the archive.
    pub(crate) fn pop_archived(&mut self, is_free: impl Fn(SourceId) -> bool) -> Option<SourceId> {
        while self.archive.front().is_some_and(|id| !self.unread.contains(id)) {
            self.archive.pop_front();
        }
        // One that may not be read now, since its robot rests, keeps its place.
        let place = self.archive.iter().position(|id| self.unread.contains(id) && is_free(*id))?;
        self.archive.remove(place)
    }

    /// A list that was chosen was not read: one of the archive waits there again.
    pub(crate) fn return_unread(&mut self, id: SourceId) {
        if self.unread.contains(&id) {
            self.archive.push_front(id);
        }
    }

    /// The next thread that is due although no index tells of news.
    pub(crate) fn pop_aside(&mut self, is_free: impl Fn(SourceId) -> bool) -> Option<SourceId> {
        std::iter::from_fn(|| self.aside.pop_front()).find(|id| is_free(*id))
    }

    /// The list whose next page is worth most.
    pub(crate) fn best(
        &self,
        limits: Limits,
        is_free: impl Fn(SourceId) -> bool,
        now_s: f64,
    ) -> Option<Offer> {
        let factor = self.table.hours.factor(now_s);
        let wanted = self.wanted.iter().map(|id| Offer { id: *id, price: AT_ONCE });
        let due = self.due.iter().map(|id| Offer { id: *id, price: limits.price });
        let offers = wanted.chain(due).chain(self.index_offers(limits, factor, now_s));
        let offers = offers.chain(self.thread_offers(limits, factor, now_s));
        let free = offers.filter(|offer| is_free(offer.id));
        free.max_by(|one, other| one.price.total_cmp(&other.price).then(other.id.cmp(&one.id)))
    }

    fn thread_offers(&self, limits: Limits, factor: f64, now_s: f64) -> impl Iterator<Item = Offer> {
        let rests = move |activity: &Activity| now_s - activity.fetched_s < limits.floor.secs_f64();
        let idle = &self.table.idle;
        self.threads.iter().filter(move |(_, thread)| !rests(&thread.activity)).filter_map(
            move |(&id, thread)| {
                let activity = &thread.activity;
                if let Some(news_s) = thread.news_s {
                    let rate_per_s = idle.rate_per_s(activity.class, now_s - activity.last_s) * factor;
                    let price = activity.known_price(1.0, rate_per_s);
                    return (news_s <= now_s).then_some(Offer { id, price });
                }
                let index = thread.index.and_then(|index| self.indexes.get(&index))?;
                let is_watched = activity.is_hot(now_s) && !self.unread.contains(&id);
                let price = activity.expected(idle, index.board.looked_s, now_s).1 * factor;
                is_watched.then_some(Offer { id, price })
            },
        )
    }

    fn index_offers(&self, limits: Limits, factor: f64, now_s: f64) -> Vec<Offer> {
        let looked = |index: &&Index| index.board.looked_s.is_finite();
        let outlook = |index: &Index| {
            let hot = index.hot.iter().filter(|id| !self.unread.contains(*id));
            let hot = hot.filter_map(|id| self.threads.get(id)).filter(|thread| thread.news_s.is_none());
            index.board.outlook(hot.map(|thread| &thread.activity), &self.table.idle, factor, now_s)
        };
        let outlooks: BTreeMap<SourceId, _> = self
            .indexes
            .iter()
            .filter(|(_, index)| looked(index))
            .map(|(id, it)| (*id, outlook(it)))
            .collect();
        let price = |id: &SourceId, index: &Index| {
            let age_s = now_s - index.board.looked_s;
            if now_s < index.not_before_s || age_s < limits.floor.secs_f64() {
                return None;
            }
            let own = outlooks.get(id).filter(|_| age_s < limits.ceiling.secs_f64());
            let Some(own) = own else { return Some(AT_ONCE) };
            let mut price = if index.has_threads || index.board.has_news() { own.price } else { 0.0 };
            let told = index
                .boards
                .iter()
                .filter_map(|board| Some((self.indexes.get(board)?, outlooks.get(board)?)));
            let told: Vec<_> = told.filter(|(board, _)| !board.board.has_news()).map(|(_, it)| it).collect();
            // One that tells of a single board tells what that tells itself.
            if index.boards.len() > 1 {
                let pages = 1.0 + told.iter().map(|it| it.shared).sum::<f64>();
                price += told.iter().map(|it| it.wait_s).sum::<f64>() / pages;
            }
            (price > 0.0).then_some(price)
        };
        self.indexes
            .iter()
            .filter_map(|(id, index)| price(id, index).map(|price| Offer { id: *id, price }))
            .collect()
    }
}

#[cfg(test)]
mod tests;
