//! Asking a network beside a run, or without one, under the same ledger: what `freshet get --online` stands on.
//!
//! While a run is under way its ledger decides (`core/guests.rs`), and a command asks it for every request through the store
//! ([`wish`], [`answer`], [`spent`]). Without a run the command takes the run's lock for a moment and opens the stored ledger itself: a [`Purse`], which
//! writes down what it grants before anything leaves, as a run does. What was learned goes into the store like a page of a visit
//! ([`store`]): constraints judge it, and who asks not to be collected is left out.
//!
//! What it does not do: send anything, or decide what is asked.

use std::collections::VecDeque;
use std::sync::Arc;

use freshet_network::networks::Networks;
use freshet_store::api::{Store, StoreError};
use freshet_store::control::{ConstraintsChange, Control, GuestAsk};
use freshet_store::row::Upload;
use freshet_store::setting::{Json, Setting};
use freshet_types::{NetworkName, Observation, Request, Timestamp, VisitId};
use serde::{Deserialize, Serialize};

use crate::budget::Budgets;
use crate::consent::drop_opted_out;
use crate::constrain::Constrainer;
use crate::constrain::setting::{SettingError, constraints};
use crate::quota::{Claim, LEDGER, LEDGER_BEFORE, Ledger};

/// Setting that holds the latest answers to guests.
pub(crate) const GUESTS: Setting<Json<Answers>> = Setting::new("guests");
/// Answers that are kept: a guest reads its own within moments.
pub(crate) const ANSWERS_MAX: usize = 64;
/// Steps from what a person added, of what was looked up once: no reason for a robot to go on from there.
pub const LOOKED_UP: u16 = u16::MAX - 1;

/// The latest answers, by the numbers of the messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Answers(pub(crate) VecDeque<(u64, Granted)>);

/// Whether a request may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Granted {
    Now,
    /// The quotas and budgets have room then.
    NotBefore(Timestamp),
}

/// What a request took beyond its grant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Exchanges more than the one that was granted.
    pub extra_count: u32,
    /// The server said "too many".
    pub is_refused: bool,
    /// Until then, as the server says.
    pub refused_until: Option<Timestamp>,
}

/// Asks the run under way for a grant; gives the number by which it answers. What the request says is nobody's business: a hub's secret
/// stands there.
pub fn wish(store: &mut dyn Store, request: &Request) -> Result<u64, StoreError> {
    let request = Request { body: None, ..request.clone() };
    store.push_control(&Control::Guest(Box::new(GuestAsk::Grant(request))))
}

/// The answer of the run, where it has answered.
pub fn answer(store: &dyn Store, number: u64) -> Result<Option<Granted>, StoreError> {
    let Json(answers) = GUESTS.find(store)?.unwrap_or_default();
    Ok(answers.0.iter().find(|(of, _)| *of == number).map(|(_, granted)| *granted))
}

/// Tells the run what a granted request took beyond its grant; nothing to tell costs nothing.
pub fn spent(store: &mut dyn Store, request: &Request, spent: Spent) -> Result<(), StoreError> {
    if spent != Spent::default() {
        let Spent { extra_count, is_refused, refused_until } = spent;
        let request = Request { body: None, ..request.clone() };
        let ask = GuestAsk::Spent { request, extra_count, is_refused, refused_until };
        store.push_control(&Control::Guest(Box::new(ask)))?;
    }
    Ok(())
}

/// The stored ledger and budgets, in the hands of whoever holds the lock of the run.
#[derive(Debug)]
pub struct Purse {
    ledger: Ledger,
    budgets: Budgets,
}

impl Purse {
    /// As the last process left them.
    pub fn open(store: &dyn Store, now: Timestamp) -> Result<Self, StoreError> {
        let ledger = Ledger::from_settings(LEDGER.all(store)?, LEDGER_BEFORE.get(store)?.as_deref(), now);
        Ok(Self { ledger, budgets: Budgets::from_store(store)? })
    }

    /// Grants a request, and has that written before it may leave.
    pub fn grant(
        &mut self,
        store: &mut dyn Store,
        request: &Request,
        now: Timestamp,
    ) -> Result<Granted, StoreError> {
        let claim = self.claim(request);
        match self.ledger.grant(&claim, now) {
            Err(until) => return Ok(Granted::NotBefore(until)),
            Ok(_) => self.ledger.answered(&claim, &[], now),
        }
        self.write(store, now)?;
        Ok(Granted::Now)
    }

    /// Charges what a granted request took beyond its grant.
    pub fn charge(
        &mut self,
        store: &mut dyn Store,
        (request, spent): (&Request, Spent),
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let claim = self.claim(request);
        self.ledger.book(&claim, spent.extra_count, now);
        if spent.is_refused {
            self.ledger.refused(&claim, spent.refused_until, now);
        } else {
            self.ledger.served(&claim);
        }
        self.write(store, now)
    }

    /// Gives back what was reserved ahead and not used.
    pub fn close(mut self, store: &mut dyn Store, now: Timestamp) -> Result<(), StoreError> {
        store.set_settings(&self.ledger.farewell(now).settings)
    }

    fn claim(&self, request: &Request) -> Claim {
        Claim::of(request, self.budgets.needs(request))
    }

    fn write(&mut self, store: &mut dyn Store, now: Timestamp) -> Result<(), StoreError> {
        while let Some(reservation) = self.ledger.reservation(now) {
            store.set_settings(&reservation.settings)?;
            self.ledger.confirm(reservation.number);
        }
        Ok(())
    }
}

/// What a page showed to a guest.
#[derive(Clone, Debug)]
pub struct Sight {
    /// The network its ids belong to.
    pub network: NetworkName,
    pub observation: Observation,
    /// When it was received.
    pub seen_at: Timestamp,
    /// Steps from what a person added: those of the source that it belongs to, or [`LOOKED_UP`].
    pub depth: u16,
}

/// Stores what was seen as a visit would, under the constraints of the store.
pub fn store(
    store: &mut dyn Store,
    networks: &Arc<Networks>,
    sights: Vec<Sight>,
) -> Result<(), SettingError> {
    let mut constrainer = Constrainer::new(Arc::clone(networks));
    constrainer.go_on_with(constraints(store, networks)?);
    let upload = |mut sight: Sight| {
        let opted_out = drop_opted_out(&mut sight.observation, None);
        let observation = sight.observation;
        Upload {
            observation,
            opted_out,
            depth: sight.depth,
            ..Upload::new(VisitId(0), sight.network, sight.seen_at)
        }
    };
    let mut is_parked = false;
    for sight in sights {
        let mut uploads = vec![upload(sight)];
        constrainer.apply(store, &mut uploads)?;
        is_parked |= uploads.iter().any(|upload| !upload.parked.is_empty());
    }
    if is_parked {
        // A run keeps what is parked in memory: it reads it anew.
        store.push_control(&Control::Constraints(ConstraintsChange::Changed))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
