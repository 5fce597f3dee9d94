//! Bodies: from bytes in any text encoding to one tree, whatever the format.
//!
//! Part of step 6 of 10. JSON stays as it is; XML and feeds become JSON trees, so that one
//! kind of mapping serves all. A tree borrows its texts from the body wherever it can: reading a
//! page is four times as fast as with owned values. What no mapping asks for is skipped
//! ([`skim`]). Where a key stands twice in an object, the
//! first counts. Never panics on outside data; the caller turns an error into a complaint. Depth
//! is bounded (128 levels, the limit of `serde_json`).

mod feed;
mod skim;
mod text;
mod xml;

use encoding_rs::Encoding;
use freshet_types::Response;
use freshet_types::definition::BodyFormat;
use serde::Deserialize as _;

pub(crate) use skim::Keys;
pub(crate) use text::decode;

/// A body as a tree that borrows from it.
pub(crate) type Tree<'a> = serde_json_borrow::Value<'a>;

/// A tree of its own, of a value that does not stay.
pub(crate) fn owned(value: serde_json::Value) -> Tree<'static> {
    Tree::deserialize(value).unwrap_or(Tree::Null)
}

/// The body as a tree, or what is wrong with it; of JSON, what these keys lead to.
pub(crate) fn parse<'r>(
    format: BodyFormat,
    declared: Option<&'static Encoding>,
    keys: &'r Keys,
    response: &'r Response,
) -> Result<Tree<'r>, String> {
    match format {
        BodyFormat::Json => parse_json(declared, keys, response),
        BodyFormat::Xml => xml::parse(&decode(declared, response)).map(owned),
        BodyFormat::Feed => feed::parse(&decode(declared, response), &response.url).map(owned),
    }
}

fn parse_json<'r>(
    declared: Option<&'static Encoding>,
    keys: &'r Keys,
    response: &'r Response,
) -> Result<Tree<'r>, String> {
    // Nearly all bodies are UTF-8.
    if declared.is_none_or(|encoding| encoding == encoding_rs::UTF_8)
        && let Ok(text) = std::str::from_utf8(&response.body)
        && let Ok(tree) = keys.read(text)
    {
        return Ok(tree);
    }
    let text = decode(declared, response);
    serde_json::from_str(text.trim_start_matches('\u{feff}')).map(owned).map_err(|error| {
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
