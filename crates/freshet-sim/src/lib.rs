//! A world to crawl: a simulated network, in memory and over HTTP, on a virtual clock.
//!
//! It stands on the other side of step 5 (fetch): the crawl asks, the world answers in
//! Mastodon's dialect, with its limits and, where wished, with faults. The invariant: one seed
//! and one instant give one world, however often and in whatever steps it was asked. The world
//! knows the truth ([`World::truth`]); nothing here looks at what the crawl made of it.
//!
//! The other half judges policies: a [`trace`] is a recorded history, an [`experiment`] drives
//! policies through it under a budget, an [`oracle`] says what could have been reached at all, and
//! a [`study`] asks one question of many experiments and answers with a page of docs/results. What only
//! studies use, such as [`refresh`] trials, lives here and not beside what the engine plans by.

pub mod clock;
pub mod crowd;
pub mod dialect;
pub mod driver;
pub mod experiment;
pub mod fetch;
pub mod firehose;
pub mod forum;
#[cfg(test)]
mod invariant;
mod merged;
mod parallel;
pub mod plot;
pub mod refresh;
pub mod serve;
pub mod society;
pub mod study;
pub mod trace;
pub mod world;

pub use clock::{RunningClock, VirtualClock};
pub use dialect::{WorldRequest, WorldResponse};
pub use driver::{Driver, DriverKit, Exchange};
pub use experiment::{Outcome, Setup, compare, oracle};
pub use fetch::WorldFetch;
pub use firehose::{Firehose, FirehoseOptions};
pub use serve::{Server, Stopper, serve};
pub use trace::{History, Window};
pub use world::{
    AccountInfo, AccountKind, Chances, Communities, Dialect, Faults, Limits, Standing, TruthLine, World,
    WorldOptions,
};

/// What can go wrong with a world; the faults it shows on purpose are not among these.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// An option has no meaning.
    #[error("the world's option `{name}` is {value}: it must be {wanted}")]
    Option {
        name: &'static str,
        /// What was given.
        value: String,
        /// What would do.
        wanted: &'static str,
    },
    /// The listener failed.
    #[error("the world cannot serve: {0}; check that the address is free and allowed")]
    Serve(#[from] std::io::Error),
}
