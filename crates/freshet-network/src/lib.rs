//! What a network is: definitions, the generic API, connectors, robots, references. Sans-io.
//!
//! Steps 4 (ask) and 6 (read) of 10 live here. A network is described by a TOML file
//! ([`definition`]); a [`connector`] turns visits into requests and answers into observations by
//! it; [`snapi`] is the generic API over all networks. No byte is sent or received here.

pub mod definition;

pub mod collections;
pub mod connector;
pub mod constraint;
pub mod effect;
pub mod focus;
pub mod networks;
pub mod recording;
pub mod reference;
pub mod robot;
pub mod snapi;

mod ask;
mod element;
mod expression;
mod format;
mod jq;
mod limits;
mod outcome;
mod paging;
mod read;
mod selector;
mod stream;
mod template;
mod times;
mod tree;

pub use connector::DefinedConnector;
pub use definition::{Definition, DefinitionError, json_schema};
