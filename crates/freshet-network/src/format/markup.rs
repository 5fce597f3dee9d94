//! Markup taken apart the way browsers do it: tags, texts and CDATA, and nothing is an error.
//!
//! Part of step 6 of 10. Published feeds are often no XML: an `&` or a `<` that is a letter, tags that nobody closes, an end that never
//! comes. A parser of XML stops at the first of these and gives nothing. Here a `<` that begins no tag is text, and whether
//! elements match is the caller's business. Nothing is decoded and nothing copied: tokens are slices.
//!
//! Work grows with the text and not with what stands in it: a tag ends before the next `<` at the latest, and what was looked for once and
//! is not there ([`Scanner::find`]) is not looked for again.

use std::borrow::Cow;

use super::entity;

/// A piece of markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `<name …>`, or `<name …/>`, which holds nothing.
    Start(Tag<'a>),
    End(&'a str),
    /// As written, with its entities.
    Text(&'a str),
    /// What stands between `<![CDATA[` and `]]>`.
    CData(&'a str),
}

/// The beginning of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// With its prefix.
    pub(super) name: &'a str,
    /// All attributes, as written.
    pub(super) attributes: &'a str,
    /// It ends where it begins.
    pub(super) is_empty: bool,
}

impl<'a> Tag<'a> {
    /// The value of an attribute, decoded; an empty one is none.
    pub(super) fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        let found = Attributes(self.attributes).find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| entity::decode(value.trim())).filter(|value| !value.is_empty())
    }

    /// All attributes, their values as written.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        Attributes(self.attributes)
    }
}

/// Goes through a text, token by token.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Ends that do not stand anywhere behind.
    absent: Vec<&'static str>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, absent: Vec::new() }
    }

    /// What an element holds that was just begun, up to its end. An element that nobody ends goes on to the end of what it stands in:
    /// to one of the tags that `bounds` knows and that was not begun inside.
    pub(super) fn inside(&mut self, name: &str, bounds: impl Fn(&str) -> bool) -> &'a str {
        let (start, mut depth, mut bound_depth) = (self.at, 0, 0);
        loop {
            let before = self.at;
            match self.next() {
                None => return &self.text[start..],
                Some(Token::Start(tag)) if !tag.is_empty => {
                    depth += usize::from(tag.name.eq_ignore_ascii_case(name));
                    bound_depth += usize::from(bounds(tag.name));
                }
                Some(Token::End(ended)) => {
                    let is_own = ended.eq_ignore_ascii_case(name);
                    if is_own && depth == 0 {
                        return &self.text[start..before];
                    }
                    if bounds(ended) && bound_depth == 0 {
                        self.at = before;
                        return &self.text[start..before];
                    }
                    depth -= usize::from(is_own);
                    bound_depth -= usize::from(bounds(ended));
                }
                Some(_) => {}
            }
        }
    }

    /// Passes over what an element holds that was just begun and whose content is no markup, its end included.
    pub(super) fn pass_raw(&mut self, name: &str) {
        let mut from = self.at;
        while let Some(at) = self.text[from..].find("</").map(|at| from + at + 2) {
            let ended = self.text.get(at..at + name.len());
            if ended.is_some_and(|ended| ended.eq_ignore_ascii_case(name)) {
                self.at = self.text[at..].find('>').map_or(self.text.len(), |end| at + end + 1);
                return;
            }
            from = at;
        }
        self.at = self.text.len();
    }

    /// Where this stands next, counted from here.
    fn find(&mut self, wanted: &'static str) -> Option<usize> {
        if self.absent.contains(&wanted) {
            return None;
        }
        let found = self.rest().find(wanted);
        if found.is_none() {
            self.absent.push(wanted);
        }
        found
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next bytes; the place moves behind them.
    fn read_bytes(&mut self, bytes: usize) -> &'a str {
        let taken = &self.rest()[..bytes];
        self.at += bytes;
        taken
    }

    /// Passes over a comment, a declaration or an instruction; `false` where the text ends in it.
    fn pass_over(&mut self) -> bool {
        let rest = self.rest();
        let end = if rest.starts_with("<!--") {
            self.find("-->").map(|at| at + 3)
        } else if rest.starts_with("<?") {
            self.find("?>").map(|at| at + 2).or_else(|| self.find(">").map(|at| at + 1))
        } else {
            // Declarations of entities stand in brackets; they are not heeded.
            let close = self.find(">");
            let has_brackets = close.is_some_and(|close| rest[..close].contains('['));
            let bracket = if has_brackets { self.find("]").unwrap_or(0) } else { 0 };
            rest[bracket..].find('>').map(|at| bracket + at + 1)
        };
        match end {
            Some(end) => self.at += end,
            None => self.at = self.text.len(),
        }
        end.is_some()
    }

    /// The tag that begins here, if it is one.
    fn tag(&mut self) -> Option<Token<'a>> {
        let rest = self.rest();
        let is_end = rest.as_bytes().get(1) == Some(&b'/');
        let from = 1 + usize::from(is_end);
        if !rest[from..].starts_with(|first: char| first.is_alphabetic() || first == '_') {
            return None;
        }
        let end = from + tag_end(&rest[from..])?;
        let body = &rest[from..end];
        self.at += end + 1;
        let (body, is_empty) = body.strip_suffix('/').map_or((body, false), |body| (body, true));
        let name_end = body.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(body.len());
        let (name, attributes) = body.split_at(name_end);
        Some(if is_end { Token::End(name) } else { Token::Start(Tag { name, attributes, is_empty }) })
    }
}

