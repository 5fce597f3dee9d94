//! Carries messages: a thread for each that is under way, so that a receiver that hangs delays nobody.
//!
//! At most one message is under way to a receiver, so there are as many threads as receivers at most, and one
//! for a test. A thread ends with its message, which is bounded in time by [`super::send`].

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use freshet_types::{Set, Timestamp};

use super::config::{AlertConfig, Receiver};
use super::send::Sender;
use freshet_report::alerts::{Alert, Tested};
use freshet_report::time::UnixFloat;

/// What came back.
#[derive(Debug)]
pub(crate) enum Delivery {
    /// Of a message.
    Told {
        /// Whom it went to.
        to: String,
        /// The alerts in it.
        numbers: Vec<u64>,
        /// Taken, or why not.
        outcome: Result<(), String>,
    },
    /// Of a test; nothing where nobody was meant by its name.
    Tested(Option<Tested>),
}

/// Sends in the background.
pub(crate) struct Courier {
    sender: Arc<Sender>,
    tell: mpsc::Sender<Delivery>,
    finished: mpsc::Receiver<Delivery>,
    busy: Set<String>,
    is_testing: bool,
}

impl Courier {
    /// Who carries what this sender sends.
    pub(crate) fn new(sender: Sender) -> Self {
        let (tell, finished) = mpsc::channel();
        Self { sender: Arc::new(sender), tell, finished, busy: Set::default(), is_testing: false }
    }

    /// Receivers to whom a message is under way.
    pub(crate) fn busy(&self) -> &Set<String> {
        &self.busy
    }

    /// Sends a message.
    pub(crate) fn send(&mut self, receiver: &Receiver, alerts: Vec<Alert>) {
        let (sender, receiver) = (Arc::clone(&self.sender), receiver.clone());
        let (to, numbers) = (receiver.name.clone(), alerts.iter().map(|alert| alert.number).collect());
        self.busy.insert(to.clone());
        self.start(move || {
            let alerts: Vec<&Alert> = alerts.iter().collect();
            Delivery::Told { to, numbers, outcome: sender.tell(&receiver, &alerts, false) }
        });
    }

    /// Sends a test, unless one is under way: however often the button is pressed.
    pub(crate) fn test(&mut self, config: &AlertConfig, name: String, now: Timestamp) {
        if std::mem::replace(&mut self.is_testing, true) {
            return;
        }
        let (sender, config) = (Arc::clone(&self.sender), config.clone());
        self.start(move || match sender.test(&config, &name, now) {
            Ok(sent) => Delivery::Tested(Some(Tested { name, at: UnixFloat(now), sent })),
            Err(failure) => {
                tracing::warn!("no test of an alert: {failure}");
                Delivery::Tested(None)
            }
        });
    }

    /// What has come back by now.
    pub(crate) fn collect_finished(&mut self) -> Vec<Delivery> {
        let finished: Vec<Delivery> = self.finished.try_iter().collect();
        for delivery in &finished {
            self.free(delivery);
        }
        finished
    }

    /// What comes back until nothing is under way, for so long at most.
    pub(crate) fn wait(&mut self, limit: Duration) -> Vec<Delivery> {
        let (began, mut all) = (Instant::now(), Vec::new());
        while self.is_testing || !self.busy.is_empty() {
            match self.finished.recv_timeout(limit.saturating_sub(began.elapsed())) {
                Ok(delivery) => {
                    self.free(&delivery);
                    all.push(delivery);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        all
    }

    fn free(&mut self, delivery: &Delivery) {
        match delivery {
            Delivery::Told { to, .. } => drop(self.busy.remove(to)),
            Delivery::Tested(_) => self.is_testing = false,
        }
    }

    fn start(&self, work: impl FnOnce() -> Delivery + Send + 'static) {
        let tell = self.tell.clone();
        // Nobody is left to hear of it when the watch is over.
        let work = move || drop(tell.send(work()));
        let started = std::thread::Builder::new().name("alert".to_owned()).spawn(work);
        if let Err(error) = started {
            // The message stays under way for this run; the next one sends it.
            tracing::warn!("an alert cannot be sent: {error}");
        }
    }
}
