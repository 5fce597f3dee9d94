//! JSON lines, as twarc writes them: accounts, posts with their authors, or whole answers.

use std::io::BufRead;

use serde_json::Value;

use super::{COLUMNS, Collector, ListError, ListFormat, Listed, RECORD_BYTES_MAX, Turn};

/// Takes the best key of every object, or the one asked for.
pub(super) fn read(mut input: impl BufRead, column: Option<&str>) -> Result<Listed, ListError> {
    let mut collector = Collector::new(ListFormat::JsonLines);
    while let Some(line) = collector.next_line(&mut input, RECORD_BYTES_MAX)? {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(&line) {
            Ok(value) => add_value(&mut collector, &value, column),
            Err(error) => collector.complain(format!("this is no JSON: {error}")),
        }
    }
    Ok(collector.listed)
}

fn add_value(collector: &mut Collector, value: &Value, column: Option<&str>) {
    // A whole answer: the accounts stand beside the posts, or are what was asked for.
    let users = value.pointer("/includes/users").or_else(|| value.get("data")).and_then(Value::as_array);
    if let Some(users) = users {
        for user in users {
            add_account(collector, user, column);
        }
        return;
    }
    add_account(collector, value, column);
}

fn add_account(collector: &mut Collector, value: &Value, column: Option<&str>) {
    let found = match column {
        Some(column) => look(value, column).map(|text| (text, Turn::AsIs)),
        None => COLUMNS.iter().find_map(|&(name, turn)| Some((look(value, name)?, turn))),
    };
    if let Some((text, turn)) = found {
        return collector.add(&turn.turn(&text));
    }
    let wanted = column.unwrap_or("username, handle, url or the like");
    collector.complain(format!("there is no key {wanted}"));
}

/// The value of a key, or of a path with dots; numbers are ids.
fn look(value: &Value, name: &str) -> Option<String> {
    let direct = value.get(name);
    let nested = || name.split('.').try_fold(value, |value, part| value.get(part));
    match direct.or_else(nested)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
