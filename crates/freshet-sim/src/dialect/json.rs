//! A writer of JSON objects, a field at a time, straight into the answer.
//!
//! Pages of forty posts are made thousands of times a second, so no tree is built. The caller
//! answers for what goes in unescaped: numbers, ids, times and addresses of its own making.

use std::fmt::{Display, Write};

/// An object being written; `close` it.
pub(super) struct Object<'a> {
    out: &'a mut String,
    is_empty: bool,
}

impl<'a> Object<'a> {
    pub(super) fn open(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, is_empty: true }
    }

    pub(super) fn close(&mut self) {
        self.out.push('}');
    }

    fn key(&mut self, name: &str) -> &mut String {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(',');
        }
        self.out.push('"');
        self.out.push_str(name);
        self.out.push_str("\":");
        self.out
    }

    /// A text, escaped.
    pub(super) fn text(&mut self, name: &str, text: &str) -> &mut Self {
        push_text(self.key(name), text);
        self
    }

    /// Something that needs quotes but no escapes.
    pub(super) fn quoted(&mut self, name: &str, value: impl Display) -> &mut Self {
        let out = self.key(name);
        write!(out, "\"{value}\"").expect("memory takes every text");
        self
    }

    /// Something that is JSON already: a number, `true`, `null`, `[]`.
    pub(super) fn value(&mut self, name: &str, value: impl Display) -> &mut Self {
        let out = self.key(name);
        write!(out, "{value}").expect("memory takes every text");
        self
    }

    /// Quoted where there is something, `null` otherwise.
    pub(super) fn maybe(&mut self, name: &str, value: Option<impl Display>) -> &mut Self {
        match value {
            Some(value) => self.quoted(name, value),
            None => self.value(name, "null"),
        }
    }

    /// Whatever `write` writes.
    pub(super) fn nest(&mut self, name: &str, write: impl FnOnce(&mut String)) -> &mut Self {
        write(self.key(name));
        self
    }
}

/// A list, each item written by `write`.
pub(super) fn push_list<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}

fn push_text(out: &mut String, text: &str) {
    out.push('"');
    // Plain stretches are copied whole; what needs an escape is a single byte in UTF-8.
    let mut start = 0;
    for (index, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[start..index]);
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            control => write!(out, "\\u{control:04x}").expect("memory takes every text"),
        }
        start = index + 1;
    }
    out.push_str(&text[start..]);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["", "plain", "\"quoted\" \\ and\n\tbroken\u{1}", "日本 👩‍🔬\"", "\\"] {
            let mut out = String::new();
            Object::open(&mut out).text("text", text).maybe("none", None::<u8>).quoted("id", 7).close();
            let value: serde_json::Value = serde_json::from_str(&out).unwrap();
            assert_eq!((value["text"].as_str(), value["id"].as_str()), (Some(text), Some("7")));
        }
    }
}
