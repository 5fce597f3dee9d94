//! The type of a post, and what its ids mean.
//!
//! An object is unique by network, type and id. Some networks give several types ids of one space (stories and comments of Hacker
//! News): there the first type that was seen stays, and the other is the same object. Others count each type by itself (a Lemmy
//! server has a post 12 and a comment 12), so that a link must say which of them it means. Both are facts of the definition that no
//! post could tell by itself; they travel with its type.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The type of a post: `post`, `comment`, or what the definition calls it. Cheap to clone; reads like its name.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct PostKind(Arc<Facts>);

/// What a definition says about a type of posts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Facts {
    name: Arc<str>,
    /// The space of ids that it shares with other types; `None`: it has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    space: Option<Arc<str>>,
    /// The type of what it replies to, where that has other ids than it has itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply_to: Option<Arc<str>>,
    /// The type of the first post of its thread, where that has other ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<Arc<str>>,
}

/// The written form: the name alone where there is nothing else to say.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Name(Arc<str>),
    Whole(Facts),
}

impl PostKind {
    /// A type with ids of its own, whose links lead to posts of the same type.
    pub fn new(name: &str) -> Self {
        Self(Arc::new(Facts { name: name.into(), space: None, reply_to: None, root: None }))
    }

    /// Its ids are of this space, which other types share.
    #[must_use]
    pub fn in_space(self, space: Option<&str>) -> Self {
        let space = space.filter(|space| *space != &*self.0.name).map(Into::into);
        Self(Arc::new(Facts { space, ..(*self.0).clone() }))
    }

    /// What it replies to, and the first post of its thread, are of these types, whose ids are others than its own.
    #[must_use]
    pub fn leading_to(self, reply_to: Option<&str>, root: Option<&str>) -> Self {
        let (reply_to, root) = (reply_to.map(Into::into), root.map(Into::into));
        Self(Arc::new(Facts { reply_to, root, ..(*self.0).clone() }))
    }

    /// Within what its ids are unique on a network: the name of the space, or its own.
    pub fn space(&self) -> &str {
        self.0.space.as_deref().unwrap_or(&self.0.name)
    }

    /// The type of what it replies to, where that has other ids than it has itself.
    pub fn reply_to(&self) -> Option<&str> {
        self.0.reply_to.as_deref()
    }

    /// The type of the first post of its thread, where that has other ids than it has itself.
    pub fn root(&self) -> Option<&str> {
        self.0.root.as_deref()
    }
}

impl Deref for PostKind {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.name
    }
}

impl Default for PostKind {
    fn default() -> Self {
        Self::new("")
    }
}

impl From<&str> for PostKind {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<Written> for PostKind {
    fn from(written: Written) -> Self {
        match written {
            Written::Name(name) => Self(Arc::new(Facts { name, space: None, reply_to: None, root: None })),
            Written::Whole(facts) => Self(Arc::new(facts)),
        }
    }
}

impl From<PostKind> for Written {
    fn from(kind: PostKind) -> Self {
        match &*kind.0 {
            Facts { name, space: None, reply_to: None, root: None } => Self::Name(Arc::clone(name)),
            facts => Self::Whole(facts.clone()),
        }
    }
}

impl fmt::Display for PostKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for PostKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &PostKind, written: &str, space: &str) {
        let text = serde_json::to_string(kind).unwrap();
        assert_eq!(text, written);
        assert_eq!(serde_json::from_str::<PostKind>(&text).unwrap(), *kind);
        assert_eq!(kind.space(), space, "{kind}");
    }

    #[test]
    fn a_type_is_written_by_its_name_unless_there_is_more_to_say() {
        check(&"post".into(), r#""post""#, "post");
        check(&PostKind::new("post").in_space(Some("post")), r#""post""#, "post");
        check(&PostKind::new("job").in_space(Some("item")), r#"{"name":"job","space":"item"}"#, "item");
        let comment = PostKind::new("comment").leading_to(None, Some("post"));
        check(&comment, r#"{"name":"comment","root":"post"}"#, "comment");
        assert_eq!((comment.reply_to(), comment.root()), (None, Some("post")));
    }
}
