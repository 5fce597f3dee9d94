//! Step 8 of 10: apply. Memory: what was seen, what is known to be complete, what changed.
//!
//! One trait for each role ([`api`]), one conformance suite, backends behind them: SQLite in a file, PostgreSQL
//! when one machine is not enough. [`open`] gives the store of an address; nothing outside names a backend. The API is
//! synchronous: whoever needs it asynchronous puts it on a thread (one writer, any number of readers).

pub mod api;
#[cfg(feature = "bench")]
pub mod bench;
pub mod browse;
#[cfg(any(test, feature = "testing"))]
pub mod conformance;
pub mod control;
mod error;
pub mod keeping;
mod open;
mod options;
pub mod pass;
mod plain;
mod postgres;
pub mod row;
pub mod setting;
mod sqlite;
mod stored;
pub mod subscription;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod transfer;
pub mod viewed;
pub mod viewers;

pub use api::{Compare, Flow, Store, StoreError, Trouble};
pub use open::{Access, MEMORY, copy, open};
pub use options::Options;
pub use transfer::{Copied, TableSum};
