//! A page for people as a small tree: its title, its language, and the text that people read on it.
//!
//! ```text
//! {title, text, lang}
//! ```
//!
//! Scripts, styles, tags and attributes are left out, and so are menus and margins: where the page marks its main part (`main`,
//! `article`), that is its text; else all that stands outside of `nav`, `footer`, `aside` and the like; where a page marks so badly that
//! hardly anything is left, everything. Blocks become lines. A text needs no tree, so none is built: one pass over the bytes, in
//! time and memory that no markup can stretch (what mining forums needs of a tree is in `freshet-forum`). What is no text at
//! all (a picture, a document in a format of its own, an empty page) is an error that says so.

use std::borrow::Cow;

use freshet_types::Response;
use serde_json_borrow::ObjectAsVec;

use super::{Parsed, Tree};

/// Bytes of text kept of one page: far more than people read at once.
const TEXT_BYTES_MAX: usize = 256 << 10;
/// Bytes of a title.
const TITLE_BYTES_MAX: usize = 1 << 10;
/// Bytes that are searched for the zeros of binary data.
const SNIFF_BYTES: usize = 1 << 10;
/// Bytes of the longest entity that is known, `&#x10ffff;`.
const ENTITY_BYTES_MAX: usize = 10;
/// The main part counts if it holds at least one byte in so many of the rest.
const PART_SHARE: usize = 10;

/// Elements whose content is no text of the page.
const HIDDEN: [&str; 9] =
    ["script", "style", "noscript", "template", "svg", "math", "iframe", "object", "textarea"];
/// Elements around the text: menus, margins, things to press.
const MARGINS: [&str; 8] = ["nav", "footer", "aside", "menu", "button", "select", "dialog", "form"];
/// Elements that hold what the page is about.
const MAIN: [&str; 2] = ["main", "article"];
/// Elements that stand within a line.
const INLINE: [&str; 24] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "img", "ins", "kbd", "mark", "q", "s",
    "small", "span", "strong", "sub", "sup", "time", "u", "wbr",
];
/// Entities that people meet in texts; numbers are understood without a table, and others stay as they are written.
const ENTITIES: [(&str, &str); 22] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("bull", "•"),
    ("middot", "·"),
    ("copy", "©"),
    ("reg", "®"),
    ("times", "×"),
    ("euro", "€"),
    ("shy", ""),
];

