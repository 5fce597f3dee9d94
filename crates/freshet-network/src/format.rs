//! Bodies: from bytes in any text encoding to one tree, whatever the format.
//!
//! Part of step 6 of 10. JSON stays as it is; XML and feeds become JSON trees, so that one
//! kind of mapping serves all; so does HTML, whose elements are found by selectors ([`crate::element`]). A tree borrows its texts from the body wherever it can: reading a
//! page is four times as fast as with owned values. What no mapping asks for is skipped
//! ([`skim`]). Where a key stands twice in an object, the
//! first counts. Never panics on outside data; the caller turns an error into a complaint. Depth
//! is bounded (128 levels, the limit of `serde_json`), and so is what becomes a tree ([`room`]): the memory that a
//! body takes does not grow with what somebody packs into it.

mod entity;
mod feed;
pub(crate) mod frame;
mod html;
mod markup;
mod page;
mod room;
mod skim;
mod text;
mod xml;

use std::borrow::Cow;
use std::cell::OnceCell;

use encoding_rs::Encoding;
use freshet_types::Response;
use freshet_types::definition::BodyFormat;
use serde::Deserialize as _;

pub(crate) use self::room::ITEMS_MAX;
pub(crate) use self::skim::Keys;
pub(crate) use crate::tree::Tree;

/// What was made of a body.
#[derive(Debug)]
pub(crate) struct Parsed<'a> {
    /// What it holds, as far as there is room.
    pub(crate) tree: Tree<'a>,
    /// Elements of lists that found none.
    pub(crate) left_out: usize,
    /// What is wrong with it as a whole.
    pub(crate) complaints: Vec<String>,
    /// It ends before its end: what follows is not known.
    pub(crate) is_cut: bool,
}

impl<'a> Parsed<'a> {
    /// A tree, and how many elements found no room in it.
    pub(crate) fn new(tree: Tree<'a>, left_out: usize) -> Self {
        Self { tree, left_out, complaints: Vec::new(), is_cut: false }
    }
}

/// A tree of its own, of a value that does not stay.
pub(crate) fn owned(value: serde_json::Value) -> Tree<'static> {
    Tree::deserialize(value).unwrap_or(Tree::Null)
}

/// A response whose text is decoded at most once, and lives as long as the trees that borrow from it.
#[derive(Debug)]
pub(crate) struct Text<'r> {
    response: &'r Response,
    declared: Option<&'static Encoding>,
    decoded: OnceCell<Cow<'r, str>>,
}

impl<'r> Text<'r> {
    pub(crate) fn new(response: &'r Response, declared: Option<&'static Encoding>) -> Self {
        Self { response, declared, decoded: OnceCell::new() }
    }

    /// The body, decoded.
    pub(crate) fn get(&self) -> &str {
        self.decoded.get_or_init(|| text::decode(self.declared, self.response))
    }
}

/// The body as a tree, or what is wrong with it; of JSON, what these keys lead to.
pub(crate) fn parse<'a>(
    format: BodyFormat,
    keys: &'a Keys,
    text: &'a Text<'_>,
) -> Result<Parsed<'a>, String> {
    match format {
        BodyFormat::Json => parse_json(keys, text),
        BodyFormat::Xml => xml::parse(text.get()),
        BodyFormat::Feed => feed::parse(text.get(), &text.response.url),
        BodyFormat::Html => html::parse(text.get()),
        BodyFormat::Page => page::parse(text.get(), text.response),
    }
}

fn parse_json<'a>(keys: &'a Keys, text: &'a Text<'_>) -> Result<Parsed<'a>, String> {
    // Nearly all bodies are UTF-8.
    if text.declared.is_none_or(|encoding| encoding == encoding_rs::UTF_8)
        && let Ok(text) = std::str::from_utf8(&text.response.body)
        && let Ok(parsed) = keys.read(text)
    {
        return Ok(parsed);
    }
    let text = text.get().trim_start_matches('\u{feff}');
    keys.read(text).map_err(|error| {
        let start: String = text.trim_start().chars().take(40).collect();
        if start.is_empty() {
            "the body is empty where JSON was promised".to_owned()
        } else {
            format!("the body is not JSON ({error}); it begins with `{}`", start.escape_debug())
        }
    })
}

#[cfg(test)]
mod tests;
