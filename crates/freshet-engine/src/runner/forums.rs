//! What a run does for forums beside visiting them: it has models trained.
//!
//! Training takes a second or so and is [work](super::Work) that the shell does beside the run; what comes of it is an event like
//! all others.

use std::sync::Arc;

use freshet_policy::{Market, Objective};
use freshet_types::{NetworkName, Timestamp};

use super::work::{Training, Work};
use super::{Output, Runner};
use crate::forum::train::{Lists, Trainer};
use crate::question::Question;

/// Wall time between two looks, in milliseconds.
const TEND_EVERY_MS: u64 = 1_000;

/// What is kept for it.
#[derive(Debug, Default)]
pub(super) struct Forums {
    trainer: Trainer,
    tended_ms: Option<u64>,
}

impl Forums {
    /// The lists of this forum could not be read: it is time again at once.
    pub(super) fn put_off(&mut self, network: &NetworkName, now: Timestamp) {
        self.trainer.put_off(network, now);
    }
}

impl Runner {
    /// Looks after the forums, now and then.
    pub(super) fn tend_forums(&mut self) {
        if self.forums.tended_ms.is_some_and(|at_ms| !self.is_time(at_ms, TEND_EVERY_MS)) {
            return;
        }
        self.forums.tended_ms = Some(self.moment.wall_ms);
        let now = self.moment.now;
        let networks: Vec<NetworkName> = self.core.forums().map(|(_, network)| network.clone()).collect();
        for network in networks {
            if self.forums.trainer.is_due(&network, now) {
                self.ask(Question::Lists(network, now));
            }
        }
    }

    /// Has models trained from what was read.
    pub(super) fn train(&mut self, lists: Lists) {
        let pool = self.core.prices().pool().clone();
        let market = Market { pool, ..Market::new(Objective::Delay) };
        let (policy, now) = (Arc::clone(&self.policy), self.moment.now);
        self.want(Output::Work(Work::Train(Box::new(Training { lists, policy, market, now }))));
    }
}
