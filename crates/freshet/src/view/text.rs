//! Numbers, spans and texts of networks as one line of a terminal shows them.

use freshet_types::Span;

/// Characters after which an ampersand begins no entity.
const ENTITY_CHARS_MAX: usize = 10;

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// A span in whole seconds, without what is nought: `43s`, `5m`, `1h 30m`.
pub(crate) fn brief(span: Span) -> String {
    let secs = (span.ms() + 500).div_euclid(1000).max(0);
    if secs < 60 {
        return format!("{secs}s");
    }
    let shown = Span::from_secs(secs).to_string();
    for nought in [" 00s", " 00m", " 0h"] {
        if let Some(rest) = shown.strip_suffix(nought) {
            return rest.to_owned();
        }
    }
    shown
}

/// Text without tags and entities, for one line.
pub(crate) fn plain(html: &str) -> String {
    let (mut text, mut rest) = (String::new(), html);
    while let Some(at) = rest.find(['<', '&']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let (letters, length) = tag(rest).or_else(|| entity(rest)).unwrap_or_else(|| (rest[..1].into(), 1));
        text.push_str(&letters);
        rest = &rest[length..];
    }
    text + rest
}

/// What a tag at the start of a text leaves behind, and its length. `a < b` has none.
fn tag(text: &str) -> Option<(String, usize)> {
    let name = text.strip_prefix('<')?;
    let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
    let length = text.find('>').filter(|_| is_tag)? + 1;
    let name = name.trim_start_matches('/').to_ascii_lowercase();
    let is_break = |tag: &str| name.strip_prefix(tag).is_some_and(|it| it.starts_with(['>', '/', ' ']));
    let space = if ["br", "p", "div", "li"].into_iter().any(is_break) { " " } else { "" };
    Some((space.to_owned(), length))
}

/// The character that an entity at the start of a text stands for, and the entity's length.
fn entity(text: &str) -> Option<(String, usize)> {
    let end = text.char_indices().take(ENTITY_CHARS_MAX).find(|&(_, c)| c == ';')?.0;
    let name = text[..end].strip_prefix('&')?;
    let letter = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']);
            let code = hex.map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
            code.and_then(char::from_u32)?
        }
    };
    Some((letter.to_string(), end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_networks_become_lines() {
        for (html, expected) in [
            ("<p>Hello &amp; good</p>", " Hello & good "),
            ("one<br>two<br/>three", "one two three"),
            ("say &quot;new&quot; &#39;x&#x27;", "say \"new\" 'x'"),
            ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
            ("a < b & c > d", "a < b & c > d"),
            ("an &unknown; one, R&D", "an &unknown; one, R&D"),
            ("<a href=\"x\">link</a>", "link"),
            ("open <a", "open <a"),
            ("&#0;&#1114112;", "\0&#1114112;"),
            ("今日は<b>いい</b>", "今日はいい"),
        ] {
            assert_eq!(plain(html), expected, "{html}");
        }
    }

    #[test]
    fn spans_are_brief() {
        for (ms, expected) in [
            (0, "0s"),
            (42_700, "43s"),
            (59_900, "1m"),
            (300_000, "5m"),
            (93_000, "1m 33s"),
            (3_600_000, "1h"),
            (5_400_000, "1h 30m"),
            (10 * 86_400_000, "10d"),
            (-5, "0s"),
        ] {
            assert_eq!(brief(Span::from_ms(ms)), expected);
        }
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