/// The page, or why there is nothing to read.
pub(super) fn parse(text: &str, response: &Response) -> Result<Parsed<'static>, String> {
    let declared = response.header("content-type").unwrap_or_default();
    let declared = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let has_zeros = response.body.iter().take(SNIFF_BYTES).any(|&byte| byte == 0);
    let is_wide = matches!(response.body.as_slice(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    if is_binary(&declared) || (has_zeros && !is_wide) {
        let kind = if declared.is_empty() { "binary data" } else { &declared };
        return Err(format!("the answer is `{}`, which is no page of text", kind.escape_debug()));
    }
    let page = if is_markup(&declared, text) { Scanner::read(text) } else { Scanner::plain(text) };
    let (text, left_out) = page.main();
    if text.is_empty() {
        return Err("the page shows no text; what a script would put there is not seen".to_owned());
    }
    let mut values = vec![("text", text)];
    values.extend(page.title.filter(|title| !title.is_empty()).map(|title| ("title", title)));
    values.extend(page.lang.map(|lang| ("lang", lang)));
    let values = values.into_iter().map(|(key, value)| (key, Tree::Str(Cow::Owned(value))));
    Ok(Parsed::new(Tree::Object(values.collect::<ObjectAsVec<'_>>()), left_out))
}

/// Whether a declared type says that there is no text.
fn is_binary(declared: &str) -> bool {
    let (class, kind) = declared.split_once('/').unwrap_or((declared, ""));
    match class {
        "image" => kind != "svg+xml",
        "audio" | "video" | "font" | "model" => true,
        "application" => {
            !["xml", "json", "javascript", "yaml", "toml"].iter().any(|text| kind.ends_with(text))
        }
        _ => false,
    }
}

/// Whether a text is markup: it is said to be, or begins like it where nothing is said.
fn is_markup(declared: &str, text: &str) -> bool {
    let is_said = declared.ends_with("html") || declared.ends_with("xml");
    is_said || (declared.is_empty() && text.trim_start().starts_with('<'))
}

/// Words in lines, no more than fit.
#[derive(Debug, Default)]
struct Lines {
    text: String,
    /// The next word begins a line.
    is_broken: bool,
    /// The next word is apart from the one before.
    is_apart: bool,
    left_out: usize,
}

impl Lines {
    fn push(&mut self, text: &str) {
        for (at, word) in text.split(char::is_whitespace).enumerate() {
            self.is_apart |= at > 0;
            if word.is_empty() {
                continue;
            }
            if self.text.len() + word.len() >= TEXT_BYTES_MAX {
                self.left_out += 1;
                continue;
            }
            match (self.text.is_empty(), self.is_broken, self.is_apart) {
                (true, ..) | (_, false, false) => {}
                (_, true, _) => self.text.push('\n'),
                (_, false, true) => self.text.push(' '),
            }
            self.text.push_str(word);
            (self.is_broken, self.is_apart) = (false, false);
        }
    }
}

/// What a pass over a page has found.
#[derive(Debug, Default)]
struct Scanner {
    title: Option<String>,
    lang: Option<String>,
    /// All that is shown.
    all: Lines,
    /// Outside of margins.
    body: Lines,
    /// Within the main part, outside of margins.
    main: Lines,
    margin_depth: usize,
    main_depth: usize,
}

impl Scanner {
    /// A text without markup.
    fn plain(text: &str) -> Self {
        let mut scanner = Self::default();
        for line in text.lines() {
            scanner.all.push(line);
            scanner.all.is_broken = true;
        }
        scanner
    }

    fn read(text: &str) -> Self {
        let mut scanner = Self::default();
        let mut rest = text;
        while !rest.is_empty() {
            let (before, tag) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            scanner.push(before);
            rest = scanner.tag(tag);
        }
        scanner
    }

    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = decoded(text);
        self.all.push(&text);
        if self.margin_depth == 0 {
            self.body.push(&text);
            if self.main_depth > 0 {
                self.main.push(&text);
            }
        }
    }

    fn break_line(&mut self) {
        for lines in [&mut self.all, &mut self.body, &mut self.main] {
            lines.is_broken = true;
        }
    }

    /// Takes in what begins with `<`; gives what follows upon it.
    fn tag<'t>(&mut self, text: &'t str) -> &'t str {
        let Some(after) = text.strip_prefix('<') else { return text };
        if let Some(comment) = after.strip_prefix("!--") {
            return past(comment, "-->");
        }
        let is_end = after.starts_with('/');
        let named = after.strip_prefix('/').unwrap_or(after);
        let length =
            named.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == ':')).unwrap_or(named.len());
        let (name, attributes) = named.split_at(length);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            if after.starts_with(['!', '?', '/']) {
                return past(after, ">");
            }
            // `a < b` and `<3` are words.
            self.push("<");
            return after;
        }
        let name = name.to_ascii_lowercase();
        let end = tag_end(attributes);
        let rest = &attributes[end..];
        if name == "html" && !is_end {
            self.lang = lang(&attributes[..end]);
        }
        if !INLINE.contains(&&*name) {
            self.break_line();
        }
        if is_end {
            self.close(&name);
            return rest;
        }
        if name == "title" && self.title.is_none() {
            let (title, after) = until_closed(rest, &name);
            let mut lines = Lines::default();
            lines.push(&decoded(title));
            lines.text.truncate(lines.text.floor_char_boundary(TITLE_BYTES_MAX));
            self.title = Some(lines.text);
            return after;
        }
        let is_empty = attributes[..end].ends_with("/>");
        if HIDDEN.contains(&&*name) && !is_empty {
            return until_closed(rest, &name).1;
        }
        self.margin_depth += usize::from(MARGINS.contains(&&*name));
        self.main_depth += usize::from(MAIN.contains(&&*name));
        rest
    }

    fn close(&mut self, name: &str) {
        if MARGINS.contains(&name) {
            self.margin_depth = self.margin_depth.saturating_sub(1);
        } else if MAIN.contains(&name) {
            self.main_depth = self.main_depth.saturating_sub(1);
        }
    }

    /// The text that counts, and how many words of it found no room.
    fn main(&self) -> (String, usize) {
        let is_part = |part: &Lines, whole: &Lines| {
            !part.text.is_empty() && part.text.len() >= whole.text.len() / PART_SHARE
        };
        let lines = match () {
            () if is_part(&self.main, &self.body) => &self.main,
            () if is_part(&self.body, &self.all) => &self.body,
            () => &self.all,
        };
        (lines.text.clone(), lines.left_out)
    }
}

/// What follows upon the next `mark`; nothing where there is none.
fn past<'t>(text: &'t str, mark: &str) -> &'t str {
    text.find(mark).map_or("", |at| &text[at + mark.len()..])
}

/// Where a tag ends, its `>` included; quotes hide one.
fn tag_end(attributes: &str) -> usize {
    let mut quote = None;
    let mut before = b' ';
    for (at, byte) in attributes.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            // A quote begins a value, and stands for itself within a name.
            (None, b'"' | b'\'') if before == b'=' => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    // A quote that is never closed hides the rest of the page: then it is none.
    attributes.find('>').map_or(attributes.len(), |at| at + 1)
}

