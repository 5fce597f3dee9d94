//! Endpoints of a definition: what can be asked, how lists go on, how "only newer" is said.
//!
//! Templates are minijinja; an undefined name is an error. They know `root` (id or handle of the
//! root object), `host`, `base`, `limit` (the page size), `cursor` (none on the first page),
//! `newer` (`.id`, `.at_s`, `.at_ms`, `.at_iso`, `.at_date`; none unless asked for), `members` (a list) and
//! `intent` (`first`, `next`, `newer`, `members`, `group`). A query parameter that renders to nothing is
//! left out; query values are percent-encoded, path parts need `| urlencode`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BodyFormat, OneOrMany};
use crate::{IdOrder, Method, RobotKind};

/// What an answer is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageKind {
    /// A list of posts.
    Posts,
    /// One post.
    Post,
    /// One account.
    Account,
    /// A list of accounts.
    Accounts,
    /// Replies to a post.
    Comments,
    /// Other lists: the boards of a forum, the threads of a board.
    Lists,
    /// Who follows whom.
    Relations,
    /// Tags of an account.
    Tags,
    /// Objects of other types: albums, channels, communities.
    Objects,
    /// The network reports an error.
    Error,
    /// Something else.
    #[default]
    Other,
}

/// One thing that can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndpointRule {
    /// Its name for the rest of freshet, where that is not its key: variants may use a name again.
    #[serde(default)]
    pub name: Option<String>,
    /// Template of the URL: a path below the base, or a whole URL.
    pub url: String,
    /// HTTP method.
    #[serde(default)]
    pub method: Method,
    /// Query parameters, as templates.
    #[serde(default)]
    pub query: BTreeMap<String, OneOrMany>,
    /// Headers beyond those of the definition, as templates.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Template of the body of a POST.
    #[serde(default)]
    pub body: Option<String>,
    /// What a page holds.
    #[serde(rename = "kind")]
    #[schemars(with = "String")]
    pub kind: PageKind,
    /// Type of the root object.
    pub root: String,
    /// Regular expression for ids of its roots, where the path alone does not tell endpoints apart.
    #[serde(default)]
    pub roots: Option<String>,
    /// The robot that visits it again and again; none for what is asked on demand only.
    #[serde(default)]
    pub robot: Option<RobotKind>,
    /// A special use.
    #[serde(default)]
    pub role: Role,
    /// The variant it belongs to; none: the definition itself.
    #[serde(default)]
    pub variant: Option<String>,
    /// The collection of the root object that it lists: a co-link of the root's type.
    #[serde(default)]
    pub link: Option<String>,
    /// The value of the root object that counts the members of the list, such as `repost_count`: robots leave the list alone while it
    /// says 0.
    #[serde(default)]
    pub counted_by: Option<String>,
    /// Where the items stand and how they are mapped.
    #[serde(default)]
    pub items: Vec<ItemRule>,
    /// The root follows the accounts listed, or is followed by them.
    #[serde(default)]
    pub relation: Option<RelationRole>,
    /// How the list goes on.
    #[serde(default)]
    pub paging: Paging,
    /// Items on a full page.
    #[serde(default = "default_page_size")]
    pub page_size: u32,
    /// How "only newer than" is said, where it can be.
    #[serde(default)]
    pub newer: Option<NewerRule>,
    /// In which order the server lists.
    #[serde(default)]
    pub order: Ordering,
    /// How ids compare here, where it differs from the definition.
    #[serde(default)]
    pub id_order: Option<IdOrder>,
    /// The list shows only its newest part.
    #[serde(default)]
    pub is_window: bool,
    /// The answer names ids only; the members are fetched afterwards.
    #[serde(default)]
    pub members: Option<MembersRule>,
    /// How one request tells which of many roots have news on this list.
    #[serde(default)]
    pub probe: Option<ProbeRule>,
    /// How one request shows the newest posts of many roots of this list.
    #[serde(default)]
    pub merged: Option<MergedRule>,
    /// Nothing is answered without a credential.
    #[serde(default)]
    pub needs_credential: bool,
    /// Whether conditional requests (`ETag`, `Last-Modified`) make sense.
    #[serde(default = "default_is_conditional")]
    pub is_conditional: bool,
    /// A page for people, where it differs from the definition.
    #[serde(default)]
    pub is_page: Option<bool>,
    /// Pause, where it differs from the definition.
    #[serde(default)]
    pub pause: Option<String>,
    /// Requests at once, where it differs from the definition.
    #[serde(default)]
    pub in_flight_max: Option<u32>,
    /// Format of the body, where it differs from the definition.
    #[serde(default)]
    pub format: Option<BodyFormat>,
}

