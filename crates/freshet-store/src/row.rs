//! The rows that a store takes and gives, as values.
//!
//! Everybody who talks to a store talks in these, whatever database is behind it: the engine hands in an [`Upload`] and learns from
//! [`Applied`], exports and pages read the rest back. They are named from here, `row::PostRow`, and lie in files by what they are
//! about. They say nothing of tables, and do nothing: a backend fills them, the traits of [`api`](crate::api) pass them on.

mod applied;
mod link;
mod list;
mod object;
mod source;
mod stream;
mod upkeep;
mod upload;
mod withheld;

pub use applied::{Applied, KnownPost, LeadTold};
pub use link::{
    AnyLinkRow, Collection, CrossLinkQuery, CrossLinkRow, LinkQuery, LinkRow, Member, NewestQuery,
};
pub use list::{ListPage, ListRow, ListTimes, ListTimesBounds, ListTimesKind, StalePage};
pub use object::{AccountRow, Filter, Hit, ObjectRow, PostRow, RelationRow, ThingRow};
pub use source::{Held, InstanceRow, NotKept, OnDelete, RobotRow, SourceSlot, Storing};
pub use stream::{StreamMark, StreamRow, WatchedQuery, WatchedRow};
pub use upkeep::{ComplaintRow, ComplaintSample, Counts, Erased, Finding, Forgetting, ForgottenList};
pub use upload::{LinkSweep, Listing, RelationSweep, Upload};
pub use withheld::{Parked, Withheld};
