//! Role: the change log and its consumers.

use freshet_types::Change;

use super::StoreError;

/// Reading the change log.
pub trait ChangeLog {
    /// Changes above this number, in order, at most `limit`.
    fn changes_above(&self, number: u64, limit: usize) -> Result<Vec<Change>, StoreError>;
    /// Changes of accounts above this number, in order, at most `limit`, and the number up to which
    /// there are no others: for consumers whom posts do not concern.
    fn account_changes_above(&self, number: u64, limit: usize) -> Result<(Vec<Change>, u64), StoreError>;
    /// The number of the newest change; 0 before the first.
    fn last_change(&self) -> Result<u64, StoreError>;
    /// Where a consumer of the log stands; 0 at first.
    fn cursor(&self, consumer: &str) -> Result<u64, StoreError>;
    /// Moves a consumer.
    fn set_cursor(&mut self, consumer: &str, number: u64) -> Result<(), StoreError>;
}
