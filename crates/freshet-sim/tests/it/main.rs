//! Tests of simulated crawls, of experiments on traces, and of plans against programs nobody here wrote.
//!
//! One test binary, because each costs a link. A test whose solver or traces are lacking says so in `FRESHET_SKIPS` and
//! returns (`cargo xtask test` installs the solvers and counts the skips); it never passes silently.

mod constraints;
mod reference;
mod sample;
mod solver;
mod support;
