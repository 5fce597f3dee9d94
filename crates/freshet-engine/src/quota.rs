//! The quota ledger: what every network still allows every holder, never overdrawn.
//!
//! One bucket for each rule and holder (`quota/bucket.rs`). A request leaves when all its
//! buckets grant it and the store knows that they did (`quota/reserve.rs`). What a network announces is
//! told to the bucket it speaks of; where its limit is none of the declared ones, the server has
//! limits of its own, which slow every bucket that the request took from, or the one that the server
//! names. Nothing that a server announces makes a bucket grant more than the definition declares.
//! Whoever was refused is held back on top of that, declared quota or not (`quota/storm.rs`).
//! Budgets are buckets too ([`crate::budget`]): ours, of which no server knows.
//!
//! All waiting is told as a time, or as a reservation to be written; the ledger itself never waits.

mod account;
mod bucket;
mod memory;
mod reserve;
mod storm;

use freshet_types::{LimitReading, Map, QuotaKey, QuotaNeed, Request, Span, Timestamp};

use account::Account;
use bucket::{Bucket, Owner, RESET_SLACK};
pub use memory::LEDGER;
pub(crate) use memory::LEDGER_BEFORE;
use reserve::Notebook;
pub use reserve::Reservation;
pub use storm::Asker;
use storm::Storm;

/// Longest that a server's word keeps us away, lest one mistaken header does so for years: then one
/// request asks again.
const AWAY_MAX: Span = Span::DAY;

/// A bucket as `freshet status` shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaView {
    pub key: QuotaKey,
    /// Units per window.
    pub limit: u32,
    /// Length of the window.
    pub window: Span,
    /// Units that can be spent at once at most.
    pub burst: u32,
    /// Units that could be spent at once now.
    pub ready: f64,
    /// Nothing before this, if it lies ahead.
    pub blocked_until: Option<Timestamp>,
    /// Units granted by this process.
    pub granted_count: u64,
}

/// All buckets.
#[derive(Debug, Default)]
pub struct Ledger {
    accounts: Map<QuotaKey, Account>,
    /// Those who were told "too many" and have been served nothing since.
    storms: Map<Asker, Storm>,
    notebook: Notebook,
}

/// What a request wants of the ledger, and owes it an answer for.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Who asks whom.
    pub asker: Asker,
    /// What it takes from which quotas.
    pub needs: Vec<QuotaNeed>,
    /// What it takes from which budgets.
    pub budgets: Vec<QuotaNeed>,
}

impl Claim {
    /// The claim of this request, which these budgets cover too.
    pub fn of(request: &Request, budgets: Vec<QuotaNeed>) -> Self {
        let credential = request.auth.as_ref().map(|auth| auth.credential.clone());
        let asker = Asker { network: request.network.clone(), credential };
        Self { asker, needs: request.needs.clone(), budgets }
    }

    /// All that it takes, theirs and ours.
    pub(crate) fn all_needs(&self) -> impl Iterator<Item = &QuotaNeed> {
        self.needs.iter().chain(&self.budgets)
    }

    /// The same, with whose each is.
    fn owned_needs(&self) -> impl Iterator<Item = (&QuotaNeed, Owner)> {
        let theirs = self.needs.iter().map(|need| (need, Owner::Them));
        theirs.chain(self.budgets.iter().map(|need| (need, Owner::Us)))
    }
}

impl Ledger {
    /// Grants all that is claimed at once, or says when to ask again and takes nothing. What is granted
    /// may leave when the reservation of the number given back is written; without one, at once.
    pub fn grant(&mut self, claim: &Claim, now: Timestamp) -> Result<Option<u64>, Timestamp> {
        let mut wait = self.storms.get(&claim.asker).map_or(now, |storm| storm.ready_at(now));
        for (need, owner) in claim.owned_needs() {
            wait = wait.max(self.bucket(need, owner, now).ready_at(need.units, now));
        }
        if wait > now {
            return Err(wait);
        }
        if let Some(storm) = self.storms.get_mut(&claim.asker) {
            storm.is_probed = true;
        }
        for (need, owner) in claim.owned_needs() {
            self.bucket(need, owner, now).put_in_flight(need.units, now);
        }
        Ok(claim.all_needs().filter_map(|need| self.hold(&need.key, now)).max())
    }

    /// A granted request took so many exchanges more than the one that was granted: they are charged
    /// now, and what is granted next waits for them.
    pub(crate) fn book(&mut self, claim: &Claim, extra_count: u32, now: Timestamp) {
        for (need, owner) in claim.owned_needs().filter(|_| extra_count > 0) {
            self.bucket(need, owner, now).charge(need.units.saturating_mul(extra_count), now);
            self.note(&need.key, now);
        }
    }

