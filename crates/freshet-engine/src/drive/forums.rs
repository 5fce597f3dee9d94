//! What a run does for forums beside the loop: it looks for old pages that are worth another look, and has models trained.
//!
//! Reading the store is quick and done here; training takes a second or so and has a thread of its own, which tells the core
//! by an event like everybody else.

use std::sync::Arc;
use std::time::{Duration, Instant};

use freshet_policy::{Market, Objective, Policy};
use freshet_types::NetworkName;
use tokio::sync::mpsc::UnboundedSender;

use super::{Driver, RunError};
use crate::core::{Event, STALE_MAX};
use crate::forum::train::{Lists, Trainer};

/// Wall time between two looks.
const TEND_EVERY: Duration = Duration::from_secs(1);

/// What is kept for it.
#[derive(Debug)]
pub(super) struct Forums {
    policy: Arc<dyn Policy>,
    events: UnboundedSender<Event>,
    trainer: Trainer,
    tended_at: Option<Instant>,
}

impl Forums {
    pub(super) fn new(policy: Arc<dyn Policy>, events: UnboundedSender<Event>) -> Self {
        Self { policy, events, trainer: Trainer::default(), tended_at: None }
    }
}

impl Driver {
    /// Reads for the core which old pages are worth another look; it asks again where that fails.
    pub(super) fn read_stale(&mut self, network: NetworkName) -> Result<(), RunError> {
        if self.troubles.reading.waits() {
            return Ok(());
        }
        match self.reader.stale_pages(&network, self.clock.now(), STALE_MAX) {
            Ok(pages) if pages.is_empty() => Ok(()),
            Ok(pages) => {
                self.feed_core(Event::Stale(network, pages));
                Ok(())
            }
            Err(error) => self.outlive(Err(error)),
        }
    }

    /// Looks after the forums, now and then.
    pub(super) fn tend_forums(&mut self) -> Result<(), RunError> {
        if self.forums.tended_at.is_some_and(|at| at.elapsed() < TEND_EVERY) {
            return Ok(());
        }
        self.forums.tended_at = Some(Instant::now());
        let now = self.clock.now();
        let networks: Vec<_> = self.core.forums().map(|(_, network)| network.clone()).collect();
        for network in networks {
            if !self.forums.trainer.is_due(&network, now) {
                continue;
            }
            let lists = Lists::read(&*self.reader, &network, now)
                .inspect_err(|_| self.forums.trainer.put_off(&network, now))?;
            let pool = self.core.prices().pool().clone();
            let market = Market { pool, ..Market::new(Objective::Delay) };
            let (policy, events) = (Arc::clone(&self.forums.policy), self.forums.events.clone());
            std::thread::spawn(move || {
                let trained = lists.train(&policy, &market, now);
                // Nobody listening means that the run has ended.
                let _ = events.send(Event::Trained(Box::new(trained)));
            });
        }
        Ok(())
    }
}
