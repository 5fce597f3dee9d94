//! What stands in an element of a feed, as a text: entities resolved, markup kept.
//!
//! Part of step 6 of 10. Where an element holds text and CDATA only, these are decoded once: what a feed says in `&lt;p&gt;` is the `<p>` of a
//! page. Where it holds tags (Atom's `xhtml`, and descriptions whose author forgot to escape them), it is markup already and stays
//! as written.

use std::borrow::Cow;

use crate::format::entity::{clean, decode};
use crate::format::markup::{Scanner, Token};

/// The text of what an element holds; `None` where there is none.
pub(super) fn text(inside: &str) -> Option<Cow<'_, str>> {
    let inside = inside.trim();
    let text = if inside.contains('<') { mixed(inside) } else { decode(inside) };
    some(text)
}

/// The same of Atom's `xhtml`, whose one `div` is a wrapper and no part of the text.
pub(super) fn xhtml(inside: &str) -> Option<Cow<'_, str>> {
    let inside = inside.trim();
    let mut tokens = Scanner::new(inside);
    let Some(Token::Start(tag)) = tokens.next() else { return text(inside) };
    let local = tag.name.rsplit(':').next().unwrap_or_default();
    if tag.is_empty || !local.eq_ignore_ascii_case("div") {
        return text(inside);
    }
    let held = tokens.inside(tag.name, |_| false);
    // A second element beside it: then it is no wrapper.
    if tokens.next().is_some() { text(inside) } else { some(clean(held.trim())) }
}

/// Text and CDATA, or markup.
fn mixed(inside: &str) -> Cow<'_, str> {
    let mut tokens = Scanner::new(inside);
    if let (Some(Token::CData(held)), None) = (tokens.next(), tokens.next()) {
        return clean(held.trim());
    }
    let is_markup = Scanner::new(inside).any(|token| matches!(token, Token::Start(_) | Token::End(_)));
    if is_markup && !inside.contains("<![CDATA[") {
        return clean(inside);
    }
    let mut text = String::with_capacity(inside.len());
    for token in Scanner::new(inside) {
        match token {
            Token::Text(piece) if is_markup => text.push_str(piece),
            Token::Text(piece) => text.push_str(&decode(piece)),
            Token::CData(piece) => text.push_str(&clean(piece)),
            Token::Start(tag) => {
                let end = if tag.is_empty { "/>" } else { ">" };
                text.extend(["<", tag.name, tag.attributes, end]);
            }
            Token::End(name) => text.extend(["</", name, ">"]),
        }
    }
    Cow::Owned(text)
}

fn some(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    if text.trim().is_empty() {
        return None;
    }
    Some(match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) if text.trim().len() == text.len() => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(inside: &str, expected: &str) {
        assert_eq!(text(inside).as_deref().unwrap_or("none"), expected, "{inside}");
    }

    #[test]
    fn texts_are_read_as_they_are_meant() {
        check(" plain ", "plain");
        check("a &amp; b & c &lt;p&gt;", "a & b & c <p>");
        check("<p>a\u{1}b</p>", "<p>ab</p>");
        check("<![CDATA[ <p>a &amp; b</p> ]]>", "<p>a &amp; b</p>");
        check("x <![CDATA[<b>]]> &amp; y", "x <b> & y");
        check("<p>a &amp; b<br>c</p>", "<p>a &amp; b<br>c</p>");
        check("1 < 2 &amp; 3", "1 < 2 & 3");
        check("<p class='a'><![CDATA[b]]><br/></p>", "<p class='a'>b<br/></p>");
        check(" \n ", "none");
        check("<![CDATA[]]>", "none");
    }

    #[test]
    fn the_wrapper_of_xhtml_is_no_text() {
        for (inside, expected) in [
            (
                " <div xmlns='http://www.w3.org/1999/xhtml'><p>a<img src='x'>b</p></div> ",
                "<p>a<img src='x'>b</p>",
            ),
            ("<xhtml:div>a<br>b</xhtml:div>", "a<br>b"),
            ("<div>a</div><div>b</div>", "<div>a</div><div>b</div>"),
            ("<p>a</p>", "<p>a</p>"),
            ("just text &amp; more", "just text & more"),
            ("<div/>", "<div/>"),
        ] {
            assert_eq!(xhtml(inside).as_deref(), Some(expected), "{inside}");
        }
    }
}