fn default_page_size() -> u32 {
    20
}

fn default_is_conditional() -> bool {
    true
}

/// A special use of an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// None.
    #[default]
    List,
    /// Turns a handle into an account.
    Lookup,
    /// Shows one object of the root type.
    Single,
    /// Finds accounts by words; the root is the query.
    Search,
}

/// A group of items in an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemRule {
    /// JSON pointer (or `jq:` expression) to an array of items, or to one item.
    #[serde(default)]
    pub at: String,
    /// JSON pointer inside each element to the item itself.
    #[serde(default)]
    pub each: Option<String>,
    /// Name of the mapping.
    pub mapping: String,
    /// They accompany the answer and are not what it lists.
    #[serde(default)]
    pub is_embedded: bool,
    /// The last of them on a page is the newest, although the list goes on towards older ones.
    #[serde(default)]
    pub is_reversed: bool,
    /// Where there are none, the answer may lack the place itself.
    #[serde(default)]
    pub is_optional: bool,
}

/// Which side of a relation the root is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RelationRole {
    /// The accounts listed follow the root.
    Followers,
    /// The root follows the accounts listed.
    Following,
}

/// How a list goes on. The cursor that the rest of freshet sees is one opaque string.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "style", deny_unknown_fields)]
pub enum Paging {
    /// It does not.
    #[default]
    None,
    /// The next page holds what is older than the last id of this one.
    IdBound {
        /// Query parameter; none where a template uses `cursor` itself.
        #[serde(default)]
        param: Option<String>,
        /// The bound itself is shown again, so one is subtracted (numeric ids).
        #[serde(default)]
        is_inclusive: bool,
        /// How the end is known.
        #[serde(default)]
        ends: Ending,
    },
    /// The `Link` header has a URL with `rel="next"`.
    Link {},
    /// The body has a cursor.
    Cursor {
        /// Query parameter; none where a template uses `cursor` itself.
        #[serde(default)]
        param: Option<String>,
        /// Expression that leads to the cursor; null, empty, false and `end` mean the end.
        at: String,
        /// A value that means the end, such as `0`.
        #[serde(default)]
        end: Option<String>,
        /// `short` where a cursor comes with the last page too and pages are never clamped.
        #[serde(default)]
        ends: Ending,
        /// Query parameter with the number of the page, for servers that know no cursor.
        #[serde(default)]
        page: Option<String>,
    },
    /// Pages are numbered.
    Page {
        /// Query parameter; none where a template uses `cursor` itself.
        #[serde(default)]
        param: Option<String>,
        /// Number of the first page.
        #[serde(default = "default_first_page")]
        first: u32,
        /// JSON pointer to a boolean that says whether there is more.
        #[serde(default)]
        more: Option<String>,
        /// JSON pointer to the number of pages.
        #[serde(default)]
        count: Option<String>,
        /// How the end is known where the body does not say it.
        #[serde(default = "Ending::short")]
        ends: Ending,
    },
    /// Items are counted.
    Offset {
        /// Query parameter; none where a template uses `cursor` itself.
        #[serde(default)]
        param: Option<String>,
        /// How the end is known.
        #[serde(default = "Ending::short")]
        ends: Ending,
    },
    /// The next page holds what is older than the last time of this one.
    TimeBound {
        /// Query parameter; none where a template uses `cursor` itself.
        #[serde(default)]
        param: Option<String>,
        /// How the time is written.
        #[serde(default)]
        format: TimeWriting,
        /// How the end is known.
        #[serde(default)]
        ends: Ending,
    },
    /// The answer is the highest id; ids are counted down (and up, for newer ones) from it.
    Enumerate {
        /// JSON pointer to the highest id.
        #[serde(default)]
        at: String,
    },
    /// The body has the whole URL of the next page.
    Url {
        /// Expression that leads to the URL.
        at: String,
    },
}

