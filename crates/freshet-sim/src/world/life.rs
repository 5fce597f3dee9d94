//! What happens in a world: each event of the agenda, carried out.
//!
//! Two rules keep the world fair to those who read it. A list shows a new post only at its
//! head: what was hidden with its author comes back with the whole account and never alone.
//! Therefore reposts of a post that is deleted or hidden are deleted, not hidden.

use rand::{Rng, RngExt};
use rand_distr::LogNormal;

use super::World;
use super::account::{AccountKind, BURST_MS_MEAN, QUIET_MOOD, QUIET_MS_MEAN, Standing};
use super::event::What;
use super::follow;
use super::post::Relation;
use super::rhythm::{DAY_MS, HOUR_MS, MINUTE_MS, NEVER_MS, wait_ms};
use super::text;

/// People answer and pass on what is recent: at most so many posts back.
const RECENT_POSTS_MAX: u32 = 512;
/// Draws for something to answer or to pass on, before the post becomes an original.
const PICKS_MAX: usize = 4;
/// Edits of one post; nobody polishes for ever.
const EDITS_MAX: usize = 8;
/// Share of suspensions that are lifted, and of private accounts that open again.
const RETURN_SHARE: f64 = 0.75;

impl World {
    pub(super) fn happen(&mut self, at_ms: i64, what: What) {
        match what {
            What::Post { account, round } => self.on_post(account, round, at_ms),
            What::Recorded { account, number } => self.on_recorded(account, number, at_ms),
            What::FirstPost { account } => {
                if self.accounts[account as usize].timeline.is_empty() {
                    self.post(account, at_ms);
                }
            }
            What::Mood { account } => self.on_mood(account, at_ms),
            What::Edit { post } => self.on_edit(post, at_ms),
            What::Delete { post } => {
                let author = self.posts.get(post).author;
                if self.accounts[author as usize].standing != Standing::Suspended {
                    self.delete(post, at_ms);
                }
            }
            What::Follow { account } => self.on_follow(account, at_ms),
            What::Misfortune { account } => self.on_misfortune(account, at_ms),
            What::Return { account } => {
                self.stand(account, Standing::Public, at_ms);
                self.plan_post(account, at_ms);
                self.plan_misfortune(account, at_ms);
            }
        }
    }

    /// Draws when an account posts next; any post planned before is void.
    pub(super) fn plan_post(&mut self, index: u32, from_ms: i64) {
        let account = &mut self.accounts[index as usize];
        account.round += 1;
        let at_ms = account.rhythm.next_after(&mut account.rng, from_ms, f64::from(account.mood));
        self.agenda.add(at_ms, What::Post { account: index, round: account.round });
    }

    pub(super) fn plan_misfortune(&mut self, index: u32, from_ms: i64) {
        let chances = &self.options.chances;
        let rate_per_day = chances.suspension_per_day + chances.privacy_per_day + chances.departure_per_day;
        let wait = wait_ms(&mut self.accounts[index as usize].rng, rate_per_day / DAY_MS as f64);
        self.agenda.add(from_ms.saturating_add(wait), What::Misfortune { account: index });
    }

    pub(super) fn plan_follow(&mut self, index: u32, from_ms: i64) {
        let rate_per_ms = self.options.chances.follow_per_day / DAY_MS as f64;
        let wait = wait_ms(&mut self.accounts[index as usize].rng, rate_per_ms);
        self.agenda.add(from_ms.saturating_add(wait), What::Follow { account: index });
    }

    pub(super) fn plan_mood(&mut self, index: u32, from_ms: i64) {
        let account = &mut self.accounts[index as usize];
        let mean_ms = if account.mood < 1.0 { QUIET_MS_MEAN } else { BURST_MS_MEAN };
        let wait = wait_ms(&mut account.rng, 1.0 / mean_ms);
        self.agenda.add(from_ms.saturating_add(wait), What::Mood { account: index });
    }

