//! Bodies: from bytes in any text encoding to one tree, whatever the format.
//!
//! Part of step 6 of 10. JSON stays as it is; XML and feeds become JSON trees, so that one
//! kind of mapping serves all. Never panics on outside data; the caller turns an error into a
//! complaint. Depth is bounded (128 levels, the limit of `serde_json`).

mod feed;
mod text;
mod xml;

use encoding_rs::Encoding;
use freshet_types::Response;
use freshet_types::definition::BodyFormat;
use serde_json::Value;

pub(crate) use text::decode;

/// The body as a tree, or what is wrong with it.
pub(crate) fn parse(
    format: BodyFormat,
    declared: Option<&'static Encoding>,
    response: &Response,
) -> Result<Value, String> {
    match format {
        BodyFormat::Json => parse_json(declared, response),
        BodyFormat::Xml => xml::parse(&decode(declared, response)),
        BodyFormat::Feed => feed::parse(&decode(declared, response), &response.url),
    }
}

fn parse_json(declared: Option<&'static Encoding>, response: &Response) -> Result<Value, String> {
    // Nearly all bodies are UTF-8, and the parser checks that as it goes.
    if declared.is_none_or(|encoding| encoding == encoding_rs::UTF_8)
        && let Ok(value) = serde_json::from_slice(&response.body)
    {
        return Ok(value);
    }
    let text = decode(declared, response);
    serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
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
