//! Long computations that a run wants: the shell does them beside it, and what comes of them is an event. They read and write
//! nothing.

use std::sync::Arc;

use freshet_policy::mixture::evidence::Evidence;
use freshet_policy::{Market, Policy, Pool};
use freshet_types::Timestamp;

use crate::core::Event;
use crate::forum::train::Lists;

/// A long computation that reads and writes nothing.
#[derive(Debug)]
pub enum Work {
    /// The models of a forum.
    Train(Box<Training>),
    /// The weights that all sources share.
    Fit(Box<Fitting>),
}

impl Work {
    /// Does it; gives what the core is to know, if anything came of it.
    pub fn run(self) -> Option<Event> {
        match self {
            Self::Train(training) => Some(training.run()),
            Self::Fit(fitting) => fitting.run(),
        }
    }
}

/// Models that are to be trained.
#[derive(Debug)]
pub struct Training {
    pub(super) lists: Lists,
    pub(super) policy: Arc<dyn Policy>,
    pub(super) market: Market,
    pub(super) now: Timestamp,
}

impl Training {
    /// Trains them.
    fn run(self) -> Event {
        Event::Trained(Box::new(self.lists.train(&self.policy, &self.market, self.now)))
    }
}

/// A fit that is to be computed.
#[derive(Debug)]
pub struct Fitting {
    pub(super) policy: Arc<dyn Policy>,
    pub(super) evidence: Vec<Evidence>,
    pub(super) pool: Pool,
    pub(super) now: Timestamp,
}

impl Fitting {
    /// Computes it; nothing where too little is known.
    fn run(self) -> Option<Event> {
        let mixture = self.policy.refit(&self.evidence, &self.pool, self.now)?;
        Some(Event::Fitted(Box::new(mixture)))
    }
}
