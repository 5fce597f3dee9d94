//! The messages between the core and its fetchers: an order goes out, an answer comes back. Steps 5 and 6 of 10.
//!
//! Both are plain data that can travel to another process ([`crate::wire`]); in one process they are handed over as they are.
//! An order names its connector, by network and version of the definition, and the fetcher looks it up: an answer is
//! read by the definition that the question was made by, or not at all. It is given up by its id. What it does not do:
//! decide who gets an order ([`crate::load`]) or carry it out ([`crate::fetcher`]).

use std::sync::Arc;

use freshet_types::{
    Connector, DefinitionVersion, Fault, Instance, Intent, LimitReading, Page, Redirect, Request, Response,
    Target, Timestamp, VisitId,
};
use serde::{Deserialize, Serialize};

/// A fetcher that has joined: a task of this process, or a process elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FetcherId(pub u32);

/// Which order: the question of this number in this visit. No two orders of one store have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OrderId {
    /// For which visit.
    pub visit: VisitId,
    /// The number of the question in its visit, from 1.
    pub number: u32,
}

/// A request placed with a fetcher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// By which it is answered, and given up.
    pub id: OrderId,
    /// What to send.
    pub request: Request,
    /// The version of the definition it was made by; the name is the network's of `instance`.
    pub version: DefinitionVersion,
    /// Of which server.
    pub instance: Arc<Instance>,
    /// Through which endpoint.
    pub endpoint: Arc<str>,
    pub root: String,
    pub intent: Intent,
}

impl Order {
    /// Name of the definition it was made by.
    pub fn definition(&self) -> &str {
        self.instance.network.definition()
    }

    /// Step 6: reads the answer to this order, by the connector that it names.
    pub fn read(&self, connector: &dyn Connector, response: &Response, now: Timestamp) -> Page {
        let target = Target {
            instance: &self.instance,
            endpoint: &self.endpoint,
            root: &self.root,
            credential: None,
            validators: None,
        };
        connector.read(&target, &self.intent, response, now)
    }
}

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// A page, with the answer as received where raw payloads are kept.
    Page(Box<Page>, #[serde(with = "serde_bytes")] Option<Vec<u8>>),
    /// Ask elsewhere; and what it announced about limits.
    Redirect(Redirect, Vec<LimitReading>),
}

/// What a fetcher uploads for one order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fetched {
    /// Which order it answers.
    pub order: OrderId,
    /// Which fetcher worked.
    pub fetcher: FetcherId,
    /// How long it took on the wall.
    pub took_ms: u64,
    /// When the answer was complete.
    pub received_at: Timestamp,
    /// Exchanges with the server beyond the one that was granted: robots.txt, a login.
    pub extra_count: u32,
    /// The answer, or why there is none.
    pub result: Result<Answer, Fault>,
}
