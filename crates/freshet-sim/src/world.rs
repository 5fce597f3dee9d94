//! The simulated network: accounts, posts, follows, and all that happens to them.
//!
//! Events come from one agenda in one total order, so [`World::advance_to`] gives the same
//! world in one step or in a million; its cost is that of the new events. Nothing is ever
//! posted into the past. How the world looks from outside is the business of
//! [`dialect`](crate::dialect).

mod account;
mod desk;
mod event;
mod follow;
mod life;
mod options;
mod post;
mod replay;
mod request;
mod rhythm;
mod sent;
pub(crate) mod text;
mod truth;

#[cfg(test)]
mod tests;

use freshet_types::{Map, Timestamp};
use rand::RngExt;

pub(crate) use account::{Account, Edge};
pub use account::{AccountInfo, AccountKind, Standing};
#[cfg(test)]
pub(crate) use desk::Counters;
use desk::Desk;
pub(crate) use desk::Spoil;
use event::{Agenda, What};
use follow::Crowd;
pub use options::{Chances, Communities, Dialect, Faults, Limits, WorldOptions};
pub(crate) use post::{Post, Posts, Relation};
use replay::Replay;
pub use request::WorldRequest;
pub(crate) use request::percent_decoded;
pub(crate) use rhythm::{DAY_MS, HOUR_MS};
pub(crate) use sent::Happened;
pub use truth::TruthLine;

use crate::SimError;

/// Accounts were made within so many days before the world's history begins.
const ACCOUNT_AGE_DAYS_MAX: i64 = 1400;

/// A simulated network with its whole past.
#[derive(Debug)]
pub struct World {
    pub(crate) options: WorldOptions,
    pub(crate) accounts: Vec<Account>,
    pub(crate) posts: Posts,
    /// Places of posts per tag, from old to new.
    pub(crate) tagged: Vec<Vec<u32>>,
    pub(crate) desk: Desk,
    handles: Map<String, u32>,
    agenda: Agenda,
    crowd: Crowd,
    replay: Replay,
    now_ms: i64,
}

impl World {
    /// Makes a world and lets its history happen.
    pub fn new(options: WorldOptions) -> Result<Self, SimError> {
        options.check()?;
        let start_ms = options.start_at.ms();
        // The mean rate of the kinds as drawn is three posts a day.
        let rate_scale = options.posts_per_day / 3.0;
        let age_ms = ACCOUNT_AGE_DAYS_MAX * DAY_MS;
        let accounts: Vec<Account> = (0..options.accounts)
            .map(|index| {
                let share_ms = age_ms / i64::from(options.accounts) * i64::from(index);
                Account::draw(options.seed, index, start_ms - age_ms + share_ms, rate_scale)
            })
            .collect();
        let mut world = Self::furnished(options, accounts);
        world.crowd.settle(&mut world.accounts);
        world.plan(start_ms);
        world.advance_to(world.options.ready_at());
        Ok(world)
    }

    /// A world of these accounts in which nothing has happened and nothing is planned.
    fn furnished(options: WorldOptions, mut accounts: Vec<Account>) -> Self {
        if let Some(communities) = options.communities {
            for (account, index) in accounts.iter_mut().zip(0..) {
                // Two of three of the tags that an account likes are its community's.
                let own = (index % communities.count) as u8;
                account.tags[..2].fill(own);
            }
        }
        // So that profiles are true: their posts are counted since then.
        for account in &mut accounts {
            account.joined_ms = options.start_at.ms();
        }
        let handles =
            accounts.iter().zip(0..).map(|(account, index)| (account.handle.clone(), index)).collect();
        Self {
            desk: Desk::new(options.seed),
            posts: Posts::default(),
            tagged: vec![Vec::new(); text::TAG_COUNT as usize],
            handles,
            agenda: Agenda::default(),
            crowd: Crowd::new(options.seed, &accounts, options.communities),
            replay: Replay::default(),
            now_ms: options.start_at.ms(),
            accounts,
            options,
        }
    }

    /// Lets everything happen up to and including `now`; an earlier instant changes nothing.
    pub fn advance_to(&mut self, now: Timestamp) {
        while let Some((at_ms, what)) = self.agenda.next_until(now.ms()) {
            self.now_ms = at_ms;
            self.happen(at_ms, what);
        }
        self.now_ms = self.now_ms.max(now.ms());
    }

    /// The latest instant the world has advanced to.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.now_ms)
    }

    /// How it was made.
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// Posts so far, deleted and hidden ones included.
    pub fn post_count(&self) -> usize {
        self.posts.all().len()
    }

    /// Places of the posts that are neither answers nor reposts and can be seen now.
    pub(crate) fn originals(&self) -> Vec<u32> {
        let is_one =
            |post: &Post| matches!(post.relation(), Relation::Original) && self.is_post_visible(post);
        (0..)
            .zip(self.posts.all())
            .filter(|(_, post)| is_one(post))
            .map(|(post_index, _)| post_index)
            .collect()
    }

    /// All accounts, as only their maker knows them.
    pub fn accounts(&self) -> impl Iterator<Item = AccountInfo<'_>> + '_ {
        self.accounts.iter().map(|account| AccountInfo {
            id: account.id,
            handle: &account.handle,
            kind: account.kind,
            standing: account.standing,
            peak_hour: (account.rhythm.peak_ms / HOUR_MS) as u32,
            post_count: account.timeline.len(),
        })
    }

    /// Whether everybody can see a post.
    pub(crate) fn is_visible(&self, post_index: u32) -> bool {
        self.is_post_visible(self.posts.get(post_index))
    }

    pub(crate) fn is_post_visible(&self, post: &Post) -> bool {
        !post.is_deleted() && self.accounts[post.author as usize].standing == Standing::Public
    }

    pub(crate) fn find_account(&self, id: u64) -> Option<u32> {
        self.accounts.binary_search_by_key(&id, |account| account.id).ok().map(|index| index as u32)
    }

    pub(crate) fn find_handle(&self, handle: &str) -> Option<u32> {
        self.handles.get(&handle.to_ascii_lowercase()).copied()
    }

    /// The first events of every account.
    fn plan(&mut self, start_ms: i64) {
        let history_ms = self.options.history.ms();
        for index in 0..self.accounts.len() as u32 {
            let account = &mut self.accounts[index as usize];
            let first_ms = start_ms + account.rng.random_range(history_ms / 20..history_ms);
            self.agenda.add(first_ms, What::FirstPost { account: index });
            if account.kind == AccountKind::Unstable {
                self.plan_mood(index, start_ms);
            }
            self.plan_post(index, start_ms);
            self.plan_follow(index, start_ms);
            self.plan_misfortune(index, start_ms);
        }
    }
}
