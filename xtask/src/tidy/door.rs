//! Rule: the core has one door. `Core::handle` is the only way to change it, so that every cause of a change is an event.
//!
//! Refused is every other method of `Core` that takes `&mut self` and that is `pub`, or that other modules of the
//! engine can see and do call. Inside of `core` its parts may call each other as they like.

use super::code::{Kind, Token, after_group, after_visibility};
use super::workspace::Source;
use super::{Finding, known};

const PACKAGE: &str = "freshet-engine";
const TYPE: &str = "Core";
/// The module whose folder may call anything of the type.
const MODULE: &str = "core";
/// The only public method that may change it.
const DOOR: &str = "handle";

/// Refuses further doors; says how many there are.
pub(super) fn check(sources: &[Source<'_>], findings: &mut Vec<Finding>) -> usize {
    let is_engine = |source: &&Source<'_>| source.package == PACKAGE && source.is_inside() && !source.is_test;
    let engine: Vec<&Source<'_>> = sources.iter().filter(is_engine).collect();
    let doors: Vec<String> = doors(&engine)
        .iter()
        .map(|(path, method)| format!("`{TYPE}::{}` ({path}:{})", method.name, method.line))
        .collect();
    let advice = |most: usize| {
        let (count, all) = (doors.len(), doors.join(", "));
        format!(
            "{count} doors beside `{DOOR}`, at most {most}; make them events, or `pub(in crate::{MODULE})`: {all}"
        )
    };
    known::at_most(known::DOORS, PACKAGE, doors.len(), advice, findings);
    doors.len()
}

/// File and method of each further door.
fn doors<'a>(engine: &[&Source<'a>]) -> Vec<(&'a str, Method<'a>)> {
    let mut doors = Vec::new();
    for source in engine {
        for method in methods(source) {
            let is_called = || engine.iter().any(|other| is_outside(other) && calls(other, method.name));
            if method.name != DOOR && (method.is_public || (method.is_seen && is_called())) {
                doors.push((source.path, method));
            }
        }
    }
    doors
}

fn is_outside(source: &Source<'_>) -> bool {
    source.module.first() != Some(&MODULE)
}

fn calls(source: &Source<'_>, name: &str) -> bool {
    let is_called =
        |pair: &[Token<'_>]| (pair[0].is_sign(".") || pair[0].is_sign("::")) && pair[1].is_word(name);
    source.production.windows(2).any(is_called)
}

/// A method that changes the type.
#[derive(Debug, PartialEq)]
struct Method<'a> {
    name: &'a str,
    line: usize,
    is_public: bool,
    /// Can other modules of the crate see it?
    is_seen: bool,
}

/// Methods with `&mut self` in inherent blocks of the type.
fn methods<'a>(source: &Source<'a>) -> Vec<Method<'a>> {
    let tokens = source.production.as_slice();
    // What the parent of a part of `core` sees is still inside.
    let is_part = source.module.len() > 1 && !is_outside(source);
    let mut found = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].is_word("impl")) {
        let Some(open) = (at..tokens.len()).find(|at| tokens[*at].is_sign("{")) else { continue };
        let head = &tokens[at + 1..open];
        let is_inherent = !head.iter().any(|token| token.is_word("for"));
        if is_inherent && head.iter().any(|token| token.is_word(TYPE)) {
            block(&tokens[open + 1..after_group(tokens, open).max(open + 1) - 1], is_part, &mut found);
        }
    }
    found
}

fn block<'a>(tokens: &[Token<'a>], is_part: bool, found: &mut Vec<Method<'a>>) {
    let mut seen_from = "";
    for (at, token) in tokens.iter().enumerate() {
        if token.is_word("pub") {
            let visibility = &tokens[at + 1..after_visibility(tokens, at)];
            let has = |word: &str| visibility.iter().any(|token| token.is_word(word));
            let is_narrow = has(MODULE) || has("self") || (is_part && has("super"));
            seen_from = if visibility.is_empty() {
                "all"
            } else if is_narrow {
                ""
            } else {
                "crate"
            };
        }
        let Some([name, open]) = tokens.get(at + 1..at + 3) else { continue };
        if token.is_word("fn") && name.kind == Kind::Word {
            let end = tokens[at..].iter().position(|token| token.is_sign("(")).map_or(at, |paren| at + paren);
            if changes_itself(&tokens[end..after_group(tokens, end)]) {
                let (is_public, is_seen) = (seen_from == "all", !seen_from.is_empty());
                found.push(Method { name: name.text, line: name.line.min(open.line), is_public, is_seen });
            }
            seen_from = "";
        }
    }
}

/// `(&mut self`, with or without a lifetime.
fn changes_itself(arguments: &[Token<'_>]) -> bool {
    let first: Vec<&str> =
        arguments.iter().filter(|token| token.kind != Kind::Other).take(4).map(|token| token.text).collect();
    first == ["(", "&", "mut", "self"]
}

#[cfg(test)]
mod tests {
    use super::super::{File, workspace};
    use super::*;

    fn check(core: &str, drive: &str, expected: &[&str]) {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let files = [
            file("crates/freshet-engine/src/core.rs", core),
            file("crates/freshet-engine/src/drive.rs", drive),
            file(
                "crates/freshet-engine/src/core/page.rs",
                "impl Core { pub(super) fn send(&mut self) { self.inner() } }",
            ),
        ];
        let sources = workspace::sources(&files);
        let engine: Vec<&Source<'_>> = sources.iter().collect();
        let names: Vec<&str> = doors(&engine).iter().map(|(_, method)| method.name).collect();
        assert_eq!(names, expected, "{core}");
    }

    #[test]
    fn the_core_has_one_door() {
        for (core, drive, expected) in [
            ("impl Core { pub fn handle(&mut self, event: Event) {} pub fn report(&self) {} }", "", &[][..]),
            ("impl Core { pub fn learn(&mut self) {} }", "", &["learn"]),
            ("impl<'a> Core<'a> { pub fn learn(&'a mut self) {} }", "", &["learn"]),
            ("impl Core { pub(crate) fn learn(&mut self) {} }", "", &[]),
            ("impl Core { pub(crate) fn learn(&mut self) {} }", "fn f() { core.learn() }", &["learn"]),
            ("impl Core { pub(in crate::core) fn learn(&mut self) {} }", "fn f() { other.learn() }", &[]),
            ("impl Core { pub(super) fn learn(&mut self) {} }", "fn f() { core.learn() }", &["learn"]),
            ("impl Core { pub fn report(&self) {} fn inner(&mut self) {} }", "", &[]),
            (
                "impl Learn for Core { fn learn(&mut self) {} } impl Other { pub fn go(&mut self) {} }",
                "",
                &[],
            ),
            ("", "fn f() { channel.send() }", &[]),
            ("#[cfg(test)] impl Core { pub fn learn(&mut self) {} }", "", &[]),
        ] {
            check(core, drive, expected);
        }
    }
}
