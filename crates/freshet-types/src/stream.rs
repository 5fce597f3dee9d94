//! Streams as everybody but definitions knows them: what is opened, what comes, what it was.
//!
//! The third shape beside asking and reading: a connection is opened, messages come, it is closed. A connector makes the request and
//! reads messages, `freshet-fetch` moves them, the engine decides who is covered by what.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::complaint::Complaint;
use crate::observation::Observation;
use crate::{Holder, Instance, Span};

/// How the messages of a stream travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// Server-sent events: an HTTP answer that does not end.
    #[default]
    Sse,
    /// A WebSocket.
    Websocket,
    /// No connection at all: a page of news that is asked for again and again. Each answer is one message.
    Poll,
}

impl Transport {
    /// Its name in definitions and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sse => "sse",
            Self::Websocket => "websocket",
            Self::Poll => "poll",
        }
    }
}

/// What it says of a list that a stream is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// Every post of the list was sent: the list is visited for reconciliation only.
    Complete,
    /// Some were: a message makes the list due, its silence says nothing.
    Hint,
}

/// What the engine must know about a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamInfo {
    /// Its name in the definition.
    pub name: Arc<str>,
    /// Hosts of the servers that have it; empty: all of them.
    pub only_on: Vec<String>,
    pub transport: Transport,
    pub covers: Vec<Cover>,
    /// Roots that one connection names; 0 where it sends of all.
    pub named_max: usize,
    /// How long the server keeps what it sent; `None` where a connection cannot go on from a cursor.
    pub cursor_lasts: Option<Span>,
    /// It is not opened without a credential.
    pub needs_credential: bool,
    /// It is opened only where the server says no to the stream of this name.
    pub instead_of: Option<Arc<str>>,
    /// How often its page is asked for at most; `None` for a connection that stays.
    pub every: Option<Span>,
}

impl StreamInfo {
    /// Whether the server with this base URL has it.
    pub fn is_on(&self, base: &str) -> bool {
        let host = base.split_once("://").map_or(base, |(_, rest)| rest).trim_end_matches('/');
        self.only_on.is_empty() || self.only_on.iter().any(|it| it == host)
    }
}

/// A list whose posts a stream sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    pub endpoint: Arc<str>,
    /// The root of the list is the server: all posts are of it. Otherwise posts are of their author.
    pub is_server: bool,
    pub proof: Proof,
}

/// Which stream is meant, and how it is opened.
#[derive(Clone, Debug)]
pub struct StreamTarget<'a> {
    /// On which server.
    pub instance: &'a Instance,
    /// Its name in the definition.
    pub name: &'a str,
    pub credential: Option<&'a Holder>,
    /// Where to go on.
    pub cursor: Option<&'a str>,
    /// Of whom it is to send, where it must be told.
    pub roots: &'a [String],
}

/// One message as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamMessage {
    /// The name of the event, where the transport carries one.
    pub event: Option<String>,
    /// Its id, where the transport carries one.
    pub id: Option<String>,
    /// Its text; empty where it is bytes.
    pub data: String,
    /// Its bytes, where it is no text.
    pub bytes: Option<Vec<u8>>,
}

/// What a server says of the cursor that a connection began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CursorTrouble {
    /// It does not have all that came since: it goes on with the oldest that it has, and before that is a hole.
    TooOld,
    /// It never gave it out: the stream begins anew, after a hole.
    Unknown,
}

/// One message, read. Never fails as a whole: what could not be used is complained about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Heard {
    /// What it showed.
    pub observation: Observation,
    /// Objects of which it says that they are gone: type and id.
    pub deleted: Vec<(String, String)>,
    /// Where a later connection goes on.
    pub cursor: Option<String>,
    /// It says that the cursor was no good.
    pub trouble: Option<CursorTrouble>,
    /// Roots of which something changed that it does not show: their lists are to be visited.
    pub revisit: Vec<String>,
    /// What could not be used.
    pub complaints: Vec<Complaint>,
    /// No rule says what it means.
    pub is_passed_over: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_of_some_servers_is_not_on_the_others() {
        let stream = |only_on: &[&str]| StreamInfo {
            name: "s".into(),
            only_on: only_on.iter().map(|&host| host.to_owned()).collect(),
            transport: Transport::Sse,
            covers: Vec::new(),
            named_max: 0,
            cursor_lasts: None,
            needs_credential: false,
            instead_of: None,
            every: None,
        };
        assert!(stream(&[]).is_on("https://a.example"));
        assert!(stream(&["a.example"]).is_on("https://a.example"));
        assert!(!stream(&["a.example"]).is_on("https://b.example"));
        assert!(!stream(&["a.example"]).is_on("https://a.example:8443"));
        assert!(!stream(&["a.example"]).is_on("http://127.0.0.1:2584"));
    }
}
