//! The reports of `freshet care` and `freshet retention`: what is kept of whom and why, and who still has to hear of what is not.

use freshet_types::{NetworkName, RobotKind, SourceId, SourceState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::UnixNumber;

/// What is kept, by which rules, and what of it others still have to hear of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CareReport {
    /// By network and reason.
    pub kept: Vec<KeptLine>,
    /// Posts that their networks deleted.
    pub deleted_posts_count: u64,
    /// Wishes to forget that are obeyed.
    pub forgotten_count: u64,
    /// Some of what is to be forgotten is not erased yet; `freshet run` goes on with it.
    pub is_erasing: bool,
    /// What networks' content is subject to.
    pub networks: Vec<CareNetwork>,
    /// Sources that keep posts for a time only, in sums.
    pub sources: Vec<CareSources>,
    /// What was erased, the newest first, in counts.
    pub erasures: Vec<ErasureLine>,
    /// Within which time exports and snapshots are to hear of it, in seconds.
    pub within_s: f64,
    /// Exports and snapshots that were made from here.
    pub exports: Vec<CareExport>,
    /// Subscriptions that get deletions and have not taken all there are.
    pub subscriptions: Vec<CareSubscription>,
}

/// Accounts of a network that are known for one reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeptLine {
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// `watched` by a person, found by a `robot`, `removed` from the list, `shown` on pages of others, `named` only.
    pub reason: String,
    pub accounts_count: u64,
    /// Posts of these accounts.
    pub posts_count: u64,
    /// Of the accounts, those that ask not to be collected.
    pub opted_out_count: u64,
}

/// The rules of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CareNetwork {
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// What happens to what it deletes: `keep` or `redact`.
    pub on_delete: String,
    /// How long its posts are kept, in seconds.
    pub retention_s: Option<f64>,
}

/// Sources with the same rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CareSources {
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// How long what they bring is kept, in seconds.
    pub retention_s: f64,
    pub sources_count: u64,
}

/// That something was erased.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErasureLine {
    pub number: u64,
    /// `forgotten`, `expired` or `redacted`.
    pub what: String,
    pub first_at: Option<UnixNumber>,
    pub last_at: Option<UnixNumber>,
    pub posts_count: u64,
    /// Accounts, relations, links and things.
    pub others_count: u64,
    /// The SHA-256 of the receipt that was given.
    pub receipt_sha256: Option<String>,
}

/// An export or a snapshot, and what it has not heard of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CareExport {
    pub path: String,
    pub is_snapshot: bool,
    pub made_at: Option<UnixNumber>,
    /// What was erased before is not in it.
    pub heard_at: Option<UnixNumber>,
    /// The folder is still there.
    pub is_there: bool,
    /// Posts that were found deleted since.
    pub deleted_count: u64,
    /// What was forgotten, expired or redacted since, in times.
    pub erasures_count: u64,
    /// When the first of these was.
    pub since: Option<UnixNumber>,
    /// When it has to have heard of it.
    pub due_at: Option<UnixNumber>,
    pub is_overdue: bool,
    /// What to run.
    pub command: Option<String>,
}

/// A subscription that is behind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CareSubscription {
    pub name: String,
    pub state: String,
    /// How many numbers of the log it is behind the newest.
    pub behind: u64,
}

/// Everything that is kept of one account.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CareAccount {
    /// What was asked for.
    pub reference: String,
    /// Its address; none where nothing of it is known.
    pub address: Option<String>,
    pub handle: Option<String>,
    /// It was asked to forget it, and it is kept out.
    pub is_forgotten: bool,
    /// It asks not to be collected.
    pub opts_out: bool,
    /// When it was first seen.
    pub seen_at: Option<UnixNumber>,
    /// Why it is known, as in the report of all.
    pub reason: Option<String>,
    /// What watches it.
    pub sources: Vec<CareSource>,
    /// Its posts, by what brought them first.
    pub posts: Vec<CarePosts>,
    pub posts_count: u64,
    /// Of these, deleted on the network.
    pub deleted_count: u64,
    /// Texts from before an edit.
    pub earlier_texts_count: u64,
    /// Accounts that it follows.
    pub following_count: u64,
    /// Accounts that follow it.
    pub followers_count: u64,
    pub tags_count: u64,
    pub links_count: u64,
    /// Raw answers that show it.
    pub payloads_count: u64,
}

/// A source that watches an account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CareSource {
    #[schemars(with = "u32")]
    pub source: SourceId,
    #[schemars(with = "String")]
    pub robot: RobotKind,
    #[schemars(with = "String")]
    pub state: SourceState,
    /// 0: by a person's word; else so many steps from what a person added.
    pub depth: u16,
    pub retention_s: Option<f64>,
    pub visited_at: Option<UnixNumber>,
}

/// Posts that one source brought first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CarePosts {
    #[schemars(with = "Option<u32>")]
    pub source: Option<SourceId>,
    /// What that source watches.
    pub label: Option<String>,
    pub posts_count: u64,
    /// When the first of them was seen.
    pub first_at: Option<UnixNumber>,
    /// When the last one was first seen.
    pub last_at: Option<UnixNumber>,
}

/// How long posts are kept from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RetentionReport {
    /// In seconds; none where they are kept.
    pub retention_s: Option<f64>,
    /// The networks for which it holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<String>,
    /// The sources for which it holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<u32>")]
    pub sources: Vec<SourceId>,
    /// Posts that were too old by that, and are erased.
    pub erased_count: u64,
}

/// What was set of care, or taken off its list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CareSetReport {
    /// Within which time exports and snapshots are to hear of deletions, in seconds.
    pub within_s: f64,
    /// The folder that is not remembered any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<String>,
}
