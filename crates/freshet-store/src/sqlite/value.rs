//! Values out of SQLite columns. What they are as JSON and names, both backends share ([`crate::stored`]).
//!
//! Reading back what another hand put into the file never panics: an unknown name is an error of the row.

use freshet_types::{Timestamp, Timetable};
use rusqlite::Row;
use rusqlite::types::{FromSqlError, FromSqlResult, Type, ValueRef};

pub(super) use crate::stored::{
    fresher, link_kind_of, ms, plinks, primitive_of, primitive_text, properties, state_of, tags, tags_of,
    timetable_text,
};

/// The timetable in a column; none says nothing.
pub(super) fn timetable(row: &Row<'_>, column: usize) -> rusqlite::Result<Timetable> {
    match text(row, column)? {
        Some(told) => {
            serde_json::from_str(told).map_err(|error| unknown(column, "timetable", &error.to_string()))
        }
        None => Ok(Timetable::default()),
    }
}

/// An instant in a column that may be empty.
pub(super) fn at(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp::from_ms))
}

/// The text of a column that may be empty, without copying it.
pub(super) fn text<'a>(row: &'a Row<'_>, column: usize) -> rusqlite::Result<Option<&'a str>> {
    let value: FromSqlResult<_> = match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        value => value.as_str().map(Some),
    };
    value.map_err(Into::into)
}

/// A row that holds a name we do not know.
pub(super) fn unknown(column: usize, what: &str, name: &str) -> rusqlite::Error {
    let error = FromSqlError::Other(format!("`{name}` is no {what}").into());
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}
