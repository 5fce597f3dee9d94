//! Room: how much of a body may become a tree, and how much was left out.
//!
//! Part of step 6 of 10. A body of a few megabytes can hold millions of values, and a value in memory takes many times the
//! two bytes that it takes in the body. So values are counted while they are read, and those that find no room are
//! checked and skipped. An element of a list in which the room ran out is left out as a whole: half an item
//! would look like one that was edited.

use std::cell::Cell;

/// Elements of one list that become part of a tree; a page of a network has some hundreds of items at most.
pub(crate) const ITEMS_MAX: usize = 20_000;
/// Values that become part of one tree. The richest pages measured have some 30,000; at about 60 bytes each, this many
/// take 25 MB.
pub(crate) const VALUES_MAX: usize = 400_000;
/// Longest text that is kept whole. The longest honest ones are entries of feeds with pictures written into them.
pub(crate) const TEXT_BYTES_MAX: usize = 1 << 20;

/// What is left of the room of one body.
#[derive(Debug)]
pub(super) struct Room {
    left: Cell<usize>,
    left_out: Cell<usize>,
}

impl Room {
    pub(super) fn new(values_max: usize) -> Self {
        Self { left: Cell::new(values_max), left_out: Cell::new(0) }
    }

    /// Uses up the room of one value.
    pub(super) fn use_one(&self) {
        self.left.set(self.left.get().saturating_sub(1));
    }

    /// Whether there is none left.
    pub(super) fn is_full(&self) -> bool {
        self.left.get() == 0
    }

    /// One element of a list was left out.
    pub(super) fn leave_out(&self) {
        self.left_out.set(self.left_out.get() + 1);
    }

    /// How many were.
    pub(super) fn left_out(&self) -> usize {
        self.left_out.get()
    }
}

/// A text, or its beginning where it is too long.
pub(super) fn bounded(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_BYTES_MAX)]
}
