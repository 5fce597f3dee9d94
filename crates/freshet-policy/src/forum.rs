//! When lists of a forum get their next record, and how bandwidth is shared between them [list-wise].
//!
//! A forum has two kinds of lists: index lists, whose records are threads by the time they were started, and post lists, whose
//! records are posts. Four models say when the next record comes: [`Regression`] (section 3.4), the list's average interval, that or
//! its silence so far ([`gap`]), and [`Idle`], the rate of the next post by how long a list has been silent. [`backtest()`] measures them on the
//! history of one site, beside the ordinary model of the policy in force, and names the one that wins there by a [`Loss`]; [`Chosen`] is the
//! winner, ready to be asked. [`Ratio`] is the bandwidth control of section 3.5.
//!
//! Which page is next is a matter of critical prices, in post-seconds: [`Activity`] prices the page of a thread, [`Board`] that of an index
//! list or of the portal, by [`Idle`] and by the [`Hours`] of the forum. The policy `freshet` of experiments and the engine go by both.
//!
//! Lists are given as ascending times in unix seconds; nothing here knows of pages or addresses.

pub mod activity;
pub mod backtest;
pub mod belief;
pub mod board;
pub mod chosen;
pub mod features;
pub mod gap;
pub mod hours;
pub mod idle;
mod ranking;
pub mod ratio;
pub mod regression;
mod ridge;
mod states;

pub use activity::Activity;
pub use backtest::{Backtest, Loss, ModelKind, Score, backtest};
pub use belief::Belief;
pub use board::{Board, Outlook};
pub use chosen::Chosen;
pub use features::{ListFacts, SiteFacts};
pub use hours::Hours;
pub use idle::Idle;
pub use ratio::{ListKind, Ratio};
pub use regression::Regression;
