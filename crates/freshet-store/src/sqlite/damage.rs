//! Rows that cannot be read: which one, and where reading can go on.
//!
//! A row whose values make no sense is passed over alone. A page of the file that is damaged hides a stretch of rows: the
//! first row behind it is looked for by halving, in some hundred steps at most. Nothing is repaired here.

use rusqlite::{Connection, Error, ErrorCode, OptionalExtension, Result};

use super::failed;
use crate::api::StoreError;

/// A table that is read in order of number, and what a row of it is called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) one: &'static str,
}

/// Reading a table in order of number ended here.
pub(super) struct Broken {
    pub(super) table: Table,
    /// The row that cannot be read, or the last one before the stretch that cannot.
    pub(super) number: i64,
    /// It is the row of this number itself.
    pub(super) is_row: bool,
    pub(super) error: Error,
}

/// Whether an error is about what is stored, and not about the moment.
pub(super) fn is_damage(error: &Error) -> bool {
    match error {
        Error::SqliteFailure(code, _) => {
            matches!(code.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        }
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::Utf8Error(..)
        | Error::InvalidColumnType(..)
        | Error::QueryReturnedNoRows => true,
        _ => false,
    }
}

/// What it means to the caller that reading ended.
pub(super) fn named(db: &Connection, doing: &'static str) -> impl Fn(Broken) -> StoreError {
    move |Broken { table, number, is_row, error }| {
        if !is_damage(&error) {
            return failed(doing)(error);
        }
        let (thing, above) = match (is_row, behind(db, table, number)) {
            (true, _) => (format!("{} number {number}", table.one), Some(number)),
            (false, Behind::Row(row)) => (format!("{} number {row}", table.one), Some(row)),
            (false, Behind::Stretch(Some(next))) => {
                let (first, last) = (number.saturating_add(1), next - 1);
                (format!("every {} from number {first} to {last}", table.one), Some(last))
            }
            (false, Behind::Stretch(None)) => (format!("every {} behind number {number}", table.one), None),
        };
        StoreError::Damaged { thing, why: error.to_string(), above: above.map(|above| above as u64) }
    }
}

/// What it means that something failed of which no row can be named.
pub(super) fn somewhere(thing: &'static str, doing: &'static str) -> impl Fn(Error) -> StoreError {
    move |error| {
        if is_damage(&error) {
            StoreError::Damaged { thing: thing.to_owned(), why: error.to_string(), above: None }
        } else {
            failed(doing)(error)
        }
    }
}

/// What lies behind a row.
enum Behind {
    /// A row that is there and cannot be read whole.
    Row(i64),
    /// Rows that cannot even be found, up to this one.
    Stretch(Option<i64>),
}

fn behind(db: &Connection, table: Table, number: i64) -> Behind {
    let next = |above: i64| -> Result<Option<i64>> {
        let find = format!("SELECT id FROM {} WHERE id > ?1 ORDER BY id LIMIT 1", table.name);
        db.prepare_cached(&find)?.query_row([above], |row| row.get(0)).optional()
    };
    if let Ok(Some(row)) = next(number) {
        return Behind::Row(row);
    }
    let (mut bad, mut step) = (number, 1_i64);
    let mut good = loop {
        let Some(above) = number.checked_add(step) else { return Behind::Stretch(None) };
        match next(above) {
            Ok(Some(_)) => break above,
            Ok(None) => return Behind::Stretch(None),
            Err(_) => (bad, step) = (above, step.saturating_mul(2)),
        }
    };
    while good - bad > 1 {
        let middle = bad + (good - bad) / 2;
        match next(middle) {
            Ok(Some(_)) => good = middle,
            _ => bad = middle,
        }
    }
    Behind::Stretch(next(good).ok().flatten())
}
