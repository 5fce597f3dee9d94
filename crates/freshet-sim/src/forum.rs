//! The forum platform: a recorded history becomes a forum that answers for an address at a simulated time.
//!
//! After section 4.1 of the list-wise paper [list-wise]: posts never disappear, so what existed at any instant, and on
//! which page it stood, follows from the times of posts alone. A [`History`] holds the trace, a [`Site`] is the forum at an
//! instant, an [`Address`] asks for one of its pages and a [`Sheet`] is the answer as records; [`layout`] writes it as HTML
//! and [`serve`] puts that on HTTP. [`run`] drives policies through a history, one page at a time at an even pace, and
//! [`measure`] counts what equations 4 to 6 ask for. [`live`] is the engine itself in place of a policy, [`compare()`] sets
//! them side by side.
//!
//! The invariant: a sheet shows what was posted strictly before its instant, and nothing else. Authors change posts where that is
//! asked for ([`Edits`]). What it does not do: delete posts, or refuse an answer; faults are the business of [`crate::world`].

pub mod address;
pub mod compare;
pub mod draw;
pub mod history;
pub mod layout;
pub mod live;
pub mod measure;
mod order;
pub mod policies;
pub mod run;
pub mod serve;
pub mod setup;
pub mod site;

pub use address::Address;
pub use compare::{check_names, compare};
pub use history::History;
pub use layout::Layout;
pub use measure::{Figures, Tally};
pub use run::{ForumPolicy, run};
pub use setup::Setup;
pub use site::{BoardRow, Edits, PostOrder, PostRow, Rows, Sheet, Site, ThreadRow};
