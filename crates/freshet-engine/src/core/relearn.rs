//! When a forum is to be learned anew, and the grants for its pages.
//!
//! Invariants: only a server that rests because nothing of its pages can be read is learned anew; no visit to it is under way
//! then, and its rest lasts at least as long as the errand; each page needs the same grant as that of a visit.

use freshet_store::row::{ListPage, Upload};
use freshet_types::list::PORTAL;
use freshet_types::{Map, Meter, NetworkName, Request, ServerKey, Set, SourceId, Timestamp, VisitId};

use super::unread::REST_FIRST;
use super::{Core, Effect};
use crate::quota::Claim;
use crate::relearn::{Note, Notes, RELEARN, RELEARN_EVERY};

/// What is known of learning anew.
#[derive(Debug, Default)]
pub(super) struct Relearn {
    notes: Notes,
    under_way: Set<ServerKey>,
    /// What the last page of each took, to be charged before the next: it may have been redirected.
    uncharged: Map<ServerKey, (Claim, Meter)>,
    /// Requests that wait for their grants: one for each errand.
    pending: Vec<Request>,
    /// Networks whose request was granted, and waits until the store has written the reservation of this number.
    granted: Vec<(u64, NetworkName)>,
    /// When the next of those that wait may be granted.
    wake_at: Option<Timestamp>,
}

impl Core {
    pub(super) fn restore_relearn(&mut self, notes: Notes) {
        self.relearn.notes = notes;
    }

    /// What came of learning forums anew.
    pub(crate) fn relearn_notes(&self) -> &Notes {
        &self.relearn.notes
    }

    /// Whether a forum is being learned anew.
    pub(crate) fn is_relearning(&self, network: &NetworkName) -> bool {
        self.servers.key_of(network).is_some_and(|key| self.relearn.under_way.contains(&key))
    }

    /// Has forums learned anew whose pages cannot be read; they count as under way from now on.
    pub(super) fn want_relearning(&mut self, now: Timestamp) {
        if self.is_draining {
            return;
        }
        let is_wanted = |&(key, network): &(ServerKey, &NetworkName)| {
            let is_resting = self.servers.unread(key).rests_until().is_some_and(|at| at > now);
            let noted = self.relearn.notes.0.get(network);
            let is_time = noted.is_none_or(|note| now >= note.at + RELEARN_EVERY);
            is_resting && is_time && !self.relearn.under_way.contains(&key) && !self.is_asked(key)
        };
        let wanted = self.forums().filter(is_wanted).map(|(key, network)| (key, network.clone()));
        let wanted: Vec<(ServerKey, NetworkName)> = wanted.collect();
        for (key, network) in wanted {
            self.relearn.under_way.insert(key);
            let note = Note { at: now, is_accepted: false, what: "it is being learned anew".to_owned() };
            self.write_note(network.clone(), note);
            self.want(Effect::Relearn(network));
        }
    }

    /// Keeps what came of an errand, here and in the store.
    fn write_note(&mut self, network: NetworkName, note: Note) {
        self.relearn.notes.0.insert(network, note);
        let text = self.relearn.notes.to_text();
        self.want(Effect::Note(RELEARN.key(), text));
    }

    /// The change log tells of the front page that the forum is read otherwise from now on.
    fn log_relearnt(&mut self, network: &NetworkName, now: Timestamp) {
        let registry = self.networks.snapshot();
        let front = registry.get(network.definition()).and_then(|it| it.front.as_ref());
        let Some(id) = front.and_then(|front| front.reference.root_id.clone()) else { return };
        let page = ListPage { kind: PORTAL.into(), id, is_relearnt: true, ..ListPage::default() };
        // No visit brought it.
        let upload = Upload { page: Some(page), ..Upload::new(VisitId(0), network.clone(), now) };
        self.want(Effect::Apply(Box::new(upload)));
    }

    /// Whether a visit to this server is under way.
    fn is_asked(&self, key: ServerKey) -> bool {
        let is_there = |id: SourceId| self.sources.get(id).is_some_and(|slot| slot.key == key);
        self.visits.iter().any(|visit| visit.key == key) || self.visits.loading().any(is_there)
    }

