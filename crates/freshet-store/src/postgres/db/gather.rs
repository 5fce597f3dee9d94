//! Rows that wait to be written by one statement: a journey to the server for all of them.

use super::value::{Many, ToSql, Value};
use super::{Connection, Result};

/// Rows that are written at once; memory beside what the caller holds anyway.
const ROWS_MAX: usize = 5_000;

/// A column of them.
#[derive(Debug)]
enum Column {
    Ints(Vec<Option<i64>>),
    Reals(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
    Blobs(Vec<Option<Vec<u8>>>),
}

impl Column {
    fn of(value: Value<'_>) -> Self {
        match value {
            Value::Real(value) => Self::Reals(vec![value]),
            Value::Text(value) => Self::Texts(vec![value.map(Into::into)]),
            Value::Bytes(value) => Self::Blobs(vec![value.map(<[u8]>::to_vec)]),
            Value::Int(value) => Self::Ints(vec![value]),
            Value::Ints(_) | Value::Reals(_) | Value::Texts(_) | Value::Blobs(_) => {
                unreachable!("a value of a row is no array")
            }
        }
    }

    fn add(&mut self, value: Value<'_>) {
        match (self, value) {
            (Self::Ints(all), Value::Int(value)) => all.push(value),
            (Self::Reals(all), Value::Real(value)) => all.push(value),
            (Self::Texts(all), Value::Text(value)) => all.push(value.map(Into::into)),
            (Self::Blobs(all), Value::Bytes(value)) => all.push(value.map(<[u8]>::to_vec)),
            _ => unreachable!("a column of our own statements has one type"),
        }
    }

    fn boxed(self) -> Box<dyn ToSql> {
        match self {
            Self::Ints(all) => Box::new(Many(all)),
            Self::Reals(all) => Box::new(Many(all)),
            Self::Texts(all) => Box::new(Many(all)),
            Self::Blobs(all) => Box::new(Many(all)),
        }
    }
}

/// Rows of one table.
#[derive(Debug)]
pub(in crate::postgres) struct Gathered {
    /// Up to and with the list of columns.
    insert: &'static str,
    columns: Vec<Column>,
    count: usize,
}

impl Gathered {
    /// `insert` ends with the list of columns: `INSERT INTO table (a, b)`.
    pub(in crate::postgres) fn new(insert: &'static str) -> Self {
        Self { insert, columns: Vec::new(), count: 0 }
    }

    /// Whether none waits.
    pub(in crate::postgres) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One row more, its values in the order of the columns.
    pub(in crate::postgres) fn add(&mut self, db: &Connection, row: &[&dyn ToSql]) -> Result<()> {
        if self.count >= ROWS_MAX {
            self.write(db)?;
        }
        self.count += 1;
        if self.columns.is_empty() {
            self.columns = row.iter().map(|value| Column::of(value.value())).collect();
        } else {
            self.columns.iter_mut().zip(row).for_each(|(column, value)| column.add(value.value()));
        }
        Ok(())
    }

    /// Writes those that wait.
    pub(in crate::postgres) fn write(&mut self, db: &Connection) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        self.count = 0;
        let columns: Vec<Box<dyn ToSql>> =
            std::mem::take(&mut self.columns).into_iter().map(Column::boxed).collect();
        let places: Vec<String> = (1..=columns.len()).map(|place| format!("${place}")).collect();
        let sql = format!("{} SELECT * FROM unnest({})", self.insert, places.join(", "));
        db.prepare_cached(&sql)?.execute(&*columns).map(drop)
    }
}
