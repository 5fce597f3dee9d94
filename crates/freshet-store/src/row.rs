//! The rows that a store takes and gives.

use std::sync::Arc;

use freshet_types::{
    Account, Address, Complaint, Confidence, Cover, CrossLink, End, Evidence, Instance, Link, LinkKind,
    NetworkName, Observation, Post, PostKind, Primitive, RobotKind, RobotState, Set, Source, SourceId,
    SourceState, Span, Thing, Timestamp, VisitId, VisitSummary,
};
use serde::{Deserialize, Serialize};

/// What one page, or the end of one visit, brings to the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Upload {
    pub visit: VisitId,
    /// The epoch under which its source was leased; 0 where it comes of no lease, and is never refused.
    pub epoch: u64,
    /// The robot whose visit it is; it goes into the change log as the finder.
    pub robot: Option<RobotKind>,
    /// The network its ids belong to.
    pub network: NetworkName,
    /// When the page was received.
    pub seen_at: Timestamp,
    /// Steps from what a person added; what is found here is one further away.
    pub depth: u16,
    /// What it showed.
    pub observation: Observation,
    /// The answer as received, to be kept compressed, where raw payloads are wanted.
    #[serde(with = "serde_bytes")]
    pub raw: Option<Vec<u8>>,
    /// The whole new state of the source; written in the same transaction.
    pub source: Option<Source>,
    /// The source that brought this, where it is not written with it.
    pub brought_by: Option<SourceId>,
    /// The source had opted out when the visit began: only such a visit may end that.
    pub was_opted_out: bool,
    /// The page lists every post of `author` created between these instants (both included):
    /// stored ones that it lacks are reported as missing.
    pub lists: Option<Listing>,
    /// Posts that were asked about one by one, whatever the answer.
    pub checked: Vec<String>,
    /// Objects of which the network itself said that they are gone.
    pub deleted: Vec<(String, String)>,
    /// The account of this id was found suspended, private, moved or gone.
    pub invalid: Option<(String, String)>,
    /// All relations of this account in this direction were seen since this instant:
    /// older ones were cancelled.
    pub relations_swept: Option<RelationSweep>,
    /// All members of this collection were seen since this instant: older ones were cancelled. The collections of the tag robot are
    /// the tags of an account.
    pub links_swept: Option<LinkSweep>,
    /// Accounts that ask not to be collected: their sources rest from now on, and their posts are
    /// redacted where those of this network are when they are deleted.
    pub opted_out: Vec<String>,
    /// What of the observation the constraints keep out.
    pub withheld: Withheld,
    /// Objects that a constraint cannot judge yet; they wait from now on.
    pub parked: Vec<Parked>,
    /// Addresses of objects that wait no longer.
    pub unparked: Vec<String>,
    /// The page of a list that this is, where its source is one.
    pub page: Option<ListPage>,
    /// The visit ended with this.
    pub summary: Option<VisitSummary>,
    /// What could not be used of its answers.
    pub complaints: Vec<Complaint>,
    /// Objects of other networks that its links lead to and that a definition can read: they become stubs.
    pub followed: Vec<Address>,
    /// The stream that brought it, and how far it has come.
    pub stream: Option<StreamMark>,
}

impl Upload {
    /// An upload that says nothing yet.
    pub fn new(visit: VisitId, network: NetworkName, seen_at: Timestamp) -> Self {
        Self {
            visit,
            epoch: 0,
            robot: None,
            network,
            seen_at,
            depth: 0,
            observation: Observation::default(),
            raw: None,
            source: None,
            brought_by: None,
            was_opted_out: false,
            lists: None,
            checked: Vec::new(),
            deleted: Vec::new(),
            invalid: None,
            relations_swept: None,
            links_swept: None,
            opted_out: Vec::new(),
            withheld: Withheld::default(),
            parked: Vec::new(),
            unparked: Vec::new(),
            page: None,
            summary: None,
            complaints: Vec::new(),
            followed: Vec::new(),
            stream: None,
        }
    }
}

/// How far a stream has come with what it brings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamMark {
    pub name: Arc<str>,
    /// It has been connected without a hole since then.
    pub since: Timestamp,
    pub until: Timestamp,
    /// Where a later connection goes on.
    pub cursor: Option<String>,
    /// Whose posts it brings; others are not stored.
    pub covers: Vec<Cover>,
}

