//! Values as all backends store them: JSON of p-links and tags, names of enums, instants.
//!
//! Writing never fails and allocates nothing when there is nothing to write. Reading back what another hand put into the store never
//! panics: a value that is no primitive is left out. It knows no database.

use std::sync::Arc;

use freshet_types::{AccountState, LinkKind, Primitive, Timestamp, Timetable};
use serde_json::Value;

/// Writes p-links as one JSON object into `out`; `None` when there are none.
pub(crate) fn properties<'a>(plinks: &[(Arc<str>, Primitive)], out: &'a mut Vec<u8>) -> Option<&'a str> {
    out.clear();
    if plinks.is_empty() {
        return None;
    }
    for (name, value) in plinks {
        out.push(if out.is_empty() { b'{' } else { b',' });
        write_json(out, &**name);
        out.push(b':');
        write_json(out, value);
    }
    out.push(b'}');
    Some(std::str::from_utf8(out).expect("serde_json writes UTF-8"))
}

/// Writes tags as one JSON array into `out`; `None` when there are none.
pub(crate) fn tags<'a>(tags: &[String], out: &'a mut Vec<u8>) -> Option<&'a str> {
    out.clear();
    if tags.is_empty() {
        return None;
    }
    write_json(out, tags);
    Some(std::str::from_utf8(out).expect("serde_json writes UTF-8"))
}

fn write_json<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(out, value).expect("a vector takes every text and number");
}

/// What the properties are after a look that showed these; `None` where they stay as they are stored.
pub(crate) fn fresher(stored: Option<&str>, seen: Option<&str>) -> Option<String> {
    match (stored, seen) {
        (Some(stored), Some(seen)) if stored != seen => {
            Some(merged(stored, seen)).filter(|merged| merged != stored)
        }
        (None, Some(seen)) => Some(seen.to_owned()),
        _ => None,
    }
}

/// A timetable as JSON; `None` where it says nothing.
pub(crate) fn timetable_text(timetable: &Timetable) -> Option<String> {
    let told = Some(timetable).filter(|timetable| !timetable.is_empty());
    told.map(|timetable| serde_json::to_string(timetable).expect("a timetable is plain data"))
}

/// The stored properties with the newly seen ones laid over them.
fn merged(stored: &str, seen: &str) -> String {
    let mut all: serde_json::Map<String, Value> = serde_json::from_str(stored).unwrap_or_default();
    let new: serde_json::Map<String, Value> = serde_json::from_str(seen).unwrap_or_default();
    all.extend(new);
    Value::Object(all).to_string()
}

/// Reads p-links back.
pub(crate) fn plinks(stored: Option<&str>) -> Vec<(Arc<str>, Primitive)> {
    let Some(stored) = stored else { return Vec::new() };
    let all: serde_json::Map<String, Value> = serde_json::from_str(stored).unwrap_or_default();
    all.into_iter().filter_map(|(name, value)| Some((name.into(), primitive(value)?))).collect()
}

fn primitive(value: Value) -> Option<Primitive> {
    match value {
        Value::Bool(truth) => Some(Primitive::Bool(truth)),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Some(Primitive::Int(whole)),
            None => number.as_f64().map(Primitive::Float),
        },
        Value::String(text) => Some(Primitive::Text(text)),
        _ => None,
    }
}

/// Reads tags back.
pub(crate) fn tags_of(stored: Option<&str>) -> Vec<String> {
    stored.map(|stored| serde_json::from_str(stored).unwrap_or_default()).unwrap_or_default()
}

/// Milliseconds for a column that may be empty.
pub(crate) fn ms(at: Option<Timestamp>) -> Option<i64> {
    at.map(Timestamp::ms)
}

/// The state of this name, if it is one.
pub(crate) fn state_of(name: &str) -> Option<AccountState> {
    AccountState::ALL.into_iter().find(|state| state.name() == name)
}

/// The kind of link of this name, where it leads into another network.
pub(crate) fn link_kind_of(name: &str) -> Option<LinkKind> {
    [LinkKind::Sp, LinkKind::Sc, LinkKind::Sco].into_iter().find(|kind| kind.name() == name)
}

/// A value as JSON; `None` where there is none.
pub(crate) fn primitive_text(value: Option<&Primitive>) -> Option<String> {
    value.map(|value| Value::from(value).to_string())
}

/// The value that was written; what is none is left out.
pub(crate) fn primitive_of(text: Option<&str>) -> Option<Primitive> {
    serde_json::from_str(text?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plinks_come_back_as_they_were() {
        let all: Vec<(Arc<str>, Primitive)> = vec![
            ("likes".into(), Primitive::Int(-3)),
            ("ratio".into(), Primitive::Float(2.0)),
            ("is_pinned".into(), Primitive::Bool(true)),
            ("a \"quoted\" näme".into(), Primitive::Text("line\nbreak \u{1f600}".into())),
        ];
        let mut buffer = Vec::new();
        let json = properties(&all, &mut buffer).map(str::to_owned);
        assert_eq!(plinks(json.as_deref()), all);
        assert_eq!(properties(&[], &mut buffer), None);
        assert_eq!(plinks(Some("not json")), []);
        assert_eq!(plinks(Some(r#"{"a":null,"b":[1]}"#)), []);
    }

    #[test]
    fn new_properties_lie_over_old_ones() {
        assert_eq!(merged(r#"{"a":1,"b":2}"#, r#"{"b":3,"c":4}"#), r#"{"a":1,"b":3,"c":4}"#);
        assert_eq!(merged(r#"{"a":1,"b":2}"#, r#"{"b":2}"#), r#"{"a":1,"b":2}"#);
    }
}
