//! Step 8 of 10: apply. Memory: what was seen, what is known to be complete, what changed.
//!
//! One trait ([`Store`]), one conformance suite, backends behind it: SQLite now, PostgreSQL
//! when one machine is not enough. The API is synchronous: whoever needs it asynchronous
//! puts it on a thread (one writer, any number of readers).

pub mod api;
#[cfg(feature = "bench")]
pub mod bench;
pub mod browse;
#[cfg(any(test, feature = "testing"))]
pub mod conformance;
pub mod row;
pub mod sqlite;

pub use api::{Compare, Flow, Store, StoreError, Trouble};
pub use sqlite::{SqliteOptions, SqliteStore};
