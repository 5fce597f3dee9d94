//! The activity of a thread, as index lists and its own pages tell it, and what a look at it is worth.
//!
//! | page of a thread | critical price | why |
//! |---|---|---|
//! | with n known new posts | n/λ + Σ(tᵢ − s) | waiting costs n a second; it pays only if another post comes (at rate λ by the silence, [`Idle`]) and shares the page. The page must be fetched some time, so a thread that has fallen silent is fetched at once; Σ(tᵢ − s), times since the last fetch, is what the posts of a steady thread are worth (Olston's U) |
//! | that may have news | D | the post-seconds that are expected to have gathered, without the detour over the index |
//!
//! Prices are in post-seconds: what a page must save to be fetched now.

use super::Idle;
use super::idle::class_of;

/// A thread silent for longer is no longer watched by itself: half a day.
pub const HOT_S: f64 = 43_200.0;

/// What is known of one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Activity {
    /// When its newest known post was made.
    pub last_s: f64,
    /// Class of the gap before that.
    pub class: usize,
    /// When its end was fetched last, or when it was started.
    pub fetched_s: f64,
}

impl Activity {
    /// A thread that is met for the first time.
    pub fn met(started_s: f64, last_s: f64, post_count: u32) -> Self {
        let gaps = f64::from(post_count.saturating_sub(1));
        let class = class_of((gaps > 0.0).then(|| (last_s - started_s) / gaps));
        Self { last_s, class, fetched_s: started_s }
    }

    /// So many posts more are there, the newest made at `last_s`.
    pub fn told(&mut self, last_s: f64, more: u32) {
        self.class = class_of(Some((last_s - self.last_s) / f64::from(more.max(1))));
        self.last_s = last_s;
    }

    /// Whether it posted within half a day.
    pub fn is_hot(&self, now_s: f64) -> bool {
        now_s - self.last_s < HOT_S
    }

    /// The critical price of fetching so many posts that are known to be there; λ is the rate of the next.
    pub fn known_price(&self, count: f64, rate_per_s: f64) -> f64 {
        count / rate_per_s + count * (self.last_s - self.fetched_s).max(0.0) / 2.0
    }

    /// Posts expected since it was last heard of, and the post-seconds that they have waited.
    pub fn expected(&self, idle: &Idle, heard_s: f64, now_s: f64) -> (f64, f64) {
        let since_s = heard_s.max(self.fetched_s);
        let posts = idle.posts(self.class, since_s - self.last_s, now_s - self.last_s);
        (posts, posts * (now_s - since_s).max(0.0) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_news_are_worth_more_the_longer_the_next_post_is_away() {
        let thread = Activity::met(0.0, 600.0, 3);
        assert_eq!(thread.class, class_of(Some(300.0)));
        let (lively, silent) = (thread.known_price(1.0, 0.1), thread.known_price(1.0, 0.001));
        assert!((lively - 310.0).abs() < 1e-9 && (silent - 1_300.0).abs() < 1e-9, "{lively} {silent}");
        assert!((thread.known_price(2.0, 0.1) - 620.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_expected_begins_when_it_was_last_heard_of() {
        let (idle, mut thread) = (Idle::default(), Activity::met(0.0, 0.0, 1));
        let (more, wait_s) = thread.expected(&idle, f64::NEG_INFINITY, 3600.0);
        let (less, _) = thread.expected(&idle, 1800.0, 3600.0);
        assert!(less < more && (wait_s - more * 1800.0).abs() < 1e-9);
        thread.told(3000.0, 2);
        assert_eq!((thread.last_s, thread.class), (3000.0, class_of(Some(1500.0))));
        assert!(thread.is_hot(3600.0) && !thread.is_hot(1e6));
    }
}
