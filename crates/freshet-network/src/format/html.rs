//! A page for people as a tree of its elements, in which a definition's selectors find what they name.
//!
//! Part of step 6 of 10. Markup is taken apart as browsers do it ([`super::markup`]), and nothing is an error: an end that nobody began is
//! passed over, an element that nobody ends goes on to the end of what it stands in. Scripts and styles hold nothing. What a script would put
//! into the page is not seen. Work grows with the body alone: who is ended is looked for among open elements, of which there are
//! at most [`DEPTH_MAX`]; what is nested deeper stands beside the innermost one.

use std::borrow::Cow;

use serde_json_borrow::ObjectAsVec;

use super::markup::{Scanner, Tag, Token};
use super::room::{Room, bounded};
use super::{Parsed, Tree, entity};
use crate::element;

/// Deepest nesting, as for JSON.
const DEPTH_MAX: usize = 128;
/// Elements, attributes and texts that become part of one tree; rich pages have some ten thousand.
const VALUES_MAX: usize = 100_000;

/// Elements that hold nothing.
const EMPTY: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
/// Elements whose content is no markup.
const RAW: [&str; 2] = ["script", "style"];
/// Elements that end a paragraph by beginning.
const ENDS_PARAGRAPH: [&str; 16] = [
    "article",
    "blockquote",
    "div",
    "dl",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "header",
    "hr",
    "ol",
    "p",
    "section",
    "table",
    "ul",
];

/// The page below a nameless element.
pub(super) fn parse(text: &str) -> Result<Parsed<'_>, String> {
    let room = Room::new(VALUES_MAX);
    let mut builder =
        Builder { open: vec![Open::default()], room: &room, beyond_count: 0, has_elements: false };
    let mut scanner = Scanner::new(text);
    while let Some(token) = scanner.next() {
        match token {
            Token::Start(tag) => {
                let name = lower(tag.name);
                if RAW.contains(&&*name) && !tag.is_empty {
                    scanner.pass_raw(&name);
                } else {
                    builder.start(name, &tag);
                }
            }
            Token::End(name) => builder.end(&lower(name)),
            Token::Text(text) => builder.text(entity::decode(text)),
            Token::CData(text) => builder.text(Cow::Borrowed(text)),
        }
    }
    if !builder.has_elements {
        let start: String = text.trim_start().chars().take(40).collect();
        return Err(format!("the body is no page of HTML; it begins with `{}`", start.escape_debug()));
    }
    while builder.open.len() > 1 {
        builder.close();
    }
    let top = builder.open.pop().unwrap_or_default();
    Ok(Parsed::new(element::make(Cow::Borrowed(""), top.attributes, top.children), room.left_out()))
}

/// An element that has not ended.
#[derive(Default)]
struct Open<'a> {
    name: Cow<'a, str>,
    attributes: ObjectAsVec<'a>,
    children: Vec<Tree<'a>>,
}

struct Builder<'a, 'r> {
    /// From the page itself to the innermost; never empty.
    open: Vec<Open<'a>>,
    room: &'r Room,
    /// Elements that were begun and found no place, and have not ended.
    beyond_count: usize,
    has_elements: bool,
}

impl<'a> Builder<'a, '_> {
    fn start(&mut self, name: Cow<'a, str>, tag: &Tag<'a>) {
        self.has_elements = true;
        while self.open.len() > 1 && self.open.last().is_some_and(|open| is_ended_by(&open.name, &name)) {
            self.close();
        }
        let is_leaf = tag.is_empty || EMPTY.contains(&&*name);
        if self.room.is_full() || self.open.len() > DEPTH_MAX {
            if self.room.is_full() {
                self.room.leave_out();
            }
            self.beyond_count += usize::from(!is_leaf);
            return;
        }
        self.room.use_one();
        let mut attributes = ObjectAsVec::default();
        for (name, value) in tag.attributes() {
            if self.room.is_full() {
                break;
            }
            self.room.use_one();
            attributes.insert_unchecked_and_get_mut(name, Tree::Str(entity::decode(value)));
        }
        self.open.push(Open { name, attributes, children: Vec::new() });
        if is_leaf {
            self.close();
        }
    }

    fn end(&mut self, name: &str) {
        if self.beyond_count > 0 {
            self.beyond_count -= 1;
            return;
        }
        let Some(depth) = self.open.iter().skip(1).rposition(|open| open.name == name) else { return };
        while self.open.len() > depth + 1 {
            self.close();
        }
    }

    fn text(&mut self, text: Cow<'a, str>) {
        if text.is_empty() || self.room.is_full() {
            return;
        }
        self.room.use_one();
        let text = match text {
            Cow::Borrowed(text) => Cow::Borrowed(bounded(text)),
            Cow::Owned(text) => Cow::Owned(bounded(&text).to_owned()),
        };
        if let Some(open) = self.open.last_mut() {
            open.children.push(Tree::Str(text));
        }
    }

    /// Ends the innermost element.
    fn close(&mut self) {
        let Some(Open { name, attributes, children }) = self.open.pop() else { return };
        if let Some(outer) = self.open.last_mut() {
            outer.children.push(element::make(name, attributes, children));
        }
    }
}

/// Whether an element ends where another begins, as many do that nobody ends.
fn is_ended_by(open: &str, begun: &str) -> bool {
    match open {
        "p" => ENDS_PARAGRAPH.contains(&begun),
        "li" | "option" => open == begun,
        "dt" | "dd" => matches!(begun, "dt" | "dd"),
        "td" | "th" => matches!(begun, "td" | "th" | "tr"),
        "tr" => begun == "tr",
        _ => false,
    }
}

fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}
