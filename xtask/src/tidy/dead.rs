//! Rule: nothing is `pub` for nobody. What no other crate and no test or example outside names is the crate's own affair.
//!
//! A name counts as used when it stands anywhere, as a whole word, in the code of another package, or in this
//! package's own tests, examples and programs, which see it from outside. Two things with the same name hide each
//! other; so the rule misses some, and refuses none that is needed. A type may also be needed by the signature of
//! something public, and then it may stay.

mod signatures;

use std::collections::{BTreeMap, BTreeSet};

use super::code::{Kind, Token};
use super::workspace::Source;
use super::{Finding, known};

/// Something that is public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item<'a> {
    name: &'a str,
    is_type: bool,
    line: usize,
}

/// Refuses what is public for nobody and not known; says how many there are in each package.
pub(super) fn check<'a>(sources: &[Source<'a>], findings: &mut Vec<Finding>) -> BTreeMap<&'a str, usize> {
    let dead = dead(sources);
    for (package, places) in &dead {
        let advice = |most: usize| {
            let (count, all) = (places.len(), places.join(", "));
            format!(
                "{count} items are `pub` for nobody, at most {most}; make them `pub(crate)` or remove them: {all}"
            )
        };
        known::at_most(known::DEAD_PUB, package, places.len(), advice, findings);
    }
    dead.into_iter().map(|(package, places)| (package, places.len())).collect()
}

/// Package → name and place of each item that is public for nobody.
fn dead<'a>(sources: &[Source<'a>]) -> BTreeMap<&'a str, Vec<String>> {
    let is_library = |source: &&Source<'a>| source.path.ends_with("/src/lib.rs");
    let libraries: Vec<&'a str> = sources.iter().filter(is_library).map(|source| source.package).collect();
    let mut dead = BTreeMap::new();
    for package in libraries {
        let used = used_outside(sources, package);
        let inside = || sources.iter().filter(|source| is_within(source, package) && !source.is_test);
        let mut needed = BTreeSet::new();
        for source in inside() {
            signatures::words(&source.production, &mut needed);
        }
        let mut places = Vec::new();
        let is_offered = |path: &str| known::OFFERED.iter().any(|(offered, _)| path.starts_with(offered));
        for source in inside().filter(|source| !is_offered(source.path)) {
            let items = items(&source.production);
            let has_length = items.iter().any(|item| item.name == "len");
            for item in &items {
                let is_twin = item.name == "is_empty" && has_length;
                let is_needed = item.is_type && needed.contains(item.name);
                if !used.contains(item.name) && !is_needed && !is_twin {
                    places.push(format!("`{}` ({}:{})", item.name, source.path, item.line));
                }
            }
        }
        dead.insert(package, places);
    }
    dead
}

/// Does the file belong to the library of this package? Its programs see it from outside, as its tests do.
fn is_within(source: &Source<'_>, package: &str) -> bool {
    source.package == package && source.is_inside() && !source.path.ends_with("/src/main.rs")
}

/// All words of other packages, and those by which macros reach into this one from elsewhere.
fn used_outside<'a>(sources: &[Source<'a>], package: &str) -> BTreeSet<&'a str> {
    let mut used = BTreeSet::new();
    for source in sources {
        let is_own = is_within(source, package);
        for (at, token) in source.tokens.iter().enumerate() {
            let is_reached =
                || source.tokens[at.saturating_sub(6)..at].iter().any(|token| token.is_sign("$"));
            if token.kind == Kind::Word && (!is_own || is_reached()) {
                used.insert(token.text);
            }
        }
    }
    used
}

/// Words that may stand between `pub` and the keyword of a function.
const QUALIFIERS: [&str; 4] = ["const", "async", "unsafe", "extern"];

/// Everything that is declared `pub`, without modules, fields and names that are handed on.
fn items<'a>(tokens: &[Token<'a>]) -> Vec<Item<'a>> {
    let mut items = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.is_word("pub")) {
        let mut next = at + 1;
        while tokens.get(next).is_some_and(|word| QUALIFIERS.contains(&word.text))
            && tokens.get(next + 1).is_some_and(|word| {
                QUALIFIERS.contains(&word.text) || word.is_word("fn") || word.kind == Kind::Text
            })
        {
            next += 1;
        }
        let (Some(keyword), Some(name)) = (tokens.get(next), tokens.get(next + 1)) else { continue };
        let is_type = matches!(keyword.text, "struct" | "enum" | "trait" | "type");
        let is_value = matches!(keyword.text, "fn" | "const" | "static");
        if (is_type || is_value) && name.kind == Kind::Word {
            items.push(Item { name: name.text, is_type, line: token.line });
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::super::File;
    use super::super::workspace;
    use super::*;

    fn check(inside: &str, outside: &str, expected: &[&str]) {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let files = [file("crates/a/src/lib.rs", inside), file("crates/b/tests/it.rs", outside)];
        let sources = workspace::sources(&files);
        let dead = dead(&sources);
        let names: Vec<&str> = dead["a"].iter().filter_map(|place| place.split('`').nth(1)).collect();
        assert_eq!(names, expected, "{inside}");
    }

    #[test]
    fn what_is_public_for_nobody_is_found() {
        for (inside, outside, expected) in [
            ("pub fn f() {}", "a::f()", &[][..]),
            ("pub fn f() {} fn g() { f() }", "a::g()", &["f"]),
            ("pub(crate) fn f() {}", "", &[]),
            ("pub const fn f() {} pub const A: u8 = 1;", "// f and A\n\"f A\"", &["f", "A"]),
            ("impl S { pub async fn f(&self) {} }", "", &["f"]),
            ("#[cfg(test)] mod tests { pub fn f() {} }", "", &[]),
            // A type that a public signature names, or a public field, or another public type, is needed.
            ("pub struct S; pub fn f() -> Option<S> { g }", "f", &[]),
            ("pub struct S; pub struct T { t: U, pub s: Vec<S> } pub struct U;", "T", &["U"]),
            ("pub struct S; pub enum E { A(S) } pub trait G { fn s(&self) -> W; } pub struct W;", "E G", &[]),
            ("pub struct S; impl Iterator for T { type Item = S; }", "", &[]),
            // Its own signatures do not make it so.
            ("pub struct S { pub next: u8 } impl S { pub fn new(s: S) -> Self {} }", "new", &["S"]),
            ("pub struct S; fn f() -> S {}", "", &["S"]),
            ("pub fn f() {} macro_rules! m { () => { $crate::f() } }", "", &[]),
            ("pub fn len() {} pub fn is_empty() {}", "len", &[]),
        ] {
            check(inside, outside, expected);
        }
    }
}
