//! What a world is made from: its size, how lively it is, how strict and how faulty.
//!
//! The defaults give about three posts a day and account, Mastodon's limits and no faults.

use std::sync::Arc;

use freshet_types::{Span, Timestamp};

use super::text::TAG_COUNT;
use crate::SimError;

/// More accounts than this do not fit into the memory of one machine with their history.
pub(crate) const ACCOUNTS_MAX: u32 = 1_000_000;
/// Beyond this rate the history alone would fill the memory.
const POSTS_PER_DAY_MAX: f64 = 1000.0;
/// Beyond this rate an account would do nothing else; the agenda must stay finite.
const CHANCE_MAX: f64 = 1000.0;
/// Ids hold 48 bits of milliseconds, and a decade of history is enough for any experiment.
const HISTORY_MAX: Span = Span::from_secs(3653 * 86_400);

/// How a world is made.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldOptions {
    /// One seed, one world.
    pub seed: u64,
    /// Accounts in it; their number does not change.
    pub accounts: u32,
    /// When its history begins.
    pub start_at: Timestamp,
    /// How much has happened when it is handed over; every account has posted by then.
    pub history: Span,
    /// Posts per day, on average over all accounts.
    pub posts_per_day: f64,
    /// How often things happen to posts and accounts.
    pub chances: Chances,
    /// What a client may ask per window.
    pub limits: Limits,
    /// What goes wrong on purpose.
    pub faults: Faults,
    /// Whose language it speaks.
    pub dialect: Dialect,
    /// Places of the videos of another world that posts share, in the dialect that has shared videos.
    pub videos: Arc<[u32]>,
    /// People of one kind among themselves; none unless asked for.
    pub communities: Option<Communities>,
}

/// Accounts that like one tag, and follow their like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Communities {
    /// How many there are; account `index` is of community `index % count`.
    pub count: u32,
    /// Share of follows that stay within; the others go to anybody.
    pub homophily: f64,
}

/// Whose language a world speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Accounts, posts and follows of a microblog.
    #[default]
    Mastodon,
    /// Users, posts, albums and friends of Facebook's API.
    Graph,
    /// Channels, videos and comments, as the Data API of `YouTube` has them.
    Videos,
}

impl Default for WorldOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            accounts: 120,
            // Monday, 5 January 2026, so that weeks of the simulation are easy to read.
            start_at: Timestamp::from_secs(1_767_571_200),
            history: Span::DAY * 30.0,
            posts_per_day: 3.0,
            chances: Chances::default(),
            limits: Limits::default(),
            faults: Faults::default(),
            dialect: Dialect::default(),
            videos: Arc::default(),
            communities: None,
        }
    }
}

impl WorldOptions {
    /// When the history ends and the world is handed over.
    pub fn ready_at(&self) -> Timestamp {
        self.start_at + self.history
    }

    pub(crate) fn check(&self) -> Result<(), SimError> {
        let fail = |name, value: String, wanted| Err(SimError::Option { name, value, wanted });
        if !(1..=ACCOUNTS_MAX).contains(&self.accounts) {
            return fail("accounts", self.accounts.to_string(), "between 1 and 1000000");
        }
        if !(self.posts_per_day > 0.0 && self.posts_per_day <= POSTS_PER_DAY_MAX) {
            return fail("posts_per_day", self.posts_per_day.to_string(), "above 0 and at most 1000");
        }
        if self.history < Span::HOUR || self.history > HISTORY_MAX {
            return fail("history", self.history.to_string(), "between an hour and ten years");
        }
        if self.start_at.secs() < 315_532_800 || self.start_at.secs() > 7_258_118_400 {
            return fail("start_at", self.start_at.to_string(), "between the years 1980 and 2200");
        }
        if !(0.0..=1.0).contains(&self.faults.share) {
            return fail("faults.share", self.faults.share.to_string(), "between 0 and 1");
        }
        if let Some(communities) = self.communities {
            if !(1..=u32::from(TAG_COUNT)).contains(&communities.count) {
                return fail("communities.count", communities.count.to_string(), "between 1 and 24");
            }
            if !(0.0..=1.0).contains(&communities.homophily) {
                return fail("communities.homophily", communities.homophily.to_string(), "between 0 and 1");
            }
        }
        match self.chances.all().into_iter().find(|(_, chance)| !(0.0..=CHANCE_MAX).contains(chance)) {
            Some((name, chance)) => fail(name, chance.to_string(), "between 0 and 1000"),
            None => Ok(()),
        }
    }
}

/// How often things happen: shares of posts, or rates per account and day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// Share of posts that answer another one.
    pub reply_share: f64,
    /// Share of posts that pass another one on.
    pub repost_share: f64,
    /// Share of posts that are edited later.
    pub edit_share: f64,
    /// Share of posts that are deleted later.
    pub deletion_share: f64,
    /// Suspensions per account and day; most are lifted after days.
    pub suspension_per_day: f64,
    /// Accounts going private, per account and day; most come back after days.
    pub privacy_per_day: f64,
    /// Accounts deleted for good, per account and day.
    pub departure_per_day: f64,
    /// Follows begun or cancelled, per account and day.
    pub follow_per_day: f64,
    /// Share of those that are cancellations.
    pub unfollow_share: f64,
}

impl Default for Chances {
    fn default() -> Self {
        Self {
            reply_share: 0.25,
            repost_share: 0.12,
            edit_share: 0.04,
            deletion_share: 0.03,
            suspension_per_day: 0.0005,
            privacy_per_day: 0.0008,
            departure_per_day: 0.0002,
            follow_per_day: 0.3,
            unfollow_share: 0.3,
        }
    }
}

impl Chances {
    /// Nothing happens but posts.
    pub(crate) const NONE: Self = Self {
        reply_share: 0.0,
        repost_share: 0.0,
        edit_share: 0.0,
        deletion_share: 0.0,
        suspension_per_day: 0.0,
        privacy_per_day: 0.0,
        departure_per_day: 0.0,
        follow_per_day: 0.0,
        unfollow_share: 0.0,
    };

    fn all(&self) -> [(&'static str, f64); 9] {
        [
            ("reply_share", self.reply_share),
            ("repost_share", self.repost_share),
            ("edit_share", self.edit_share),
            ("deletion_share", self.deletion_share),
            ("suspension_per_day", self.suspension_per_day),
            ("privacy_per_day", self.privacy_per_day),
            ("departure_per_day", self.departure_per_day),
            ("follow_per_day", self.follow_per_day),
            ("unfollow_share", self.unfollow_share),
        ]
    }
}

/// What a client may ask per window; `None` switches a limit off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// API requests per five minutes and IP, or token where one is shown.
    pub api_per_5_min: Option<u32>,
    /// Requests that page through a list, per fifteen minutes and IP or token.
    pub paging_per_15_min: Option<u32>,
    /// API requests per window of a length of its own.
    pub api: Option<(u32, Span)>,
}

impl Limits {
    /// No limits at all.
    pub(crate) const OFF: Self = Self { api_per_5_min: None, paging_per_15_min: None, api: None };
}

impl Default for Limits {
    fn default() -> Self {
        Self { api_per_5_min: Some(300), paging_per_15_min: Some(300), api: None }
    }
}

/// What goes wrong on purpose; seeded like everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Share of answers that are spoilt: 500, 502 in HTML, a broken connection, half a body, delay.
    pub share: f64,
    /// Longest delay of a slow answer.
    pub delay_max: Span,
}
