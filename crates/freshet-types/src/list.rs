//! The lists of a forum as objects of the model: a front page contains boards, a board threads, a thread posts.
//!
//! Each is a composite object with an address like all others (`network/thread/ID`) and the root of a source. Only the
//! names of the types are here: what contains what is the store's business, how pages of lists are walked the engine's.

/// The type of a front page.
pub const PORTAL: &str = "portal";
/// The type of a list of threads.
pub const BOARD: &str = "board";
/// The type of a list of posts.
pub const THREAD: &str = "thread";

/// The types of lists, from the outside in.
pub const LIST_KINDS: [&str; 3] = [PORTAL, BOARD, THREAD];

/// Whether objects of this type are lists.
pub fn is_list(kind: &str) -> bool {
    LIST_KINDS.contains(&kind)
}
