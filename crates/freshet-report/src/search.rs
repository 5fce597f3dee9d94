//! The report of `freshet search`: posts that were collected.

use freshet_types::NetworkName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::UnixNumber;

/// Posts that match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostsFound {
    /// What was searched for.
    pub query: String,
    /// The posts.
    pub hits: Vec<FoundPost>,
}

/// A post as searches show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FoundPost {
    /// Its address.
    pub id: String,
    /// Where it is.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// Who made it: a handle, else an id.
    pub author: Option<String>,
    /// When it was made.
    pub created_at: Option<UnixNumber>,
    /// The words that were found, in brackets, and some around them.
    pub snippet: String,
    /// The whole text.
    pub text: String,
    /// Where a browser finds it.
    pub url: Option<String>,
}
