//! References: what a person types to name a thing worth visiting, and how a definition reads it.
//!
//! A definition lists [`ReferencePattern`]s; matching a text against them gives a
//! [`Reference`], from which sources are made. Nothing is looked up here: a handle stays a
//! handle until a connector resolves it. The matching itself lives in `freshet-network`.
//!
//! ```toml
//! [[references]]
//! pattern = '(?P<scheme>https?)://(?P<host>[^/]+)/@(?P<handle>\w+)/?'
//! root = "account"
//! example = "https://example.social/@ada"
//! ```

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Instance;

/// One shape of text that names a thing on a network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReferencePattern {
    /// Regular expression that must match the whole text.
    ///
    /// Named groups: `host` (with its port) and `scheme` name the server, `handle` what people
    /// type, `id` the network's own id. Without `host` the definition's own base is meant;
    /// without `scheme`, `https`. Other groups may be used in `id` and `handle` below.
    pub pattern: String,
    /// Type of the object it names.
    pub root: String,
    /// A text that matches, shown to people whose text does not.
    pub example: String,
    /// The id, where it is not just the group `id`: `at://{handle}/app.bsky.feed.post/{rkey}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The handle, where it is not just the group `handle`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
}

/// A thing on a network, as a person named it; it has an id, a handle, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// On which server; private addresses are not allowed until a person says so.
    pub instance: Instance,
    /// Type of the object: `account`, `post`, `tag`, …
    pub root_kind: Arc<str>,
    /// The network's own id, where the text gives it.
    pub root_id: Option<String>,
    /// The handle to look up, where the text gives that instead.
    pub handle: Option<String>,
}

impl fmt::Display for Reference {
    /// `network/type/id`, or `network/type @handle` while the id is not known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.root_id, &self.handle) {
            (Some(id), _) => write!(f, "{}/{}/{id}", self.instance.network, self.root_kind),
            (None, handle) => {
                let handle = handle.as_deref().unwrap_or_default();
                write!(f, "{}/{} @{handle}", self.instance.network, self.root_kind)
            }
        }
    }
}
