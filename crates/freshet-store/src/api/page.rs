//! Reading in pages: a stretch of rows, and where the next one begins.
//!
//! A page is read by one statement that is finished when the page is there. No cursor of the database stays open
//! while a caller works on the rows, so reading never holds up a writer, and a server keeps nothing between two pages.
//! Rows that were written while somebody reads are met if their number lies above the place that was reached.

use std::ops::ControlFlow;

use super::StoreError;

/// Rows that are read at once where all of them are wanted: so many that a page costs little beside its rows.
pub const ROWS_MAX: usize = 4_096;
/// Slim rows (`SourceSlot`) that are read at once where all of them are wanted.
pub(crate) const SLOTS_MAX: usize = 16_384;
/// Bytes of text in a page from which on it ends early, so that rows of any size are read in bounded memory.
pub const PAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Stops or goes on, for the `each_…` methods.
pub type Flow = ControlFlow<()>;

/// A page of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows<T, Position = u64> {
    /// In order; at most as many as were asked for, and fewer where they are large.
    pub rows: Vec<T>,
    /// The next page lies above this; `None` where there is none.
    pub next: Option<Position>,
}

impl<T, Position> Default for Rows<T, Position> {
    fn default() -> Self {
        Self { rows: Vec::new(), next: None }
    }
}

impl<T, Position> Rows<T, Position> {
    /// The same page with other rows.
    pub(crate) fn map<U>(self, change: impl FnMut(T) -> U) -> Rows<U, Position> {
        Rows { rows: self.rows.into_iter().map(change).collect(), next: self.next }
    }
}

/// Gives every row of every page, from this place on, until told to stop.
pub(crate) fn each_row<T, Position>(
    above: Position,
    mut read: impl FnMut(&Position) -> Result<Rows<T, Position>, StoreError>,
    each: &mut dyn FnMut(T) -> Flow,
) -> Result<(), StoreError> {
    let mut above = Some(above);
    while let Some(position) = above {
        let page = read(&position)?;
        for row in page.rows {
            if each(row).is_break() {
                return Ok(());
            }
        }
        above = page.next;
    }
    Ok(())
}
