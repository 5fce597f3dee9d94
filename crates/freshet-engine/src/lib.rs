//! The loop: it introduces the siblings to each other and runs the ten steps.
//!
//! | step | here |
//! |---|---|
//! | 1 plan | [`price`], [`budget`], [`importance`], [`calendar`] |
//! | 2 schedule | [`schedule`], of forums [`forum`], of single pages [`pages`] |
//! | 3 pick, 4 ask | `core/begin.rs` |
//! | 5 fetch, 6 read | [`fetcher`] |
//! | 7 compare | [`compare`] |
//! | 3 pick, of what was found | [`feed`], [`focus`], [`collections`] |
//! | between 6 and 8 | [`constrain`] |
//! | 8 apply | [`writer`] |
//! | 9 deliver | [`deliver`] |
//! | 3 to 7, of what servers send by themselves | [`stream`], `core/streams.rs` |
//! | 10 learn | [`lesson`], [`schedule`] |
//!
//! [`core`] is a pure state machine (events in, effects out). [`runner`] decides everything around it (people's wishes,
//! trouble, forums, reports, the end of a run), [`writer`] what is written when; both do no input or output of their own.
//! [`drive`] is their shell with tokio, threads and real clocks, the simulator's driver the one on a virtual clock.
//! [`guest`] lets commands ask networks under the ledger of a run. [`order`] has the messages between core and fetchers, [`wire`] the form in which they travel between processes.

pub mod budget;
pub mod calendar;
pub mod collections;
pub mod compare;
mod consent;
pub mod constrain;
pub mod core;
pub mod deliver;
pub mod drive;
pub mod feed;
pub mod fetcher;
pub mod focus;
pub mod forum;
pub mod guest;
pub mod history;
pub mod importance;
pub mod lesson;
pub mod load;
pub mod order;
pub mod pages;
pub mod price;
mod profile;
pub mod question;
pub mod quota;
pub mod record;
pub mod relearn;
pub mod report;
pub mod runner;
pub mod schedule;
mod spell;
pub mod stream;
pub mod tally;
pub mod visit;
pub mod walk;
pub mod wire;
pub mod writer;