/// A stream as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamRow {
    pub network: NetworkName,
    pub name: String,
    /// It was connected without a hole from then on.
    pub since: Timestamp,
    pub until: Timestamp,
    pub cursor: Option<String>,
}

/// Which sources of a stream are wanted.
#[derive(Clone, Copy, Debug)]
pub struct WatchedQuery<'a> {
    pub network: &'a NetworkName,
    pub endpoint: &'a str,
    /// Those with these roots; all of them where none is named.
    pub roots: Option<&'a [String]>,
    /// At most so many.
    pub limit: usize,
}

/// A source of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedRow {
    pub slot: SourceSlot,
    pub root_id: String,
    pub visited_at: Option<Timestamp>,
    /// Steps from what a person added.
    pub depth: u16,
}

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

/// What constraints keep out of the store, by id.
///
/// It stays in the observation, because the page did show it: what is stored of it already is
/// brought up to date, found deleted, and not missing. Nothing of it is stored anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// Posts as `type/id`, and as `space/id` where several types share their ids: a post 12 is not the comment 12.
    pub posts: Set<String>,
    /// Accounts, and with them the relations they stand in.
    pub accounts: Set<String>,
    /// Objects of other types, and with them the links they stand in. They are judged where they are stored, so this does not travel.
    #[serde(skip)]
    pub things: Set<End>,
}

impl Withheld {
    /// Whether an object of another type than posts and accounts is kept out.
    pub(crate) fn has_thing(&self, kind: &str, id: &str) -> bool {
        !self.things.is_empty() && self.things.contains(&End { kind: kind.into(), id: id.to_owned() })
    }
}

impl Withheld {
    /// Keeps this post out.
    pub fn hold_post(&mut self, kind: &PostKind, id: &str) {
        self.posts.insert(format!("{kind}/{id}"));
        self.posts.insert(format!("{}/{id}", kind.space()));
    }

    /// Whether this post is kept out.
    pub fn has_post(&self, kind: &PostKind, id: &str) -> bool {
        self.has_post_of(kind.space(), id)
    }

    /// The same by the name of its type, or of the space of its ids.
    pub(crate) fn has_post_of(&self, kind: &str, id: &str) -> bool {
        !self.posts.is_empty() && self.posts.contains(&format!("{kind}/{id}"))
    }
}

/// A stretch of one author's list that a page shows completely.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Id of the author's account.
    pub author: String,
    /// From this instant.
    pub from: Timestamp,
    /// To this one.
    pub to: Timestamp,
}

/// A relation list that was read from its first to its last page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationSweep {
    /// Id of the account whose list it is.
    pub account: String,
    /// The list names whom it follows (`true`) or who follows it (`false`).
    pub is_following: bool,
    /// When its first page was asked for.
    pub began_at: Timestamp,
}

/// A collection that was read from its first to its last page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkSweep {
    /// Whose collection it is.
    pub from: End,
    /// Its association name.
    pub name: Arc<str>,
    /// When its first page was asked for.
    pub began_at: Timestamp,
}

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

/// Complaints of one kind about one endpoint of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComplaintRow {
    pub network: NetworkName,
    /// The endpoint of the source; empty where nobody knows it any more.
    pub endpoint: String,
    /// What is wrong, without what differs from case to case.
    pub what: String,
    pub count: u64,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    /// Some of them, the newest first.
    pub samples: Vec<ComplaintSample>,
}

/// One complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComplaintSample {
    /// The source whose answer it is about.
    pub source: Option<SourceId>,
    pub seen_at: Timestamp,
    pub complaint: Complaint,
}

/// An object that is neither post, account nor list, as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ThingRow {
    /// Its number in the store.
    pub object: u64,
    pub network: NetworkName,
    pub thing: Thing,
    /// When it was first seen.
    pub seen_at: Timestamp,
}

/// A link that no row of an object tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    pub link: Link,
    /// When it was first seen.
    pub seen_at: Timestamp,
    pub last_seen_at: Timestamp,
    /// When it was found to be no more.
    pub cancelled_at: Option<Timestamp>,
}