    fn on_post(&mut self, index: u32, round: u32, at_ms: i64) {
        let account = &self.accounts[index as usize];
        let is_able = matches!(account.standing, Standing::Public | Standing::Private);
        if account.round == round && is_able {
            self.post(index, at_ms);
            self.plan_post(index, at_ms);
        }
    }

    fn on_mood(&mut self, index: u32, at_ms: i64) {
        let account = &mut self.accounts[index as usize];
        if account.standing == Standing::Departed {
            return;
        }
        debug_assert_eq!(account.kind, AccountKind::Unstable, "only unstable accounts have moods");
        account.mood = if account.mood < 1.0 { 1.0 } else { QUIET_MOOD };
        self.plan_mood(index, at_ms);
        self.plan_post(index, at_ms);
    }

    /// Writes a post: an original, an answer or a repost, and draws its fate.
    pub(super) fn post(&mut self, index: u32, at_ms: i64) {
        let chances = self.options.chances;
        let mut rng = self.accounts[index as usize].rng.clone();
        let roll: f64 = rng.random();
        let relation = if roll < chances.reply_share {
            self.pick(&mut rng, index, false).map(Relation::ReplyTo)
        } else if roll < chances.reply_share + chances.repost_share {
            self.pick(&mut rng, index, true).map(Relation::RepostOf)
        } else {
            None
        };
        let relation = relation.unwrap_or(Relation::Original);
        let is_repost = matches!(relation, Relation::RepostOf(_));
        if let Some(post_index) = self.posts.add(index, at_ms, relation) {
            let account = &mut self.accounts[index as usize];
            account.timeline.push(post_index);
            account.post_count += 1;
            if !is_repost {
                for tag in text::tags(text::mix(self.options.seed, u64::from(post_index)), account.tags) {
                    self.tagged[tag as usize].push(post_index);
                }
            }
            if !is_repost && rng.random::<f64>() < chances.edit_share {
                let wait = skewed_ms(&mut rng, 20 * MINUTE_MS, 1.2);
                self.agenda.add(at_ms + wait, What::Edit { post: post_index });
            }
            if rng.random::<f64>() < chances.deletion_share {
                let wait = skewed_ms(&mut rng, 8 * HOUR_MS, 1.5);
                self.agenda.add(at_ms + wait, What::Delete { post: post_index });
            }
        }
        self.accounts[index as usize].rng = rng;
    }

    /// A recent visible post by somebody `index` follows, or by anybody.
    fn pick(&self, rng: &mut impl Rng, index: u32, is_for_repost: bool) -> Option<u32> {
        let post_count = self.posts.all().len() as u32;
        let following = &self.accounts[index as usize].following;
        for _ in 0..PICKS_MAX {
            let from_followed = rng.random_bool(0.7) && !following.is_empty();
            let found = if from_followed {
                let edge = following[rng.random_range(0..following.len() as u32) as usize];
                self.accounts[edge.other as usize].timeline.last().copied()
            } else {
                let back = rng.random_range(0..RECENT_POSTS_MAX);
                post_count.checked_sub(back + 1)
            };
            let Some(found) = found else { continue };
            // Who answers or passes on a repost means the post inside.
            let post_index = match self.posts.get(found).relation() {
                Relation::RepostOf(original) => original,
                _ => found,
            };
            let is_repeated = is_for_repost
                && (self.posts.get(post_index).author == index
                    || self.posts.reposts(post_index).any(|repost| self.posts.get(repost).author == index));
            if self.is_visible(post_index) && !is_repeated {
                return Some(post_index);
            }
        }
        None
    }

