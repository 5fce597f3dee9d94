//! Rows on their way out of an answer. What does not fit the type that is asked for is an error of its column, never a panic.

use tokio_postgres::types::{FromSql as Decode, Type};

use super::{Error, Result};

/// A row of an answer.
#[derive(Debug)]
pub(in crate::postgres) struct Row(pub(super) tokio_postgres::Row);

impl Row {
    /// The value of a column.
    pub(in crate::postgres) fn get<I: Place, T: FromSql>(&self, column: I) -> Result<T> {
        let column = column.place();
        T::of(self.get_ref(column)?).ok_or_else(|| Error::Value(column, "a value of another type".to_owned()))
    }

    /// The value of a column where it is, without copying it.
    pub(in crate::postgres) fn get_ref(&self, column: usize) -> Result<ValueRef<'_>> {
        self.0.try_get(column).map_err(|error| Error::Value(column, error.to_string()))
    }
}

/// A column by its number.
pub(in crate::postgres) trait Place {
    fn place(self) -> usize;
}

impl Place for usize {
    fn place(self) -> usize {
        self
    }
}

/// A value where it is.
#[derive(Clone, Copy, Debug)]
pub(in crate::postgres) enum ValueRef<'a> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl<'a> ValueRef<'a> {
    /// The text that it is.
    pub(in crate::postgres) fn as_str(self) -> Result<&'a str> {
        match self {
            Self::Text(text) => Ok(text),
            _ => Err(Error::Value(0, "there should be a text".to_owned())),
        }
    }
}

impl<'a> ValueRef<'a> {
    /// The bytes that it is.
    pub(in crate::postgres) fn as_bytes(self) -> Result<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            _ => Err(Error::Value(0, "there should be bytes".to_owned())),
        }
    }
}

impl<'a> Decode<'a> for ValueRef<'a> {
    fn from_sql(
        kind: &Type,
        raw: &'a [u8],
    ) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(match *kind {
            Type::BOOL => Self::Int(bool::from_sql(kind, raw)?.into()),
            Type::INT2 => Self::Int(i16::from_sql(kind, raw)?.into()),
            Type::INT4 => Self::Int(i32::from_sql(kind, raw)?.into()),
            Type::INT8 => Self::Int(i64::from_sql(kind, raw)?),
            Type::FLOAT4 => Self::Real(f32::from_sql(kind, raw)?.into()),
            Type::FLOAT8 => Self::Real(f64::from_sql(kind, raw)?),
            Type::BYTEA => Self::Bytes(raw),
            _ => Self::Text(<&str>::from_sql(&Type::TEXT, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        const KNOWN: [Type; 12] = [
            Type::BOOL,
            Type::INT2,
            Type::INT4,
            Type::INT8,
            Type::FLOAT4,
            Type::FLOAT8,
            Type::BYTEA,
            Type::TEXT,
            Type::VARCHAR,
            Type::NAME,
            Type::BPCHAR,
            Type::UNKNOWN,
        ];
        KNOWN.contains(kind)
    }
}

/// What a value can become.
pub(in crate::postgres) trait FromSql: Sized {
    fn of(value: ValueRef<'_>) -> Option<Self>;
}

impl FromSql for i64 {
    fn of(value: ValueRef<'_>) -> Option<Self> {
        if let ValueRef::Int(value) = value { Some(value) } else { None }
    }
}

macro_rules! narrow {
    ($($kind:ty),*) => { $(
        impl FromSql for $kind {
            fn of(value: ValueRef<'_>) -> Option<Self> { i64::of(value)?.try_into().ok() }
        }
    )* };
}
narrow!(u8, u16, u32);

impl FromSql for bool {
    fn of(value: ValueRef<'_>) -> Option<Self> {
        i64::of(value).map(|value| value != 0)
    }
}

impl FromSql for f64 {
    fn of(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Real(value) => Some(value),
            ValueRef::Int(value) => Some(value as Self),
            _ => None,
        }
    }
}

impl FromSql for f32 {
    fn of(value: ValueRef<'_>) -> Option<Self> {
        f64::of(value).map(|value| value as Self)
    }
}

impl FromSql for String {
    fn of(value: ValueRef<'_>) -> Option<Self> {
        if let ValueRef::Text(text) = value { Some(text.to_owned()) } else { None }
    }
}

impl FromSql for Vec<u8> {
    fn of(value: ValueRef<'_>) -> Option<Self> {
        if let ValueRef::Bytes(bytes) = value { Some(bytes.to_vec()) } else { None }
    }
}

impl<T: FromSql> FromSql for Option<T> {
    fn of(value: ValueRef<'_>) -> Option<Self> {
        if matches!(value, ValueRef::Null) { Some(None) } else { T::of(value).map(Some) }
    }
}

/// An answer, row after row.
#[derive(Debug)]
pub(in crate::postgres) struct Rows {
    rows: Vec<Row>,
    next: usize,
}

impl Rows {
    pub(super) fn new(rows: Vec<Row>) -> Self {
        Self { rows, next: 0 }
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "as rows of the other backend are read, where it can fail at any of them"
    )]
    pub(in crate::postgres) fn next(&mut self) -> Result<Option<&Row>> {
        self.next += 1;
        Ok(self.rows.get(self.next - 1))
    }
}

/// An answer whose rows become something else.
#[derive(Debug)]
pub(in crate::postgres) struct MappedRows<F> {
    rows: std::vec::IntoIter<Row>,
    read: F,
}

impl<F> MappedRows<F> {
    pub(super) fn new(rows: Vec<Row>, read: F) -> Self {
        Self { rows: rows.into_iter(), read }
    }
}

impl<T, F: FnMut(&Row) -> Result<T>> Iterator for MappedRows<F> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.next()?;
        Some((self.read)(&row))
    }
}

/// No row is no error.
pub(in crate::postgres) trait OptionalExtension<T> {
    fn optional(self) -> Result<Option<T>>;
}

impl<T> OptionalExtension<T> for Result<T> {
    fn optional(self) -> Result<Option<T>> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(Error::NoRow) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
