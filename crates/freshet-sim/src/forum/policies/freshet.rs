//! `freshet` on forums: one price for a page, whatever it is a page of.
//!
//! A page of an index shows, for each of its threads, how many posts it has and when the last was made; the portal shows the same of boards. So a
//! post list need only be fetched when its thread is *known* to have news, and looking for news is done where one page tells of many
//! lists. Every page that could be fetched has a critical price, in post-seconds: the price at which it would be fetched now. The page
//! with the highest goes next, which spends any bandwidth without a price being computed.
//!
//! Prices are those of [`freshet_policy::forum`], by which the engine goes too: [`freshet_policy::forum::Activity`] of threads, those known to have
//! news and those that may have some, and [`freshet_policy::forum::Board`] of index lists and of the portal. The archive gets a fixed
//! share of the pages until it is mirrored.

mod board;
mod thread;

use std::collections::VecDeque;

use freshet_policy::forum::activity::HOT_S;
use freshet_policy::forum::{Board, Hours, Idle, ListKind, Ratio};

use super::super::setup::DAY_S;
use super::super::{Address, ForumPolicy, Rows, Setup, Sheet};
use super::lists::Sharing;
use board::KnownBoard;
use thread::Thread;

/// Share of the pages that mirror the archive while there is any.
const ARCHIVE_SHARE: f64 = 0.75;
/// Seconds after which rates by silence are computed anew.
const REFRESH_S: f64 = DAY_S;

/// The policy.
#[derive(Debug)]
pub struct Freshet {
    name: &'static str,
    sharing: Sharing,
    page_size: u32,
    start_s: f64,
    /// Pages of the archive that were never fetched: of index lists, of post lists.
    archive: [VecDeque<Address>; 2],
    archive_credit: f64,
    /// Pages that must follow a page that was full of news.
    further: VecDeque<Address>,
    threads: Vec<Thread>,
    boards: Vec<KnownBoard>,
    /// Threads known to have news.
    waiting: Vec<u32>,
    idle: Idle,
    hours: Hours,
    ratio: Ratio,
    refreshed_s: f64,
}

/// A page and its critical price.
type Offer = (f64, Address);

impl Freshet {
    /// At the portal.
    pub fn new(name: &'static str, setup: &Setup, sharing: Sharing) -> Self {
        Self {
            name,
            sharing,
            page_size: setup.page_size,
            start_s: setup.start.secs_f64(),
            archive: [VecDeque::from([Address::Portal]), VecDeque::new()],
            archive_credit: 1.0,
            further: VecDeque::new(),
            threads: Vec::new(),
            boards: Vec::new(),
            waiting: Vec::new(),
            idle: Idle::default(),
            hours: Hours::default(),
            ratio: Ratio::default(),
            refreshed_s: f64::NEG_INFINITY,
        }
    }

    /// Once a day: rates with the gaps that are still open, threads that fell silent.
    fn refresh(&mut self, now_s: f64) {
        self.refreshed_s = now_s;
        let open = self.threads.iter().filter(|thread| thread.is_known());
        let open: Vec<_> =
            open.map(|thread| (thread.activity.class, now_s - thread.activity.last_s)).collect();
        self.idle.refresh(open);
        for board in &mut self.boards {
            board.hot.retain(|thread| now_s - self.threads[*thread as usize].activity.last_s < HOT_S);
        }
    }

    /// A page of the archive that still has something.
    fn archived(&mut self) -> Option<Address> {
        while let Some(address) = self.archive[0].pop_front().or_else(|| self.archive[1].pop_front()) {
            let is_seen = match address {
                Address::Posts { thread, page } => {
                    self.threads[thread as usize].has_page(page, self.page_size)
                }
                _ => false,
            };
            if !is_seen {
                return Some(address);
            }
        }
        None
    }

    /// The best page that shows posts.
    fn post_offer(&self, now_s: f64) -> Option<Offer> {
        let known = self.waiting.iter().map(|&number| {
            let thread = &self.threads[number as usize];
            let rate_per_s = self.idle.rate_per_s(thread.activity.class, now_s - thread.activity.last_s)
                * self.hours.factor(now_s);
            (thread.known_price(rate_per_s), number)
        });
        let hot = self.boards.iter().flat_map(|board| board.hot.iter().map(move |number| (board, *number)));
        let hot = hot.filter(|(_, number)| !self.threads[*number as usize].has_news());
        let guessed = hot.map(|(board, number)| {
            let activity = &self.threads[number as usize].activity;
            (activity.expected(&self.idle, board.board.looked_s, now_s).1 * self.hours.factor(now_s), number)
        });
        let best = known.chain(guessed).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
        let page = self.threads[best.1 as usize].news_page(self.page_size);
        Some((best.0, Address::Posts { thread: best.1, page }))
    }

    /// The best page that tells of news.
    fn index_offer(&self, now_s: f64) -> Option<Offer> {
        let factor = self.hours.factor(now_s);
        let (mut best, mut wait_s, mut page_count): (Option<Offer>, f64, f64) = (None, 0.0, 1.0);
        let looked = self.boards.iter().enumerate().filter(|(_, listed)| listed.board.looked_s.is_finite());
        for (number, KnownBoard { board, hot, .. }) in looked {
            let hot = hot.iter().map(|thread| &self.threads[*thread as usize]);
            let hot = hot.filter(|thread| !thread.has_news()).map(|thread| &thread.activity);
            let outlook = board.outlook(hot, &self.idle, factor, now_s);
            if best.is_none_or(|(price, _)| outlook.price > price) {
                best = Some((outlook.price, Address::Index { board: number as u32, page: 1 }));
            }
            if !board.has_news() {
                wait_s += outlook.wait_s;
                page_count += outlook.shared;
            }
        }
        let portal = wait_s / page_count;
        if self.boards.len() > 1 && best.is_none_or(|(price, _)| portal > price) {
            best = Some((portal, Address::Portal));
        }
        best
    }

