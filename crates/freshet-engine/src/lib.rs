//! The loop: it introduces the siblings to each other and runs the ten steps.
//!
//! | step | here |
//! |---|---|
//! | 1 plan | [`price`] |
//! | 2 schedule, 10 learn | [`schedule`], of forums [`forum`] |
//! | 3 pick, 4 ask | `core/begin.rs` |
//! | 5 fetch, 6 read | [`fetcher`] |
//! | 7 compare | [`compare`] |
//! | between 6 and 8 | [`constrain`] |
//! | 8 apply | [`dump`] |
//! | 9 deliver | [`deliver`] |
//!
//! [`order`] has the messages between core and fetchers, [`wire`] the form in which they travel between processes.
//! [`core`] is a pure state machine (events in, effects out); [`drive`] moves it with tokio, the
//! simulator on a virtual clock.

pub mod compare;
pub mod constrain;
pub mod core;
pub mod deliver;
pub mod drive;
pub mod dump;
pub mod feed;
pub mod fetcher;
pub mod forum;
pub mod history;
pub mod load;
pub mod order;
pub mod price;
pub mod quota;
pub mod record;
pub mod relearn;
pub mod report;
pub mod schedule;
mod spell;
pub mod tally;
pub mod visit;
pub mod walk;
pub mod wire;
