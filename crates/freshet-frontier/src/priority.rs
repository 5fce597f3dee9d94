//! Classes: the front queues of the frontier, the `F` of SocWeb, section 4.1.
//!
//! The paper orders sources by three measures: how often users ask for them, how often they change, how much they matter. Here the
//! last two decide when a source is due (its rate and its weight against the price of a call), so that a class only tells
//! kinds of visits apart. Were the measures in the class too, what changes most would take every call when calls are few.

/// Front queues. Class 0 is the most urgent.
pub const CLASS_COUNT: usize = 8;