    /// A request of an errand waits for its grant from now on.
    pub(super) fn want_grant(&mut self, request: Request) {
        self.relearn.pending.push(request);
    }

    /// When the next request of an errand may be granted.
    pub(super) fn errands_wake_at(&self) -> Option<Timestamp> {
        self.relearn.wake_at.filter(|_| !self.is_held)
    }

    /// Grants what may be granted now, the oldest first. A request leaves when the store knows of its grant.
    pub(super) fn grant_errands(&mut self, now: Timestamp) {
        self.relearn.wake_at = None;
        if self.is_held || self.relearn.pending.is_empty() {
            return;
        }
        for request in std::mem::take(&mut self.relearn.pending) {
            match self.grant_errand(&request, now) {
                Ok(Some(number)) => self.relearn.granted.push((number, request.network)),
                Ok(None) => self.want(Effect::Granted(request.network)),
                Err(until) => {
                    let wake_at = self.relearn.wake_at.map_or(until, |at| at.min(until));
                    self.relearn.wake_at = Some(wake_at);
                    self.relearn.pending.push(request);
                }
            }
        }
    }

    /// A reservation was written: requests that waited for it may leave.
    pub(super) fn release_errands(&mut self) {
        let ledger = &self.ledger;
        let is_written = |&mut (number, _): &mut (u64, _)| ledger.is_written(number);
        let granted: Vec<_> = self.relearn.granted.extract_if(.., is_written).collect();
        for (_, network) in granted {
            self.want(Effect::Granted(network));
        }
    }

    /// Grants a request of an errand, or says when to ask again. It may leave when the reservation of
    /// the number given back is written.
    fn grant_errand(&mut self, request: &Request, now: Timestamp) -> Result<Option<u64>, Timestamp> {
        let Some(key) = self.servers.key_of(&request.network) else { return Ok(None) };
        self.book_relearn(key, now);
        let allowed_at = self.frontier.allowed_at(key);
        if allowed_at > now {
            return Err(allowed_at);
        }
        let claim = Claim::of(request, self.budgets.needs(request));
        let reserved_by = self.ledger.grant(&claim, now)?;
        // One at a time, and nothing is announced: the next grant waits for this answer anyway.
        self.ledger.answered(&claim, &[], now);
        self.frontier.allow_request(key, now).expect("it was allowed a moment ago");
        self.tally.fetches_count += 1;
        let until = self.servers.unread_mut(key).rest_on(now + REST_FIRST);
        self.servers.rest_all(key, until);
        self.relearn.uncharged.insert(key, (claim, request.meter.clone()));
        Ok(reserved_by)
    }

    /// Charges what the last page of an errand took beyond its grant.
    fn book_relearn(&mut self, key: ServerKey, now: Timestamp) {
        if let Some((claim, meter)) = self.relearn.uncharged.remove(&key) {
            self.ledger.book(&claim, meter.extra_count(), now);
        }
    }

    /// An errand has ended. A definition that was accepted ends the rest when it takes its place.
    pub(super) fn on_relearn_ended(
        &mut self,
        network: &NetworkName,
        outcome: Result<String, String>,
        now: Timestamp,
    ) {
        if let Some(key) = self.servers.key_of(network) {
            self.relearn.under_way.remove(&key);
            self.book_relearn(key, now);
        }
        self.relearn.pending.retain(|request| request.network != *network);
        self.relearn.granted.retain(|(_, of)| of != network);
        let is_accepted = outcome.is_ok();
        let what = outcome.unwrap_or_else(|why| why);
        if is_accepted {
            tracing::info!(network = network.as_str(), "learned anew: {what}");
        } else {
            tracing::warn!(network = network.as_str(), "not learned anew: {what}");
        }
        if is_accepted {
            self.log_relearnt(network, now);
        }
        let at = self.relearn.notes.0.get(network).map_or(now, |note| note.at);
        self.write_note(network.clone(), Note { at, is_accepted, what });
    }
}
