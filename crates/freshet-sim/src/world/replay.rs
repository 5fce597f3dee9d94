//! A world whose people post when a recorded history says so, and do nothing else.
//!
//! Nobody follows, edits, deletes or leaves: what a history does not tell does not happen. Profiles tell of all
//! posts that the trace has, those before the history among them, which no list shows. The world
//! notes when each post was first on an answered page: that is where a crawl's delay is taken, at
//! the server and not in the crawl's own books.

use freshet_types::{Span, Timestamp};

use super::event::What;
use super::options::{Chances, Limits, WorldOptions};
use super::rhythm::NEVER_MS;
use super::{Account, World};
use crate::SimError;
use crate::trace::History;

/// How long before the history the ids of the accounts were given.
const AGE: Span = Span::from_secs(400 * 86_400);

/// The recorded posts, and when each was first shown.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    /// Posting times per account, ascending.
    times_ms: Vec<Vec<i64>>,
    /// When each post was first on a page, by its index; later ones were not shown yet.
    shown_at_ms: Vec<i64>,
    /// Posts of an account that its list shows, the newest; all unless given.
    window: Option<u32>,
}

/// One recorded post, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub posted_at: Timestamp,
    /// The first answer that showed it.
    pub first_at: Option<Timestamp>,
    /// Whose post it is: the poster's index in the history.
    pub poster: usize,
}

impl World {
    /// Makes a world of a history, at its beginning.
    pub(crate) fn of_history(history: &History, limits: Limits) -> Result<Self, SimError> {
        let start_at = history.window.from;
        let count = u32::try_from(history.posters.len()).unwrap_or(u32::MAX);
        let options = WorldOptions {
            accounts: count,
            start_at,
            limits,
            chances: Chances::NONE,
            ..WorldOptions::default()
        };
        options.check()?;
        let first_ms = (start_at - AGE).ms();
        let draw = |index| Account::draw(options.seed, index, first_ms + i64::from(index), 1.0);
        let accounts = (0..count).map(draw).collect();
        let mut world = Self::furnished(options, accounts);
        for (account, poster) in world.accounts.iter_mut().zip(&history.posters) {
            account.post_count = poster.before.count;
            account.joined_ms = poster.before.first_at.unwrap_or(start_at).ms();
        }
        let times = |posts: &[Timestamp]| posts.iter().map(|at| at.ms()).collect();
        world.replay.times_ms = history.posters.iter().map(|poster| times(&poster.posts)).collect();
        for account in 0..count {
            world.plan_recorded(account, 0);
        }
        Ok(world)
    }

    /// From now on lists of posts show so many, the newest, and nothing below.
    pub(crate) fn set_window(&mut self, size: u32) {
        self.replay.window = Some(size);
    }

    /// How many posts of an account its list shows; `None` for all.
    pub(crate) fn window(&self) -> Option<usize> {
        self.replay.window.map(|size| size as usize)
    }

