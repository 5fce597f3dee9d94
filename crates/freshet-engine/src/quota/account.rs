//! One bucket of the ledger, with what the store knows of it. When it is written is decided in `quota/reserve.rs`.

use freshet_types::Timestamp;

use super::bucket::Bucket;

/// Share of a limit that is reserved ahead at most: what a killed process loses.
const AHEAD_SHARE: u32 = 50;
/// More is reserved when this share of what was reserved ahead is left.
const REFILL_SHARE: u32 = 2;

/// A bucket, and what the store knows of it.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) bucket: Bucket,
    /// As it is stored.
    pub(super) stored: Option<Bucket>,
    /// As it will be stored by the reservation of this number.
    pub(super) pending: Option<(u64, Bucket)>,
    /// Units reserved ahead the last time: few at first, since a process may die young.
    pub(super) ahead: u32,
}

impl Account {
    /// One of which the store knows this much.
    pub(super) fn new(bucket: Bucket, stored: Option<Bucket>) -> Self {
        Self { bucket, stored, pending: None, ahead: 0 }
    }

    /// Which reservation must be written before this state of the bucket counts as stored:
    /// `Ok(None)` where it is stored already, `Err` where none has been made that would do.
    pub(super) fn written_by(&self, state: &Bucket, now: Timestamp) -> Result<Option<u64>, ()> {
        if self.stored.as_ref().is_some_and(|stored| stored.covers(state, now)) {
            return Ok(None);
        }
        let pending = self.pending.as_ref().filter(|(_, pending)| pending.covers(state, now));
        pending.map(|&(number, _)| Some(number)).ok_or(())
    }

    /// Whether more is to be reserved, lest the next grants wait.
    pub(super) fn runs_low(&self, now: Timestamp) -> bool {
        let mut further = self.bucket.clone();
        further.put_in_flight(self.ahead / REFILL_SHARE, now);
        self.written_by(&further, now).is_err()
    }

    /// The state to store: that of the bucket, and some units more.
    pub(super) fn reserve(&mut self, number: u64, now: Timestamp) -> &Bucket {
        let ahead_max = (self.bucket.limit() / AHEAD_SHARE).max(1);
        self.ahead = (self.ahead * 2).clamp(1, ahead_max);
        let mut state = self.bucket.clone();
        state.put_in_flight(self.ahead, now);
        &self.pending.insert((number, state)).1
    }
}
