//! Production code apart from tests: items under `#[cfg(test)]` are cut out of a file's tokens.
//!
//! What stands behind the features `testing` and `bench` counts as tests too: nobody ships it. Modules that are
//! declared under such an attribute are named, so that their files can be left out as well.

use super::{Kind, Token, after_group};

/// Features whose code only tests and benchmarks use.
const FEATURES: [&str; 2] = ["testing", "bench"];

/// A file's tokens without its tests, and the modules that are tests.
#[derive(Debug, Default)]
pub(in crate::tidy) struct Production<'a> {
    pub(in crate::tidy) tokens: Vec<Token<'a>>,
    pub(in crate::tidy) test_modules: Vec<&'a str>,
}

/// Cuts the tests out.
pub(in crate::tidy) fn production<'a>(tokens: &[Token<'a>]) -> Production<'a> {
    let mut kept = Production::default();
    let mut at = 0;
    while at < tokens.len() {
        match attribute(tokens, at) {
            Some(end) if is_test(&tokens[at..end]) => {
                let item = after_attributes(tokens, end);
                at = after_item(tokens, item);
                if let Some(name) = declared_module(&tokens[item..at]) {
                    kept.test_modules.push(name);
                }
            }
            _ => {
                kept.tokens.push(tokens[at]);
                at += 1;
            }
        }
    }
    kept
}

/// The place after the attribute that begins at `at`.
fn attribute(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let is_attribute = tokens[at].is_sign("#") && tokens.get(at + 1).is_some_and(|token| token.is_sign("["));
    is_attribute.then(|| after_group(tokens, at + 1))
}

fn is_test(attribute: &[Token<'_>]) -> bool {
    let has = |word: &str| attribute.iter().any(|token| token.is_word(word));
    let is_named = |token: &Token<'_>| token.kind == Kind::Text && FEATURES.contains(&token.text);
    has("cfg") && !has("not") && (has("test") || attribute.iter().any(is_named))
}

fn after_attributes(tokens: &[Token<'_>], mut at: usize) -> usize {
    while at < tokens.len() {
        let Some(end) = attribute(tokens, at) else { break };
        at = end;
    }
    at
}

/// Items that end at a semicolon, whatever braces they hold.
const FLAT: [&str; 5] = ["use", "const", "static", "type", "let"];

/// The place after the item that begins at `at`: a declaration, a block, or a field.
fn after_item(tokens: &[Token<'_>], mut at: usize) -> usize {
    at = after_visibility(tokens, at);
    let first = tokens.get(at).map_or("", |token| token.text);
    let second = tokens.get(at + 1).map_or("", |token| token.text);
    let is_flat = FLAT.contains(&first) && second != "fn";
    let is_field = second == ":";
    while at < tokens.len() {
        let token = &tokens[at];
        if token.is_sign(";") || (is_field && token.is_sign(",")) {
            return at + 1;
        }
        if token.is_sign("}") {
            return at;
        }
        let is_open = ["(", "[", "{"].iter().any(|sign| token.is_sign(sign));
        if !is_open {
            at += 1;
            continue;
        }
        let is_block = token.is_sign("{") && !is_flat && !is_field;
        at = after_group(tokens, at);
        if is_block {
            return at;
        }
    }
    at
}

/// The place after `pub`, `pub(crate)` and the like.
pub(in crate::tidy) fn after_visibility(tokens: &[Token<'_>], at: usize) -> usize {
    match (tokens.get(at), tokens.get(at + 1)) {
        (Some(word), Some(open)) if word.is_word("pub") && open.is_sign("(") => after_group(tokens, at + 1),
        (Some(word), _) if word.is_word("pub") => at + 1,
        _ => at,
    }
}

/// `mod name;`, however visible.
fn declared_module<'a>(item: &[Token<'a>]) -> Option<&'a str> {
    let at = item.iter().position(|token| token.is_word("mod"))?;
    let [name, end] = item.get(at + 1..at + 3)? else { return None };
    end.is_sign(";").then_some(name.text)
}

#[cfg(test)]
mod tests {
    use super::super::tokens;
    use super::*;

    fn check(text: &str, expected: &str, modules: &[&str]) {
        let tokens = tokens(text);
        let kept = production(&tokens);
        let words: Vec<&str> = kept.tokens.iter().map(|token| token.text).collect();
        assert_eq!(words.join(" "), expected, "{text}");
        assert_eq!(kept.test_modules, modules, "{text}");
    }

    #[test]
    fn tests_are_cut_out_and_nothing_else() {
        for (text, expected, modules) in [
            ("a #[cfg(test)] mod tests { b { c } } d", "a d", &[][..]),
            ("a #[cfg(test)] mod tests; d", "a d", &["tests"]),
            ("a #[cfg(any(test, feature = \"testing\"))] pub mod x; d", "a d", &["x"]),
            ("#[cfg(feature = \"bench\")] pub mod x; d", "d", &["x"]),
            ("#[cfg(not(test))] fn f() {} d", "# [ cfg ( not ( test ) ) ] fn f ( ) { } d", &[]),
            ("#[cfg(test)] use a::{b, c}; d", "d", &[]),
            ("#[cfg(test)] #[must_use] pub(crate) fn f(a: B) -> C { e } d", "d", &[]),
            ("#[cfg(test)] const X: Y = Y { z: 1 }; d", "d", &[]),
            ("struct S { a: b, #[cfg(test)] c: D<E>, f: g }", "struct S { a : b , f : g }", &[]),
            ("#[cfg(test)] impl<T: U> A for B { c } d", "d", &[]),
            ("#[cfg(test)] pub(crate) const fn f() { c } d", "d", &[]),
            ("#[derive(Debug)] struct S;", "# [ derive ( Debug ) ] struct S ;", &[]),
        ] {
            check(text, expected, modules);
        }
    }
}
