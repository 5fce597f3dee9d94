//! Reservations: nothing is spent that the store does not know as spent.
//!
//! A process may be killed at any instant, and the next one knows only what the store has. So a
//! request leaves only when the state that the store holds of each of its buckets charges at least
//! what was granted, this request included. The store is told ahead: each time a few units more than
//! were granted, so that a fast crawl never waits for a commit and a killed process loses few.
//! [`Ledger::reservation`] gives what is to be written; [`Ledger::confirm`] hears that it was.
//!
//! Invariant: reservations are written whole, and confirmed in the order of their numbers.

use freshet_types::{Map, QuotaKey, Set, Timestamp};

use super::bucket::Bucket;
use super::memory;
use super::{Asker, Ledger};

/// Share of a limit that is reserved ahead at most: what a killed process loses.
const AHEAD_SHARE: u32 = 50;
/// More is reserved when this share of what was reserved ahead is left.
const REFILL_SHARE: u32 = 2;

/// What is to be written of the ledger in one transaction, as settings of the store; those without a
/// value are removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Its number, by which it is confirmed.
    pub number: u64,
    /// The settings.
    pub settings: Vec<(String, Option<String>)>,
}

/// A bucket, and what the store knows of it.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) bucket: Bucket,
    /// As it is stored.
    pub(super) stored: Option<Bucket>,
    /// As it will be stored by the reservation of this number.
    pending: Option<(u64, Bucket)>,
    /// Units reserved ahead the last time: few at first, since a process may die young.
    ahead: u32,
}

impl Account {
    /// One of which the store knows this much.
    pub(super) fn new(bucket: Bucket, stored: Option<Bucket>) -> Self {
        Self { bucket, stored, pending: None, ahead: 0 }
    }

    /// Which reservation must be written before this state of the bucket counts as stored:
    /// `Ok(None)` where it is stored already, `Err` where none has been made that would do.
    fn written_by(&self, state: &Bucket, now: Timestamp) -> Result<Option<u64>, ()> {
        if self.stored.as_ref().is_some_and(|stored| stored.covers(state, now)) {
            return Ok(None);
        }
        let pending = self.pending.as_ref().filter(|(_, pending)| pending.covers(state, now));
        pending.map(|&(number, _)| Some(number)).ok_or(())
    }

    /// Whether more is to be reserved, lest the next grants wait.
    fn runs_low(&self, now: Timestamp) -> bool {
        let mut further = self.bucket.clone();
        further.take(self.ahead / REFILL_SHARE, now);
        self.written_by(&further, now).is_err()
    }

    /// The state to store: that of the bucket, and some units more.
    fn reserve(&mut self, number: u64, now: Timestamp) -> &Bucket {
        let ahead_max = (self.bucket.limit() / AHEAD_SHARE).max(1);
        self.ahead = (self.ahead * 2).clamp(1, ahead_max);
        let mut state = self.bucket.clone();
        state.take(self.ahead, now);
        &self.pending.insert((number, state)).1
    }
}

/// What is to be written with the next reservation, and which have been made.
#[derive(Debug, Default)]
pub(super) struct Notebook {
    /// The number of the last reservation that was made.
    made: u64,
    /// The number of the last one that was written.
    written: u64,
    /// Which buckets each of those between holds.
    under_way: Map<u64, Vec<QuotaKey>>,
    pub(super) buckets: Set<QuotaKey>,
    pub(super) storms: Set<Asker>,
    /// Settings that are to be removed.
    pub(super) gone: Vec<String>,
}

impl Ledger {
    /// The reservation that must be written before what was just granted to this bucket may leave.
    pub(super) fn hold(&mut self, key: &QuotaKey, now: Timestamp) -> Option<u64> {
        let account = self.accounts.get(key)?;
        let written_by = account.written_by(&account.bucket, now);
        if written_by.is_err() || account.runs_low(now) {
            self.notebook.buckets.insert(key.clone());
        }
        written_by.unwrap_or(Some(self.notebook.made + 1))
    }

    /// Has this bucket written soon where it binds more than the store knows.
    pub(super) fn note(&mut self, key: &QuotaKey, now: Timestamp) {
        if self.accounts.get(key).is_some_and(|account| account.written_by(&account.bucket, now).is_err()) {
            self.notebook.buckets.insert(key.clone());
        }
    }

    /// What is to be written now, if anything is.
    pub(crate) fn reservation(&mut self, now: Timestamp) -> Option<Reservation> {
        let notebook = &mut self.notebook;
        if notebook.buckets.is_empty() && notebook.storms.is_empty() && notebook.gone.is_empty() {
            return None;
        }
        notebook.made += 1;
        let number = notebook.made;
        let gone = std::mem::take(&mut notebook.gone).into_iter().map(|key| (key, None));
        let mut settings: Vec<(String, Option<String>)> = gone.collect();
        for asker in std::mem::take(&mut notebook.storms) {
            settings.push(memory::storm_setting(&asker, self.storms.get(&asker), now));
        }
        let keys: Vec<QuotaKey> = std::mem::take(&mut notebook.buckets).into_iter().collect();
        for key in &keys {
            if let Some(account) = self.accounts.get_mut(key) {
                settings.push(memory::bucket_setting(key, account.reserve(number, now), now));
            }
        }
        notebook.under_way.insert(number, keys);
        // In a fixed order, so that a simulated run is the same every time.
        settings.sort();
        Some(Reservation { number, settings })
    }

    /// The store has written this reservation.
    pub fn confirm(&mut self, number: u64) {
        self.notebook.written = self.notebook.written.max(number);
        for key in self.notebook.under_way.remove(&number).unwrap_or_default() {
            if let Some(account) = self.accounts.get_mut(&key)
                && account.pending.as_ref().is_some_and(|(pending, _)| *pending == number)
            {
                account.stored = account.pending.take().map(|(_, state)| state);
            }
        }
    }

    /// Whether a reservation is written.
    pub fn is_written(&self, number: u64) -> bool {
        number <= self.notebook.written
    }

    /// What is to be written when nothing more will be asked: what was reserved and not used is given
    /// back.
    pub(crate) fn farewell(&mut self, now: Timestamp) -> Reservation {
        let left = self.reservation(now).map_or_else(Vec::new, |reservation| reservation.settings);
        let mut settings: std::collections::BTreeMap<String, Option<String>> = left.into_iter().collect();
        for (key, account) in &self.accounts {
            if account.ahead > 0 {
                settings.extend([memory::bucket_setting(key, &account.bucket, now)]);
            }
        }
        Reservation { number: self.notebook.made, settings: settings.into_iter().collect() }
    }
}