    fn on_edit(&mut self, post_index: u32, at_ms: i64) {
        let post = self.posts.get(post_index);
        let account = &mut self.accounts[post.author as usize];
        if post.is_deleted() || account.standing == Standing::Suspended {
            return;
        }
        let is_edited_again = account.rng.random_bool(0.25);
        let wait = skewed_ms(&mut account.rng, 20 * MINUTE_MS, 1.2);
        self.posts.edit(post_index, at_ms);
        if is_edited_again && self.posts.edits(post_index).len() < EDITS_MAX {
            self.agenda.add(at_ms + wait, What::Edit { post: post_index });
        }
    }

    /// Deletes a post and, with it, its reposts.
    fn delete(&mut self, post_index: u32, at_ms: i64) {
        if self.posts.delete(post_index, at_ms) {
            self.accounts[self.posts.get(post_index).author as usize].post_count -= 1;
            self.delete_reposts(post_index, at_ms);
        }
    }

    fn delete_reposts(&mut self, post_index: u32, at_ms: i64) {
        let reposts: Vec<u32> = self.posts.reposts(post_index).collect();
        for repost in reposts {
            if self.posts.delete(repost, at_ms) {
                self.accounts[self.posts.get(repost).author as usize].post_count -= 1;
            }
        }
    }

    fn on_follow(&mut self, index: u32, at_ms: i64) {
        let standing = self.accounts[index as usize].standing;
        if standing == Standing::Departed {
            return;
        }
        if standing == Standing::Public {
            let mut rng = self.accounts[index as usize].rng.clone();
            if rng.random::<f64>() < self.options.chances.unfollow_share {
                follow::unfollow(&mut rng, &mut self.accounts, index);
            } else {
                self.crowd.follow(&mut rng, &mut self.accounts, index);
            }
            self.accounts[index as usize].rng = rng;
        }
        self.plan_follow(index, at_ms);
    }

    /// Suspends an account, makes it private or removes it; only once it has posted.
    fn on_misfortune(&mut self, index: u32, at_ms: i64) {
        if self.accounts[index as usize].timeline.is_empty() {
            return self.plan_misfortune(index, at_ms);
        }
        let chances = self.options.chances;
        let rng = &mut self.accounts[index as usize].rng;
        let total = chances.suspension_per_day + chances.privacy_per_day + chances.departure_per_day;
        let roll = rng.random::<f64>() * total;
        let is_passing = rng.random::<f64>() < RETURN_SHARE;
        let wait = skewed_ms(rng, 2 * DAY_MS, 0.8);
        if roll < chances.departure_per_day {
            return self.depart(index, at_ms);
        }
        let is_suspension = roll < chances.departure_per_day + chances.suspension_per_day;
        let standing = if is_suspension { Standing::Suspended } else { Standing::Private };
        self.stand(index, standing, at_ms);
        let timeline = std::mem::take(&mut self.accounts[index as usize].timeline);
        for post_index in &timeline {
            self.delete_reposts(*post_index, at_ms);
        }
        self.accounts[index as usize].timeline = timeline;
        if is_passing {
            self.agenda.add(at_ms + wait, What::Return { account: index });
        }
    }

    fn depart(&mut self, index: u32, at_ms: i64) {
        self.stand(index, Standing::Departed, at_ms);
        let timeline = std::mem::take(&mut self.accounts[index as usize].timeline);
        for post_index in &timeline {
            self.delete(*post_index, at_ms);
        }
        self.accounts[index as usize].timeline = timeline;
        follow::leave(&mut self.accounts, index);
    }

    fn stand(&mut self, index: u32, standing: Standing, at_ms: i64) {
        let account = &mut self.accounts[index as usize];
        account.standing = standing;
        account.standing_since_ms = at_ms;
    }
}

/// A waiting time with a long tail around `median_ms`.
fn skewed_ms(rng: &mut impl Rng, median_ms: i64, sigma: f64) -> i64 {
    let factors = LogNormal::new(0.0, sigma).expect("the parameters are finite");
    let factor: f64 = rng.sample(factors);
    ((median_ms as f64 * factor) as i64).clamp(1, NEVER_MS / 4)
}
