//! The reports of `freshet snapshot`, and what a snapshot says of itself for programs: its facts (`snapshot.json`) and what is
//! proven complete, list by list (`coverage.jsonl`).

use freshet_types::{SourceId, SourceState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pairs::Pairs;
use crate::time::UnixNumber;

/// What was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotReport {
    /// The folder.
    pub snapshot: String,
    /// What names it: the hash of its list of hashes.
    pub id: String,
    /// Posts in it.
    pub posts_count: u64,
    /// Files in it.
    pub files_count: usize,
    /// What they take.
    pub bytes: u64,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerifyReport {
    /// The folder.
    pub snapshot: String,
    /// What names it now.
    pub id: String,
    /// It is what it was.
    pub is_whole: bool,
    /// Files that it should have.
    pub files_count: usize,
    /// Files that are there and not as they were.
    pub changed: Vec<String>,
    /// Files that are not there.
    pub missing: Vec<String>,
    /// Files that were not there.
    pub unknown: Vec<String>,
}

/// The facts of a snapshot's README, for programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotFacts {
    /// Format of the folder; it changes when a reader must.
    pub version: u32,
    /// Version of the program that made it.
    pub freshet: String,
    /// What it is called.
    pub title: Option<String>,
    /// When it was made, by the crawl's clock.
    pub made_at: UnixNumber,
    /// Posts made since then.
    pub since: Option<UnixNumber>,
    /// Posts made before then.
    pub until: Option<UnixNumber>,
    /// Of this network alone.
    pub network: Option<String>,
    /// As which kind of file records are written.
    pub format: String,
    /// First and last day with a post.
    pub days: Option<(String, String)>,
    /// How many records of each kind: `posts_count` and so on.
    pub counts: Pairs<String, u64>,
    /// Which posts and accounts were wanted.
    pub constraints: Vec<SnapshotConstraint>,
    /// The focus that is all that is collected; absent where more is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// The definitions by which the networks were read.
    pub definitions: Vec<SnapshotDefinition>,
    /// What is proven complete, in sums.
    pub coverage: CoverageSums,
    /// Which revision this is; the first has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
    /// When something was taken out of it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revised_at: Option<UnixNumber>,
    /// What named the revision before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revises: Option<String>,
}

/// A constraint as it was typed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotConstraint {
    /// The type of objects that it is about.
    #[serde(rename = "type")]
    pub type_name: String,
    /// What must be true of them.
    pub text: String,
    /// What it decides, where that is not what is stored.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
}

/// A definition that is part of a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotDefinition {
    /// The network that it describes.
    pub network: String,
    /// The file, in the folder.
    pub file: String,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}

/// What a snapshot proves to be complete, in sums.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageSums {
    /// Lists that are or were watched.
    pub lists_count: u64,
    /// Of which nothing is missing that the network showed.
    pub complete_count: u64,
    /// Which nobody has looked at.
    pub unvisited_count: u64,
    /// Of which nothing could be read: gone, suspended, private, or their owner does not want it.
    pub unreadable_count: u64,
    /// Which somebody took off the list; they are complete up to then at most.
    pub removed_count: u64,
    /// Stretches that may hide posts.
    pub holes_count: u64,
    /// Of them, those that no request can close.
    pub uncloseable_count: u64,
    /// Complete lists: the one that was looked at longest ago.
    pub complete_until_min: Option<UnixNumber>,
    /// The one that was looked at last.
    pub complete_until_max: Option<UnixNumber>,
}

/// What is proven complete of one list: a line of `coverage.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageLine {
    /// The number of its source.
    #[schemars(with = "u32")]
    pub source: SourceId,
    /// What a person calls it.
    pub label: String,
    /// What the network calls it.
    pub title: Option<String>,
    /// Where it is.
    pub network: String,
    /// Why it is or is not visited.
    #[schemars(with = "String")]
    pub state: SourceState,
    /// Posts before this are not wanted.
    pub wanted_since: Option<UnixNumber>,
    /// When it was visited last.
    pub visited_at: Option<UnixNumber>,
    /// All of it is proven to be stored.
    pub is_complete: bool,
    /// Up to when.
    pub complete_until: Option<UnixNumber>,
    /// Stretches that are proven complete.
    pub intervals: Vec<ProvenInterval>,
    /// Stretches that may hide posts.
    pub holes: Vec<UnprovenHole>,
    /// Why nobody visits it any more.
    pub rests_because: Option<String>,
}

/// A stretch that is proven complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProvenInterval {
    /// When its oldest post was made.
    pub from: Option<UnixNumber>,
    /// When its newest post was made.
    pub to: Option<UnixNumber>,
    /// When it was looked at.
    pub looked_at: Option<UnixNumber>,
    /// Nothing that is wanted is older.
    pub reaches_first_wanted: bool,
}

/// A stretch that may hide posts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnprovenHole {
    /// When the post above it was made.
    pub before: Option<UnixNumber>,
    /// When the post below it was made, where there is one.
    pub after: Option<UnixNumber>,
    /// Why no request can close it.
    pub cannot_be_closed: Option<String>,
}
