//! Values out of columns. What they are as JSON and names, all backends share ([`crate::stored`]).
//!
//! Reading back what another hand put into the store never panics: an unknown name is an error of the row.

use std::sync::Arc;

use freshet_types::{Coverage, Primitive, Timestamp, Timetable};

use super::db::{Error, Result, Row, ValueRef};
pub(super) use crate::stored::{
    fresher, link_kind_of, ms, plinks, primitive_of, primitive_text, state_of, tags, tags_of, timetable_text,
};

/// A zero character in JSON, which the server cannot take apart, and what stands for it.
const ZERO: &str = "\\u0000";
const SHOWN_ZERO: &str = "\\ufffd";

/// A coverage as JSON.
pub(super) fn coverage_text(coverage: &Coverage) -> String {
    let text = serde_json::to_string(coverage).expect("a coverage is plain data");
    if text.contains(ZERO) { text.replace(ZERO, SHOWN_ZERO) } else { text }
}

/// Writes p-links as one JSON object into `out`; `None` when there are none.
pub(super) fn properties<'a>(plinks: &[(Arc<str>, Primitive)], out: &'a mut Vec<u8>) -> Option<&'a str> {
    let text = crate::stored::properties(plinks, out)?;
    if text.contains(ZERO) {
        *out = text.replace(ZERO, SHOWN_ZERO).into_bytes();
    }
    Some(std::str::from_utf8(out).expect("what was UTF-8 still is"))
}

/// The timetable in a column; none says nothing.
pub(super) fn timetable(row: &Row, column: usize) -> Result<Timetable> {
    match text(row, column)? {
        Some(told) => {
            serde_json::from_str(told).map_err(|error| unknown(column, "timetable", &error.to_string()))
        }
        None => Ok(Timetable::default()),
    }
}

/// An instant in a column that may be empty.
pub(super) fn at(row: &Row, column: usize) -> Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp::from_ms))
}

/// The text of a column that may be empty, without copying it.
pub(super) fn text(row: &Row, column: usize) -> Result<Option<&str>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        value => value.as_str().map(Some),
    }
}

/// A row that holds a name we do not know.
pub(super) fn unknown(column: usize, what: &str, name: &str) -> Error {
    Error::Value(column, format!("`{name}` is no {what}"))
}
