//! The report of `freshet explain`: what is known of a source, and when and why it is visited next.
//!
//! The fields are for programs that look something up; the [facts](Fact) are the whole explanation, one after the other, from
//! which the terminal makes its lines and the dashboard the rows of its page.

mod fact;

pub use fact::{Covered, DayTable, Fact, LookTold, NextVisit, PlannedTold, RefreshReason, When};

use freshet_types::{NetworkName, RobotKind, SourceId, SourceState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::run::ListModel;
use crate::time::UnixNumber;

/// All sources that were meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainReport {
    /// When this was asked.
    pub now: Option<UnixNumber>,
    /// The sources.
    pub sources: Vec<ExplainedSource>,
}

/// What is known of one source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedSource {
    /// Its number.
    #[schemars(with = "u32")]
    pub source: SourceId,
    /// What a person calls it.
    pub label: String,
    /// What the forum calls it, where it is a list of one.
    pub title: Option<String>,
    /// Where it is.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// Through which endpoint it is read.
    pub endpoint: String,
    /// Which robot visits it.
    pub robot: RobotKind,
    /// The network's id of what it belongs to.
    pub root_id: Option<String>,
    /// The handle of what it belongs to.
    pub handle: Option<String>,
    /// Why it is or is not visited.
    #[schemars(with = "String")]
    pub state: SourceState,
    /// Steps from what a person added.
    pub depth: u16,
    /// When it is visited next; null for "at once" and "never".
    pub due_at: Option<UnixNumber>,
    /// When it was visited last.
    pub visited_at: Option<UnixNumber>,
    /// Older history is left out.
    pub since: Option<UnixNumber>,
    /// How often a person wants it visited.
    pub pinned_s: Option<f64>,
    /// Posts a day that are expected.
    pub rate_per_day: f64,
    /// Its newest post.
    pub last_post_at: Option<UnixNumber>,
    /// Why nothing more of it is read, while it rests.
    pub rests_because: Option<String>,
    /// All of its list is proven to be stored.
    pub is_complete: bool,
    /// Up to when.
    pub complete_until: Option<UnixNumber>,
    /// Stretches that may hide posts.
    pub holes_count: usize,
    /// Why its last visit failed.
    pub failure: Option<String>,
    /// How much it counts, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// The decision, for what a policy times.
    pub why: Option<Why>,
    /// The explanation, fact by fact.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

/// How much the waiting of a source's posts counts: what a person set, times a factor of what people ask about and of its rank.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// What a person set; 1 is usual.
    pub weight: f32,
    /// Requests a day for its users in the last 7 days, in the mean.
    pub eir_per_day: f64,
    /// I of SocWeb: how often its users are asked about, times how often it was the answer, in the mean.
    pub importance: f64,
    /// How near its account is to what the focus wants, or without one to what a person added, beside the mean of all accounts' lists; absent
    /// where nobody is ranked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<f64>,
    /// What the weight is multiplied by.
    pub factor: f64,
    /// Whether weights follow what people ask about.
    pub has_importance: bool,
}

/// A decision of the policy, and what it stands on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Why {
    /// The policy's name.
    pub policy: String,
    /// When the source is due.
    pub due_at: Option<UnixNumber>,
    /// What set the time.
    pub reason: DueReason,
    /// Posts expected by then.
    pub expected_posts: f64,
    /// How long they will have waited, summed.
    pub expected_wait_s: f64,
    /// Posts a day that are expected now.
    pub rate_now_per_day: f64,
    /// Posts a day in the long run.
    pub rate_mean_per_day: f64,
    /// How the source behaves.
    pub kind: Behaviour,
    /// What the visit costs: waiting of posts, summed, that it must end.
    pub price_post_s: f64,
    /// Requests of such a visit, on average.
    pub calls: f64,
    /// What a visit now would be worth, in units of its price.
    pub worth_now: f64,
    /// How much the source counts in all.
    pub weight: f32,
    /// When it would be due if something were different.
    pub otherwise: Otherwise,
    /// Since when a thread is silent that waits longer than the policy would have it wait.
    pub silent_since: Option<UnixNumber>,
    /// The model of the forum's lists, with the figures by which it was chosen.
    pub model: Option<ListModel>,
}

/// When a source would be due if something were different.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Otherwise {
    /// After one more post.
    pub one_more_post_at: Option<UnixNumber>,
    /// At twice the price.
    pub price_doubled_at: Option<UnixNumber>,
    /// At half the price.
    pub price_halved_at: Option<UnixNumber>,
    /// Without a ceiling.
    pub no_ceiling_at: Option<UnixNumber>,
}

/// What set the time of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DueReason {
    /// Then a visit is worth its price.
    Worth,
    /// Nothing is looked at more often.
    Floor,
    /// Nothing stays unvisited longer.
    Ceiling,
    /// The quota suffices to look at all this often.
    Rounds,
    /// Its list shows its newest posts only, and what is expected would fill too much of it.
    Window,
    /// The policy visits in turn.
    Turn,
    /// Its last look brought nothing, so that it waits longer.
    Silence,
}

/// How a source posts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Behaviour {
    /// It hardly posts.
    Inactive,
    /// It posts much on few days.
    Unstable,
    /// It posts on most days.
    Constant,
    /// It posts much, around the clock.
    Authority,
}

impl Behaviour {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inactive => "inactive",
            Self::Unstable => "unstable",
            Self::Constant => "constant",
            Self::Authority => "authority",
        }
    }
}