/// A link into another network as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossLinkRow {
    /// The object that has it.
    pub from: Address,
    pub link: CrossLink,
    /// The visit that saw it first.
    pub visit: VisitId,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// When it was last seen, to the hour.
    pub last_seen_at: Timestamp,
    /// When it was found to be no more.
    pub cancelled_at: Option<Timestamp>,
}

/// A link of the store with its number, as exports give it: one that no row of an object tells, or one into another network.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyLinkRow {
    /// Its number, rising with first sight.
    pub number: u64,
    /// The object that has it.
    pub from: Address,
    pub kind: LinkKind,
    pub name: Arc<str>,
    /// The object that it leads to, or whose value it states.
    pub to: Address,
    /// The value, of an sp-link.
    pub value: Option<Primitive>,
    /// What speaks for it and how sure it is; of links into other networks.
    pub claim: Option<(Evidence, Confidence)>,
    /// When it was first seen.
    pub seen_at: Timestamp,
    pub last_seen_at: Timestamp,
    /// When it was found to be no more.
    pub cancelled_at: Option<Timestamp>,
}

/// Which links into other networks are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrossLinkQuery<'a> {
    /// Those that this object has.
    pub from: Option<&'a Address>,
    /// Those that lead to this object, where no object is said to have them.
    pub to: Option<&'a Address>,
    /// Those that ended are given too.
    pub with_ended: bool,
    /// At most so many.
    pub limit: usize,
}

/// Which links of an object are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkQuery<'a> {
    pub network: &'a NetworkName,
    /// The object's type and id.
    pub object: (&'a str, &'a str),
    /// Those that lead to it instead of those that lead from it.
    pub is_inward: bool,
    /// Only those of this name.
    pub name: Option<&'a str>,
    /// Those that ended are given too.
    pub with_cancelled: bool,
    /// At most so many.
    pub limit: usize,
}

/// Which members of a collection are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewestQuery<'a> {
    /// The owner's type and id.
    pub object: (&'a str, &'a str),
    pub collection: Collection<'a>,
    /// At most so many, the newest.
    pub limit: usize,
}

/// A collection, by what tells its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection<'a> {
    /// Posts whose author the object is.
    Posts,
    /// Posts that reply to it.
    Replies,
    /// Accounts that follow it.
    Followers,
    /// Accounts that it follows.
    Following,
    /// Links of this name.
    Linked(&'a str),
}

/// A member of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub end: End,
    /// When it was posted; of anything else, when it was first seen as a member.
    pub at: Timestamp,
}

/// An object that a robot makes no sources of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub object: u64,
    pub robot: RobotKind,
    /// When it is judged again.
    pub judge_at: Timestamp,
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
    /// [`Post::version`] when it was stored.
    pub version: u64,
    /// It is marked as deleted.
    pub is_deleted: bool,
}

/// An object as robots find it: where it is, and what its sources inherit.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectRow {
    pub network: NetworkName,
    pub kind: String,
    pub id: String,
    /// Steps from what a person added.
    pub depth: u16,
    /// History before this is not wanted by the source on whose way it was found.
    pub since: Option<Timestamp>,
    /// How long that source keeps posts.
    pub retention: Option<Span>,
    /// When it was made, of a post whose page says it.
    pub created_at: Option<Timestamp>,
    /// What is known of a post or thing by name: its counts above all.
    pub plinks: Vec<(Arc<str>, Primitive)>,
}

/// The few fields by which the scheduler knows a source.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceSlot {
    pub id: SourceId,
    /// Where it lives.
    pub network: NetworkName,
    pub robot: RobotKind,
    pub state: SourceState,
    /// How much its news count.
    pub weight: f32,
    /// When its next visit is due.
    pub due_at: Timestamp,
    /// How long after the last visit that is, where there was one and nobody chose the pace.
    pub gap: Option<Span>,
}

/// A robot as `freshet robots list` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotRow {
    pub kind: RobotKind,
    /// Whether it works.
    pub state: RobotState,
    /// Name of the credential it is to use, if one of its own.
    pub credential: Option<String>,
}

