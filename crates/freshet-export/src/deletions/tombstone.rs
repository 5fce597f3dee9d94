//! The list of what is to go from an export: `tombstones.jsonl`, names and marks, no content.
//!
//! It is for whoever got a copy of the folder, and has to take the same out of theirs. It names what was forgotten, so it is
//! taken away as soon as the folder itself holds it no more.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use freshet_sink::back::{Cell, Row};
use freshet_sink::{Record as _, RecordKind};
use freshet_types::Timestamp;
use serde_json::{Map, Value, json};

use super::folder::Folder;
use super::judge::Outcome;
use crate::manifest::cannot_write;
use crate::small::{TOMBSTONES, remove};

/// Columns by which a record is named; those that its kind has.
const NAMES: [&str; 8] = ["id", "number", "network", "source", "target", "from", "name", "to"];

/// Looks at all records and lists those that are not to be as they are.
pub(super) fn write(folder: &mut Folder<'_>, dir: &Path) -> anyhow::Result<()> {
    let (path, part) = (dir.join(TOMBSTONES), dir.join(format!("{TOMBSTONES}.part")));
    let cannot = |error: &std::io::Error| cannot_write(&path, error);
    let file = File::create(&part).map_err(|error| cannot(&error))?;
    let mut out = BufWriter::new(file);
    folder.scan(&mut |row, outcome| {
        let Some(line) = line(row, outcome) else { return Ok(()) };
        writeln!(out, "{line}").map_err(|error| cannot(&error))
    })?;
    let file = out.into_inner().map_err(|error| cannot(error.error()))?;
    file.sync_all().and_then(|()| std::fs::rename(&part, &path)).map_err(|error| cannot(&error))
}

/// Takes the list away.
pub(super) fn remove_from(dir: &Path) -> anyhow::Result<()> {
    remove(&dir.join(TOMBSTONES))
}

/// What is said of one record; nothing of one that stays as it is.
fn line(row: &Row, outcome: Outcome) -> Option<Value> {
    let secs = |at: Timestamp| json!(at.secs_f64());
    let (what, why, deleted_at) = match outcome {
        Outcome::Kept => return None,
        Outcome::Marked(at) => ("mark", "deleted", secs(at)),
        Outcome::OptedOut => ("mark", "opted_out", Value::Null),
        Outcome::Redacted(Some(at)) => ("redact", "deleted", secs(at)),
        Outcome::Redacted(None) => ("redact", "opted_out", Value::Null),
        Outcome::Forgotten => ("erase", "forgotten", Value::Null),
        Outcome::Gone => ("erase", "expired", Value::Null),
    };
    let mut line = Map::new();
    line.insert("record".to_owned(), json!(row.kind().name()));
    // A thing's name is content; a link's says which link it is.
    let is_name = |column: &&str| *column != "name" || row.kind() == RecordKind::Links;
    for column in NAMES.into_iter().filter(is_name) {
        let value = match row.cell(column) {
            Some(Cell::Text(text)) => json!(text),
            Some(Cell::Int(number)) => json!(number),
            _ => continue,
        };
        line.insert(column.to_owned(), value);
    }
    line.insert("what".to_owned(), json!(what));
    line.insert("why".to_owned(), json!(why));
    if !deleted_at.is_null() {
        line.insert("deleted_at".to_owned(), deleted_at);
    }
    Some(Value::Object(line))
}
