//! The reports of `freshet networks`: what is defined, and whether a definition is sound.

use freshet_types::definition::Hosts;
use freshet_types::{PageKind, RobotKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NetworksReport {
    /// In order of name.
    pub networks: Vec<NetworkLine>,
}

/// One network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkLine {
    /// The name of its definition.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Whether it has one server or many.
    pub hosts: Hosts,
    /// The robots that can work there.
    pub robots: Vec<RobotKind>,
    /// Its endpoints.
    pub endpoints_count: usize,
    /// References that it understands.
    pub examples: Vec<String>,
}

/// What was found in definition files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DefinitionsReport {
    /// File by file.
    pub files: Vec<CheckedFile>,
}

/// What was found in one definition file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckedFile {
    /// The file.
    pub file: String,
    /// It can be used.
    pub is_sound: bool,
    /// The networks that it defines.
    pub names: Vec<String>,
    /// Its mistakes.
    pub problems: Vec<DefinitionProblem>,
    /// Links that it declares and nothing in it can fill.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfilled: Vec<DefinitionProblem>,
    /// The same for people.
    #[serde(skip)]
    pub text: String,
}

/// A mistake in a definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DefinitionProblem {
    /// Where it is.
    pub line: Option<usize>,
    /// The key that it is about.
    pub key: Option<String>,
    /// What is wrong.
    pub what: String,
}

/// What happens to content that is deleted on networks, from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OnDeleteReport {
    /// The networks.
    pub networks: Vec<String>,
    /// `keep` or `redact`.
    pub on_delete: String,
}

/// What becomes of what is seen on networks, from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeepingReport {
    /// The networks.
    pub networks: Vec<String>,
    /// `keep` or `never`.
    pub store: String,
    /// Rows whose content was taken out, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased_count: Option<u64>,
    /// A subscription takes posts: without one, what is not kept reaches nobody.
    pub is_taken: bool,
}

/// What a recorded exchange shows: one line of `freshet networks read`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadReport {
    /// Number of the line, from 1.
    pub line: usize,
    /// What the answer is about.
    #[schemars(with = "String")]
    pub kind: PageKind,
    /// Post-like items: those inside another post are not counted.
    pub posts: usize,
    /// Accounts that the answer lists: mere authors are not counted.
    pub accounts: usize,
    /// Id of the first item, in the order of the document.
    pub first_id: Option<String>,
    /// Id of the last one.
    pub last_id: Option<String>,
    /// Newest posting time, in seconds since 1970.
    pub newest_created_at: Option<i64>,
    /// Oldest posting time.
    pub oldest_created_at: Option<i64>,
    /// Name of the outcome.
    pub outcome: String,
    /// What could not be used.
    pub complaints: Vec<String>,
}
