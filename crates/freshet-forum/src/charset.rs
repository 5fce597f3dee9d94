//! Step 6 of 10, read: the bytes of a page in UTF-8, whatever they came in.
//!
//! What is UTF-8 stays as it is; else a byte order mark, the server's word, or the look of the text decides. Nothing is
//! refused: bytes that mean nothing become the replacement character.

use std::borrow::Cow;

use encoding_rs::Encoding;

/// The page in UTF-8; `content_type` is the server's header, where there is one.
pub fn utf8<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Cow<'a, [u8]> {
    let is_utf8 = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        // A page that was cut in the middle of a character.
        Err(error) => error.error_len().is_none() && error.valid_up_to() + 4 > bytes.len(),
    };
    if is_utf8 {
        return Cow::Borrowed(bytes);
    }
    let named = content_type
        .and_then(|it| it.to_ascii_lowercase().split_once("charset=").map(|(_, name)| name.to_owned()))
        .and_then(|name| Encoding::for_label(name.trim_matches(['"', '\'', ' ', ';']).as_bytes()))
        .filter(|it| *it != encoding_rs::UTF_8);
    let guessed = || {
        let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
        detector.feed(bytes, true);
        detector.guess(None, chardetng::Utf8Detection::Deny)
    };
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let encoding = marked.or(named).unwrap_or_else(guessed);
    Cow::Owned(encoding.decode(bytes).0.into_owned().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read_in_their_own_charset() {
        let check = |bytes: &[u8], header: Option<&str>, expected: &str| {
            assert_eq!(String::from_utf8_lossy(&utf8(bytes, header)), expected);
        };
        check("héllo 日本語".as_bytes(), None, "héllo 日本語");
        check(b"h\xe9llo", Some("text/html; charset=ISO-8859-1"), "héllo");
        check(
            b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0",
            Some("text/html; charset=windows-1251"),
            "Привет, мир",
        );
        check(b"\xff\xfeh\x00i\x00", None, "hi");
    }
}
