//! Steps 1 (plan) and 10 (learn) of 10: when to look again.
//!
//! *Model predicts, policy decides, scheduler acts.* A [`ChangeModel`] turns what visits saw
//! into expectations; a [`Rule`] turns expectations and a price into the worth of a visit. Two
//! faces stand on a rule: a [`Roster`] holds many sources, finds the price that spends a budget
//! and says who is next (the simulator's experiments); a [`Policy`] works on one source's stored
//! bytes (the engine). Pure: no I/O, no clock, no randomness that is not handed in, so that a
//! million synthetic sources can be run through it in a second.

#![expect(clippy::inline_always, reason = "what is not inlined into `wide` work stays narrow")]

pub mod calendar;
pub mod change;
pub mod demand;
pub mod explanation;
pub mod forum;
pub mod group;
pub mod importance;
pub mod in_order;
pub mod look;
pub mod lookahead;
pub mod market;
pub mod mixture;
pub mod pacing;
mod pack;
pub mod page;
pub mod partition;
pub mod policies;
pub mod pool;
pub mod price;
pub mod prior;
pub mod rank;
pub mod refresh;
pub mod rhythm;
pub mod roster;
pub mod rule;
pub mod slack;
pub mod stored;
pub mod turns;
mod units;
mod wide;

pub use change::{ChangeModel, ChangeRate, Forecast};
pub use demand::{Demand, Grade};
pub use explanation::{Explanation, Otherwise, Reason, Spoken};
pub use look::{Look, SourceFacts};
pub use market::{Market, Objective};
pub use pacing::Pacing;
pub use policies::{DEFAULT_POLICY, POLICY_NAMES, policy_named, roster_named};
pub use pool::Pool;
pub use prior::Prior;
pub use roster::{Call, Groups, Roster, RosterKit};
pub use rule::Rule;
pub use slack::Slack;
pub use stored::Policy;
