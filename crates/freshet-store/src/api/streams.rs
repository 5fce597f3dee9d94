//! Role: streams, which servers send by themselves. They are written with what they brought ([`super::Apply`]).

use super::StoreError;
use crate::row::{StreamRow, WatchedQuery, WatchedRow};

/// What streams have proven, and whom they are for.
pub trait Streams {
    /// All streams that were ever connected, in order of network and name.
    fn streams(&self) -> Result<Vec<StreamRow>, StoreError>;
    /// Active sources whose posts a stream sends, in order of number.
    fn watched(&self, query: &WatchedQuery<'_>) -> Result<Vec<WatchedRow>, StoreError>;
}
