//! XML as a tree: attributes are `@name`, text is `#text` or the value itself, repeated elements
//! are arrays. Namespaces prefixes stay part of the name. Entities beyond the five of XML stay as
//! they are written; external ones are never fetched. Elements and attributes beyond [`VALUES_MAX`] are left out.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use serde_json::{Map, Value};

use super::room::{Room, bounded};
use super::{Parsed, owned};

/// Deepest nesting, as for JSON.
const DEPTH_MAX: usize = 128;
/// Elements and attributes that become part of one tree. Maps in memory take some 400 bytes each, so there are
/// fewer of them than of values of JSON.
const VALUES_MAX: usize = 100_000;

/// The tree below a virtual root: `<a><b>1</b></a>` is `{"a": {"b": "1"}}`.
pub(super) fn parse(text: &str) -> Result<Parsed<'static>, String> {
    let room = Room::new(VALUES_MAX);
    let tree = owned(parse_within(text, &room)?);
    Ok(Parsed::new(tree, room.left_out()))
}

fn parse_within(text: &str, room: &Room) -> Result<Value, String> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<(String, Map<String, Value>, String)> =
        vec![(String::new(), Map::new(), String::new())];
    loop {
        match reader.read_event().map_err(|error| format!("the body is not XML: {error}"))? {
            Event::Start(start) => {
                if open.len() > DEPTH_MAX {
                    return Err(format!("the XML is nested deeper than {DEPTH_MAX} levels"));
                }
                open.push(begin(&start, room));
            }
            Event::Empty(start) => {
                let element = begin(&start, room);
                close(&mut open, element, room);
            }
            Event::End(_) => {
                let element =
                    open.pop().filter(|_| !open.is_empty()).ok_or("the XML closes what is not open")?;
                close(&mut open, element, room);
            }
            Event::Text(chunk) => add_text(&mut open, &chunk.xml_content(XmlVersion::Implicit1_0)),
            Event::CData(chunk) => add_text(&mut open, &chunk.xml_content(XmlVersion::Implicit1_0)),
            Event::GeneralRef(entity) => {
                let resolved = entity.resolve_char_ref().ok().flatten().map(String::from);
                let name = entity.into_inner();
                let known = || quick_xml::escape::resolve_xml_entity(&name).map(str::to_owned);
                add_text(&mut open, &resolved.or_else(known).unwrap_or_else(|| format!("&{name};")));
            }
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    match open.len() {
        1 => Ok(Value::Object(open.remove(0).1)).and_then(|root| match &root {
            Value::Object(map) if map.is_empty() => Err("the body holds no XML element".to_owned()),
            _ => Ok(root),
        }),
        _ => Err("the XML ends in the middle of an element".to_owned()),
    }
}

fn begin(start: &BytesStart<'_>, room: &Room) -> (String, Map<String, Value>, String) {
    let mut map = Map::new();
    room.use_one();
    for attribute in start.attributes().with_checks(false).flatten() {
        if room.is_full() {
            break;
        }
        room.use_one();
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or_default();
        map.insert(format!("@{}", attribute.key.as_ref()), Value::from(value));
    }
    (start.name().as_ref().to_owned(), map, String::new())
}

fn add_text(open: &mut [(String, Map<String, Value>, String)], text: &str) {
    if let Some((_, _, content)) = open.last_mut() {
        content.push_str(text);
    }
}

fn close(
    open: &mut [(String, Map<String, Value>, String)],
    element: (String, Map<String, Value>, String),
    room: &Room,
) {
    let (name, mut map, text) = element;
    let text = bounded(text.trim());
    let value = if map.is_empty() {
        Value::from(text)
    } else {
        if !text.is_empty() {
            map.insert("#text".to_owned(), Value::from(text));
        }
        Value::Object(map)
    };
    let Some((_, parent, _)) = open.last_mut() else { return };
    match parent.get_mut(&name) {
        Some(_) if room.is_full() => room.leave_out(),
        Some(Value::Array(list)) => list.push(value),
        Some(single) => {
            let first = single.take();
            *single = Value::Array(vec![first, value]);
        }
        None => drop(parent.insert(name, value)),
    }
}
