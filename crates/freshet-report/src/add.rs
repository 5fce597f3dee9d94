//! The report of `freshet add`, and what adding would come to.

use std::path::PathBuf;

use freshet_types::{NetworkName, RobotKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was added, and what was not understood.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddReport {
    /// References that were added.
    pub added_count: u64,
    /// References that were known.
    pub known_count: u64,
    /// References that were not added.
    pub refused_count: u64,
    /// Of those, what a person asked to forget.
    pub forgotten_count: u64,
    /// Sources that came of them.
    pub sources_count: u64,
    /// What was not added, and why; the first thousand.
    pub refused: Vec<Refused>,
    /// Private hosts that are only asked where that is allowed.
    pub private_hosts: Vec<String>,
    /// Robots that would visit some of it and are stopped.
    pub stopped_robots: Vec<RobotKind>,
    /// Forums that were learned.
    pub learned: Vec<LearnedForum>,
    /// Feeds that were found for addresses of pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<FoundFeed>,
}

/// The feed of a page that was given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FoundFeed {
    /// What was typed.
    pub reference: String,
    /// The address of the feed that is watched instead.
    pub feed: String,
    /// Other feeds that the page offers.
    pub others: Vec<String>,
}

/// A reference that was not added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Refused {
    /// Its line, where it came from a file.
    pub line: Option<u64>,
    /// What was typed.
    pub reference: String,
    /// Why it was not added.
    pub why: String,
}

/// A forum that was learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LearnedForum {
    /// Its network.
    pub network: String,
    /// The file that says how it is read.
    pub file: PathBuf,
    /// The pages from which it was learned.
    pub page_count: usize,
    /// How sure it is how lists of threads are read.
    pub index_confidence: f64,
    /// How sure it is how lists of posts are read.
    pub post_confidence: f64,
}

/// What references would become.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddPreview {
    /// One by one.
    pub lines: Vec<PreviewLine>,
    /// Sources that would come of them.
    pub sources_count: usize,
    /// References that are understood.
    pub understood_count: usize,
    /// Addresses that would be learned as forums.
    pub forums_count: usize,
    /// Calls of the first visits, at the least.
    pub calls_min: usize,
    /// First visits, server by server.
    pub costs: Vec<FirstVisits>,
}

/// What one reference would become.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PreviewLine {
    /// It is understood.
    Understood {
        /// What was typed.
        reference: String,
        /// What it means.
        means: String,
        /// Where that is.
        #[schemars(with = "String")]
        network: NetworkName,
        /// The endpoints through which it would be read.
        endpoints: Vec<String>,
    },
    /// It would be learned as a forum.
    Forum {
        /// What was typed.
        reference: String,
        /// Always true.
        is_forum: bool,
    },
    /// It is not understood.
    Refused {
        /// What was typed.
        reference: String,
        /// Why not.
        why: String,
    },
}

/// First visits to one server, and how long its tightest quota makes them last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FirstVisits {
    /// Which server.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// Calls.
    pub calls: u32,
    /// Calls in a window of the quota.
    pub limit: Option<u32>,
    /// Length of that window.
    pub window_s: Option<f64>,
    /// How long they last.
    pub lasts_s: Option<f64>,
}
