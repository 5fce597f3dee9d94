//! Step 8 of 10: apply. Memory: what was seen, what is known to be complete, what changed.
//!
//! One trait ([`Store`]), one conformance suite, backends behind it: SQLite now, PostgreSQL
//! when one machine is not enough. The API is synchronous: whoever needs it asynchronous
//! puts it on a thread (one writer, any number of readers).

pub mod api;
pub mod row;
