//! Robots: which kind of thing is collected [MBCrawler, section 2.1].
//!
//! Five are the paper's. The sixth collects any other collection that a definition says how to list (who likes a post, the members of
//! a community, the albums of an account): which link of which type is a row of the definition, an endpoint with `robot = "link"`, and
//! no code.
//!
//! The seventh, `across`, visits what links of other networks lead to: a post that shares a video pulls in the video, its comments and
//! its channel, under the quota of the video's network.
//!
//! Not robots.txt; that is *exclusion*.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The robots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RobotKind {
    /// Who follows whom.
    Relation,
    /// Profiles.
    User,
    /// Posts of an account, and reposts of posts.
    Status,
    /// Replies to a post.
    Comment,
    /// Tags of an account.
    Tag,
    /// Members of any other collection.
    Link,
    /// What links of other networks lead to.
    Across,
}

impl RobotKind {
    /// All of them, in the order of the paper.
    pub const ALL: [Self; 7] =
        [Self::Relation, Self::User, Self::Status, Self::Comment, Self::Tag, Self::Link, Self::Across];

    /// The name that people type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Relation => "relation",
            Self::User => "user",
            Self::Status => "status",
            Self::Comment => "comment",
            Self::Tag => "tag",
            Self::Link => "link",
            Self::Across => "across",
        }
    }

    /// What it collects, in the word by which its rate is told.
    pub fn collects(self) -> &'static str {
        match self {
            Self::Relation => "relations",
            Self::User => "profiles",
            Self::Status => "posts",
            Self::Comment => "replies",
            Self::Tag => "tags",
            Self::Link => "members",
            Self::Across => "objects",
        }
    }
}

impl fmt::Display for RobotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RobotKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|robot| robot.name() == text).ok_or_else(|| {
            format!(
                "there is no robot `{text}`; the robots are relation, user, status, comment, tag, link, across"
            )
        })
    }
}

/// Whether a robot works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RobotState {
    /// It works.
    Running,
    /// It keeps its place and waits; its ring still grows.
    Paused,
    /// It is switched off.
    Stopped,
}

impl RobotState {
    /// The name in reports and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Stopped => "stopped",
        }
    }
}

impl FromStr for RobotState {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "running" => Ok(Self::Running),
            "paused" => Ok(Self::Paused),
            "stopped" => Ok(Self::Stopped),
            _ => Err(format!("`{text}` is not a robot state")),
        }
    }
}
