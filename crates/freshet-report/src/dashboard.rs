//! What only the dashboard's API answers: settings, forums that are being learned, backtests, its session, problems.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::pairs::Pairs;
use crate::time::{UnixFloat, UnixNumber};

/// What runs here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingsReport {
    /// What was chosen, by name: texts, numbers, yes and no.
    pub running: Pairs<String, Value>,
    /// When the run started.
    pub started_at: Option<UnixFloat>,
}

/// Addresses that are learned as forums.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LearningReport {
    /// Those of late, the newest first.
    pub learning: Vec<LearningJob>,
}

/// An address that is learned as a forum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LearningJob {
    /// Its front page.
    pub address: String,
    /// How far it is.
    pub stage: LearningStage,
    /// What came of it.
    pub told: Option<String>,
    /// When somebody asked for it.
    pub asked_at: Option<UnixNumber>,
}

/// How far the learning of a forum is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LearningStage {
    /// Others are learned first.
    Waiting,
    /// Its pages are fetched and read.
    Learning,
    /// It was learned and added.
    Learned,
    /// Nothing came of it.
    Failed,
}

/// What browsers need to change something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionReport {
    /// The word that changes must show.
    pub csrf: String,
    /// A token was shown, so that no word is needed.
    pub is_token: bool,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemReport {
    /// What was wrong.
    pub error: String,
    /// What to do.
    #[serde(default)]
    pub hint: Option<String>,
}
