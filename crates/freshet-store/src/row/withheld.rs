//! What constraints keep out of the store, and what waits until they can judge it.
//!
//! Both are told by names, not by rows: what is kept out is still in the observation, because the page did show it.
//! Who judges is the engine; here stands only what it decided.

use freshet_types::{End, PostKind, Set, SourceId, Timestamp};
use serde::{Deserialize, Serialize};

/// What constraints keep out of the store, by id.
///
/// It stays in the observation, because the page did show it: what is stored of it already is
/// brought up to date, found deleted, and not missing. Nothing of it is stored anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// Posts as `type/id`, and as `space/id` where several types share their ids: a post 12 is not the comment 12.
    pub posts: Set<String>,
    /// Accounts, and with them the relations they stand in.
    pub accounts: Set<String>,
    /// Objects of other types, and with them the links they stand in. They are judged where they are stored, so this does not travel.
    #[serde(skip)]
    pub things: Set<End>,
}

impl Withheld {
    /// Whether an object of another type than posts and accounts is kept out.
    pub(crate) fn has_thing(&self, kind: &str, id: &str) -> bool {
        !self.things.is_empty() && self.things.contains(&End { kind: kind.into(), id: id.to_owned() })
    }
}

impl Withheld {
    /// Keeps this post out.
    pub fn hold_post(&mut self, kind: &PostKind, id: &str) {
        self.posts.insert(format!("{kind}/{id}"));
        self.posts.insert(format!("{}/{id}", kind.space()));
    }

    /// Whether this post is kept out.
    pub fn has_post(&self, kind: &PostKind, id: &str) -> bool {
        self.has_post_of(kind.space(), id)
    }

    /// The same by the name of its type, or of the space of its ids.
    pub(crate) fn has_post_of(&self, kind: &str, id: &str) -> bool {
        !self.posts.is_empty() && self.posts.contains(&format!("{kind}/{id}"))
    }
}

/// An object that a constraint cannot judge yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parked {
    /// Which object: `network/type/id`.
    pub address: String,
    /// The property that is missing, as the constraint writes it.
    pub missing: String,
    pub parked_at: Timestamp,
    /// The object as JSON, as it was when parked.
    pub object: String,
    /// The source that brought it.
    pub source: Option<SourceId>,
}
