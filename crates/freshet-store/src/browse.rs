//! What people who look around ask of a store: pages of sources and posts, filtered and sorted.
//!
//! A role of the [`Store`](crate::api::Store) seam that no crawl needs. Every
//! answer is bounded: a page by `PAGE_MAX`, its place by [`OFFSET_MAX`]; whoever wants all takes an
//! export. Names and texts come as they are; whoever shows them makes them harmless.

use freshet_types::{Change, NetworkName, RobotKind, Source, SourceId, SourceState, Timestamp, VisitSummary};

use crate::error::StoreError;
use crate::row::{ComplaintRow, Filter, Hit};

/// Most rows of a page.
pub(crate) const PAGE_MAX: usize = 1000;
/// Rows that may be passed over; beyond it a filter is the better way.
pub const OFFSET_MAX: usize = 100_000;
/// Sources that are counted for a list; beyond, there are "more than".
pub const COUNT_MAX: usize = 10_000;
/// Sources that are looked at where words are searched for and the answer is filtered or sorted.
pub const LOOKED_MAX: usize = 10_000;
/// Letters from which on a text is found anywhere in a name; a shorter one at its beginning.
pub(crate) const LETTERS_MIN: usize = 3;
/// Posts that were seen after a post and are looked through for answers to it.
pub const ANSWERS_AMONG: usize = 20_000;
/// Posting times looked at for a rhythm: enough for a year of a busy account.
pub(crate) const RHYTHM_MAX: usize = 20_000;

/// How a list of sources is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceOrder {
    /// As they were added.
    #[default]
    Number,
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
    /// Part of the handle or of the root's id; under `LETTERS_MIN` letters, the beginning of the name.
    pub text: Option<String>,
    /// Only in this state.
    pub state: Option<SourceState>,
    /// Only on this network (whole name or definition).
    pub network: Option<String>,
    /// Only of this robot.
    pub robot: Option<RobotKind>,
    pub order: SourceOrder,
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
    pub until: Option<Timestamp>,
    pub offset: usize,
    /// At most so many.
    pub limit: usize,
}

/// Which lists of a forum.
#[derive(Clone, Debug, Default)]
pub struct ForumQuery {
    /// Only those that are not complete.
    pub is_lacking: bool,
    /// Only of this type: `portal`, `board` or `thread`.
    pub kind: Option<String>,
    pub offset: usize,
    /// At most so many.
    pub limit: usize,
}

/// What is known of one forum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForumState {
    pub network: NetworkName,
    /// Front pages and boards that are watched.
    pub boards_count: usize,
    /// Those whose pages chain without a hole, down to the oldest thread.
    pub complete_boards_count: usize,
    /// Threads that are watched.
    pub threads_count: usize,
    /// Those whose pages chain without a hole.
    pub complete_threads_count: usize,
    /// Pages of threads that were read.
    pub pages_count: usize,
    /// Posts in threads, deleted ones included.
    pub posts_count: usize,
    /// Why lists are not complete, and how many for each reason.
    pub lacks: Vec<(Lack, usize)>,
}

/// What is known of one list of a forum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListState {
    pub source: SourceId,
    /// `portal`, `board` or `thread`.
    pub kind: String,
    pub id: String,
    /// Its title, where a page has shown it.
    pub title: Option<String>,
    /// Its pages that were read; of threads only.
    pub pages_count: usize,
    /// Its posts, deleted ones included; of threads only.
    pub posts_count: usize,
    /// Why it is not complete; `None`: its pages chain without a hole.
    pub lack: Option<Lack>,
    /// When it was last visited.
    pub visited_at: Option<Timestamp>,
    /// When its next visit is due.
    pub due_at: Timestamp,
}

/// Why a list is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    /// It was never visited.
    Unvisited,
    /// Further pages are known and not read yet.
    Unread,
    /// Its pages do not chain: one lacks the way to the next.
    Broken,
    /// Its visits fail; its source says why.
    Failed,
    /// The network does not show it.
    Hidden,
}

impl Lack {
    /// All reasons.
    pub const ALL: [Self; 5] = [Self::Unvisited, Self::Unread, Self::Broken, Self::Failed, Self::Hidden];

