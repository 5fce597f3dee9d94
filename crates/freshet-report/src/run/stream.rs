//! Streams in the report of a run: what servers send by themselves.

use freshet_types::NetworkName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::server::nowhere;
use crate::time::UnixFloat;

/// A stream of one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StreamStatus {
    /// Of which server.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// Its name in the definition.
    pub name: String,
    /// `sse` or `websocket`.
    pub transport: String,
    /// Lists of which it sends all posts: they are visited for reconciliation only.
    pub complete: Vec<String>,
    /// Lists of which it sends some: a message makes one due.
    pub hinted: Vec<String>,
    /// Connected since then; `None` while it is not.
    pub connected_at: Option<UnixFloat>,
    /// Without a hole since then.
    pub covers_since: Option<UnixFloat>,
    /// When the server last said something.
    pub heard_at: Option<UnixFloat>,
    /// When it is tried again, while it is not connected.
    pub retry_at: Option<UnixFloat>,
    /// From posting to hearing, of the newest post.
    pub lag_s: Option<f64>,
    /// Messages of this run.
    pub messages_count: u64,
    /// Posts never seen before.
    pub posts_count: u64,
    /// Messages that could not be used.
    pub dropped_count: u64,
    /// Posts of sources that nobody watches.
    pub unwatched_count: u64,
    /// Times a message made a source due.
    pub hints_count: u64,
    /// Connections after the first.
    pub reconnects_count: u64,
    /// Requests that it took: openings, and visits after breaks.
    pub spent_count: u64,
    /// Visits that it spared, as they had been planned.
    pub spared_count: u64,
    /// Why it is not connected.
    pub why: Option<String>,
}

impl Default for StreamStatus {
    fn default() -> Self {
        Self {
            network: nowhere(),
            name: String::new(),
            transport: String::new(),
            complete: Vec::new(),
            hinted: Vec::new(),
            connected_at: None,
            covers_since: None,
            heard_at: None,
            retry_at: None,
            lag_s: None,
            messages_count: 0,
            posts_count: 0,
            dropped_count: 0,
            unwatched_count: 0,
            hints_count: 0,
            reconnects_count: 0,
            spent_count: 0,
            spared_count: 0,
            why: None,
        }
    }
}
