//! Forum mining.
pub mod address;
pub mod time;
pub mod tree;
