//! Reports about posts, as the dashboard's API gives them.

use freshet_types::{ChangeKind, NetworkName, RobotKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::search::FoundPost;
use crate::time::UnixNumber;

/// A page of posts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostsReport {
    /// The number of this page, from 1.
    pub page: usize,
    /// There is another page.
    pub has_more: bool,
    /// The networks of all sources.
    #[schemars(with = "Vec<String>")]
    pub networks: Vec<NetworkName>,
    /// The posts of this page.
    pub posts: Vec<PostLine>,
}

/// A post in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostLine {
    /// What searches show of it.
    #[serde(flatten)]
    pub found: FoundPost,
    /// Its number.
    pub post: u64,
    /// Its words, without markup, as far as a list shows them.
    pub shown: String,
    /// When it was seen first.
    pub seen_at: Option<UnixNumber>,
    /// When it was edited last.
    pub edited_at: Option<UnixNumber>,
    /// When it was found deleted.
    pub deleted_at: Option<UnixNumber>,
    /// Its content is stored; else it went to subscribers only, or lies outside of what is collected.
    #[serde(default = "kept")]
    pub is_kept: bool,
}

/// One post and its changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostReport {
    /// The post exactly as `freshet export` writes it.
    #[serde(flatten)]
    pub record: Map<String, Value>,
    /// Its number.
    pub post: u64,
    /// The handle of who made it.
    pub author_handle: Option<String>,
    /// Its content is stored; else it went to subscribers only, or lies outside of what is collected.
    #[serde(default = "kept")]
    pub is_kept: bool,
    /// The number of the post that it answers, where that is known.
    pub reply_to_post: Option<u64>,
    /// The number of the post that it repeats, where that is known.
    pub repost_of_post: Option<u64>,
    /// Its lines of the change log.
    pub changes: Vec<PostChange>,
}

/// A change of a post.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostChange {
    /// Its number in the change log.
    pub number: u64,
    /// What changed.
    #[schemars(with = "String")]
    pub kind: ChangeKind,
    /// When it was seen.
    pub seen_at: Option<UnixNumber>,
    /// The robot that saw it.
    pub robot: Option<RobotKind>,
    /// The text before it.
    pub before: Option<String>,
}

/// What earlier reports did not say: everything was kept.
fn kept() -> bool {
    true
}
