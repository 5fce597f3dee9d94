//! The report of `freshet copy`: what was moved, and that it is the same.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A store that was moved into another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopyReport {
    /// Where it was read, without who asked and by which password.
    pub from: String,
    /// Where it is now.
    pub to: String,
    /// It went on with a copy that was interrupted.
    pub is_resumed: bool,
    /// Rows that this call moved.
    pub moved_count: u64,
    /// Every table, as it was found in both stores alike.
    pub tables: Vec<CopiedTable>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopiedTable {
    pub name: String,
    pub rows_count: u64,
    /// Hexadecimal; of all rows together, whatever their order.
    pub hash: String,
}
