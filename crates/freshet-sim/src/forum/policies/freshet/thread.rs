//! What `freshet` knows of a thread: what index pages showed of it, and which of its posts were fetched.
//!
//! Of a long thread with news the last page is fetched first and the archive follows, so what was fetched is a stretch of places that ends at the
//! newest known post (the tail), and pages before it that the archive's queue holds.

use freshet_policy::forum::idle::class_of;
use freshet_policy::forum::{Activity, Idle};

use super::super::super::{Rows, Sheet, ThreadRow};

#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    pub(super) board: Option<u32>,
    /// Posts that it is known to have.
    pub(super) count: u32,
    /// Its newest known post, and its last fetch.
    pub(super) activity: Activity,
    /// Places of posts that were fetched, up to the newest of them.
    tail: std::ops::Range<u32>,
}

impl Thread {
    pub(super) fn is_known(&self) -> bool {
        self.count > 0
    }

    pub(super) fn has_news(&self) -> bool {
        self.count > self.tail.end
    }

    /// An index page showed it; gives how many posts it has more than was known.
    pub(super) fn shown(&mut self, row: &ThreadRow, board: u32) -> u32 {
        let more = row.post_count.saturating_sub(self.count);
        if more == 0 {
            return 0;
        }
        let (last_s, started_s) = (row.last_s as f64, row.started_s as f64);
        if self.is_known() {
            self.activity.told(last_s, more);
        } else {
            self.board = Some(board);
            self.activity = Activity::met(started_s, last_s, row.post_count);
        }
        self.count = row.post_count;
        more
    }

    /// The page on which its news begin; of a thread never fetched, or without known news, its last.
    pub(super) fn news_page(&self, page_size: u32) -> u32 {
        let is_known = self.has_news() && !self.tail.is_empty();
        let index = if is_known { self.tail.end } else { self.count.max(1) - 1 };
        index / page_size + 1
    }

    /// Whether a page was fetched and is full.
    pub(super) fn has_page(&self, page: u32, page_size: u32) -> bool {
        let from = (page - 1) * page_size;
        self.tail.start <= from
            && (from + page_size <= self.tail.end || self.tail.end >= self.count)
            && from < self.tail.end
    }

    /// A page was fetched; gives the place on the page of its first new row, and learns gaps from there on.
    pub(super) fn seen(
        &mut self,
        now_s: f64,
        page: u32,
        page_size: u32,
        sheet: &Sheet,
        idle: &mut Idle,
    ) -> usize {
        let Rows::Posts(rows) = &sheet.rows else { return 0 };
        let from = (page - 1) * page_size;
        let to = from + rows.len() as u32;
        let is_before = to <= self.tail.start;
        let first_new =
            if is_before { 0 } else { self.tail.end.saturating_sub(from).min(rows.len() as u32) as usize };
        if self.tail.is_empty() {
            self.tail = from..to;
        } else if from >= self.tail.start && from <= self.tail.end {
            self.tail.end = self.tail.end.max(to);
        } else if to == self.tail.start {
            self.tail.start = from;
        }
        let told = if page < sheet.page_count { (sheet.page_count - 1) * page_size + 1 } else { to };
        self.count = self.count.max(told);
        let time = |index: usize| rows[index].at_s as f64;
        for index in first_new.max(1)..rows.len() {
            let before_s = (index >= 2).then(|| time(index - 1) - time(index - 2));
            let is_told = index >= 2 || page == 1;
            let class = if is_told { class_of(before_s) } else { self.activity.class };
            idle.learn(class, time(index) - time(index - 1));
        }
        if to == self.tail.end && !rows.is_empty() {
            self.activity.fetched_s = now_s;
            let last = rows.len() - 1;
            if time(last) >= self.activity.last_s {
                self.activity.last_s = time(last);
                self.activity.class = class_of((last > 0).then(|| time(last) - time(last - 1)));
            }
        }
        first_new
    }

    /// The critical price of fetching news that are known to be there, in post-seconds.
    pub(super) fn known_price(&self, rate_per_s: f64) -> f64 {
        let count = f64::from(self.count - self.tail.end.min(self.count));
        self.activity.known_price(count, rate_per_s)
    }
}
