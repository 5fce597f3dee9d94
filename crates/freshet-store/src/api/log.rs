//! Role: the change log and its consumers.
//!
//! The order of the log, which every backend keeps: a change is *settled* when no change with a smaller number can appear any
//! more, and readers are given settled changes only. Whoever has read up to a number has read everything up to it, for
//! good, however many write at once: a cursor is one number, and passes over nothing that commits late. A backend with one
//! writer at a time (SQLite) gives out numbers inside the transaction that writes them, so all that is committed is
//! settled. One with several writers must hold back what lies above the lowest number, or transaction, that is still
//! under way.

use freshet_types::{Change, Timestamp};

use super::StoreError;

/// Reading the change log.
pub trait ChangeLog {
    /// Settled changes above this number, in order, at most `limit`.
    fn changes_above(&self, number: u64, limit: usize) -> Result<Vec<Change>, StoreError>;
    /// Settled changes of accounts above this number, in order, at most `limit`, and the number up to which
    /// there are no others: for consumers whom posts do not concern.
    fn account_changes_above(&self, number: u64, limit: usize) -> Result<(Vec<Change>, u64), StoreError>;
    /// The number of the newest settled change; 0 before the first.
    fn last_change(&self) -> Result<u64, StoreError>;
    /// The number of the first settled change that was noticed at this time or later: whoever goes on from before it passes
    /// over none of them. It may take long: the log is looked through from its beginning.
    fn first_change_since(&self, at: Timestamp) -> Result<Option<u64>, StoreError>;
    /// Where a consumer of the log stands; 0 at first.
    fn cursor(&self, consumer: &str) -> Result<u64, StoreError>;
    /// Moves a consumer.
    fn set_cursor(&mut self, consumer: &str, number: u64) -> Result<(), StoreError>;
}
