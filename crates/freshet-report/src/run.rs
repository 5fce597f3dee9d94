//! What a run says of itself: counters since its start, queues, visits, quotas, prices, servers, trouble.
//!
//! The engine makes it several times a second, shows it to whoever draws or watches, and leaves it in the store, where
//! `freshet status` and the dashboard find it, also after the run is over. It is read back by other versions of
//! freshet: what is missing counts as nothing, and what is not known is left out.

mod forum;
mod server;
mod stream;

pub use forum::{ForumModels, ListModel, Relearnt, Unreadable};
pub use server::{PriceStatus, QuotaStatus, RoundStatus, ServerStatus};
pub use stream::StreamStatus;

use freshet_types::{RobotKind, RobotState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pairs::Pairs;
use crate::time::{UnixFloat, UnixNumber, number};

/// The live report of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RunStatus {
    /// The process.
    pub pid: u32,
    /// When the run started, by the clock of the crawl.
    pub started_at: UnixFloat,
    /// When this was reported, by the same clock.
    pub now: UnixFloat,
    /// The policy's name.
    pub policy: String,
    /// When what all sources have in common was fitted last.
    pub fitted_at: Option<UnixNumber>,
    /// Visits ended.
    pub visits_count: u64,
    /// Requests sent.
    pub fetches_count: u64,
    /// Requests that had to wait for a quota or for politeness.
    pub postponed_count: u64,
    /// Due sources that went back because prices had risen.
    pub repriced_count: u64,
    /// Times a network said "too many".
    pub rate_limited_count: u64,
    /// Posts read, known ones included.
    pub posts_read_count: u64,
    /// Posts never seen before.
    pub posts_count: u64,
    /// Posts found edited.
    pub edited_count: u64,
    /// Posts found deleted.
    pub deleted_count: u64,
    /// Accounts never seen before.
    pub accounts_count: u64,
    /// Relations never seen before.
    pub relations_count: u64,
    /// Records on pages that could not be used.
    pub complaints_count: u64,
    /// From post to seen, for recent news; `None` before there were any.
    pub lag_s: Option<Lag>,
    /// What happens at the moment.
    #[serde(flatten)]
    pub work: RunWork,
}

impl RunStatus {
    /// As the store keeps it.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("a report is plain data")
    }
}

/// What a run does at the moment, and what holds it up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RunWork {
    /// How many sources stand where.
    pub queues: Queues,
    /// The visits that have been under way longest.
    pub visits: Vec<OpenVisit>,
    /// The robots' states.
    #[schemars(with = "Pairs<String, String>")]
    pub robots: Pairs<RobotKind, RobotState>,
    /// New posts of this run by the robot that found them.
    pub posts_by_robot: Pairs<RobotKind, u64>,
    /// What each robot has collected in this run: relations, profiles, posts, replies, tags, members.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub collected_by_robot: Pairs<RobotKind, u64>,
    /// Members of each collection that the robot `link` has gathered in this run, by `network/type.link`.
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    pub collected_by_link: Pairs<String, u64>,
    /// What waits in the robots' rings.
    pub rings: Pairs<RobotKind, RingSize>,
    /// What the networks still allow.
    pub quotas: Vec<QuotaStatus>,
    /// What a call of each quota is worth.
    pub prices: Vec<PriceStatus>,
    /// Where sources are visited in turn, how far each round is; a hundred at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<RoundStatus>,
    /// Servers that do not answer, those that are down first; a hundred at most.
    pub servers: Vec<ServerStatus>,
    /// How many such servers there are.
    pub servers_count: u64,
    /// What servers send by themselves; a hundred at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<StreamStatus>,
    /// The forums and the models that foretell their lists.
    pub forums: Vec<ForumModels>,
    /// Servers whose last pages could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Forums whose layout was learned anew, or not.
    pub relearnt: Vec<Relearnt>,
    /// Exchanges without an answer, by kind.
    pub faults: Vec<FaultCount>,
    /// The latest sources that failed.
    pub failures: Vec<FailureNote>,
    /// What the fetchers are doing.
    pub fetchers: FetcherCounts,
    /// The gravest trouble that keeps the run from working and may pass.
    pub trouble: Option<Trouble>,
    /// Who is told of changes, and how far each is.
    pub subscribers: Vec<SubscriberStatus>,
}

/// From post to seen, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lag {
    /// Half of the posts were seen within.
    #[serde(deserialize_with = "number")]
    pub median: f64,
    /// Nine in ten were seen within.
    #[serde(deserialize_with = "number")]
    pub p90: f64,
}

/// How many sources stand where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Queues {
    /// Sources in the schedule.
    pub sources: u64,
    /// Those that are due.
    pub due: u64,
    /// Those whose history has holes.
    pub backlog: u64,
    /// Those that are being visited.
    pub open_visits: u64,
}

/// A visit under way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OpenVisit {
    /// What a person calls its source.
    pub source: String,
    /// How long it has lasted.
    #[serde(deserialize_with = "number")]
    pub for_s: f64,
    /// Requests sent for it.
    pub fetches_count: u32,
}

/// Ids that wait in a robot's ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RingSize {
    /// In memory.
    pub memory: u64,
    /// On disk only.
    pub disk: u64,
}

/// Exchanges that ended without an answer in the same way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FaultCount {
    /// In which way, as `freshet_types::FaultKind` names it; later versions may know more.
    pub kind: String,
    /// How many.
    pub count: u64,
}

/// A source that failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FailureNote {
    /// What a person calls it.
    pub source: String,
    /// What was wrong.
    pub why: String,
    /// When.
    pub at: UnixFloat,
}

/// How many fetchers are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FetcherCounts {
    /// All of them.
    pub count: u64,
    /// Those that connect.
    pub connect: u64,
    /// Those that wait for work.
    pub wait: u64,
    /// Those that fetch.
    pub fetch: u64,
    /// Those that hand over what they fetched.
    pub upload: u64,
}

/// Something that keeps the run from working and may pass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Trouble {
    /// Which part of the run has it.
    pub part: TroubledPart,
    /// What is wrong.
    pub what: String,
    /// Since when.
    pub since: UnixFloat,
    /// What a person can do.
    pub advice: String,
}

/// Which part of a run is in trouble.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TroubledPart {
    /// Writing to the store.
    #[default]
    Store,
    /// Reading from the store.
    Reading,
    /// The files of the robots' rings.
    Rings,
    /// The clock was set back.
    Clock,
}

impl TroubledPart {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Reading => "reading",
            Self::Rings => "rings",
            Self::Clock => "clock",
        }
    }
}

/// Who is told of changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SubscriberStatus {
    /// Its name.
    pub name: String,
    /// How many changes it is behind, where that can be told.
    pub behind: Option<u64>,
    /// Since when it takes nothing.
    pub stalled_since: Option<UnixFloat>,
    /// Why its last try failed.
    pub why: Option<String>,
    /// Records that it has taken.
    pub delivered_count: u64,
    /// Records that were dropped because it was too far behind.
    pub dropped_count: u64,
    /// Records that it has taken without their content, which is not kept and was gone.
    pub lost_count: u64,
    /// Tries that failed.
    pub failed_count: u64,
}
