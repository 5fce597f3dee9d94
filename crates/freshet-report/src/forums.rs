//! Reports about forums that were learned: all of them, and one with its boards and threads.

use freshet_types::{SourceId, SourceState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::run::{Relearnt, Unreadable};
use crate::time::UnixNumber;

/// All forums.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForumsReport {
    /// In order of name.
    pub forums: Vec<ForumSummary>,
}

/// A forum in a line: what is known of it, and how much of that is proven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForumSummary {
    /// Its network.
    pub name: String,
    /// Its front page.
    pub front: Option<String>,
    /// The pages from which it was learned.
    pub page_count: usize,
    /// How sure it is how lists of threads are read.
    pub index_confidence: Option<f64>,
    /// How sure it is how lists of posts are read.
    pub post_confidence: Option<f64>,
    /// Its boards; the front page is none.
    pub boards_count: usize,
    /// Its threads.
    pub threads_count: usize,
    /// Threads that are complete.
    pub complete_count: usize,
    /// The pages of its lists.
    pub pages_count: usize,
    /// Its posts.
    pub posts_count: usize,
    /// Why lists are not complete.
    pub lacks: Vec<LackCount>,
}

/// How many lists are not complete for one reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LackCount {
    /// The reason.
    pub why: String,
    /// How many.
    pub count: usize,
}

/// One forum, its boards and a page of its threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForumReport {
    /// What is known of it.
    #[serde(flatten)]
    pub summary: ForumSummary,
    /// Only threads that are not complete are shown.
    pub is_lacking: bool,
    /// The same as it is asked for.
    pub only: String,
    /// The number of this page, from 1.
    pub page: usize,
    /// There is another page.
    pub has_more: bool,
    /// Its boards.
    pub boards: Vec<ForumListLine>,
    /// Its threads of this page.
    pub threads: Vec<ForumListLine>,
    /// What came of learning its layout anew.
    pub relearnt: Option<Relearnt>,
    /// Its last pages could not be read.
    pub unreadable: Option<Unreadable>,
}

/// A board or thread in a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForumListLine {
    /// Its number.
    #[schemars(with = "u32")]
    pub source: SourceId,
    /// What the forum calls it.
    pub title: Option<String>,
    /// What freshet calls it.
    pub name: String,
    /// It is a thread, not a board.
    pub is_thread: bool,
    /// Why it is or is not visited.
    #[schemars(with = "String")]
    pub state: SourceState,
    /// When it was visited last.
    pub visited_at: Option<UnixNumber>,
    /// When it is visited next.
    pub due_at: Option<UnixNumber>,
    /// That is now.
    pub is_due: bool,
    /// All of it is proven to be stored.
    pub is_complete: bool,
    /// Up to when.
    pub complete_until: Option<UnixNumber>,
    /// Its newest post.
    pub newest_at: Option<UnixNumber>,
    /// Stretches that may hide posts.
    pub holes_count: usize,
    /// Why it is not complete.
    pub lack: Option<String>,
    /// Why its last visit failed.
    pub failure: Option<String>,
}