impl<'a> Iterator for Scanner<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            if rest.starts_with("<![CDATA[") {
                self.at += "<![CDATA[".len();
                let end = self.find("]]>");
                let held = self.read_bytes(end.unwrap_or(self.rest().len()));
                self.at = (self.at + "]]>".len()).min(self.text.len());
                return Some(Token::CData(held));
            }
            if rest.starts_with("<!") || rest.starts_with("<?") {
                if self.pass_over() {
                    continue;
                }
                return None;
            }
            if rest.starts_with('<')
                && let Some(token) = self.tag()
            {
                return Some(token);
            }
            // A `<` that begins no tag is a letter like others.
            let first = rest.chars().next().map_or(1, char::len_utf8);
            let end = rest[first..].find('<').map_or(rest.len(), |at| first + at);
            return Some(Token::Text(self.read_bytes(end)));
        }
    }
}

/// Where a tag ends: at the first `>` outside of quotes, or at the first at all where quotes do not match; before the next `<`.
fn tag_end(body: &str) -> Option<usize> {
    let (mut quote, mut first, mut before) = (None, None, b' ');
    for (at, &byte) in body.as_bytes().iter().enumerate() {
        match byte {
            b'<' => break,
            b'>' if quote.is_none() => return Some(at),
            b'>' => first = first.or(Some(at)),
            b'"' | b'\'' if quote == Some(byte) => quote = None,
            // An apostrophe that follows no `=` begins no value.
            b'"' | b'\'' if quote.is_none() && before == b'=' => quote = Some(byte),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    first
}

/// Names and values in a tag; quotes may be missing.
struct Attributes<'a>(&'a str);

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let rest =
            self.0.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '='));
        if rest.is_empty() {
            return None;
        }
        let name_end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
        let (name, rest) = rest.split_at(name_end);
        let Some(value) = rest.trim_start().strip_prefix('=').map(str::trim_start) else {
            self.0 = rest;
            return Some((name, ""));
        };
        let quoted = value.strip_prefix('"').map(|inner| (inner, '"'));
        let quoted = quoted.or_else(|| value.strip_prefix('\'').map(|inner| (inner, '\'')));
        let (value, rest) = match quoted {
            Some((inner, quote)) => inner.split_once(quote).unwrap_or((inner, "")),
            None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        self.0 = rest;
        Some((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a text, each in a short form.
    fn check(text: &str, expected: &[&str]) {
        let shown = Scanner::new(text).map(|token| match token {
            Token::Start(Tag { name, is_empty, .. }) => {
                format!("<{name}{}>", if is_empty { "/" } else { "" })
            }
            Token::End(name) => format!("</{name}>"),
            Token::Text(text) => text.to_owned(),
            Token::CData(text) => format!("[{text}]"),
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn whatever_stands_there_is_taken_apart() {
        check("<a>x</a >", &["<a>", "x", "</a>"]);
        check("<a:b c='>'/>é", &["<a:b/>", "é"]);
        check("é<a>", &["é", "<a>"]);
        check("1 < 2 <3 & <b>", &["1 ", "< 2 ", "<3 & ", "<b>"]);
        check("<p it's a lion's tail>x", &["<p>", "x"]);
        check("<p a=\"unclosed>x</p>", &["<p>", "x", "</p>"]);
        check("<p a='x<b>", &["<p a='x", "<b>"]);
        check("<![CDATA[<a> & ]]>x<![CDATA[open", &["[<a> & ]", "x", "[open]"]);
        check("<!-- <a> --><?xml version='1.0'?><!DOCTYPE x [<!ENTITY a \"b>\">]><b>", &["<b>"]);
        check("<!DOCTYPE rss><rss>", &["<rss>"]);
        check("<?php broken><b>", &["<b>"]);
        check("a<!-- open <b>", &["a"]);
        check("</>< /a><", &["</>", "< /a>", "<"]);
        check("", &[]);
    }

    #[test]
    fn attributes_are_found_however_they_are_written() {
        let Some(Token::Start(tag)) =
            Scanner::new("<link rel = 'x' HREF=\"a&amp;b?c=1&d\" title=no empty='' checked lone/>").next()
        else {
            panic!("it is a tag")
        };
        for (name, expected) in [
            ("rel", Some("x")),
            ("href", Some("a&b?c=1&d")),
            ("title", Some("no")),
            ("empty", None),
            ("checked", None),
            ("absent", None),
        ] {
            assert_eq!(tag.attribute(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn what_an_element_holds_ends_with_it_or_with_what_it_stands_in() {
        for (text, expected, rest) in [
            ("x<br>y</c>z", "x<br>y", "z"),
            ("<c>x</c>y</c>z", "<c>x</c>y", "z"),
            ("x<img></item>z", "x<img>", "</item>z"),
            ("<item>x</item></c>z", "<item>x</item>", "z"),
            ("<![CDATA[</c>]]></c>z", "<![CDATA[</c>]]>", "z"),
            ("never ends", "never ends", ""),
        ] {
            let mut scanner = Scanner::new(text);
            assert_eq!(scanner.inside("c", |name| name == "item"), expected, "{text}");
            assert_eq!(scanner.rest(), rest, "{text}");
        }
    }
}