/// What stands before the tag that closes `name`, and what follows it.
fn until_closed<'t>(text: &'t str, name: &str) -> (&'t str, &'t str) {
    let mut from = 0;
    while let Some(at) = text[from..].find("</").map(|at| from + at) {
        let named = &text[at + 2..];
        let is_name = named.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
        if is_name && !named[name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return (&text[..at], past(named, ">"));
        }
        from = at + 2;
    }
    (text, "")
}

/// The language that a tag declares.
fn lang(attributes: &str) -> Option<String> {
    let value = attributes.split_once(" lang=")?.1.trim_start_matches(['"', '\'']);
    let lang: String =
        value.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').take(35).collect();
    (!lang.is_empty()).then_some(lang)
}

/// A text with its entities as what they stand for.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let end = after.as_bytes().iter().take(ENTITY_BYTES_MAX).position(|&byte| byte == b';');
        if let Some((value, end)) = end.and_then(|end| Some((entity(&after[..end])?, end))) {
            plain.push_str(&value);
            rest = &after[end + 1..];
        } else {
            plain.push('&');
            rest = after;
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

fn entity(name: &str) -> Option<Cow<'static, str>> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        let c = char::from_u32(code).filter(|c| !c.is_control() || c.is_whitespace())?;
        return Some(Cow::Owned(c.to_string()));
    }
    ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, value)| Cow::Borrowed(*value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn response(headers: Vec<(String, String)>, body: &[u8]) -> Response {
        let (url, received_at) = ("https://a.example/".to_owned(), freshet_types::Timestamp::MIN);
        Response { status: 200, headers, body: body.to_vec(), url, received_at }
    }

    fn read(content_type: &str, body: &[u8]) -> Result<Value, String> {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        let response = response(headers, body);
        parse(&String::from_utf8_lossy(body), &response).map(|parsed| Value::from(parsed.tree))
    }

    fn check(html: &str, expected: &str) {
        let page = read("text/html; charset=utf-8", html.as_bytes()).unwrap();
        assert_eq!(page["text"], expected, "{html}");
    }

    #[test]
    fn what_people_read_is_the_text() {
        check("<p>One <b>two</b>three</p><p>four", "One twothree\nfour");
        check("<script>var a = '<p>no</p>';</script>yes<style>p {}</style>", "yes");
        check("<SCRIPT>no</SCRIPT >yes", "yes");
        check("<!-- <p>no</p> -->yes<!doctype html><?php no ?>", "yes");
        check("<p title='a > b' data-x=\"<p>\">yes</p>", "yes");
        check(
            "a < b and 1 <3 &amp; &lt;p&gt; &#228;&#xe4; &unknown; AT&T",
            "a < b and 1 <3 & <p> ää &unknown; AT&T",
        );
        check("<nav>menu</nav><p>the text of the page</p><footer>imprint</footer>", "the text of the page");
        check("<p>head of the page</p><main>main <aside>note</aside>part</main>tail", "main\npart");
        check(
            "<nav>this page never closes its menu <p>and all of it is text",
            "this page never closes its menu\nand all of it is text",
        );
        check("<p a='never closed>yes</p><p>more</p>", "yes\nmore");
        check("<br/>one<br>two<hr/>three<svg/>four", "one\ntwo\nthree\nfour");
    }

    #[test]
    fn title_and_language_are_kept_apart() {
        let page =
            read("text/html", b"<html class='a' lang=\"de-AT\"><title> A &amp;\n B </title><p>c").unwrap();
        assert_eq!(page, serde_json::json!({"text": "c", "title": "A & B", "lang": "de-AT"}));
        let plain = read("text/plain", b"one <b>two\n\nthree").unwrap();
        assert_eq!(plain["text"], "one <b>two\nthree");
    }

    #[test]
    fn what_is_no_text_is_said_so() {
        for (content_type, body, expected) in [
            ("image/png", &b"\x89PNG"[..], "the answer is `image/png`"),
            ("application/pdf", b"%PDF-1.7", "the answer is `application/pdf`"),
            ("", b"ab\0\0cd", "binary data"),
            ("text/html", b"ab\0\0cd", "`text/html`, which is no page of text"),
            ("text/html", b"", "shows no text"),
            ("text/html", b"<html><body><script>draw()</script></body>", "shows no text"),
            ("text/html", b"<!-- <p>never closed", "shows no text"),
        ] {
            let error = read(content_type, body).unwrap_err();
            assert!(error.contains(expected), "{content_type}: {error}");
        }
    }

    #[test]
    fn hostile_pages_are_read_in_one_pass_and_cut() {
        let long = "word ".repeat(200_000);
        let parsed = parse(&long, &response(Vec::new(), long.as_bytes())).unwrap();
        assert!(parsed.left_out > 100_000);
        for piece in ["<a ", "<a b='", "</", "<!--", "<script>", "&#", "<nav>", "</script", "<p a=\"b>"] {
            let _ = read("text/html", piece.repeat(100_000).as_bytes());
        }
    }
}
