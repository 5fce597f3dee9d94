//! A line of text as a reader sees it, put together from the texts of inline elements.
//!
//! A time may be spread over several of them (`<b>Today</b> at 02:05`), so times are looked for in runs and not in texts. What it
//! does not do: know what a time looks like.

use crate::tree::NodeId;

/// A text longer than this is prose; only its first lines are looked at.
pub(super) const TEXT_CHARS_MAX: usize = 260;
/// Lines at the start of a long text that may be the head of a post.
const HEAD_LINES: usize = 3;
/// Characters before a time that may say what it is.
const LABEL_CHARS_MAX: usize = 40;
/// Stands in a run where a link starts or ends: a time does not reach over it.
pub(super) const EDGE: char = '\u{1f}';

/// The text of one line of inline elements, with where each part came from. Most are one text of the page, and that is not
/// copied.
#[derive(Default)]
pub(super) struct Run<'a> {
    /// The only text so far; nothing is in `joined` then.
    only: &'a str,
    joined: String,
    pub(super) parts: Vec<(usize, NodeId)>,
}

impl<'a> Run<'a> {
    pub(super) fn text(&self) -> &str {
        if self.joined.is_empty() { self.only } else { &self.joined }
    }

    /// Adds a text of the page, a space for every white space in it.
    pub(super) fn add(&mut self, node: NodeId, text: &'a str) {
        self.parts.push((self.text().len(), node));
        // Looks at all bytes without stopping, which processors do many at a time; most texts are letters and spaces.
        let odd = text.bytes().fold(0, |odd, byte| odd | u8::from(!(b' '..0x80).contains(&byte)));
        if odd == 0 && self.text().is_empty() {
            self.only = text;
            return;
        }
        self.join();
        // White space alone between two elements is no text of the page; `07/18/25` and `08:55` are two words nevertheless.
        if do_run_together(&self.joined, text) {
            self.joined.push(' ');
        }
        let mut parts = text.split(|c: char| c.is_whitespace() && c != ' ');
        self.joined.extend(parts.next());
        for part in parts {
            self.joined.push(' ');
            self.joined.push_str(part);
        }
    }

    pub(super) fn mark(&mut self, mark: char) {
        self.join();
        self.joined.push(mark);
    }

    fn join(&mut self) {
        if self.joined.is_empty() {
            self.joined.push_str(self.only);
        }
    }

    pub(super) fn clear(&mut self) {
        self.only = "";
        self.joined.clear();
        self.parts.clear();
    }
}

/// Whether two texts would be one word or number, if nothing stood between them.
fn do_run_together(before: &str, after: &str) -> bool {
    let is_digits = |a: char, b: char| a.is_ascii_digit() && b.is_ascii_digit();
    let is_letters = |a: char, b: char| a.is_ascii_alphabetic() && b.is_ascii_alphabetic();
    before
        .chars()
        .next_back()
        .zip(after.chars().next())
        .is_some_and(|(a, b)| is_digits(a, b) || is_letters(a, b))
}

/// How many bytes of a run are looked at: all of a short one, the first lines of prose that has lines.
pub(super) fn looked_at(text: &str) -> usize {
    let is_short = text.len() <= TEXT_CHARS_MAX
        || (text.len() <= 4 * TEXT_CHARS_MAX && text.chars().nth(TEXT_CHARS_MAX).is_none());
    if is_short {
        return text.len();
    }
    let head = text.match_indices('\n').nth(HEAD_LINES).map_or(0, |(at, _)| at);
    text.floor_char_boundary(head.min(TEXT_CHARS_MAX))
}

/// What is written before a time, on its line; or the short text of the run before.
pub(super) fn label<'a>(before: &'a str, previous: &'a str) -> &'a str {
    let line = before.rsplit(['\n', EDGE]).next().unwrap_or_default().trim();
    let line = if line.is_empty() { before.rsplit('\n').next().unwrap_or_default().trim() } else { line };
    if !line.is_empty() {
        let start = line.char_indices().rev().nth(LABEL_CHARS_MAX - 1).map_or(0, |(at, _)| at);
        return &line[start..];
    }
    let previous = previous.trim();
    if previous.chars().nth(LABEL_CHARS_MAX).is_none() { previous } else { "" }
}
