//! Forums as a run reports them: the models of their lists, layouts that cannot be read, layouts learned anew.

use freshet_types::NetworkName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pairs::Pairs;
use crate::time::UnixFloat;

/// A forum, and which models foretell its lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForumModels {
    /// Which.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// How pages are shared between boards and threads.
    pub share: String,
    /// The share of the pages that boards should get.
    pub index_share: Option<f64>,
    /// The share that they got.
    pub index_spent: Option<f64>,
    /// When the models were chosen.
    pub trained_at: Option<UnixFloat>,
    /// The model of its boards; `None` where no model beat the ordinary one yet.
    pub boards: Option<ListModel>,
    /// The model of its threads.
    pub threads: Option<ListModel>,
}

/// The model that foretold lists best, with the figures by which it won.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListModel {
    /// Its name.
    pub model: String,
    /// The error of each model that was tried.
    pub errors: Pairs<String, f64>,
    /// The lists on which they were tried.
    pub lists_count: u64,
    /// Which lists it foretells, in words; told where one list is explained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lists: Option<String>,
}

/// A server whose last pages could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unreadable {
    /// Which.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// Pages in a row that could not be read.
    pub pages_count: u32,
    /// Until when it is left alone, where it is.
    pub until: Option<UnixFloat>,
    /// What a person can do.
    pub advice: String,
}

/// What came of learning a forum's layout anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Relearnt {
    /// Which forum.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// When it began.
    pub at: UnixFloat,
    /// The forum is read by what was learned then.
    pub is_accepted: bool,
    /// It is being learned now.
    #[serde(default)]
    pub is_under_way: bool,
    /// What was found, or why it was not accepted.
    pub what: String,
}