    /// Everything posted so far, in order, and when it was first shown.
    pub(crate) fn shown(&self) -> impl Iterator<Item = Shown> + '_ {
        self.posts.all().iter().enumerate().map(|(post_index, post)| Shown {
            posted_at: Timestamp::from_ms(post.created_at_ms()),
            first_at: self
                .replay
                .shown_at_ms
                .get(post_index)
                .filter(|at| **at != NEVER_MS)
                .copied()
                .map(Timestamp::from_ms),
            poster: post.author as usize,
        })
    }

    /// Notes that an answer shows these posts.
    pub(crate) fn note_shown(&mut self, post_indices: &[u32], now: Timestamp) {
        if self.replay.times_ms.is_empty() {
            return;
        }
        for post_index in post_indices {
            let post_index = *post_index as usize;
            if post_index >= self.replay.shown_at_ms.len() {
                self.replay.shown_at_ms.resize(post_index + 1, NEVER_MS);
            }
            let at_ms = &mut self.replay.shown_at_ms[post_index];
            *at_ms = (*at_ms).min(now.ms());
        }
    }

    pub(super) fn on_recorded(&mut self, account: u32, number: u32, at_ms: i64) {
        self.post(account, at_ms);
        self.plan_recorded(account, number + 1);
    }

    fn plan_recorded(&mut self, account: u32, number: u32) {
        if let Some(at_ms) = self.replay.times_ms[account as usize].get(number as usize) {
            self.agenda.add(*at_ms, What::Recorded { account, number });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Before, Window};
    use crate::{WorldRequest, dialect};

    #[test]
    fn posts_appear_at_their_times_and_are_noted_when_first_shown() {
        let window = Window { from: Timestamp::from_secs(1_700_000_000), warm_days: 1, eval_days: 1 };
        let at = |secs: i64| window.from.secs() + secs;
        let history =
            History::from_posts(window, vec![(7, at(10)), (7, at(10)), (9, at(20)), (7, at(100_000))]);
        let mut world = World::of_history(&history, Limits::default()).unwrap();
        let id = world.accounts().next().unwrap().id;
        let ask = |world: &mut World, secs| {
            let request = WorldRequest {
                method: "GET".to_owned(),
                path: format!("/api/v1/accounts/{id}/statuses"),
                query: Vec::new(),
                headers: Vec::new(),
                client: "a test".to_owned(),
            };
            let now = Timestamp::from_secs(at(secs));
            let response: dialect::WorldResponse = world.answer(&request, now);
            serde_json::from_slice::<Vec<serde_json::Value>>(&response.body).unwrap().len()
        };
        assert_eq!([5, 15, 25].map(|secs| ask(&mut world, secs)), [0, 2, 2]);
        let shown: Vec<_> =
            world.shown().map(|it| (it.poster, it.first_at.map(|seen| seen.secs() - at(0)))).collect();
        assert_eq!(shown, [(0, Some(15)), (0, Some(15)), (1, None)]);
        world.set_window(1);
        assert_eq!(ask(&mut world, 30), 1, "one scrolled out");
    }

    #[test]
    fn profiles_count_what_was_posted_before_the_history() {
        let window = Window { from: Timestamp::from_secs(1_700_006_400), warm_days: 1, eval_days: 1 };
        let at = |days: i64| window.from.secs() + days * 86_400 / 4;
        let mut history = History::from_posts(window, vec![(7, at(1)), (7, at(2)), (7, at(5)), (9, at(3))]);
        let first_at = Timestamp::from_secs(at(-400));
        history.posters[0].before = Before { count: 50, first_at: Some(first_at) };
        let history = history.told_from_start();
        assert_eq!(history.posters[0].before, Before { count: 52, first_at: Some(first_at) });
        let mut world = World::of_history(&history, Limits::OFF).unwrap();
        let ids: Vec<u64> = world.accounts().map(|account| account.id).collect();
        let mut ask = |id: u64, days: i64| {
            let request = WorldRequest {
                method: "GET".to_owned(),
                path: format!("/api/v1/accounts/{id}"),
                query: Vec::new(),
                headers: Vec::new(),
                client: "a test".to_owned(),
            };
            let body = world.answer(&request, Timestamp::from_secs(at(days))).body;
            let account: serde_json::Value = serde_json::from_slice(&body).unwrap();
            (account["statuses_count"].as_u64(), account["created_at"].as_str().map(str::to_owned))
        };
        let made = Some("2023-08-07T00:00:00.000Z".to_owned());
        assert_eq!(ask(ids[0], 4), (Some(52), made.clone()));
        assert_eq!(ask(ids[0], 6), (Some(53), made));
        // Of whom nothing was before the first post, the profile begins with it.
        assert_eq!(ask(ids[1], 6), (Some(1), Some("2023-11-15T00:00:00.000Z".to_owned())));
    }
}
