//! The one form that a body has when it was read, whatever its format. How it is made is in [`crate::format`].

/// A body as a tree that borrows from it.
pub(crate) type Tree<'a> = serde_json_borrow::Value<'a>;
