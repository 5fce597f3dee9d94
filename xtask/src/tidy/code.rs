//! Rust text as tokens, for the rules that must not be fooled by comments, strings and tests.
//!
//! This is a lexer and no parser: it knows where a word, a string or a comment begins and ends, and nothing of
//! grammar. The rules above it look for short sequences of tokens. Comments are dropped; strings keep what they hold.

mod tests_cut;

pub(super) use tests_cut::{after_visibility, production};

/// What a token is, as far as any rule asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A string of any sort, without its quotes.
    Text,
    /// A number, a character or a lifetime: no rule looks inside.
    Other,
    /// One sign, or one of `::`, `->`, `=>`.
    Sign,
}

/// One token and the line where it begins, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) line: usize,
}

impl Token<'_> {
    /// Is this the sign `sign`?
    pub(super) fn is_sign(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }

    /// Is this the word `word`?
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }
}

/// All tokens of the text, in order.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { text, at: 0, line: 1 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next_token() {
        tokens.push(token);
    }
    tokens
}

/// The place after the bracket that closes the one at `open`, or the end.
pub(super) fn after_group(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.kind != Kind::Sign {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Lexer<'a> {
    fn next_token(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = &self.text[self.at..];
            let first = rest.chars().next()?;
            if first.is_whitespace() {
                self.advance(first.len_utf8());
            } else if rest.starts_with("//") {
                self.advance(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                self.advance(block_comment(rest));
            } else {
                return Some(self.token(rest, first));
            }
        }
    }

    fn token(&mut self, rest: &'a str, first: char) -> Token<'a> {
        let line = self.line;
        let (kind, before, length, after) = shape(rest, first);
        self.advance(before + length + after);
        Token { kind, text: &rest[before..before + length], line }
    }

    fn advance(&mut self, bytes: usize) {
        self.line += self.text[self.at..self.at + bytes].matches('\n').count();
        self.at += bytes;
    }
}

/// Kind of the token that begins here, and the bytes of what stands before, in and after its text.
fn shape(rest: &str, first: char) -> (Kind, usize, usize, usize) {
    if let Some((before, length, after)) = string(rest) {
        return (Kind::Text, before, length, after);
    }
    if first == '\'' {
        return (Kind::Other, 0, quote(rest), 0);
    }
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    if is_part(first) {
        let length = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
        let kind = if first.is_ascii_digit() { Kind::Other } else { Kind::Word };
        return (kind, 0, length, 0);
    }
    let is_double = ["::", "->", "=>"].iter().any(|sign| rest.starts_with(sign));
    (Kind::Sign, 0, if is_double { 2 } else { first.len_utf8() }, 0)
}

/// A string literal: bytes before, in and after what it holds.
fn string(rest: &str) -> Option<(usize, usize, usize)> {
    let prefix = ["br", "cr", "b", "c", "r"].into_iter().find(|prefix| {
        rest.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('"') || rest.starts_with('#'))
    });
    let prefix = prefix.unwrap_or_default();
    let body = &rest[prefix.len()..];
    if !prefix.contains('r') {
        let inside = body.strip_prefix('"')?;
        let mut escaped = false;
        let end = inside.char_indices().find(|(_, char)| {
            let is_end = *char == '"' && !escaped;
            escaped = *char == '\\' && !escaped;
            is_end
        });
        let length = end.map_or(inside.len(), |(at, _)| at);
        return Some((prefix.len() + 1, length, usize::from(end.is_some())));
    }
    let hashes = body.chars().take_while(|char| *char == '#').count();
    let inside = body[hashes..].strip_prefix('"')?;
    let closing = format!("\"{}", "#".repeat(hashes));
    let end = inside.find(&closing);
    Some((prefix.len() + hashes + 1, end.unwrap_or(inside.len()), end.map_or(0, |_| closing.len())))
}

/// Length of a character literal or a lifetime.
fn quote(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            let close = rest[3.min(rest.len())..].find('\'');
            close.map_or(rest.len(), |at| at + 4)
        }
        Some(_) if chars.next().is_some_and(|(_, char)| char == '\'') => {
            rest.char_indices().nth(3).map_or(rest.len(), |(at, _)| at)
        }
        _ => {
            let name = &rest[1..];
            1 + name.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(name.len())
        }
    }
}

/// Length of a block comment; they nest.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found: Vec<&str> = tokens(text).iter().map(|token| token.text).collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn comments_strings_and_quotes_end_where_they_end() {
        for (text, expected) in [
            ("a::b(c) -> d // e\nf", "a :: b ( c ) -> d f"),
            ("a /* b /* c */ d */ e", "a e"),
            (r#"x("a \" // b", y)"#, r#"x ( a \" // b , y )"#),
            ("r#\"say \"so\"\"# z", "say \"so\" z"),
            ("b\"ab\" br\"cd\" x", "ab cd x"),
            ("fn f<'a>(x: &'a str) { '\\'' '\"' '{' }", "fn f < 'a > ( x : & 'a str ) { '\\'' '\"' '{' }"),
            ("'\\u{41}' x", "'\\u{41}' x"),
            ("\"ends in a backslash \\\\\" x", "ends in a backslash \\\\ x"),
            ("1..=2 3.5 é", "1 . . = 2 3 . 5 é"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn lines_are_counted_through_strings_and_comments() {
        let tokens = tokens("a\n\"b\n\" /* \n */ c");
        assert_eq!(tokens.iter().map(|token| token.line).collect::<Vec<_>>(), [1, 2, 4]);
    }

    #[test]
    fn groups_end_at_their_own_bracket() {
        let tokens = tokens("f(a, [b]) { c } d");
        assert_eq!(tokens[after_group(&tokens, 1)].text, "{");
        assert_eq!(tokens[after_group(&tokens, 8)].text, "d");
    }
}
