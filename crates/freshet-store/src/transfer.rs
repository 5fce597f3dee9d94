//! Moving a whole store into another one, of whatever backend: `freshet copy`.
//!
//! Tables are moved row by row in the order of their keys, since both backends have the same tables with the same columns. Invariants: the
//! target is empty at the start, or was begun by a copy of the same source, which then goes on where it stood; every piece is
//! one transaction, in which how far it is stands too; nothing is called done before every row of both has been read again and
//! counts and hashes agree. It does not follow a source that changes: who copies stops the crawl first, and a source that did
//! change is told.
//!
//! What is derived is not moved: the words of the search index are made again from the log. Sums that triggers keep are written over
//! last.

mod cell;
mod tables;

use std::hash::Hasher as _;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

pub(crate) use self::cell::{Cell, Kind};
pub(crate) use self::tables::{Column, TABLES, Table};
use crate::api::StoreError;

/// Rows of one piece, and bytes from which on it ends early.
const PIECE_ROWS: usize = 2_000;
const PIECE_BYTES: usize = 8 * 1024 * 1024;
/// The setting of the target that says how far a copy is.
pub(crate) const MARK: &str = "copying";
/// Cursors that begin anew, because what they lead is made again.
pub(crate) const DERIVED_CURSORS: [&str; 2] = ["search", "names"];

/// Tables whose rows get numbers of their own, and the column of it.
pub(crate) const NUMBERED: &[(&str, &str)] = &[
    ("networks", "id"),
    ("tags", "id"),
    ("payloads", "id"),
    ("complaint_kinds", "id"),
    ("complaint_samples", "id"),
    ("erasing", "number"),
    ("erasures", "number"),
    ("controls", "number"),
    ("sources", "id"),
];

/// What a backend must be able to do so that stores can be moved.
pub(crate) trait Transfer {
    /// Rows of a table behind this key, in order of key.
    fn rows_behind(&self, table: &Table, key: &[Cell], limit: usize) -> Result<Vec<Vec<Cell>>, StoreError>;
    /// Writes rows and how far that is, in one transaction.
    fn take_rows(&mut self, table: &Table, rows: &[Vec<Cell>], mark: &str) -> Result<(), StoreError>;
    /// Empties a table.
    fn clear(&mut self, table: &Table) -> Result<(), StoreError>;
    /// The highest numbers that tables with numbers of their own have given, by table.
    fn given(&self) -> Result<Vec<(String, i64)>, StoreError>;
    /// Numbers up to these are never given again; the mark goes, and what is derived begins anew.
    fn finish(&mut self, given: &[(String, i64)]) -> Result<(), StoreError>;
    /// How far a copy into this store is, where there is one.
    fn mark(&self) -> Result<Option<String>, StoreError>;
}

/// How far a copy is.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Progress {
    /// What the source was like, so that another one is refused.
    source: String,
    /// Place of the table among [`TABLES`], and the last key of it that is there.
    table: usize,
    key: Vec<Cell>,
}

/// A table as it was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSum {
    pub name: &'static str,
    pub rows: u64,
    /// Of all rows together, in any order.
    pub hash: u64,
}

/// What a copy came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    pub tables: Vec<TableSum>,
    /// Rows that this call moved; the others were there already.
    pub moved: u64,
    /// It went on with one that was interrupted.
    pub is_resumed: bool,
}

/// Moves everything from one store into another; tells after each piece which table it is at and how many rows of it this call moved.
pub(crate) fn copy(
    from: &dyn Transfer,
    to: &mut dyn Transfer,
    told: &mut dyn FnMut(&str, u64),
) -> Result<Copied, StoreError> {
    let source = fingerprint(from)?;
    let mut copied = Copied::default();
    let mut progress = if let Some(mark) = to.mark()? {
        copied.is_resumed = true;
        resumed(&mark, &source)?
    } else {
        begin(to)?;
        Progress { source: source.clone(), ..Progress::default() }
    };
    while let Some(table) = TABLES.get(progress.table) {
        let mut moved = 0;
        if table.is_kept_by_triggers && progress.key.is_empty() {
            to.clear(table)?;
        }
        loop {
            let rows = piece(from, table, &progress.key)?;
            let Some(last) = rows.last() else { break };
            progress.key = table.key_of(last);
            let mark = serde_json::to_string(&progress).expect("a progress is plain data");
            to.take_rows(table, &rows, &mark)?;
            moved += rows.len() as u64;
            told(table.name, moved);
        }
        copied.moved += moved;
        progress = Progress { table: progress.table + 1, key: Vec::new(), ..progress };
    }
    if fingerprint(from)? != source {
        return Err(refused(
            "the source changed while it was copied: stop what runs on it, and copy again into an empty store",
        ));
    }
    copied.tables = compare(from, to, told)?;
    to.finish(&from.given()?)?;
    Ok(copied)
}