/// A server with what care it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceRow {
    pub instance: Instance,
    /// What happens to the content of a post that was deleted on the network.
    pub on_delete: OnDelete,
}

/// What happens to the content of a post that was deleted on the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDelete {
    /// It stays, marked as deleted.
    #[default]
    Keep,
    /// Text, links, values and raw payload are erased; id, times and the mark stay.
    Redact,
}

/// A post as exports give it: its newest version.
#[derive(Clone, Debug, PartialEq)]
pub struct PostRow {
    /// Its number in the store.
    pub object: u64,
    pub network: NetworkName,
    /// The content. `author`, `reply_to`, `repost_of` are ids as the network gives them.
    pub post: Post,
    /// The author's handle, where known.
    pub author_handle: Option<String>,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// When it was found deleted.
    pub deleted_at: Option<Timestamp>,
}

/// An account as exports give it.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountRow {
    /// Its number in the store.
    pub object: u64,
    pub network: NetworkName,
    pub account: Account,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// Why it is in `invalid_users`, if it is.
    pub invalid: Option<String>,
}

/// A relation as exports give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationRow {
    /// Its number among all relations, rising with first sight.
    pub number: u64,
    pub network: NetworkName,
    /// Id of who follows.
    pub source: String,
    /// Id of who is followed.
    pub target: String,
    /// When it was first seen.
    pub seen_at: Timestamp,
    /// When it was found cancelled.
    pub cancelled_at: Option<Timestamp>,
}

/// Which rows an export wants.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Created at or after.
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    /// Only this network (whole name or definition).
    pub network: Option<String>,
    /// Only rows of a higher number: for whoever goes on where somebody stopped.
    pub above: u64,
}

impl Filter {
    /// The same for rows above this number.
    pub fn from(&self, above: u64) -> Self {
        Self { above, ..self.clone() }
    }
}

/// What `search` found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub row: PostRow,
    /// The matching part of its text, matches in square brackets.
    pub snippet: String,
}

/// The numbers of `freshet status` that the store knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Posts, deleted ones included.
    pub posts: u64,
    /// Posts marked as deleted.
    pub deleted: u64,
    pub accounts: u64,
    pub relations: u64,
    /// Objects that are neither posts, accounts nor lists.
    pub things: u64,
    /// Links that no row of an object tells, those that ended included.
    pub links: u64,
    /// Lines of the change log.
    pub changes: u64,
    pub visits: u64,
    /// Objects waiting for a property that a constraint needs.
    pub parked: u64,
    /// Sources by state.
    pub sources: Vec<(SourceState, u64)>,
}

/// What `forget` erased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    pub accounts: u64,
    pub posts: u64,
    pub relations: u64,
    pub things: u64,
    pub links: u64,
    /// Tags of accounts.
    pub tags: u64,
    pub sources: u64,
    pub visits: u64,
    /// Lines of the change log.
    pub changes: u64,
    pub payloads: u64,
    /// Objects that waited for a property.
    pub parked: u64,
}

impl std::ops::AddAssign for Erased {
    fn add_assign(&mut self, more: Self) {
        self.accounts += more.accounts;
        self.posts += more.posts;
        self.relations += more.relations;
        self.things += more.things;
        self.links += more.links;
        self.tags += more.tags;
        self.sources += more.sources;
        self.visits += more.visits;
        self.changes += more.changes;
        self.payloads += more.payloads;
        self.parked += more.parked;
    }
}

/// What marking something as forgotten did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgetting {
    /// It was not on the list of the forgotten before.
    pub is_new: bool,
    /// What went at once: the sources, and what was parked.
    pub erased: Erased,
    /// Posts that are left to erase, as far as they can be counted quickly.
    pub posts_left: u64,
}

/// An object that a constraint cannot judge yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parked {
    /// Which object: `network/type/id`.
    pub address: String,
    /// The property that is missing, as the constraint writes it.
    pub missing: String,
    pub parked_at: Timestamp,
    /// The object as JSON, as it was when parked.
    pub object: String,
    /// The source that brought it.
    pub source: Option<SourceId>,
}

/// Something that is wrong with a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about: a table, a kind of row.
    pub subject: String,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}
