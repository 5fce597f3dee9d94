//! What a run does so that a forum is learned anew: it hands out errands, and grants their requests one by one.

use freshet_types::{NetworkName, Request, Timestamp};
use tokio::sync::{mpsc, oneshot};

use super::{Driver, RunError};
use crate::dump::Job;
use crate::relearn::{Ask, Errand};

/// Called when a forum is to be learned anew.
pub type OnUnread = Box<dyn FnMut(Errand) + Send>;

/// What is kept for it.
pub(super) struct Relearner {
    on_unread: OnUnread,
    asks: mpsc::UnboundedSender<Ask>,
    /// What whoever learns wants.
    pub(super) heard: mpsc::UnboundedReceiver<Ask>,
    /// Requests that wait for their grants: one for each errand.
    pending: Vec<(Box<Request>, oneshot::Sender<()>)>,
    /// Those that were granted, and wait until the store has written the reservation of this number.
    granted: Vec<(u64, oneshot::Sender<()>)>,
    /// When the next of them may be granted.
    pub(super) wake_at: Option<Timestamp>,
}

impl Relearner {
    pub(super) fn new(on_unread: OnUnread) -> Self {
        let (asks, heard) = mpsc::unbounded_channel();
        Self { on_unread, asks, heard, pending: Vec::new(), granted: Vec::new(), wake_at: None }
    }
}

impl Driver {
    /// Hands out errands, and grants what may be granted now.
    pub(super) fn tend_relearning(&mut self) -> Result<(), RunError> {
        let now = self.clock.now();
        let wanted = self.core.relearn_wanted(now);
        for network in &wanted {
            let errand = Errand::new(network.clone(), self.relearner.asks.clone());
            (self.relearner.on_unread)(errand);
        }
        if !wanted.is_empty() {
            self.note_relearning()?;
        }
        self.relearner.wake_at = None;
        if self.troubles.holds() {
            return Ok(());
        }
        for (request, reply) in std::mem::take(&mut self.relearner.pending) {
            match self.core.grant_relearn(&request, now) {
                Ok(Some(number)) => self.relearner.granted.push((number, reply)),
                // One that no longer listens has ended.
                Ok(None) => drop(reply.send(())),
                Err(until) => {
                    let wake_at = self.relearner.wake_at.map_or(until, |at| at.min(until));
                    self.relearner.wake_at = Some(wake_at);
                    self.relearner.pending.push((request, reply));
                }
            }
        }
        let ledger = self.core.ledger();
        for (_, reply) in self.relearner.granted.extract_if(.., |(number, _)| ledger.is_written(*number)) {
            let _ = reply.send(());
        }
        Ok(())
    }

    /// Takes in what whoever learns wants.
    pub(super) fn hear_ask(&mut self, ask: Ask) -> Result<(), RunError> {
        match ask {
            Ask::Grant(request, reply) => self.relearner.pending.push((request, reply)),
            Ask::Ended(network, outcome) => return self.end_relearning(&network, outcome),
        }
        self.tend_relearning()
    }

    fn end_relearning(
        &mut self,
        network: &NetworkName,
        outcome: Result<String, String>,
    ) -> Result<(), RunError> {
        self.core.end_relearn(network, outcome, self.clock.now());
        self.note_relearning()
    }

    fn note_relearning(&mut self) -> Result<(), RunError> {
        let text = self.core.relearn_notes().to_text();
        self.give(Job::Relearnt(text))
    }
}
