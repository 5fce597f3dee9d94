//! Streams as they are stored, and the sources that they are for.
//!
//! A stream has one row of its own, written with what it brings, so that no row of a source is written when it connects or breaks.
//! The frames of a stream and its connection are not known here.

use std::sync::Arc;

use freshet_types::{Cover, NetworkName, Timestamp};
use serde::{Deserialize, Serialize};

use super::source::SourceSlot;

/// How far a stream has come with what it brings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamMark {
    pub name: Arc<str>,
    /// It has been connected without a hole since then.
    pub since: Timestamp,
    pub until: Timestamp,
    /// Where a later connection goes on.
    pub cursor: Option<String>,
    /// Whose posts it brings; others are not stored.
    pub covers: Vec<Cover>,
    /// Roots of which it did not show all that changed: their lists are due.
    pub revisit: Vec<String>,
}

/// A stream as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamRow {
    pub network: NetworkName,
    pub name: String,
    /// It was connected without a hole from then on.
    pub since: Timestamp,
    pub until: Timestamp,
    pub cursor: Option<String>,
}

/// Which sources of a stream are wanted.
#[derive(Clone, Copy, Debug)]
pub struct WatchedQuery<'a> {
    pub network: &'a NetworkName,
    pub endpoint: &'a str,
    /// Those with these roots; all of them where none is named.
    pub roots: Option<&'a [String]>,
    /// At most so many.
    pub limit: usize,
}

/// A source of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedRow {
    pub slot: SourceSlot,
    pub root_id: String,
    pub visited_at: Option<Timestamp>,
    /// Steps from what a person added.
    pub depth: u16,
}
