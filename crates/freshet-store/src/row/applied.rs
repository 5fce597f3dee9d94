//! What came of an upload, and what is stored of a post that it is compared with.
//!
//! The engine learns from this and from nothing else, so that models are told of what was new to the store, not of what a page
//! repeated. It holds counts, times and numbers, no content.

use freshet_types::{SourceId, Span, Timestamp};

use super::source::SourceSlot;

/// What an upload changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// Somebody else has taken its source over since it was leased: nothing of it was stored.
    pub is_stale: bool,
    /// Posting times of posts never seen before (those not embedded), in page order.
    pub new_posts: Vec<Timestamp>,
    /// Posting times of posts that the page showed and a constraint kept out (those not embedded), whether seen before or not.
    pub withheld_posts: Vec<Timestamp>,
    /// Posts whose content changed.
    pub edited_count: u32,
    /// Posts now known to be deleted.
    pub deleted_count: u32,
    /// Accounts never seen before.
    pub new_account_count: u32,
    /// Relations never seen before.
    pub new_relation_count: u32,
    /// Links never seen before that no row of an object tells.
    pub new_link_count: u32,
    /// Tags of accounts never seen before.
    pub new_tag_count: u32,
    /// Ids of stored posts of this source that the listing should have shown and did not: missing,
    /// not deleted. Those never asked about come first; those asked about lately are left out.
    pub missing: Vec<String>,
    /// Other sources that rest now, because their owner asks not to be collected.
    pub rested: Vec<SourceId>,
    /// Sources that the page led to: new ones, and those that are due because of what it showed.
    pub led_to: Vec<SourceSlot>,
    /// What the page told of each list that it leads to, due or not.
    pub told: Vec<LeadTold>,
}

/// What a page told of a list that it leads to, and what is stored of that list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeadTold {
    pub id: SourceId,
    /// It is a list of posts, not of lists.
    pub is_thread: bool,
    /// Nobody knew of it.
    pub is_new: bool,
    /// When something last happened in it, as the page shows.
    pub active_at: Option<Timestamp>,
    /// To what that is told: it happened within so long after it.
    pub grain: Span,
    /// Its newest post, or activity, that was read.
    pub newest_at: Option<Timestamp>,
    pub visited_at: Option<Timestamp>,
    /// When it is worth a visit because of what the page shows.
    pub due_at: Option<Timestamp>,
}

/// What is stored of a post, for comparing.
#[derive(Clone, Copy, Debug)]
pub struct KnownPost {
    /// [`Post::version`](freshet_types::Post::version) when it was stored.
    pub version: u64,
    /// It is marked as deleted.
    pub is_deleted: bool,
}
