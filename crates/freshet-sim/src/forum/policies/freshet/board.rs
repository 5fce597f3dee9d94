//! What `freshet` knows of a board, and the hours at which the forum posts.

use freshet_policy::forum::Idle;
use freshet_policy::forum::features::{hour_of, weekday_of};

use super::super::super::BoardRow;
use super::super::super::setup::DAY_S;
use super::thread::Thread;

/// Half-life of the rate at which threads are started or revived, in seconds: two weeks.
const HALF_LIFE_S: f64 = 14.0 * DAY_S;
/// One such thread is assumed to have come in so long before anything was seen.
const PRIOR_S: f64 = 2.0 * DAY_S;

/// One board.
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub(super) is_listed: bool,
    /// When its first page was fetched last, and the time before that.
    pub(super) looked_s: f64,
    pub(super) before_s: f64,
    /// When the portal was last seen to tell nothing new of it.
    told_s: f64,
    /// Posts that the portal told of and no index page has shown, and when the newest was made.
    pub(super) untold_count: u32,
    untold_s: f64,
    /// Posts that index pages have shown.
    pub(super) post_count: u32,
    /// Threads that posted within half a day.
    pub(super) hot: Vec<u32>,
    /// Threads started or revived, and the time that took, both decayed.
    arrived: f64,
    watched_s: f64,
}

/// What a look at the board is worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook {
    /// The critical price of its first page.
    pub(super) price: f64,
    /// Post-seconds expected to have gathered since anything was heard of it.
    pub(super) wait_s: f64,
    /// Pages that would have been shared had we come later, seen from the portal.
    pub(super) shared: f64,
}

impl Board {
    pub(super) fn new() -> Self {
        Self {
            is_listed: false,
            looked_s: f64::NEG_INFINITY,
            before_s: f64::NEG_INFINITY,
            told_s: f64::NEG_INFINITY,
            untold_count: 0,
            untold_s: f64::NEG_INFINITY,
            post_count: 0,
            hot: Vec::new(),
            arrived: 0.0,
            watched_s: 0.0,
        }
    }

    /// The portal showed it.
    pub(super) fn told(&mut self, row: &BoardRow, now_s: f64) {
        // Until its archive is mirrored counts say nothing; times do.
        let is_news = row.last_s as f64 >= self.looked_s;
        let more = row.post_count.saturating_sub(self.post_count);
        self.untold_count = if is_news { more.clamp(1, 50) } else { 0 };
        self.untold_s = row.last_s as f64;
        self.told_s = if is_news { self.told_s } else { now_s };
    }

    /// Its first page was fetched.
    pub(super) fn looked(&mut self, now_s: f64) {
        if self.looked_s.is_finite() {
            let elapsed_s = now_s - self.looked_s;
            let left = (-elapsed_s / HALF_LIFE_S).exp2();
            self.arrived *= left;
            self.watched_s = self.watched_s * left + elapsed_s;
        }
        (self.before_s, self.looked_s, self.untold_count) = (self.looked_s, now_s, 0);
    }

    /// A thread was started, or revived after half a day.
    pub(super) fn arrived(&mut self) {
        self.arrived += 1.0;
    }

    fn rate_per_s(&self) -> f64 {
        (self.arrived + 1.0) / (self.watched_s + PRIOR_S)
    }

    /// What is expected of it, with the threads that posted of late.
    pub(super) fn outlook<'a>(
        &self,
        hot: impl Iterator<Item = &'a Thread>,
        idle: &Idle,
        factor: f64,
        now_s: f64,
    ) -> Outlook {
        let heard_s = self.looked_s.max(self.told_s);
        let span_s = now_s - heard_s;
        let mut posts = self.rate_per_s() * factor * span_s;
        let (mut wait_s, mut pages) = (posts * span_s / 2.0, 1.0);
        // Threads that are known to have news will be fetched anyway.
        for thread in hot.filter(|thread| !thread.has_news()) {
            let (more, more_s) = thread.expected(idle, heard_s, now_s);
            wait_s += more_s * factor;
            posts += more * factor;
            pages += two_or_more(more * factor);
        }
        let mut price = wait_s / pages;
        if self.untold_count > 0 {
            let rate_per_s = (posts / span_s.max(1.0)).max(self.rate_per_s() * factor);
            let count = f64::from(self.untold_count);
            price += count / rate_per_s + count * (self.untold_s - self.looked_s).max(0.0) / 2.0;
        }
        Outlook { price, wait_s, shared: two_or_more(posts) }
    }
}

/// Probability of two or more posts where so many are expected.
fn two_or_more(posts: f64) -> f64 {
    1.0 - (1.0 + posts) * (-posts).exp()
}

/// How much more than usual is posted at an hour, working days and weekends apart.
#[derive(Clone, Debug)]
pub(super) struct Hours {
    counts: [[f64; 24]; 2],
}

impl Default for Hours {
    fn default() -> Self {
        // As if each hour had seen so many posts: five working days, two of the weekend.
        Self { counts: [[50.0; 24], [20.0; 24]] }
    }
}

impl Hours {
    pub(super) fn learn(&mut self, at_s: f64) {
        self.counts[kind_of_day(at_s)][hour_of(at_s)] += 1.0;
    }

    pub(super) fn factor(&self, at_s: f64) -> f64 {
        let kind = kind_of_day(at_s);
        let days = [5.0, 2.0][kind];
        let all: f64 = self.counts.iter().flatten().sum();
        self.counts[kind][hour_of(at_s)] / days * 168.0 / all
    }
}

/// 0 for working days, 1 for Saturday and Sunday; 1970 began on a Thursday.
fn kind_of_day(at_s: f64) -> usize {
    usize::from(matches!(weekday_of(at_s), 2 | 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_relative_to_the_mean() {
        let mut hours = Hours::default();
        assert!((hours.factor(0.0) - 1.0).abs() < 1e-12 && (hours.factor(2.5 * DAY_S) - 1.0).abs() < 1e-12);
        (0..1000).for_each(|_| hours.learn(9.5 * 3600.0));
        assert!(hours.factor(9.0 * 3600.0) > 5.0 * hours.factor(3.0 * 3600.0));
    }

    #[test]
    fn a_look_is_worth_more_the_longer_it_is_ago() {
        let (mut board, idle) = (Board::new(), Idle::default());
        board.looked(0.0);
        board.looked(DAY_S);
        (0..24).for_each(|_| board.arrived());
        let price = |board: &Board, now_s: f64| board.outlook([].into_iter(), &idle, 1.0, now_s).price;
        // 25 in three days, with the prior: λτ²/2 after an hour.
        let expected = 25.0 / (3.0 * DAY_S) * 3600.0 * 3600.0 / 2.0;
        assert!((price(&board, DAY_S + 3600.0) / expected - 1.0).abs() < 1e-9);
        let quiet = price(&board, DAY_S + 60.0);
        board.told(&BoardRow { board: 0, thread_count: 1, post_count: 3, last_s: 86_430 }, DAY_S + 60.0);
        assert!(price(&board, DAY_S + 60.0) > 100.0 * quiet, "news that the portal tells of are fetched");
    }
}
