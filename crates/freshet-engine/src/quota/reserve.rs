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

use super::memory;
use super::{Asker, Ledger};

/// What is to be written of the ledger in one transaction, as settings of the store; those without a
/// value are removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Its number, by which it is confirmed.
    pub number: u64,
    pub settings: Vec<(String, Option<String>)>,
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

impl Notebook {
    /// Nothing is kept of this bucket any more.
    pub(super) fn forget(&mut self, key: &QuotaKey) {
        self.buckets.remove(key);
        self.gone.push(memory::bucket_name(key));
    }
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