/// Rows of a piece: fewer where they are large.
fn piece(from: &dyn Transfer, table: &Table, key: &[Cell]) -> Result<Vec<Vec<Cell>>, StoreError> {
    let mut rows = from.rows_behind(table, key, PIECE_ROWS)?;
    let mut bytes = 0;
    let fits = rows.iter().take_while(|row| {
        let has_room = bytes < PIECE_BYTES;
        bytes += row.iter().map(Cell::size).sum::<usize>();
        has_room
    });
    let count = fits.count();
    rows.truncate(count);
    Ok(rows)
}

fn resumed(mark: &str, source: &str) -> Result<Progress, StoreError> {
    let progress: Progress = serde_json::from_str(mark)
        .map_err(|_| refused("the target was begun by a copy of another version: empty it and copy again"))?;
    if progress.source != source {
        return Err(refused(
            "the target was begun as a copy of another store, or of this one before it changed: empty it and copy again",
        ));
    }
    Ok(progress)
}

/// The target holds nothing yet but what every new store holds, which is written over.
fn begin(to: &mut dyn Transfer) -> Result<(), StoreError> {
    for table in TABLES {
        if table.is_filled_at_birth {
            continue;
        }
        if !to.rows_behind(table, &[], 1)?.is_empty() {
            return Err(refused("the target is not empty: name a new one"));
        }
    }
    TABLES.iter().filter(|table| table.is_filled_at_birth).try_for_each(|table| to.clear(table))
}

/// What tells one state of a store from another: its counters.
fn fingerprint(store: &dyn Transfer) -> Result<String, StoreError> {
    let counters = TABLES.iter().find(|table| table.name == "counters").expect("every store has counters");
    let rows = store.rows_behind(counters, &[], PIECE_ROWS)?;
    Ok(serde_json::to_string(&rows).expect("counters are plain data"))
}

/// Reads everything of both again; what differs is an error.
fn compare(
    from: &dyn Transfer,
    to: &dyn Transfer,
    told: &mut dyn FnMut(&str, u64),
) -> Result<Vec<TableSum>, StoreError> {
    let mut sums = Vec::with_capacity(TABLES.len());
    for table in TABLES {
        let (there, here) = (sum(from, table, told)?, sum(to, table, told)?);
        if there != here {
            let why = format!(
                "`{}` differs: {} rows in the source, {} in the target (hashes {:016x} and {:016x}); was one of them written to? Empty \
                 the target and copy again",
                table.name, there.rows, here.rows, there.hash, here.hash
            );
            return Err(refused(&why));
        }
        sums.push(here);
    }
    Ok(sums)
}

fn sum(store: &dyn Transfer, table: &Table, told: &mut dyn FnMut(&str, u64)) -> Result<TableSum, StoreError> {
    let mut sum = TableSum { name: table.name, rows: 0, hash: 0 };
    let mut key = Vec::new();
    loop {
        let rows = piece(store, table, &key)?;
        let Some(last) = rows.last() else { return Ok(sum) };
        key = table.key_of(last);
        for row in rows.iter().filter(|row| !is_of_this_copy(table, row)) {
            let mut hash = Xxh3::new();
            for cell in row {
                cell.hash_into(&mut hash);
            }
            sum.hash = sum.hash.wrapping_add(hash.finish());
            sum.rows += 1;
        }
        told(table.name, sum.rows);
    }
}

/// What the copy itself noted, and where derived things stand.
fn is_of_this_copy(table: &Table, row: &[Cell]) -> bool {
    let is = |name: &str| matches!(&row[0], Cell::Text(text) if text == name);
    (table.name == "settings" && is(MARK))
        || (table.name == "cursors" && DERIVED_CURSORS.iter().any(|name| is(name)))
}

fn refused(why: &str) -> StoreError {
    StoreError::Database { doing: "copy", why: why.to_owned() }
}