    /// In words.
    pub fn why(self) -> &'static str {
        match self {
            Self::Unvisited => "not visited yet",
            Self::Unread => "further pages are not read yet",
            Self::Broken => "its pages do not chain",
            Self::Failed => "its visits fail",
            Self::Hidden => "the forum does not show it",
        }
    }

    /// Why this source's list is not complete; `None` where it is.
    pub fn of(source: &Source) -> Option<Self> {
        let is_blank = source.coverage.intervals.is_empty() && source.coverage.empty_at.is_none();
        match source.state {
            SourceState::Failed => Some(Self::Failed),
            SourceState::Active | SourceState::Paused | SourceState::Removed
                if source.coverage.is_complete() =>
            {
                None
            }
            SourceState::Active | SourceState::Paused | SourceState::Removed
                if is_blank && source.visited_at.is_none() =>
            {
                Some(Self::Unvisited)
            }
            SourceState::Active | SourceState::Paused | SourceState::Removed => {
                let has_way = source.coverage.holes().iter().any(|hole| hole.cursor.is_some());
                Some(if has_way { Self::Unread } else { Self::Broken })
            }
            SourceState::Gone
            | SourceState::Suspended
            | SourceState::Private
            | SourceState::AuthRequired
            | SourceState::OptedOut => Some(Self::Hidden),
        }
    }
}

/// A visit as a list of the latest shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct VisitLine {
    /// What was done.
    pub visit: VisitSummary,
    /// By which robot.
    pub robot: RobotKind,
    /// What a person calls its source.
    pub name: String,
}

/// What people know the root of a source by.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RootName {
    /// A handle, a title; of a post, the handle of its author.
    pub who: Option<String>,
    /// The beginning of a post, as its network gives it.
    pub text: Option<String>,
}

/// An object as a graph shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub network: String,
    /// `account`, `post`, `tag`, or `elsewhere` for one of another network.
    pub kind: String,
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

/// A collection of an object, and where its members stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Association<'a> {
    /// Posts of this type that an account wrote, newest first.
    Written(&'a str),
    /// Posts of an account that repeat another, newest first.
    Repeated,
    /// Who follows an account, as they were seen.
    Followers,
    /// Whom an account follows, as they were seen.
    Following,
    /// Tags of an account, by name.
    Tags,
    /// Posts that answer a post, among the [`ANSWERS_AMONG`] that were seen before and after it.
    Answers,
    /// Posts that repeat a post, among the same.
    Reposts,
    /// Posts that quote a post, among the same.
    Quotes,
    /// What a list of a forum contains: lists of this type, or posts.
    Contained(&'a str),
    /// Members of this name that no row tells, as they were seen.
    Named(&'a str),
}

/// Which members of a collection.
#[derive(Clone, Copy, Debug)]
pub struct MemberQuery<'a> {
    pub network: &'a NetworkName,
    /// Type and id of the object whose collection it is.
    pub object: (&'a str, &'a str),
    pub association: Association<'a>,
    pub offset: usize,
    /// At most so many.
    pub limit: usize,
}

/// A part of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberPage {
    /// Type and id of each.
    pub members: Vec<(String, String)>,
    /// How many there are in all, counted up to [`COUNT_MAX`].
    pub count: usize,
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
    /// Objects that are neither posts, accounts nor lists, by first sight.
    Things,
    /// Links that no row tells, and links into other networks, by first sight.
    Links,
}

/// How many objects of one type a network has here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindCount {
    pub network: NetworkName,
    /// The type, as the network's definition calls it.
    pub kind: String,
    pub count: u64,
}

