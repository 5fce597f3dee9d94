//! Reports about sources: a page of all of them, one of them, and what a change to one came to.

use freshet_types::{NetworkName, RobotKind, SourceId, SourceState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::ExplainedSource;
use crate::time::UnixNumber;

/// A page of sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourcesReport {
    /// All that match, as far as they were counted.
    pub count: u64,
    /// They are counted up to this many.
    pub count_max: u64,
    /// Where more names match than are sorted, how many were looked at.
    pub looked_max: Option<u64>,
    /// The number of this page, from 1.
    pub page: usize,
    /// There is another page.
    pub has_more: bool,
    /// The networks of all sources.
    #[schemars(with = "Vec<String>")]
    pub networks: Vec<NetworkName>,
    /// The sources of this page.
    pub sources: Vec<SourceLine>,
}

/// A source in a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceLine {
    /// Its number.
    #[schemars(with = "u32")]
    pub source: SourceId,
    /// What people know it by.
    pub name: String,
    /// Where it is.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// Through which endpoint it is read.
    pub endpoint: String,
    /// Which robot visits it.
    pub robot: RobotKind,
    /// Why it is or is not visited.
    #[schemars(with = "String")]
    pub state: SourceState,
    /// Steps from what a person added.
    pub depth: u16,
    /// When it is visited next.
    pub due_at: Option<UnixNumber>,
    /// When it was visited last.
    pub visited_at: Option<UnixNumber>,
    /// Posts a day that are expected; null for what has no posts.
    pub rate_per_day: Option<f64>,
    /// Stretches that may hide posts.
    pub holes_count: usize,
    /// All of its list is proven to be stored; null for what is no list.
    pub is_complete: Option<bool>,
    /// Why its last visit failed.
    pub failure: Option<String>,
    /// How much the waiting of its posts counts, as a person set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f32>,
}

/// One source, explained, with its last visits and what is proven of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceReport {
    /// What `freshet explain` says of it.
    #[serde(flatten)]
    pub explained: ExplainedSource,
    /// The interval that a person chose, as it is typed.
    pub pinned_text: Option<String>,
    /// The number of the account or post that it belongs to.
    pub object: Option<u64>,
    /// What it belongs to: `account`, `post`, `thread` …
    pub root_kind: String,
    /// What people know it by.
    pub name: String,
    /// Posts that came, to compare with what was expected.
    pub observed: Vec<ObservedPosts>,
    /// Its last visits, newest first.
    pub visits: Vec<VisitLine>,
    /// What is proven complete.
    pub intervals: Vec<CoveredInterval>,
}

/// Posts that came lately.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObservedPosts {
    /// Over so many days.
    pub days: i64,
    /// How many.
    pub count: usize,
    /// How many a day.
    pub per_day: f64,
}

/// A visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VisitLine {
    /// Its number.
    pub visit: u64,
    /// When it started.
    pub started_at: Option<UnixNumber>,
    /// How long it lasted.
    pub lasted_s: f64,
    /// Requests sent for it.
    pub calls: u32,
    /// Posts that it found first.
    pub new_posts: u32,
    /// What the network said.
    pub outcome: String,
}

/// A stretch of a list that is proven complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoveredInterval {
    /// Its newest post.
    pub newest: ListMark,
    /// Its oldest post.
    pub oldest: ListMark,
    /// Up to when nothing was missing above it.
    pub until: Option<UnixNumber>,
}

/// A place in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListMark {
    /// The post that stands there.
    pub id: String,
    /// When it was made.
    pub at: Option<UnixNumber>,
}

/// A source was pinned, or is visited as the policy says again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PinReport {
    /// Which.
    #[schemars(with = "u32")]
    pub source: SourceId,
    /// The interval.
    pub pinned_s: Option<f64>,
}

/// A source was paused, watched again or removed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteerReport {
    /// Which.
    #[schemars(with = "u32")]
    pub source: SourceId,
    /// Its state now.
    #[schemars(with = "String")]
    pub state: SourceState,
    /// It was in another state before.
    pub is_changed: bool,
}

/// What `freshet remove` took off the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RemoveReport {
    /// How many.
    pub removed_count: usize,
    /// Which.
    pub sources: Vec<RemovedSource>,
}

/// A source that is no longer visited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RemovedSource {
    /// Its number.
    #[schemars(with = "u32")]
    pub source: SourceId,
    /// What a person calls it.
    pub label: String,
}

/// What `freshet pause` or `freshet resume` changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PauseReport {
    /// How many sources changed.
    pub changed_count: usize,
    /// Which.
    #[schemars(with = "Vec<u32>")]
    pub sources: Vec<SourceId>,
    /// They rest now; else they are watched again.
    pub is_paused: bool,
}

/// What `freshet weight` changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WeightReport {
    /// How much they count now.
    pub weight: f32,
    /// How many sources counted otherwise before.
    pub changed_count: usize,
    /// Which.
    #[schemars(with = "Vec<u32>")]
    pub sources: Vec<SourceId>,
}
