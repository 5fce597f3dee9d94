//! What a run does so that a forum is learned anew: it hands out errands, and grants their requests one by one.

use freshet_types::{NetworkName, Request, Timestamp};

use super::{Output, Runner};
use crate::writer::Job;

/// Names a request that waits for its grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GrantId(pub u64);

/// What is kept for it.
#[derive(Debug, Default)]
pub(super) struct Relearner {
    /// Requests that wait for their grants: one for each errand.
    pending: Vec<(GrantId, Box<Request>)>,
    /// Those that were granted, and wait until the store has written the reservation of this number.
    granted: Vec<(u64, GrantId)>,
    /// When the next of them may be granted.
    pub(super) wake_at: Option<Timestamp>,
}

impl Runner {
    /// Hands out errands.
    pub(super) fn want_relearning(&mut self) {
        let wanted = self.core.relearn_wanted(self.moment.now);
        if wanted.is_empty() {
            return;
        }
        self.outputs.extend(wanted.into_iter().map(Output::Relearn));
        self.note_relearning();
    }

    /// A request waits for its grant from now on.
    pub(super) fn want_grant(&mut self, id: GrantId, request: Box<Request>) {
        self.relearner.pending.push((id, request));
    }

    /// Grants what may be granted now.
    pub(super) fn grant_what_waits(&mut self) {
        self.relearner.wake_at = None;
        if self.troubles.holds() {
            return;
        }
        for (id, request) in std::mem::take(&mut self.relearner.pending) {
            match self.core.grant_relearn(&request, self.moment.now) {
                Ok(Some(number)) => self.relearner.granted.push((number, id)),
                Ok(None) => self.want(Output::Granted(id)),
                Err(until) => {
                    let wake_at = self.relearner.wake_at.map_or(until, |at| at.min(until));
                    self.relearner.wake_at = Some(wake_at);
                    self.relearner.pending.push((id, request));
                }
            }
        }
        let ledger = self.core.ledger();
        let written = self.relearner.granted.extract_if(.., |(number, _)| ledger.is_written(*number));
        self.outputs.extend(written.map(|(_, id)| Output::Granted(id)));
    }

    /// An errand has ended.
    pub(super) fn end_relearning(&mut self, network: &NetworkName, outcome: Result<String, String>) {
        self.core.end_relearn(network, outcome, self.moment.now);
        self.note_relearning();
    }

    fn note_relearning(&mut self) {
        let text = self.core.relearn_notes().to_text();
        self.give(Job::Relearnt(text));
    }
}
