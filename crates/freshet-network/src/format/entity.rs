//! Entities: what `&amp;`, `&nbsp;` and `&#233;` stand for, and which characters no text has.
//!
//! Part of step 6 of 10. XML knows five names and feeds use those of HTML, so all of these are known. An `&` that begins no entity is
//! itself. Characters that XML forbids are left out: they come from broken programs and say nothing.

use std::borrow::Cow;

/// Longest name of an entity, without `&` and `;`: `CounterClockwiseContourIntegral`.
const ENTITY_BYTES_MAX: usize = 31;

/// A text with its entities resolved.
pub(super) fn decode(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('&') else { return clean(text) };
    let mut decoded = String::with_capacity(text.len());
    let (head, mut rest) = text.split_at(first);
    decoded.push_str(head);
    while let Some(after) = rest.strip_prefix('&') {
        let name_end = after.bytes().take(ENTITY_BYTES_MAX + 1).position(|byte| byte == b';');
        let meant = name_end.and_then(|end| Some((entity(&after[..end])?, end + 1)));
        rest = if let Some((meant, bytes)) = meant {
            decoded.push_str(&meant);
            &after[bytes..]
        } else {
            decoded.push('&');
            after
        };
        let next = rest.find('&').unwrap_or(rest.len());
        decoded.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    if decoded.contains(is_stray) { Cow::Owned(clean(&decoded).into_owned()) } else { Cow::Owned(decoded) }
}

/// What an entity stands for.
fn entity(name: &str) -> Option<Cow<'static, str>> {
    let Some(number) = name.strip_prefix('#') else {
        return quick_xml::escape::resolve_html5_entity(name).map(Cow::Borrowed);
    };
    let number = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    match number.ok()? {
        // As browsers do it: these are no characters, but many programs write Windows' numbers.
        number @ 0x80..=0x9f => {
            let byte = [u8::try_from(number).unwrap_or(b'?')];
            Some(Cow::Owned(encoding_rs::WINDOWS_1252.decode_without_bom_handling(&byte).0.into_owned()))
        }
        number => Some(char::from_u32(number).map_or(Cow::Borrowed(""), |c| Cow::Owned(c.to_string()))),
    }
}

/// A text without the characters that none has.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains(is_stray) { Cow::Owned(text.replace(is_stray, "")) } else { Cow::Borrowed(text) }
}

/// Whether a character is none of text, by the rules of XML.
fn is_stray(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_resolved_and_stray_characters_left_out() {
        for (text, expected) in [
            ("", ""),
            ("plain", "plain"),
            ("a &amp; b & c &lt;p&gt; &nbsp;&eacute;&#233;&#xE9;", "a & b & c <p> \u{a0}ééé"),
            ("&amp;nbsp;", "&nbsp;"),
            ("&unknown; &; &#; &#xzz; R&D;x", "&unknown; &; &#; &#xzz; R&D;x"),
            ("it&#146;s &#150; &#x80;", "it’s – €"),
            ("a\u{1}b&#0;&#x1f;&#xd800;&#99999999999;c", "ab&#99999999999;c"),
            ("&aé;&é", "&aé;&é"),
            ("tab\tand\nline", "tab\tand\nline"),
        ] {
            assert_eq!(decode(text), expected, "{text}");
        }
    }
}
