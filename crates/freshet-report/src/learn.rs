//! The reports of `freshet forum`: what learning understood of a forum, and what a saved page shows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was understood of a forum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LearnReport {
    /// Its server.
    pub host: String,
    /// Pages that were read.
    pub page_count: usize,
    /// Kinds of page.
    pub kinds: Vec<LearnedKind>,
    /// Groups of pages and their links.
    pub sitemap: Vec<PageGroup>,
    /// How times are to be understood.
    pub times: String,
    /// What a person should look at.
    pub doubts: Vec<String>,
    /// The same for people.
    #[serde(skip)]
    pub text: String,
}

/// One kind of page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LearnedKind {
    /// `portal`, `index`, `post` or `other`.
    pub kind: String,
    /// Pages of it.
    pub page_count: usize,
    /// Lists that they form.
    pub list_count: usize,
    /// Lists whose pages chain without a hole.
    pub chained_count: usize,
    /// Records on them.
    pub record_count: usize,
    /// Records with a time.
    pub timed_count: usize,
    /// Records with a link.
    pub linked_count: usize,
    /// 0 to 1.
    pub confidence: f64,
    /// Patterns of addresses.
    pub urls: Vec<String>,
    /// Some records as they were read.
    pub examples: Vec<String>,
}

/// A group of pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PageGroup {
    /// The pattern of most of its addresses.
    pub pattern: String,
    /// What its pages are.
    pub kind: String,
    /// How many were sampled.
    pub page_count: usize,
    /// Groups that its pages link to, by their place in the list.
    pub links_to: Vec<usize>,
}

/// What a saved page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InspectReport {
    /// The file.
    pub file: String,
    /// `portal`, `index`, `post` or `other`.
    pub kind: String,
    /// Its records.
    pub records: Vec<InspectedRecord>,
    /// The page after it.
    pub next_url: Option<String>,
    /// The page before it.
    pub prev_url: Option<String>,
    /// The last page of the list.
    pub last_url: Option<String>,
    /// What could not be used.
    pub complaints: Vec<String>,
}

/// One record of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InspectedRecord {
    /// Seconds since 1970.
    pub time: Option<i64>,
    /// As shown, ISO 8601.
    pub local: Option<String>,
    /// When a thread was started, as shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_local: Option<String>,
    /// The text that the time was read from.
    pub raw: Option<String>,
    /// How the zone is known: `given`, `relative`, `stated`, `estimated` or `unknown`.
    pub zone: Option<String>,
    /// What the page calls a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The thread, or the post's permalink.
    pub link: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// The thread's or post's id.
    pub id: Option<String>,
}
