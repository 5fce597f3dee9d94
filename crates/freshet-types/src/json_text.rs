//! A value that travels as the JSON text by which it is stored.
//!
//! For types whose stored form leaves out what is empty: a form that goes by the order of fields, as the one between core and
//! fetchers does, could not read them back. What is stored today must be readable tomorrow anyway, so the text is stable.

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize as _, Deserializer, Serialize, Serializer};

/// Writes `value` as a text.
pub(crate) fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let text = serde_json::to_string(value).map_err(S::Error::custom)?;
    serializer.serialize_str(&text)
}

/// Reads the text.
pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    serde_json::from_str(&text).map_err(D::Error::custom)
}
