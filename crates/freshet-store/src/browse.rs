//! What people who look around ask of a store: pages of sources and posts, filtered and sorted.
//!
//! Apart from the [`Store`](crate::api::Store) seam, because a crawl never asks any of it. Every
//! answer is bounded: a page by [`PAGE_MAX`], its place by [`OFFSET_MAX`]; whoever wants all takes an
//! export. Names and texts come as they are; whoever shows them makes them harmless.

use freshet_types::{Change, NetworkName, RobotKind, Source, SourceId, SourceState, Timestamp, VisitRecord};

use crate::api::StoreError;
use crate::row::{Filter, Hit};

/// Most rows of a page.
pub const PAGE_MAX: usize = 1000;
/// Rows that may be passed over; beyond it a filter is the better way.
pub const OFFSET_MAX: usize = 100_000;
/// Posting times looked at for a rhythm: enough for a year of a busy account.
pub const RHYTHM_MAX: usize = 20_000;

/// How a list of sources is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceOrder {
    /// As they were added.
    #[default]
    Number,
    /// By name.
    Name,
    /// Those due first.
    Due,
    /// Those visited last.
    Visited,
}

impl SourceOrder {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Number, Self::Name, Self::Due, Self::Visited];

    /// The name in queries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Name => "name",
            Self::Due => "due",
            Self::Visited => "visited",
        }
    }
}

/// Which sources, in which order.
#[derive(Clone, Debug, Default)]
pub struct SourceQuery {
    /// Part of the handle or of the root's id.
    pub text: Option<String>,
    /// Only in this state.
    pub state: Option<SourceState>,
    /// Only on this network (whole name or definition).
    pub network: Option<String>,
    /// Only of this robot.
    pub robot: Option<RobotKind>,
    /// Sorted by.
    pub order: SourceOrder,
    /// Passed over.
    pub offset: usize,
    /// At most so many.
    pub limit: usize,
}

/// Which posts, newest sight first, or best match first where words are given.
#[derive(Clone, Debug, Default)]
pub struct PostQuery {
    /// Words, as `search` takes them.
    pub text: Option<String>,
    /// Only of this network (whole name or definition).
    pub network: Option<String>,
    /// Only by this author (handle or id).
    pub author: Option<String>,
    /// Created at or after.
    pub since: Option<Timestamp>,
    /// Created before.
    pub until: Option<Timestamp>,
    /// Passed over.
    pub offset: usize,
    /// At most so many.
    pub limit: usize,
}

/// Rows that can be counted by day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Posts, by posting time, or first sight where that is unknown.
    Posts,
    /// Accounts, by first sight.
    Accounts,
    /// Relations, by first sight.
    Relations,
}

/// Questions of people who look around.
pub trait Browse {
    /// A page of sources.
    fn list_sources(&self, query: &SourceQuery) -> Result<Vec<Source>, StoreError>;
    /// How many there are, counted up to `max`.
    fn count_sources(&self, query: &SourceQuery, max: usize) -> Result<usize, StoreError>;
    /// Networks whose servers were added, by name.
    fn source_networks(&self) -> Result<Vec<NetworkName>, StoreError>;
    /// A page of posts.
    fn list_posts(&self, query: &PostQuery) -> Result<Vec<Hit>, StoreError>;
    /// The lines of the change log about an object, oldest first.
    fn changes_of(&self, object: u64, limit: usize) -> Result<Vec<Change>, StoreError>;
    /// The latest visits of a source, newest first.
    fn visits_of(&self, source: SourceId, limit: usize) -> Result<Vec<VisitRecord>, StoreError>;
    /// Posting times of a source, newest first, at most [`RHYTHM_MAX`].
    fn posting_times(&self, source: &Source) -> Result<Vec<Timestamp>, StoreError>;
    /// How many rows an export with this filter would have, by day (in days since 1970, UTC, rising),
    /// of those whose number is at most `up_to`.
    fn count_by_day(
        &self,
        counted: Counted,
        filter: &Filter,
        up_to: u64,
    ) -> Result<Vec<(i64, u64)>, StoreError>;
}
