//! Tests of the plans against programs nobody here wrote.
//!
//! One test binary, because each costs a link. A test whose solver is lacking says so in `FRESHET_SKIPS` and returns
//! (`cargo xtask test` installs the solvers and counts the skips); it never passes silently.

mod solver;
mod support;
