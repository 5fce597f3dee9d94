//! What a run does so that a forum is learned anew: it hands out errands, and passes their requests to the core, which grants them.

use freshet_types::NetworkName;
use tokio::sync::{mpsc, oneshot};

use super::Driver;
use crate::core::Event;
use crate::relearn::{Ask, Errand};

/// Called when a forum is to be learned anew.
pub type OnUnread = Box<dyn FnMut(Errand) + Send>;

/// What is kept for it.
pub(super) struct Relearner {
    on_unread: OnUnread,
    asks: mpsc::UnboundedSender<Ask>,
    /// What whoever learns wants.
    pub(super) heard: mpsc::UnboundedReceiver<Ask>,
    /// Who waits for the grant of a request, oldest first.
    waiting: Vec<(NetworkName, oneshot::Sender<()>)>,
}

impl Relearner {
    pub(super) fn new(on_unread: OnUnread) -> Self {
        let (asks, heard) = mpsc::unbounded_channel();
        Self { on_unread, asks, heard, waiting: Vec::new() }
    }

    /// Hands out an errand.
    pub(super) fn begin(&mut self, network: NetworkName) {
        (self.on_unread)(Errand::new(network, self.asks.clone()));
    }

    /// The oldest request of this network may leave.
    pub(super) fn grant(&mut self, network: &NetworkName) {
        if let Some(at) = self.waiting.iter().position(|(of, _)| of == network) {
            // One that no longer listens has ended.
            let _ = self.waiting.remove(at).1.send(());
        }
    }
}

impl Driver {
    /// Takes in what whoever learns wants.
    pub(super) fn hear_ask(&mut self, ask: Ask) {
        match ask {
            Ask::Grant(request, reply) => {
                self.relearner.waiting.push((request.network.clone(), reply));
                self.feed_core(Event::GrantWanted(request));
            }
            Ask::Ended(network, outcome) => {
                self.relearner.waiting.retain(|(of, _)| *of != network);
                self.feed_core(Event::RelearnEnded(network, outcome));
            }
        }
    }
}
