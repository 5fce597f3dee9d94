//! Requests of commands that ask a network while the run does: each needs the same grant as that of a visit.
//!
//! A guest leaves its wish in the store's control table and reads the answer from a setting, by the number of its message. It is
//! granted before what is planned, since a person waits for it, and only when the store knows of the grant. A wish that finds no room
//! for [`WAIT_MS`] is told when there is some. Invariant: nothing leaves that the ledger has not granted, whoever sends it.

use freshet_store::control::GuestAsk;
use freshet_types::{Request, Timestamp};

use super::{Core, Effect};
use crate::guest::{ANSWERS_MAX, Answers, GUESTS, Granted};
use crate::quota::Claim;

/// Wishes that wait at once; more are turned away.
const PENDING_MAX: usize = 64;
/// Wall time that a wish waits before it is told how long it would have to, in milliseconds.
const WAIT_MS: u64 = 10_000;

/// Who asks beside the run.
#[derive(Debug, Default)]
pub(super) struct Guests {
    pending: Vec<Wish>,
    /// Granted, and waiting until the store has written the reservation of this number.
    granted: Vec<(u64, u64)>,
    answers: Answers,
    wake_at: Option<Timestamp>,
}

/// A request that waits for its grant.
#[derive(Debug)]
struct Wish {
    number: u64,
    request: Request,
    since_ms: u64,
}

impl Core {
    /// A guest wants something.
    pub(super) fn on_guest(&mut self, number: u64, ask: GuestAsk, now: Timestamp) {
        match ask {
            GuestAsk::Grant(_) if self.guests.pending.len() >= PENDING_MAX || self.is_draining => {
                self.answer_guest(number, Granted::NotBefore(now));
            }
            GuestAsk::Grant(request) => {
                self.guests.pending.push(Wish { number, request, since_ms: self.wall_ms });
            }
            GuestAsk::Spent { request, extra_count, is_refused, refused_until } => {
                let claim = Claim::of(&request, self.budgets.needs(&request));
                self.ledger.book(&claim, extra_count, now);
                if is_refused {
                    self.ledger.refused(&claim, refused_until, now);
                }
            }
        }
    }

    /// Grants what may be granted now, the oldest first.
    pub(super) fn grant_guests(&mut self, now: Timestamp) {
        self.guests.wake_at = None;
        if self.is_held || self.guests.pending.is_empty() {
            return;
        }
        for wish in std::mem::take(&mut self.guests.pending) {
            match self.grant_guest(&wish.request, now) {
                Ok(Some(reserved_by)) => self.guests.granted.push((reserved_by, wish.number)),
                Ok(None) => self.answer_guest(wish.number, Granted::Now),
                Err(until) if self.wall_ms.saturating_sub(wish.since_ms) >= WAIT_MS => {
                    self.answer_guest(wish.number, Granted::NotBefore(until));
                }
                Err(until) => {
                    let wake_at = self.guests.wake_at.map_or(until, |at| at.min(until));
                    self.guests.wake_at = Some(wake_at);
                    self.guests.pending.push(wish);
                }
            }
        }
    }

    fn grant_guest(&mut self, request: &Request, now: Timestamp) -> Result<Option<u64>, Timestamp> {
        // A server that the run does not visit has no politeness here but the guest's own.
        let key = self.servers.key_of(&request.network);
        if let Some(allowed_at) = key.map(|key| self.frontier.allowed_at(key)).filter(|at| *at > now) {
            return Err(allowed_at);
        }
        let claim = Claim::of(request, self.budgets.needs(request));
        let reserved_by = self.ledger.grant(&claim, now)?;
        // A guest may die before its answer: what it was granted is spent.
        self.ledger.answered(&claim, &[], now);
        if let Some(key) = key {
            self.frontier.allow_request(key, now).expect("it was allowed a moment ago");
        }
        self.tally.fetches_count += 1;
        Ok(reserved_by)
    }

    /// When the next wish may be granted.
    pub(super) fn guests_wake_at(&self) -> Option<Timestamp> {
        self.guests.wake_at.filter(|_| !self.is_held)
    }

    /// A reservation was written: whoever waited for it may ask.
    pub(super) fn release_guests(&mut self) {
        let ledger = &self.ledger;
        let is_written = |&mut (reserved_by, _): &mut (u64, u64)| ledger.is_written(reserved_by);
        let granted: Vec<(u64, u64)> = self.guests.granted.extract_if(.., is_written).collect();
        for (_, number) in granted {
            self.answer_guest(number, Granted::Now);
        }
    }

    fn answer_guest(&mut self, number: u64, granted: Granted) {
        let answers = &mut self.guests.answers.0;
        answers.push_back((number, granted));
        while answers.len() > ANSWERS_MAX {
            answers.pop_front();
        }
        let text = serde_json::to_string(&self.guests.answers).expect("answers are plain data");
        self.want(Effect::Note(GUESTS.key(), text));
    }
}
