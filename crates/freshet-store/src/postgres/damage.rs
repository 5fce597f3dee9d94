//! Rows that cannot be read: which one, and where reading can go on. A row whose values make no sense is passed over alone.

use super::db::Error;
use super::failed;
use crate::api::StoreError;

/// What a row is called that is read in order of number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub(super) one: &'static str,
}

/// Reading a table in order of number ended here.
pub(super) struct Broken {
    pub(super) table: Table,
    /// The row that cannot be read, or the last one that could.
    pub(super) number: i64,
    /// It is the row of this number itself.
    pub(super) is_row: bool,
    pub(super) error: Error,
}

/// What it means to the caller that reading ended.
pub(super) fn named(doing: &'static str) -> impl Fn(Broken) -> StoreError {
    move |Broken { table, number, is_row, error }| {
        if !error.is_damage() {
            return failed(doing)(error);
        }
        let (thing, above) = if is_row {
            (format!("{} number {number}", table.one), Some(number as u64))
        } else {
            (format!("a {} behind number {number}", table.one), None)
        };
        StoreError::Damaged { thing, why: error.to_string(), above }
    }
}

/// What it means that something failed of which no row can be named.
pub(super) fn somewhere(thing: &'static str, doing: &'static str) -> impl Fn(Error) -> StoreError {
    move |error| {
        if error.is_damage() {
            StoreError::Damaged { thing: thing.to_owned(), why: error.to_string(), above: None }
        } else {
            failed(doing)(error)
        }
    }
}
