//! JSON lines, as twarc writes them: accounts, posts with their authors, or whole answers.

use std::io::BufRead;

use serde_json::Value;

use super::{COLUMNS, ListError, ListFormat, Listed, RECORD_BYTES_MAX, Taker, Turn};

/// Takes the best key of every object, or the one asked for.
pub(super) fn read(mut input: impl BufRead, column: Option<&str>) -> Result<Listed, ListError> {
    let mut taker = Taker::new(ListFormat::JsonLines);
    while let Some(line) = taker.next_line(&mut input, RECORD_BYTES_MAX)? {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(&line) {
            Ok(value) => take(&mut taker, &value, column),
            Err(error) => taker.complain(format!("this is no JSON: {error}")),
        }
    }
    Ok(taker.listed)
}

fn take(taker: &mut Taker, value: &Value, column: Option<&str>) {
    // A whole answer: the accounts stand beside the posts, or are what was asked for.
    let users = value.pointer("/includes/users").or_else(|| value.get("data")).and_then(Value::as_array);
    if let Some(users) = users {
        for user in users {
            take_one(taker, user, column);
        }
        return;
    }
    take_one(taker, value, column);
}

fn take_one(taker: &mut Taker, value: &Value, column: Option<&str>) {
    let found = match column {
        Some(column) => look(value, column).map(|text| (text, Turn::AsIs)),
        None => COLUMNS.iter().find_map(|&(name, turn)| Some((look(value, name)?, turn))),
    };
    if let Some((text, turn)) = found {
        return taker.take(&turn.turn(&text));
    }
    let wanted = column.unwrap_or("username, handle, url or the like");
    taker.complain(format!("there is no key {wanted}"));
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
