//! Posts, accounts, relations and things as they are read back, and which of them are wanted.
//!
//! Each row carries its number in the store: exports and subscribers go on by it where they stopped. What a page brings is not here
//! but in `upload`, and lists and links have files of their own.

use std::sync::Arc;

use freshet_types::{Account, NetworkName, Post, Primitive, Span, Thing, Timestamp};

/// A post as exports give it: its newest version.
#[derive(Clone, Debug, PartialEq)]
pub struct PostRow {
    /// Its number in the store.
    pub object: u64,
    pub network: NetworkName,
    /// The content. `author`, `reply_to`, `repost_of` are ids as the network gives them.
    pub post: Post,
    /// The author's handle, where known.
    pub author_handle: Option<String>,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// When it was found deleted.
    pub deleted_at: Option<Timestamp>,
    /// Its content is not here: by which fingerprint a pass may know it.
    pub unkept: Option<u64>,
    /// Its content is not here because it lies outside of what is collected, so nobody is given it.
    pub is_outside: bool,
}

/// An account as exports give it.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountRow {
    /// Its number in the store.
    pub object: u64,
    pub network: NetworkName,
    pub account: Account,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// Why it is in `invalid_users`, if it is.
    pub invalid: Option<String>,
    /// Its content is not here: by which fingerprint a pass may know it.
    pub unkept: Option<u64>,
}

/// A relation as exports give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationRow {
    /// Its number among all relations, rising with first sight.
    pub number: u64,
    pub network: NetworkName,
    /// Id of who follows.
    pub source: String,
    /// Id of who is followed.
    pub target: String,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// When it was found cancelled.
    pub cancelled_at: Option<Timestamp>,
}

/// An object that is neither post, account nor list, as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ThingRow {
    /// Its number in the store.
    pub object: u64,
    pub network: NetworkName,
    pub thing: Thing,
    /// When it was first seen.
    pub seen_at: Timestamp,
}

/// An object as robots find it: where it is, and what its sources inherit.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectRow {
    pub network: NetworkName,
    pub kind: String,
    pub id: String,
    /// Steps from what a person added.
    pub depth: u16,
    /// History before this is not wanted by the source on whose way it was found.
    pub since: Option<Timestamp>,
    /// How long that source keeps posts.
    pub retention: Option<Span>,
    /// When it was made, of a post whose page says it.
    pub created_at: Option<Timestamp>,
    /// What is known of a post or thing by name: its counts above all.
    pub plinks: Vec<(Arc<str>, Primitive)>,
}

/// Which rows an export wants.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Created at or after.
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    /// Only this network (whole name or definition).
    pub network: Option<String>,
    /// Only rows of a higher number: for whoever goes on where somebody stopped.
    pub above: u64,
}

impl Filter {
    /// The same for rows above this number.
    pub fn from(&self, above: u64) -> Self {
        Self { above, ..self.clone() }
    }
}

/// What `search` found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub row: PostRow,
    /// The matching part of its text, matches in square brackets.
    pub snippet: String,
}
