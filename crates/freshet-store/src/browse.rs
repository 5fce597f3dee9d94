//! What people who look around ask of a store: pages of sources and posts, filtered and sorted.
//!
//! Apart from the [`Store`](crate::api::Store) seam, because a crawl never asks any of it. Every
//! answer is bounded: a page by [`PAGE_MAX`], its place by [`OFFSET_MAX`]; whoever wants all takes an
//! export. Names and texts come as they are; whoever shows them makes them harmless.

use freshet_types::{Change, NetworkName, RobotKind, Source, SourceId, SourceState, Timestamp, VisitRecord};

use crate::api::StoreError;
use crate::row::Hit;

/// Most rows of a page.
pub const PAGE_MAX: usize = 1000;
/// Rows that may be passed over; beyond it a filter is the better way.
pub const OFFSET_MAX: usize = 100_000;
/// Sources that are counted for a list; beyond, there are "more than".
pub const COUNT_MAX: usize = 10_000;
/// Sources that are looked at where words are searched for and the answer is filtered or sorted.
pub const LOOKED_MAX: usize = 10_000;
/// Letters from which on a text is found anywhere in a name; a shorter one at its beginning.
pub const LETTERS_MIN: usize = 3;
/// Posts that were seen after a post and are looked through for answers to it.
pub const ANSWERS_AMONG: usize = 20_000;
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
    /// Part of the handle or of the root's id; under [`LETTERS_MIN`] letters, the beginning of the name.
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

/// A page of sources.
#[derive(Clone, Debug, Default)]
pub struct SourcePage {
    /// In the order that was asked for.
    pub sources: Vec<Source>,
    /// How many there are in all, counted up to [`COUNT_MAX`].
    pub count: usize,
    /// More names matched than were looked at: only the first [`LOOKED_MAX`] were filtered and sorted.
    pub is_partial: bool,
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

/// A visit as a list of the latest shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct VisitLine {
    /// What was done.
    pub visit: VisitRecord,
    /// By which robot.
    pub robot: RobotKind,
    /// What a person calls its source.
    pub name: String,
}

/// An object as a graph shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its network.
    pub network: String,
    /// `account`, `post`, `tag`, or `elsewhere` for one of another network.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// What a person knows it by: a handle, the first words of a text, else the id.
    pub label: String,
    /// Its number; `None` where it is only named.
    pub object: Option<u64>,
}

/// A link between the middle and one of its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tie {
    /// The name of the link in the model.
    pub name: String,
    /// It leads from the middle to the neighbour.
    pub is_out: bool,
    /// Place of the neighbour.
    pub node: usize,
    /// There are more links of this kind than are shown.
    pub is_cut: bool,
}

/// What stands one step from an object.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    /// Those shown, each once.
    pub nodes: Vec<Node>,
    /// The links between them and the middle.
    pub ties: Vec<Tie>,
    /// Who of them follows whom, by place.
    pub among: Vec<(usize, usize)>,
}

/// Questions of people who look around.
pub trait Browse {
    /// A page of sources.
    fn list_sources(&self, query: &SourceQuery) -> Result<SourcePage, StoreError>;
    /// The account or post of this number.
    fn node(&self, object: u64) -> Result<Option<Node>, StoreError>;
    /// What stands around it, at most `limit` of each kind of link.
    fn neighbours(&self, node: &Node, limit: usize) -> Result<Neighbours, StoreError>;
    /// Networks whose servers were added, by name.
    fn source_networks(&self) -> Result<Vec<NetworkName>, StoreError>;
    /// A page of posts.
    fn list_posts(&self, query: &PostQuery) -> Result<Vec<Hit>, StoreError>;
    /// The lines of the change log about an object, oldest first.
    fn changes_of(&self, object: u64, limit: usize) -> Result<Vec<Change>, StoreError>;
    /// The latest visits of a source, newest first.
    fn visits_of(&self, source: SourceId, limit: usize) -> Result<Vec<VisitRecord>, StoreError>;
    /// The latest visits of all sources, newest first.
    fn last_visits(&self, limit: usize) -> Result<Vec<VisitLine>, StoreError>;
    /// Posting times of a source, newest first, at most [`RHYTHM_MAX`].
    fn posting_times(&self, source: &Source) -> Result<Vec<Timestamp>, StoreError>;
}