    /// A granted request was answered (or failed): its announcements are taken in.
    pub fn answered(&mut self, claim: &Claim, readings: &[LimitReading], now: Timestamp) {
        if let Some(storm) = self.storms.get_mut(&claim.asker) {
            storm.is_probed = false;
        }
        for (need, owner) in claim.owned_needs() {
            self.bucket(need, owner, now).answered(need.units);
        }
        let needs = &claim.needs;
        for reading in readings {
            // One that names its rule says nothing of the others.
            let is_named =
                |need: &&QuotaNeed| reading.rule.as_ref().is_none_or(|rule| need.key.rule == *rule);
            let named = || needs.iter().filter(is_named);
            let is_own = reading.limit.is_some_and(|limit| named().all(|need| need.limit != limit));
            let meant = self.meant(needs, reading, now);
            for need in named().filter(|need| is_own || Some(&need.key) == meant.as_ref()) {
                self.bucket(need, Owner::Them, now).announce(reading, is_own, now);
            }
        }
        for need in needs {
            self.note(&need.key, now);
        }
    }

    /// The server served a request: earlier refusals are forgiven.
    pub fn served(&mut self, claim: &Claim) {
        if self.storms.remove(&claim.asker).is_some() {
            self.notebook.storms.insert(claim.asker.clone());
        }
    }

    /// The server said "too many"; nothing of this claim before the time given back.
    pub fn refused(&mut self, claim: &Claim, until: Option<Timestamp>, now: Timestamp) -> Timestamp {
        let until = self.storms.entry(claim.asker.clone()).or_default().refused(until, now);
        self.notebook.storms.insert(claim.asker.clone());
        for need in &claim.needs {
            let bucket = self.bucket(need, Owner::Them, now);
            bucket.blocked_until = bucket.blocked_until.max(until);
            self.note(&need.key, now);
        }
        until
    }

    /// When a bucket has given so many units, one at a time; `None` for one never asked of.
    pub(crate) fn ready_at(&self, key: &QuotaKey, units: u32, now: Timestamp) -> Option<Timestamp> {
        self.accounts.get(key).map(|account| account.bucket.all_ready_at(units, now))
    }

    /// Units a second that flow into a bucket in the long run; `None` for one never asked of.
    pub(crate) fn refill_per_s(&self, key: &QuotaKey, now: Timestamp) -> Option<f64> {
        self.accounts.get(key).map(|account| account.bucket.refill_per_s(now))
    }

    /// Every bucket, for reports, in a fixed order.
    pub fn views(&self, now: Timestamp) -> Vec<QuotaView> {
        let mut views: Vec<_> =
            self.accounts.iter().map(|(key, account)| account.bucket.view(key, now)).collect();
        views.sort_by(|one, other| one.key.cmp(&other.key));
        views
    }

    /// Buckets that are no longer wanted are forgotten, in the store too.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&QuotaKey) -> bool) {
        let gone: Vec<QuotaKey> = self.accounts.keys().filter(|key| !is_kept(key)).cloned().collect();
        for key in gone {
            self.accounts.remove(&key);
            self.notebook.forget(&key);
        }
    }

    fn bucket(&mut self, need: &QuotaNeed, owner: Owner, now: Timestamp) -> &mut Bucket {
        let declared = (need.limit, need.window);
        let fresh = || Account::new(Bucket::new(declared, owner, now), None);
        let bucket = &mut self.accounts.entry(need.key.clone()).or_insert_with(fresh).bucket;
        bucket.declare(declared, now);
        bucket
    }

    /// The bucket a reading speaks of: the rule it names, else, of those that it fits if there
    /// are any, the one closest to exhaustion.
    fn meant(&self, needs: &[QuotaNeed], reading: &LimitReading, now: Timestamp) -> Option<QuotaKey> {
        if let Some(rule) = &reading.rule {
            return needs.iter().find(|need| need.key.rule == *rule).map(|need| need.key.clone());
        }
        let standing = |need: &QuotaNeed| {
            let fullness = self.accounts.get(&need.key).map_or(0.0, |it| it.bucket.fullness(now));
            // Nobody waits longer for a reset than its window lasts.
            let is_near = reading.reset_at.is_none_or(|at| at - now <= need.window + RESET_SLACK);
            (is_near && reading.limit == Some(need.limit), fullness)
        };
        let nearest = needs.iter().max_by(|one, other| {
            let ((one_fits, one), (other_fits, other)) = (standing(one), standing(other));
            one_fits.cmp(&other_fits).then(one.total_cmp(&other))
        });
        nearest.map(|need| need.key.clone())
    }
}

#[cfg(test)]
mod tests;
