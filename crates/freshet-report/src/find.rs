//! The report of `freshet find`: accounts that a network found by words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::add::AddReport;

/// Accounts that a network found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccountsFound {
    /// The network that was asked.
    pub network: String,
    /// The accounts, in the network's order.
    pub accounts: Vec<FoundAccount>,
    /// What became of them, where they were to be added.
    pub added: Option<AddReport>,
}

/// An account as searches show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FoundAccount {
    /// The network's id.
    pub native_id: String,
    /// Its handle.
    pub handle: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// What it says of itself.
    pub bio: Option<String>,
    /// Who follows it.
    pub followers_count: Option<i64>,
    /// Its posts.
    pub posts_count: Option<i64>,
    /// Where a browser finds it.
    pub url: Option<String>,
}
