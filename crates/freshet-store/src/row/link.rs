//! Links as they are read back, and which of them are wanted; with them the members of collections.
//!
//! Only links that no row of an object tells are stored as links. An author, a reply or who follows whom stands in `object`, and
//! [`Collection`] says which of both a collection is read from.

use std::sync::Arc;

use freshet_types::{
    Address, Confidence, CrossLink, End, Evidence, Link, LinkKind, NetworkName, Primitive, Timestamp, VisitId,
};

/// A link that no row of an object tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    pub link: Link,
    /// When it was first seen.
    pub seen_at: Timestamp,
    pub last_seen_at: Timestamp,
    /// When it was found to be no more.
    pub cancelled_at: Option<Timestamp>,
}

/// A link into another network as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossLinkRow {
    /// The object that has it.
    pub from: Address,
    pub link: CrossLink,
    /// The visit that saw it first.
    pub visit: VisitId,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// When it was last seen, to the hour.
    pub last_seen_at: Timestamp,
    /// When it was found to be no more.
    pub cancelled_at: Option<Timestamp>,
}

/// A link of the store with its number, as exports give it: one that no row of an object tells, or one into another network.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyLinkRow {
    /// Its number, rising with first sight.
    pub number: u64,
    /// The object that has it.
    pub from: Address,
    pub kind: LinkKind,
    pub name: Arc<str>,
    /// The object that it leads to, or whose value it states.
    pub to: Address,
    /// The value, of an sp-link.
    pub value: Option<Primitive>,
    /// What speaks for it and how sure it is; of links into other networks.
    pub claim: Option<(Evidence, Confidence)>,
    /// When it was first seen.
    pub seen_at: Timestamp,
    pub last_seen_at: Timestamp,
    /// When it was found to be no more.
    pub cancelled_at: Option<Timestamp>,
}

/// Which links into other networks are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrossLinkQuery<'a> {
    /// Those that this object has.
    pub from: Option<&'a Address>,
    /// Those that lead to this object, where no object is said to have them.
    pub to: Option<&'a Address>,
    /// Those that ended are given too.
    pub with_ended: bool,
    /// At most so many.
    pub limit: usize,
}

/// Which links of an object are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkQuery<'a> {
    pub network: &'a NetworkName,
    /// The object's type and id.
    pub object: (&'a str, &'a str),
    /// Those that lead to it instead of those that lead from it.
    pub is_inward: bool,
    /// Only those of this name.
    pub name: Option<&'a str>,
    /// Those that ended are given too.
    pub with_cancelled: bool,
    /// At most so many.
    pub limit: usize,
}

/// Which members of a collection are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewestQuery<'a> {
    /// The owner's type and id.
    pub object: (&'a str, &'a str),
    pub collection: Collection<'a>,
    /// At most so many, the newest.
    pub limit: usize,
}

/// A collection, by what tells its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection<'a> {
    /// Posts whose author the object is.
    Posts,
    /// Posts that reply to it.
    Replies,
    /// Accounts that follow it.
    Followers,
    /// Accounts that it follows.
    Following,
    /// Links of this name.
    Linked(&'a str),
}

/// A member of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub end: End,
    /// When it was posted; of anything else, when it was first seen as a member.
    pub at: Timestamp,
}
