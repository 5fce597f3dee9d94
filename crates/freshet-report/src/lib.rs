//! Reports: what freshet tells people and programs, as values.
//!
//! A report is made once, by the engine or by `freshet-app`, and shown in many ways: as text in a terminal, as JSON on
//! standard output and from the dashboard's API, as a page, as numbers for Prometheus, as a JSON schema in the API's own
//! description. All of them take the same value; nobody reads a report by text keys.
//!
//! | module | report of |
//! |---|---|
//! | [`run`] | a run about itself, several times a second; stored under the setting `status` |
//! | [`case`] (`demo`), [`status`], [`explain`], [`gaps`], [`plan`], [`robots`], [`networks`], [`alerts`], [`check`], [`complaints`], [`copy`], [`search`], [`find`], [`constraints`], [`subscriptions`], [`focus`], [`budgets`], [`calendars`], [`init`], [`forget`], [`snapshot`], [`credentials`], [`simulate`] | the command of that name |
//! | [`hubs`] | what hubs of feeds tell a run |
//! | [`learn`] | `freshet forum` |
//! | [`object`] | `freshet get` and `freshet show` |
//! | [`add`], [`sources`], [`posts`], [`graph`], [`forums`], [`history`] | what is watched, collected and known |
//! | [`dashboard`] | what only the dashboard's API answers |
//! | [`time`], [`pairs`] | the forms of instants and of values by name |
//!
//! The names and forms of the fields are a contract with other programs: fields may be added, none may be renamed or
//! change its form (`tests.rs` holds real outputs against the structs). Nothing here computes or words anything: how a
//! report is made is the maker's business, how it reads is the business of who shows it.

pub mod add;
pub mod alerts;
pub mod budgets;
pub mod calendars;
pub mod care;
pub mod case;
pub mod check;
pub mod complaints;
pub mod constraints;
pub mod copy;
pub mod credentials;
pub mod dashboard;
pub mod deletions;
pub mod explain;
pub mod find;
pub mod focus;
pub mod forget;
pub mod forums;
pub mod gaps;
pub mod graph;
pub mod history;
pub mod hubs;
pub mod init;
pub mod learn;
pub mod networks;
pub mod object;
pub mod pairs;
pub mod plan;
pub mod posts;
pub mod robots;
pub mod run;
pub mod search;
pub mod simulate;
pub mod snapshot;
pub mod sources;
pub mod status;
pub mod subscriptions;
pub mod time;

mod schema;

pub use pairs::Pairs;
pub use run::RunStatus;
pub use schema::schema;
pub use status::StatusReport;
pub use time::{UnixFloat, UnixNumber};

#[cfg(test)]
mod tests;
