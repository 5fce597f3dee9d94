//! Posts, densely packed: 56 bytes each, so that ten million fit into memory.
//!
//! A post is known by its place; places rise with time and so do ids (a snowflake: 48 bits of
//! milliseconds, 16 bits of sequence). Texts are not stored but composed from the place. The
//! replies and reposts of a post hang on it as lists from new to old, linked through places.

use freshet_types::Map;

use super::rhythm::NEVER_MS;
use super::sent::{Happened, Sent};

/// A place that holds nothing.
const NOWHERE: u32 = u32::MAX;
/// Posts that can share one millisecond.
const SEQUENCE_MAX: u64 = 0xffff;

/// What a post is in relation to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Original,
    ReplyTo(u32),
    RepostOf(u32),
}

/// One post.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    pub id: u64,
    pub deleted_at_ms: i64,
    pub author: u32,
    pub reply_count: u32,
    pub repost_count: u32,
    parent: u32,
    newest_reply: u32,
    newest_repost: u32,
    older_sibling: u32,
    is_repost: bool,
}

impl Post {
    pub(crate) fn created_at_ms(&self) -> i64 {
        (self.id >> 16) as i64
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.deleted_at_ms != NEVER_MS
    }

    pub(crate) fn relation(&self) -> Relation {
        match (self.parent, self.is_repost) {
            (NOWHERE, _) => Relation::Original,
            (parent, true) => Relation::RepostOf(parent),
            (parent, false) => Relation::ReplyTo(parent),
        }
    }
}

/// All posts, in the order of their creation.
#[expect(clippy::struct_field_names, reason = "the posts of all posts are the posts")]
#[derive(Debug, Default)]
pub(crate) struct Posts {
    posts: Vec<Post>,
    /// When each edited post was edited; few are.
    edits: Map<u32, Vec<i64>>,
    pub(crate) sent: Sent,
}

impl Posts {
    pub(crate) fn all(&self) -> &[Post] {
        &self.posts
    }

    pub(crate) fn get(&self, post_index: u32) -> &Post {
        &self.posts[post_index as usize]
    }

    /// The place of the post with this id.
    pub(crate) fn find(&self, id: u64) -> Option<u32> {
        self.posts.binary_search_by_key(&id, |post| post.id).ok().map(|post_index| post_index as u32)
    }

    /// Adds a post; `at_ms` is not before that of any other. `None` when the millisecond is full.
    pub(crate) fn add(&mut self, author: u32, at_ms: i64, relation: Relation) -> Option<u32> {
        let first = (at_ms as u64) << 16;
        let id = self.posts.last().map_or(first, |newest| first.max(newest.id + 1));
        let post_index = u32::try_from(self.posts.len()).ok().filter(|post_index| *post_index != NOWHERE)?;
        if id - first > SEQUENCE_MAX {
            return None;
        }
        let mut post = Post {
            id,
            deleted_at_ms: NEVER_MS,
            author,
            reply_count: 0,
            repost_count: 0,
            parent: NOWHERE,
            newest_reply: NOWHERE,
            newest_repost: NOWHERE,
            older_sibling: NOWHERE,
            is_repost: false,
        };
        match relation {
            Relation::Original => {}
            Relation::ReplyTo(parent) => {
                post.parent = parent;
                let parent = &mut self.posts[parent as usize];
                post.older_sibling = std::mem::replace(&mut parent.newest_reply, post_index);
                parent.reply_count += 1;
            }
            Relation::RepostOf(parent) => {
                post.parent = parent;
                post.is_repost = true;
                let parent = &mut self.posts[parent as usize];
                post.older_sibling = std::mem::replace(&mut parent.newest_repost, post_index);
                parent.repost_count += 1;
            }
        }
        self.posts.push(post);
        self.sent.add(Happened::Posted(post_index));
        Some(post_index)
    }

    /// Marks a post as deleted; says whether it was there.
    pub(crate) fn delete(&mut self, post_index: u32, at_ms: i64) -> bool {
        let post = &mut self.posts[post_index as usize];
        if post.is_deleted() {
            return false;
        }
        post.deleted_at_ms = at_ms;
        let relation = post.relation();
        self.sent.add(Happened::Deleted(post_index));
        match relation {
            Relation::Original => {}
            Relation::ReplyTo(parent) => self.posts[parent as usize].reply_count -= 1,
            Relation::RepostOf(parent) => self.posts[parent as usize].repost_count -= 1,
        }
        true
    }

    /// Notes an edit.
    pub(crate) fn edit(&mut self, post_index: u32, at_ms: i64) {
        self.edits.entry(post_index).or_default().push(at_ms);
        self.sent.add(Happened::Edited(post_index));
    }

    /// When a post was edited, from old to new.
    pub(crate) fn edits(&self, post_index: u32) -> &[i64] {
        self.edits.get(&post_index).map_or(&[], Vec::as_slice)
    }

    /// Replies to a post, deleted ones included, from new to old.
    pub(crate) fn replies(&self, post_index: u32) -> impl Iterator<Item = u32> + '_ {
        self.siblings(self.get(post_index).newest_reply)
    }

    /// Reposts of a post, deleted ones included, from new to old.
    pub(crate) fn reposts(&self, post_index: u32) -> impl Iterator<Item = u32> + '_ {
        self.siblings(self.get(post_index).newest_repost)
    }

    fn siblings(&self, newest: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |post_index: u32| (post_index != NOWHERE).then_some(post_index);
        std::iter::successors(some(newest), move |post_index| some(self.get(*post_index).older_sibling))
    }
}