    fn learn_portal(&mut self, now_s: f64, sheet: &Sheet) {
        let Rows::Boards(rows) = &sheet.rows else { return };
        for row in rows {
            let number = row.board as usize;
            if self.boards.len() <= number {
                self.boards.resize_with(number + 1, KnownBoard::default);
            }
            let board = &mut self.boards[number];
            if !board.is_listed {
                board.is_listed = true;
                self.archive[0].push_back(Address::Index { board: row.board, page: 1 });
            }
            board.told(row, now_s);
        }
    }

    fn learn_index(&mut self, now_s: f64, (board_number, page): (u32, u32), sheet: &Sheet) {
        let Rows::Threads(rows) = &sheet.rows else { return };
        let Board { looked_s, before_s, .. } = self.boards[board_number as usize].board;
        let before_s = if page == 1 { looked_s } else { before_s };
        let mut new_count = 0;
        for row in rows {
            let number = row.thread as usize;
            if self.threads.len() <= number {
                self.threads.resize_with(number + 1, Thread::default);
            }
            let thread = &mut self.threads[number];
            let (is_first, was_hot) =
                (!thread.is_known(), thread.is_known() && thread.activity.is_hot(now_s));
            let more = thread.shown(row, board_number);
            let board = &mut self.boards[board_number as usize];
            new_count += usize::from(is_first);
            board.post_count += more;
            // What the archive holds of a thread, and what is news of it.
            let is_news = row.last_s as f64 >= self.start_s;
            if is_first {
                let pages = row.post_count.div_ceil(self.page_size);
                let old = if is_news { pages - 1 } else { pages };
                self.archive[1].extend((1..=old).map(|page| Address::Posts { thread: row.thread, page }));
            }
            if more > 0 && is_news && row.last_s as f64 >= before_s && !was_hot {
                board.board.arrived();
            }
            if is_news && self.threads[number].has_news() && !self.waiting.contains(&row.thread) {
                self.waiting.push(row.thread);
            }
            if now_s - (row.last_s as f64) < HOT_S && !board.hot.contains(&row.thread) {
                board.hot.push(row.thread);
            }
        }
        self.ratio.learn(ListKind::Index, new_count);
        let board = &mut self.boards[board_number as usize];
        if page == 1 {
            if looked_s.is_infinite() {
                let pages = (2..=sheet.page_count).map(|page| Address::Index { board: board_number, page });
                self.archive[0].extend(pages);
            }
            board.board.looked(now_s);
        }
        // Every row moved since the last look: there may be more behind it.
        let is_full = rows.iter().all(|row| row.last_s as f64 >= before_s) && page < sheet.page_count;
        if is_full && before_s.is_finite() {
            self.further.push_back(Address::Index { board: board_number, page: page + 1 });
        }
    }

    fn learn_posts(&mut self, now_s: f64, (number, page): (u32, u32), sheet: &Sheet) {
        let Rows::Posts(rows) = &sheet.rows else { return };
        let thread = &mut self.threads[number as usize];
        let before = thread.count;
        let first_new = thread.seen(now_s, page, self.page_size, sheet, &mut self.idle);
        rows[first_new..].iter().for_each(|row| self.hours.learn(row.at_s as f64));
        self.ratio.learn(ListKind::Posts, rows.len() - first_new);
        if let Some(board) = thread.board.and_then(|board| self.boards.get_mut(board as usize)) {
            board.post_count += thread.count - before;
        }
        if thread.has_news() && thread.activity.last_s >= self.start_s && !self.waiting.contains(&number) {
            self.waiting.push(number);
        }
        if !thread.has_news() {
            self.waiting.retain(|other| *other != number);
        }
    }
}

impl ForumPolicy for Freshet {
    fn name(&self) -> &'static str {
        self.name
    }

    fn next(&mut self, now_s: f64) -> Option<Address> {
        if now_s >= self.refreshed_s + REFRESH_S {
            self.refresh(now_s);
        }
        if let Some(address) = self.further.pop_front() {
            return Some(address);
        }
        self.archive_credit = (self.archive_credit + ARCHIVE_SHARE).min(2.0);
        if self.archive_credit >= 1.0
            && let Some(address) = self.archived()
        {
            self.archive_credit -= 1.0;
            return Some(address);
        }
        let (index, posts) = (self.index_offer(now_s), self.post_offer(now_s));
        let best = match (self.sharing, index, posts) {
            (Sharing::Ratio, Some(index), Some(posts)) => {
                Some(if self.ratio.turn() == ListKind::Index { index } else { posts })
            }
            (_, index, posts) => index.into_iter().chain(posts).max_by(|a, b| a.0.total_cmp(&b.0)),
        };
        best.map(|(_, address)| address).or_else(|| self.archived())
    }

    fn learn(&mut self, now_s: f64, address: Address, sheet: &Sheet) {
        match address {
            Address::Portal => self.learn_portal(now_s, sheet),
            Address::Index { board, page } => self.learn_index(now_s, (board, page), sheet),
            Address::Posts { thread, page } => self.learn_posts(now_s, (thread, page), sheet),
        }
    }
}
