//! Lists of a forum: their pages, their rows, and the times at which they got posts.
//!
//! A page of a list is remembered by the ids that it showed, so that a post that was taken out of it is noticed between two that are
//! still there. The posts themselves are in `object`.

use std::sync::Arc;

use freshet_types::{NetworkName, SourceId, Timestamp};
use serde::{Deserialize, Serialize};

/// A page of a list: of a front page, a board or a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListPage {
    /// Type of the list.
    pub kind: Arc<str>,
    pub id: String,
    /// Its title, where the page shows it.
    pub title: Option<String>,
    /// How the page is asked for; `None` for the first.
    pub cursor: Option<String>,
    /// Where the list goes on.
    pub next: Option<String>,
    /// The forum is read by a definition that was learned anew from now on; the change log tells it of this list.
    pub is_relearnt: bool,
    /// The page is no more: what was remembered of it is dropped.
    pub is_gone: bool,
    /// Ids of the posts that it shows, in its order. What it showed before and lacks now, between two posts that
    /// are still there, was taken out of the list; pages that show no posts are not remembered.
    pub shown: Vec<String>,
    /// When it is worth another look for edits and deletions.
    pub recheck_at: Timestamp,
}

/// A page of a thread that is worth another look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StalePage {
    /// The source of the thread.
    pub source: SourceId,
    /// How the page is asked for; `None` for the first.
    pub cursor: Option<String>,
    /// When it was last looked at.
    pub seen_at: Timestamp,
}

/// A list as exports give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRow {
    /// Its number in the store.
    pub object: u64,
    pub network: NetworkName,
    /// `portal`, `board` or `thread`.
    pub kind: String,
    pub id: String,
    /// Its title, where a page has shown it.
    pub title: Option<String>,
    /// Lists that contain it, by kind and id, in the order in which they were seen to.
    pub within: Vec<(String, String)>,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// Its last activity, as a list that contains it showed.
    pub active_at: Option<Timestamp>,
}

/// Of which lists posting times are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListTimesKind {
    /// Front pages and boards: posts of the threads in them.
    Index,
    Threads,
}

/// How many posting times are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListTimesBounds {
    /// Not those before this.
    pub since: Timestamp,
    /// Lists, the liveliest.
    pub lists_max: usize,
    /// Times of each, the newest.
    pub times_max: usize,
}

/// Posting times of one list, for models of when it gets its next record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListTimes {
    /// The source of the list.
    pub source: SourceId,
    /// Ascending, in unix seconds, the newest of them.
    pub times_s: Vec<i64>,
}
