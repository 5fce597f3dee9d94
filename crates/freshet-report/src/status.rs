//! The report of `freshet status`: what is here, what happens now, and what fails.
//!
//! Two witnesses are merged: the store counts what was collected over all runs, and the run under way, or the last one,
//! says what it does. Before the first run there is no second witness, and its part is missing.

use std::sync::LazyLock;

use freshet_types::{NetworkName, SourceId, SourceState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hubs::HubsStatus;
use crate::pairs::Pairs;
use crate::run::{Lag, RunStatus, RunWork};
use crate::subscriptions::SubscriptionLine;
use crate::time::{UnixFloat, UnixNumber};

/// What a run does that never was.
static NO_WORK: LazyLock<RunWork> = LazyLock::new(RunWork::default);

/// What is here, what happens, and what fails.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusReport {
    /// The data directory.
    pub data: String,
    /// Where the time is taken from, where that is not the computer's clock.
    pub clock: Option<String>,
    /// When this was asked.
    pub now: Option<UnixNumber>,
    /// A run is under way.
    pub is_running: bool,
    /// Its process.
    pub pid: Option<u32>,
    /// Sources in the store.
    pub sources_count: u64,
    /// The same by state; states that no source is in are left out.
    #[schemars(with = "Pairs<String, u64>")]
    pub sources: Pairs<SourceState, u64>,
    /// Posts in the store.
    pub posts_count: u64,
    /// Of them, those marked as deleted.
    pub deleted_count: u64,
    /// Accounts in the store.
    pub accounts_count: u64,
    /// Relations in the store.
    pub relations_count: u64,
    /// Lines of the change log.
    pub changes_count: u64,
    /// Objects that wait for a property that a constraint needs.
    pub parked_count: u64,
    /// Visits of all runs.
    pub visits_total_count: u64,
    /// Sources that failed, twenty at most.
    pub failed_sources: Vec<FailedSource>,
    /// Visits of the last run.
    pub visits_count: u64,
    /// Requests of the last run.
    pub fetches_count: u64,
    /// Times a network said "too many" to the last run.
    pub rate_limited_count: u64,
    /// From post to seen.
    pub lag_s: Option<Lag>,
    /// What else the last run says.
    #[serde(flatten)]
    pub run: Option<RunSummary>,
    /// The lists of every forum; told where somebody asks for the whole report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forum_lists: Option<Vec<ForumLists>>,
    /// Who gets changes, where anybody does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subscriptions: Vec<SubscriptionLine>,
    /// Hubs that tell the run under way of feeds; absent where it asks none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hubs: Option<HubsStatus>,
    /// Whatever keeps nothing; absent where everything is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_kept: Option<NotKeptStatus>,
    /// The focus, as a person would write it, and whether it is all that is collected; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
}

/// What the last run says beyond what stands on top of the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunSummary {
    /// Posts never seen before this run.
    #[serde(default)]
    pub new_posts_count: u64,
    /// When it started.
    pub started_at: UnixFloat,
    /// The policy's name.
    #[serde(default)]
    pub policy: String,
    /// When what all sources have in common was fitted last.
    #[serde(default)]
    pub fitted_at: Option<UnixNumber>,
    /// Requests that had to wait for a quota or for politeness.
    #[serde(default)]
    pub postponed_count: u64,
    /// Due sources that went back because prices had risen.
    #[serde(default)]
    pub repriced_count: u64,
    /// Posts read, known ones included.
    #[serde(default)]
    pub posts_read_count: u64,
    /// Posts found edited.
    #[serde(default)]
    pub edited_count: u64,
    /// Records on pages that could not be used.
    #[serde(default)]
    pub complaints_count: u64,
    /// What it does at the moment.
    #[serde(flatten)]
    pub work: RunWork,
}

/// What goes to subscribers only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotKeptStatus {
    /// Networks of which nothing is kept.
    #[schemars(with = "Vec<String>")]
    pub networks: Vec<NetworkName>,
    /// Sources that were told so themselves.
    pub sources_count: u64,
    /// A subscription takes posts: without one, what is not kept reaches nobody.
    pub is_taken: bool,
}

/// A source that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailedSource {
    /// Its number.
    #[schemars(with = "u32")]
    pub source: SourceId,
    /// What a person calls it.
    pub label: String,
    /// What was wrong.
    pub why: Option<String>,
}

/// What is known of a forum, and how much of it is complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForumLists {
    /// Which forum.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// Its boards.
    pub boards_count: u64,
    /// Those that are complete.
    pub complete_boards_count: u64,
    /// Its threads.
    pub threads_count: u64,
    /// Those that are complete.
    pub complete_threads_count: u64,
    /// The pages of its lists.
    pub pages_count: u64,
    /// Its posts.
    pub posts_count: u64,
    /// How many lists are not complete, by the reason.
    pub lacks: Pairs<String, u64>,
}

impl StatusReport {
    /// Takes over what a run says of itself; the store's own counts stay.
    pub fn add_run(&mut self, run: RunStatus) {
        self.visits_count = run.visits_count;
        self.fetches_count = run.fetches_count;
        self.rate_limited_count = run.rate_limited_count;
        self.lag_s = run.lag_s;
        self.run = Some(RunSummary {
            new_posts_count: run.posts_count,
            started_at: run.started_at,
            policy: run.policy,
            fitted_at: run.fitted_at,
            postponed_count: run.postponed_count,
            repriced_count: run.repriced_count,
            posts_read_count: run.posts_read_count,
            edited_count: run.edited_count,
            complaints_count: run.complaints_count,
            work: run.work,
        });
    }

    /// What the last run does; nothing before the first one.
    pub fn work(&self) -> &RunWork {
        self.run.as_ref().map_or(&*NO_WORK, |run| &run.work)
    }
}
