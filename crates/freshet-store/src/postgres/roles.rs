//! The roles of the store seam as the PostgreSQL backend plays them: each method names the room that does the work.
//!
//! They stand together by who needs them. `Browse` is in `browse.rs`, with what only it needs. Questions about many things are
//! asked one by one here: in this process a prepared statement costs less than a long list of parameters.

mod care;
mod people;
mod read;
mod run;
