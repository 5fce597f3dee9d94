//! Streams: what a definition may say about posts that a server sends by itself.
//!
//! A third shape beside endpoints that are asked: a connection is opened, messages come, it is closed. Which messages are posts or
//! deletions is said by the same items and mappings as for answers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Condition, ItemRule, OneOrMany};
use crate::stream::{CursorTrouble, Proof, Transport};

/// One stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamRule {
    /// Its name, unique in the file.
    pub name: String,
    /// The variant it belongs to; none: the definition itself.
    #[serde(default)]
    pub variant: Option<String>,
    /// Hosts of the servers that have it, as in their base; empty: all of them.
    #[serde(default)]
    pub only_on: Vec<String>,
    /// Template of the URL: a path below the base, or a whole URL (`wss://` is written `https://`).
    pub url: String,
    /// Query parameters, as templates.
    #[serde(default)]
    pub query: BTreeMap<String, OneOrMany>,
    /// How messages travel.
    pub transport: Transport,
    /// How often the page of a `poll` is asked for at most, such as `30s`.
    #[serde(default)]
    pub every: Option<String>,
    /// Template of what is said first, once a WebSocket is open; none: nothing is.
    #[serde(default)]
    pub hello: Option<String>,
    /// How a message is written.
    #[serde(default)]
    pub format: StreamFormat,
    /// The lists of which it sends the posts.
    pub covers: Vec<CoverRule>,
    /// It sends only of the roots that are named when it is opened.
    #[serde(default)]
    pub named: Option<NamedRule>,
    /// How it goes on after a break, where it can.
    #[serde(default)]
    pub cursor: Option<StreamCursorRule>,
    /// Expression that leads to the name of the event inside a message, where the transport does not carry it.
    #[serde(default)]
    pub event: Option<String>,
    /// Expression that leads to the part of a message that the items are in, where it is not the whole; a text there is read as JSON.
    #[serde(default)]
    pub payload: Option<String>,
    /// What messages mean, first match first; those that match nothing are passed over.
    pub messages: Vec<MessageRule>,
    /// It is not opened without a credential.
    #[serde(default)]
    pub needs_credential: bool,
    /// The name of another stream of the same lists: this one is opened only where the server says no to that one.
    #[serde(default)]
    pub instead_of: Option<String>,
}

/// How a message is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StreamFormat {
    /// JSON.
    #[default]
    Json,
    /// Binary frames of `com.atproto.sync.subscribeRepos`. Each operation of a commit is a message of its own: `kind` (`commit`), `did`,
    /// `seq`, `uri` and `commit` with `operation`, `collection`, `rkey`, `cid` and `record`. Other frames have their type as `kind` and
    /// their body under that name; a commit that does not show all it did is a `sync`.
    Atproto,
}

/// A list whose posts a stream sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoverRule {
    /// The endpoint of the list. Its root is an account (posts are of their author) or the server (all posts are of it).
    pub endpoint: String,
    /// Whether the stream sends all that the list shows.
    pub proof: Proof,
}

/// The roots that a connection names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedRule {
    /// Query parameter that is repeated for every root.
    pub param: String,
    /// Roots that one connection may name; sources beyond it are visited as if there were no stream.
    pub max: u32,
}

/// How a stream goes on after a break.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamCursorRule {
    /// Query parameter with the cursor.
    pub param: String,
    /// Expression that leads to the cursor in a message; none: the id that the transport carries.
    #[serde(default)]
    pub at: Option<String>,
    /// How long the server keeps what it sent: an older cursor leaves a hole.
    pub lasts: String,
}

/// What a message means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageRule {
    /// The name of the event; none: any.
    #[serde(default)]
    pub event: Option<String>,
    /// All of these hold for the message.
    #[serde(default)]
    pub when: Vec<Condition>,
    /// Where posts and accounts stand, and how they are mapped.
    #[serde(default)]
    pub items: Vec<ItemRule>,
    /// It tells that a post is gone.
    #[serde(default)]
    pub deletes: Option<DeletionRule>,
    /// Expression that leads to the roots whose lists changed in a way that the message does not show: they are visited.
    #[serde(default)]
    pub revisits: Option<String>,
    /// It says that the cursor was no good.
    #[serde(default)]
    pub cursor_is: Option<CursorTrouble>,
}

/// A message that tells that a post is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeletionRule {
    /// Type of the object.
    pub kind: String,
    /// Expression that leads to its id; none: the message is the id.
    #[serde(default)]
    pub id: Option<String>,
}
