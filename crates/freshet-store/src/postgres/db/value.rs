//! Values on their way into a statement. Each says its type, so that the server never has to guess one.
//!
//! Whole numbers of any width and truths travel as `bigint`, fractions as `double precision`. PostgreSQL holds no text with a zero
//! character: it is written as the sign for what cannot be shown.

use std::borrow::Cow;
use std::sync::Arc;

use tokio_postgres::types::Type;

/// What stands for a zero character.
const SHOWN_ZERO: &str = "\u{fffd}";

/// A value as the server takes it.
#[derive(Debug)]
pub(in crate::postgres) enum Value<'a> {
    Int(Option<i64>),
    Real(Option<f64>),
    Text(Option<Cow<'a, str>>),
    Bytes(Option<&'a [u8]>),
    Ints(Vec<Option<i64>>),
    Reals(Vec<Option<f64>>),
    Texts(Vec<Option<Cow<'a, str>>>),
    Blobs(Vec<Option<&'a [u8]>>),
}

impl Value<'_> {
    pub(super) fn kind(&self) -> Type {
        match self {
            Self::Int(_) => Type::INT8,
            Self::Real(_) => Type::FLOAT8,
            Self::Text(_) => Type::TEXT,
            Self::Bytes(_) => Type::BYTEA,
            Self::Ints(_) => Type::INT8_ARRAY,
            Self::Reals(_) => Type::FLOAT8_ARRAY,
            Self::Texts(_) => Type::TEXT_ARRAY,
            Self::Blobs(_) => Type::BYTEA_ARRAY,
        }
    }

    pub(super) fn as_sql(&self) -> &(dyn tokio_postgres::types::ToSql + Sync) {
        match self {
            Self::Int(value) => value,
            Self::Real(value) => value,
            Self::Text(value) => value,
            Self::Bytes(value) => value,
            Self::Ints(values) => values,
            Self::Reals(values) => values,
            Self::Texts(values) => values,
            Self::Blobs(values) => values,
        }
    }
}

/// A text as it may be stored.
fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', SHOWN_ZERO)) } else { Cow::Borrowed(text) }
}

/// What can be a parameter.
pub(in crate::postgres) trait ToSql {
    fn value(&self) -> Value<'_>;
}

/// What is nothing of a type.
pub(in crate::postgres) trait Nothing {
    const NOTHING: Value<'static>;
}

macro_rules! whole {
    ($($kind:ty),*) => { $(
        impl ToSql for $kind {
            fn value(&self) -> Value<'_> { Value::Int(Some(i64::from(*self))) }
        }
        impl Nothing for $kind {
            const NOTHING: Value<'static> = Value::Int(None);
        }
    )* };
}
whole!(i64, i32, u32, u16, u8, bool);

macro_rules! fraction {
    ($($kind:ty),*) => { $(
        impl ToSql for $kind {
            fn value(&self) -> Value<'_> { Value::Real(Some(f64::from(*self))) }
        }
        impl Nothing for $kind {
            const NOTHING: Value<'static> = Value::Real(None);
        }
    )* };
}
fraction!(f32, f64);

macro_rules! text {
    ($($kind:ty),*) => { $(
        impl ToSql for $kind {
            fn value(&self) -> Value<'_> { Value::Text(Some(storable(self))) }
        }
        impl Nothing for $kind {
            const NOTHING: Value<'static> = Value::Text(None);
        }
    )* };
}
text!(str, String, Arc<str>, Cow<'_, str>);

macro_rules! bytes {
    ($($kind:ty),*) => { $(
        impl ToSql for $kind {
            fn value(&self) -> Value<'_> { Value::Bytes(Some(self)) }
        }
        impl Nothing for $kind {
            const NOTHING: Value<'static> = Value::Bytes(None);
        }
    )* };
}
bytes!([u8], Vec<u8>);

impl<T: ToSql + ?Sized> ToSql for &T {
    fn value(&self) -> Value<'_> {
        (**self).value()
    }
}

impl<T: Nothing + ?Sized> Nothing for &T {
    const NOTHING: Value<'static> = T::NOTHING;
}

impl<T: ToSql + ?Sized> ToSql for Box<T> {
    fn value(&self) -> Value<'_> {
        (**self).value()
    }
}

impl<T: ToSql + Nothing> ToSql for Option<T> {
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(T::NOTHING, |value| value.value())
    }
}

/// Many values of one column, for statements about sets.
#[derive(Debug)]
pub(in crate::postgres) struct Many<T>(pub(in crate::postgres) Vec<T>);

impl ToSql for Many<i64> {
    fn value(&self) -> Value<'_> {
        Value::Ints(self.0.iter().map(|value| Some(*value)).collect())
    }
}

impl ToSql for Many<Option<i64>> {
    fn value(&self) -> Value<'_> {
        Value::Ints(self.0.clone())
    }
}

impl ToSql for Many<Option<f64>> {
    fn value(&self) -> Value<'_> {
        Value::Reals(self.0.clone())
    }
}

impl ToSql for Many<Option<Vec<u8>>> {
    fn value(&self) -> Value<'_> {
        Value::Blobs(self.0.iter().map(Option::as_deref).collect())
    }
}

impl ToSql for Many<Option<String>> {
    fn value(&self) -> Value<'_> {
        Value::Texts(self.0.iter().map(|text| text.as_deref().map(storable)).collect())
    }
}

impl ToSql for Many<Option<&str>> {
    fn value(&self) -> Value<'_> {
        Value::Texts(self.0.iter().map(|text| text.map(storable)).collect())
    }
}

/// The parameters of a statement, in order.
pub(in crate::postgres) trait Params {
    fn values(&self) -> Vec<Value<'_>>;
}

impl Params for &[&dyn ToSql] {
    fn values(&self) -> Vec<Value<'_>> {
        self.iter().map(|value| value.value()).collect()
    }
}

impl Params for &[Box<dyn ToSql>] {
    fn values(&self) -> Vec<Value<'_>> {
        self.iter().map(|value| value.value()).collect()
    }
}

impl Params for [&dyn ToSql; 0] {
    fn values(&self) -> Vec<Value<'_>> {
        Vec::new()
    }
}

macro_rules! array {
    ($($length:literal),*) => { $(
        impl<T: ToSql> Params for [T; $length] {
            fn values(&self) -> Vec<Value<'_>> { self.iter().map(ToSql::value).collect() }
        }
    )* };
}
array!(1, 2, 3, 4);

impl<A: ToSql, B: ToSql> Params for (A, B) {
    fn values(&self) -> Vec<Value<'_>> {
        vec![self.0.value(), self.1.value()]
    }
}