fn default_first_page() -> u32 {
    1
}

/// How the end of a list is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// By an empty page: one more request, and certain.
    #[default]
    Empty,
    /// By a page shorter than `page_size`: where servers never clamp it.
    Short,
    /// By a `Link` header without `rel="next"`; without the header, by an empty page.
    NoLink,
}

impl Ending {
    /// The default where pages are counted.
    pub fn short() -> Self {
        Self::Short
    }
}

/// How a time is written into a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeWriting {
    /// Seconds since 1970.
    #[default]
    EpochS,
    /// Milliseconds since 1970.
    EpochMs,
    /// RFC 3339.
    Iso8601,
    /// The day only: `2026-11-15`.
    Date,
}

/// How "only newer than X" is said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewerRule {
    /// What the server does with it.
    pub style: NewerStyle,
    /// Query parameter; none where a template uses `newer` itself.
    #[serde(default)]
    pub param: Option<String>,
    /// Template of the value; by default the id, or the time for `style = "time"`.
    #[serde(default)]
    pub value: Option<String>,
    /// How the time is written, for `style = "time"`.
    #[serde(default)]
    pub format: TimeWriting,
    /// Further parameters, such as `reverse = "true"`.
    #[serde(default)]
    pub query: BTreeMap<String, String>,
}

/// What a server does when asked for newer posts only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NewerStyle {
    /// It shows the page right above the mark, newest first: no gap, go on upwards.
    MinId,
    /// It shows the newest page, cut off at the mark: go on downwards to the mark.
    SinceId,
    /// As `since_id`, by time.
    Time,
    /// It shows what is above the mark, oldest first: no gap, go on upwards.
    Ascending,
}

/// In which order a server lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ordering {
    /// Newest first by the id given on insertion.
    #[default]
    Insertion,
    /// Newest first by the time that the author claims; late entries appear below.
    ClaimedTime,
    /// By rank: reaching a known post proves nothing.
    Rank,
    /// Oldest first.
    OldestFirst,
}

/// The answer names ids; the members are fetched afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MembersRule {
    /// JSON pointer (or `jq:` expression) to the array of ids.
    #[serde(default)]
    pub at: String,
    /// The endpoint that shows members. With `batch = 1` its root is the member.
    pub endpoint: String,
    /// Ids that one request may name.
    #[serde(default = "default_batch")]
    pub batch: u32,
    /// Query parameter that is repeated for every member, such as `post_ids[]`.
    #[serde(default)]
    pub param: Option<String>,
}

fn default_batch() -> u32 {
    1
}

/// One request that tells which of many roots have news.
///
/// What it shows of each is a *pulse*: a count or an id that changes with every post on the list. One that has not changed since the
/// list was last read means that there is nothing new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbeRule {
    /// The endpoint that shows the roots; a template there may use `members`.
    pub endpoint: String,
    /// Roots that one request may name.
    pub group: u32,
    /// Query parameter that is repeated for every root, such as `id[]`.
    #[serde(default)]
    pub param: Option<String>,
    /// JSON pointer (or `jq:` expression) inside each item to the id of the root.
    #[serde(default = "default_probe_id")]
    pub id: String,
    /// JSON pointer (or `jq:` expression) inside each item to the pulse.
    pub pulse: String,
    /// The same in the first page of the list itself, where it shows the pulse too: posts that came after the probe are then not told of again.
    #[serde(default)]
    pub seen: Option<String>,
}

/// One list that shows the posts of many roots, the newest first.
///
/// A page of it proves for each root what a page of its own list would: that nothing is missing between the newest post and the page's
/// last one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergedRule {
    /// The endpoint of the merged list; a template there may use `members`.
    pub endpoint: String,
    /// Roots that one request may name.
    pub group: u32,
    /// Query parameter that is repeated for every root, such as `any[]`.
    #[serde(default)]
    pub param: Option<String>,
    /// JSON pointer (or `jq:` expression) inside each item to the id of the post.
    #[serde(default = "default_probe_id")]
    pub id: String,
    /// The same to the roots on whose lists it stands, one or several.
    pub root: String,
}

fn default_probe_id() -> String {
    "/id".to_owned()
}
