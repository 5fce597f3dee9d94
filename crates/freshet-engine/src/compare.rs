//! Step 7 of 10: compare. What it means that a post is seen where one is stored.
//!
//! Called by the store inside the transaction that applies the page, so that what is compared
//! is what is there. A post that is *missing* from a page is not compared at all: only the
//! network's own word makes it deleted.

use freshet_store::row::KnownPost;
use freshet_types::{ChangeKind, Post};

/// The change, if there is one.
pub fn compare(seen: &Post, known: &KnownPost) -> Option<ChangeKind> {
    match (seen.is_deleted, known.is_deleted) {
        (true, false) => Some(ChangeKind::Deleted),
        (true, true) => None,
        (false, true) => Some(ChangeKind::Restored),
        (false, false) => (seen.version() != known.version).then_some(ChangeKind::Edited),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_states_has_its_meaning() {
        let post = |text: &str, is_deleted| Post { text: text.to_owned(), is_deleted, ..Post::default() };
        let known = |text: &str, is_deleted| KnownPost { version: post(text, false).version(), is_deleted };
        let cases = [
            (post("a", false), known("a", false), None),
            (post("b", false), known("a", false), Some(ChangeKind::Edited)),
            (post("", true), known("a", false), Some(ChangeKind::Deleted)),
            (post("", true), known("a", true), None),
            (post("a", false), known("a", true), Some(ChangeKind::Restored)),
        ];
        for (seen, known, expected) in cases {
            assert_eq!(compare(&seen, &known), expected, "{seen:?} over {known:?}");
        }
    }
}
