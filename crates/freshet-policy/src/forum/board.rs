//! What an index list of a forum is expected to tell: threads that posted of late, and threads that are started or revived.
//!
//! | page | critical price | why |
//! |---|---|---|
//! | of an index | D/(1 + Σκ) | D post-seconds are expected to have gathered on its board; each thread with two or more new posts (probability κ = 1 − (1+L)e^{−L}) would have shared its page with them had we come later, so that page is a cost of coming now |
//! | the portal | D/(1 + Σκ) | the same over all boards that it tells of |
//!
//! D is the sum over the threads of the last half day (by their silence) and a steady rate of new and revived threads, all by
//! the hour of the day. News that the portal told of and no index page has shown are priced like those of a thread.

use super::{Activity, Idle};

/// Half-life of the rate at which threads are started or revived, in seconds: two weeks.
const HALF_LIFE_S: f64 = 14.0 * 86_400.0;
/// One such thread is assumed to have come in so long before anything was seen.
const PRIOR_S: f64 = 2.0 * 86_400.0;

/// One board.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    /// When its first page was fetched last, and the time before that.
    pub looked_s: f64,
    pub before_s: f64,
    /// When the portal was last seen to tell nothing new of it.
    told_s: f64,
    /// Posts that the portal told of and no index page has shown, and when the newest was made.
    untold_count: u32,
    untold_s: f64,
    /// Threads started or revived, and the time that took, both decayed.
    arrived: f64,
    watched_s: f64,
}

/// What a look at the board is worth.
#[derive(Clone, Copy, Debug)]
pub struct Outlook {
    /// The critical price of its first page.
    pub price: f64,
    /// Post-seconds expected to have gathered since anything was heard of it.
    pub wait_s: f64,
    /// Pages that would have been shared had we come later, seen from the portal.
    pub shared: f64,
}

impl Default for Board {
    fn default() -> Self {
        Self {
            looked_s: f64::NEG_INFINITY,
            before_s: f64::NEG_INFINITY,
            told_s: f64::NEG_INFINITY,
            untold_count: 0,
            untold_s: f64::NEG_INFINITY,
            arrived: 0.0,
            watched_s: 0.0,
        }
    }
}

impl Board {
    /// The portal showed it, with its newest post; so many posts more than its index has shown, where it has news.
    pub fn told(&mut self, last_s: f64, more: Option<u32>, now_s: f64) {
        self.untold_count = more.map_or(0, |more| more.clamp(1, 50));
        self.untold_s = last_s;
        self.told_s = if more.is_some() { self.told_s } else { now_s };
    }

    /// Whether the portal told of news that no index page has shown.
    pub fn has_news(&self) -> bool {
        self.untold_count > 0
    }

    /// Its first page was fetched.
    pub fn looked(&mut self, now_s: f64) {
        if self.looked_s.is_finite() {
            let elapsed_s = now_s - self.looked_s;
            let left = (-elapsed_s / HALF_LIFE_S).exp2();
            self.arrived *= left;
            self.watched_s = self.watched_s * left + elapsed_s;
        }
        (self.before_s, self.looked_s, self.untold_count) = (self.looked_s, now_s, 0);
    }

    /// A thread was started, or revived after half a day.
    pub fn arrived(&mut self) {
        self.arrived += 1.0;
    }

    fn rate_per_s(&self) -> f64 {
        (self.arrived + 1.0) / (self.watched_s + PRIOR_S)
    }

    /// What is expected of it, with the threads that posted of late and are not known to have news: those will be fetched anyway.
    pub fn outlook<'a>(
        &self,
        hot: impl Iterator<Item = &'a Activity>,
        idle: &Idle,
        factor: f64,
        now_s: f64,
    ) -> Outlook {
        let heard_s = self.looked_s.max(self.told_s);
        let span_s = now_s - heard_s;
        let mut posts = self.rate_per_s() * factor * span_s;
        let (mut wait_s, mut pages) = (posts * span_s / 2.0, 1.0);
        for thread in hot {
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

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_S: f64 = 86_400.0;

    #[test]
    fn a_look_is_worth_more_the_longer_it_is_ago() {
        let (mut board, idle) = (Board::default(), Idle::default());
        board.looked(0.0);
        board.looked(DAY_S);
        (0..24).for_each(|_| board.arrived());
        let price = |board: &Board, now_s: f64| board.outlook([].into_iter(), &idle, 1.0, now_s).price;
        // 25 in three days, with the prior: λτ²/2 after an hour.
        let expected = 25.0 / (3.0 * DAY_S) * 3600.0 * 3600.0 / 2.0;
        assert!((price(&board, DAY_S + 3600.0) / expected - 1.0).abs() < 1e-9);
        let quiet = price(&board, DAY_S + 60.0);
        board.told(DAY_S + 30.0, Some(3), DAY_S + 60.0);
        assert!(price(&board, DAY_S + 60.0) > 100.0 * quiet, "news that the portal tells of are fetched");
    }
}
