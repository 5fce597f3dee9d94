//! Where keys stand in a TOML file, so that every problem can name its line.
//!
//! Errors of the parser come with a span and are given a key; problems found later come with a
//! key and are given a line.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::Problem;
use super::nearest::nearest;

/// Keys and where they stand.
#[derive(Debug)]
pub(crate) struct KeyPositions {
    /// Dotted key, span of the key, span of the value.
    keys: Vec<(String, Range<usize>, Range<usize>)>,
    /// Offset of the first byte of every line.
    lines: Vec<usize>,
}

impl KeyPositions {
    /// Finds all keys, or the first syntax error.
    pub(crate) fn new(text: &str) -> Result<Self, Problem> {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        let mut positions = Self { keys: Vec::new(), lines };
        match DeTable::parse(text) {
            Ok(table) => {
                positions.walk_table("", table.get_ref());
                Ok(positions)
            }
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let what = error.message().lines().next().unwrap_or("not TOML").to_owned();
                // A key that stands twice is named by the text under the span.
                let key =
                    error.span().and_then(|span| text.get(span)).filter(|_| what.contains("duplicate key"));
                Err(Problem { line: positions.line_at(at), key: key.unwrap_or_default().to_owned(), what })
            }
        }
    }

    fn walk_table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = if prefix.is_empty() {
                key.get_ref().to_string()
            } else {
                format!("{prefix}.{}", key.get_ref())
            };
            self.keys.push((name.clone(), key.span(), value.span()));
            self.walk_value(&name, value.get_ref());
        }
    }

    fn walk_value(&mut self, name: &str, value: &DeValue<'_>) {
        match value {
            DeValue::Table(table) => self.walk_table(name, table),
            DeValue::Array(list) => {
                for (at, element) in list.iter().enumerate() {
                    let name = format!("{name}[{at}]");
                    self.keys.push((name.clone(), element.span(), element.span()));
                    self.walk_value(&name, element.get_ref());
                }
            }
            _ => {}
        }
    }

    fn line_at(&self, offset: usize) -> usize {
        self.lines.partition_point(|start| *start <= offset).max(1)
    }

    /// The line of a key, or of the nearest key above it that exists.
    pub(crate) fn line_of(&self, key: &str) -> usize {
        let mut wanted = key;
        loop {
            if let Some((_, span, _)) = self.keys.iter().find(|(name, ..)| name == wanted) {
                return self.line_at(span.start);
            }
            let Some(cut) = wanted.rfind(['.', '[']) else { return 1 };
            wanted = &wanted[..cut];
        }
    }

    /// The innermost key at an offset.
    fn key_at(&self, offset: usize) -> &str {
        let holds = |range: &Range<usize>| range.contains(&offset);
        let inner = self.keys.iter().filter(|(_, key, value)| holds(key) || holds(value));
        inner.max_by_key(|(name, ..)| name.len()).map_or("", |(name, ..)| name)
    }

    /// The table that stands exactly at a span; the file as a whole is the empty key.
    fn table_at(&self, span: &Range<usize>) -> &str {
        let is_it = |(_, key, value): &&(String, Range<usize>, Range<usize>)| key == span || value == span;
        let exact = self.keys.iter().filter(is_it).max_by_key(|(name, ..)| name.len());
        exact.map_or_else(|| if span.start == 0 { "" } else { self.key_at(span.start) }, |(name, ..)| name)
    }

    /// A problem from an error of the deserialiser: unknown key, missing key, wrong type.
    pub(crate) fn explain(&self, error: &toml::de::Error) -> Problem {
        let offset = error.span().map_or(0, |span| span.start);
        let mut key = self.key_at(offset).to_owned();
        let message = error.message().trim();
        if let Some(missing) = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next())
        {
            let table = error.span().map(|span| self.table_at(&span)).unwrap_or_default();
            let key = if table.is_empty() { missing.to_owned() } else { format!("{table}.{missing}") };
            return Problem { line: self.line_of(&key), key, what: "it is missing".to_owned() };
        }
        let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let what = match (
            message.starts_with("unknown field"),
            message.starts_with("unknown variant"),
            quoted.split_first(),
        ) {
            (true, _, Some((unknown, known))) => {
                // Inside tagged tables the span is that of the table, so the key is added.
                if key.rsplit('.').next() != Some(unknown) {
                    key = if key.is_empty() { (*unknown).to_owned() } else { format!("{key}.{unknown}") };
                }
                format!("there is no such key{}", suggestion(unknown, known))
            }
            (_, true, Some((unknown, known))) => {
                format!("`{unknown}` is not possible{}", suggestion(unknown, known))
            }
            _ => message.lines().next().unwrap_or(message).to_owned(),
        };
        let line =
            if error.span().is_some() && !key.is_empty() { self.line_of(&key) } else { self.line_at(offset) };
        Problem { line, key, what }
    }
}

/// "; did you mean …", or what there is.
fn suggestion(unknown: &str, known: &[&str]) -> String {
    match nearest(unknown, known.iter().copied()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if known.is_empty() => String::new(),
        None => format!(
            "; there are {}",
            known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ),
    }
}
