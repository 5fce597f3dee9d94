//! Plain text out of what networks give: tags and the common entities of HTML taken away.
//!
//! For the search index and its snippets only; the stored text stays as the network gave it.
//! This is no HTML parser: a `<` that opens no tag is kept, so plain text passes unharmed.

use std::borrow::Cow;

/// Tags that end a word; all others may stand inside one.
const BREAKING: [&str; 12] =
    ["p", "br", "div", "li", "ul", "ol", "tr", "td", "blockquote", "pre", "h1", "h2"];

const ENTITIES: [(&str, char); 7] = [
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&quot;", '"'),
    ("&#39;", '\''),
    ("&apos;", '\''),
    ("&nbsp;", ' '),
];

/// The text as people read it.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '&']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(length) = tag_length(rest) {
            if is_breaking(&rest[1..length - 1]) && !out.ends_with(' ') {
                out.push(' ');
            }
            rest = &rest[length..];
        } else if let Some((name, char)) = ENTITIES.iter().find(|(name, _)| rest.starts_with(name)) {
            out.push(*char);
            rest = &rest[name.len()..];
        } else {
            out.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Bytes of the tag that `text` begins with, if it begins with one.
fn tag_length(text: &str) -> Option<usize> {
    let mut chars = text.chars();
    let is_tag = chars.next() == Some('<')
        && chars.next().is_some_and(|next| next.is_ascii_alphabetic() || next == '/' || next == '!');
    if is_tag { text.find('>').map(|end| end + 1) } else { None }
}

fn is_breaking(inside: &str) -> bool {
    let name = inside.trim_start_matches('/');
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    BREAKING.iter().any(|breaking| breaking.eq_ignore_ascii_case(&name[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_goes_and_words_stay() {
        for (html, expected) in [
            ("plain", "plain"),
            ("a < b && c > d", "a < b && c > d"),
            ("<p>Hello <b>wor</b>ld</p><p>again</p>", " Hello world again "),
            ("one<br/>two", "one two"),
            ("fish &amp; chips &lt;3", "fish & chips <3"),
            ("<a href=\"https://x.org/\">link</a>", "link"),
            ("cut <a href=", "cut <a href="),
            ("&unknown; <é>", "&unknown; <é>"),
        ] {
            assert_eq!(plain(html), expected, "{html}");
        }
    }
}
