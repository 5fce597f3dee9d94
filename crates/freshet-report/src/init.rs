//! The report of `freshet init`: a data directory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A data directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InitReport {
    /// Where it is.
    pub data: String,
    /// It was not there before.
    pub is_new: bool,
    /// The address of its clock, unless that is the computer's.
    pub clock: Option<String>,
    /// Whom servers can write to.
    pub contact: Option<String>,
}
