//! Forum mining.
pub mod address;
pub mod page;
pub mod pagination;
pub mod time;
pub mod tree;