/// Questions of people who look around.
pub trait Browse {
    /// A page of sources.
    fn list_sources(&self, query: &SourceQuery) -> Result<SourcePage, StoreError>;
    /// The account or post of this number.
    fn node(&self, object: u64) -> Result<Option<Node>, StoreError>;
    /// What stands around it, at most `limit` of each kind of link.
    fn neighbours(&self, node: &Node, limit: usize) -> Result<Neighbours, StoreError>;
    /// A part of a collection of an object.
    fn members(&self, query: &MemberQuery<'_>) -> Result<MemberPage, StoreError>;
    /// What people know the root of each of these sources by, as far as it is stored.
    fn root_names(&self, sources: &[Source]) -> Result<Vec<RootName>, StoreError>;
    /// What people know the root of a source by, as far as it is stored.
    fn root_name(&self, source: &Source) -> Result<RootName, StoreError> {
        Ok(self.root_names(std::slice::from_ref(source))?.pop().unwrap_or_default())
    }
    /// Networks whose servers were added, by name.
    fn source_networks(&self) -> Result<Vec<NetworkName>, StoreError>;
    /// A page of posts.
    fn list_posts(&self, query: &PostQuery) -> Result<Vec<Hit>, StoreError>;
    /// The lines of the change log about an object, oldest first.
    fn changes_of(&self, object: u64, limit: usize) -> Result<Vec<Change>, StoreError>;
    /// What a post said before it was edited, oldest first, each with the number of the line that tells of the edit.
    fn earlier_texts(&self, object: u64) -> Result<Vec<(u64, String)>, StoreError>;
    /// The latest visits of each of these sources, newest first, at most so many of each.
    fn visits_of_all(&self, sources: &[SourceId], limit: usize)
    -> Result<Vec<Vec<VisitSummary>>, StoreError>;
    /// The latest visits of a source, newest first.
    fn visits_of(&self, source: SourceId, limit: usize) -> Result<Vec<VisitSummary>, StoreError> {
        Ok(self.visits_of_all(&[source], limit)?.pop().unwrap_or_default())
    }
    /// Every forum: how many boards, threads and pages are known, and what is complete.
    fn forums(&self) -> Result<Vec<ForumState>, StoreError>;
    /// The title of the list that each of these sources is, where it is one and a page has shown it.
    fn titles_of(&self, sources: &[Source]) -> Result<Vec<Option<String>>, StoreError>;
    /// The title of the list that a source is, where it is one and a page has shown it.
    fn title_of(&self, source: &Source) -> Result<Option<String>, StoreError> {
        Ok(self.titles_of(std::slice::from_ref(source))?.pop().flatten())
    }
    /// A page of the lists of a forum, boards first, each in order of number.
    fn forum_lists(&self, network: &NetworkName, query: &ForumQuery) -> Result<Vec<ListState>, StoreError>;
    /// The latest visits of all sources, newest first.
    fn last_visits(&self, limit: usize) -> Result<Vec<VisitLine>, StoreError>;
    /// How many rows an export with this filter would have, by day (in days since 1970, UTC, rising),
    /// of those whose number is at most `up_to`.
    fn count_by_day(
        &self,
        counted: Counted,
        filter: &Filter,
        up_to: u64,
    ) -> Result<Vec<(i64, u64)>, StoreError>;
    /// How many posts that are not deleted, accounts and things there are, by network and type. Every row is looked at.
    fn count_by_kind(&self) -> Result<Vec<KindCount>, StoreError>;
    /// The number of the newest relation; 0 before the first.
    fn last_relation(&self) -> Result<u64, StoreError>;
    /// What could not be used of answers, by network, endpoint and kind, those met last first: at most `limit` of them, each with
    /// at most `samples` samples. Of this network or definition, or of all.
    fn complaints(
        &self,
        network: Option<&str>,
        limit: usize,
        samples: usize,
    ) -> Result<Vec<ComplaintRow>, StoreError>;
}

impl ForumState {
    /// Adds so many lists of one kind that all lack the same.
    pub(crate) fn add_lists(&mut self, kind: &str, lack: Option<Lack>, lists_count: usize) {
        let (count, complete_count) = if kind == freshet_types::list::THREAD {
            (&mut self.threads_count, &mut self.complete_threads_count)
        } else {
            (&mut self.boards_count, &mut self.complete_boards_count)
        };
        *count += lists_count;
        let Some(lack) = lack else {
            *complete_count += lists_count;
            return;
        };
        if let Some((_, count)) = self.lacks.iter_mut().find(|(known, _)| *known == lack) {
            *count += lists_count;
        } else {
            self.lacks.push((lack, lists_count));
            self.lacks.sort_unstable();
        }
    }
}
