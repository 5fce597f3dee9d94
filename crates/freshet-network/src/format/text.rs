//! Text encodings: which one a body is in, and its text.
//!
//! In this order: a byte order mark, what the definition declares, what `Content-Type` says,
//! valid UTF-8, what an XML declaration or zero bytes give away, and at last a guess from the
//! bytes. Who says an encoding that the bytes contradict is not believed: bytes that are UTF-8 with letters beyond ASCII are nothing else by
//! chance, and bytes that are none are not UTF-8, unless most of it is and some are broken. A wrong byte becomes the replacement character; text never fails.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use freshet_types::Response;

/// How much of a body an XML declaration may take.
const DECLARATION_BYTES_MAX: usize = 256;

/// The text of a body.
pub(crate) fn decode<'r>(declared: Option<&'static Encoding>, response: &'r Response) -> Cow<'r, str> {
    let body = response.body.as_slice();
    let encoding = match Encoding::for_bom(body) {
        Some((encoding, _)) => encoding,
        None => declared
            .or_else(|| charset(response).filter(|said| is_credible(said, body)))
            .unwrap_or_else(|| guess(body)),
    };
    encoding.decode(body).0
}

/// The encoding that `Content-Type` names.
fn charset(response: &Response) -> Option<&'static Encoding> {
    let content_type = response.header("content-type")?;
    let parameter = content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    })?;
    Encoding::for_label(parameter.trim().trim_matches(['"', '\'']).as_bytes())
}

/// Whether bytes can be in the encoding that somebody says.
fn is_credible(said: &'static Encoding, body: &[u8]) -> bool {
    // A text without zeros is not of two bytes a letter.
    if said == UTF_16BE || said == UTF_16LE {
        return body.contains(&0);
    }
    match std::str::from_utf8(body) {
        Ok(text) => said == UTF_8 || text.is_ascii(),
        Err(_) => said != UTF_8 || is_mostly_utf8(body),
    }
}

/// Whether bytes that are no valid UTF-8 are meant to be: some letters beyond ASCII are, as in a text that was cut.
fn is_mostly_utf8(body: &[u8]) -> bool {
    let chunks = || body.utf8_chunks();
    let wide: usize = chunks().map(|chunk| chunk.valid().chars().filter(|c| !c.is_ascii()).count()).sum();
    let broken = chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    wide >= broken
}

fn guess(body: &[u8]) -> &'static Encoding {
    match body {
        [0, second, ..] if *second != 0 => return UTF_16BE,
        [first, 0, ..] if *first != 0 => return UTF_16LE,
        _ => {}
    }
    if std::str::from_utf8(body).is_ok() {
        return UTF_8;
    }
    if let Some(encoding) = xml_declaration(body).filter(|said| is_credible(said, body)) {
        return encoding;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(body, true);
    detector.guess(None, Utf8Detection::Allow)
}

/// The encoding that `<?xml … encoding="…"?>` names.
fn xml_declaration(body: &[u8]) -> Option<&'static Encoding> {
    let head = &body[..body.len().min(DECLARATION_BYTES_MAX)];
    let head = String::from_utf8_lossy(head);
    let declaration = head.trim_start().strip_prefix("<?xml")?.split("?>").next()?.to_owned();
    let value = declaration.split("encoding").nth(1)?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    Encoding::for_label(value[1..].split(quote).next()?.as_bytes())
}
