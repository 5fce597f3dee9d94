//! Comparing policies on what was collected: where the history comes from ([`history`]), and what is drawn ([`plots`]).
//!
//! The comparison itself is the simulator's business (`freshet_sim::experiment`).

pub mod history;
pub mod plots;
