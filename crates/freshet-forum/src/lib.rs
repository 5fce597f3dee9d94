//! Forum mining: from the pages of a forum to a definition that the connector can use.
//!
//! A room that is reserved and empty: page clustering, site maps, record lists, timestamps and
//! pagination will stand here, sans-io, knowing `freshet-types` only. What is mined becomes a
//! definition like any other, so nothing else in the workspace will have to know about forums.
