//! The words of public signatures: types that stand there must be as public as what names them.
//!
//! It takes rather too many words than too few, for a type that is needed must never be refused. Only the type that a
//! signature belongs to does not count: nobody needs a type because of its own constructor.

use std::collections::BTreeSet;

use super::super::code::{Kind, Token, after_group};

/// Adds the words of all public signatures.
pub(super) fn words<'a>(tokens: &[Token<'a>], needed: &mut BTreeSet<&'a str>) {
    let mut own: (&str, usize) = ("", 0);
    for (at, token) in tokens.iter().enumerate() {
        if at >= own.1 {
            own = ("", 0);
        }
        if token.is_word("impl") && is_statement(tokens, at) {
            own = implementation(tokens, at, needed);
        }
        let is_public = token.is_word("pub") && !tokens.get(at + 1).is_some_and(|next| next.is_sign("("));
        let is_associated = token.is_word("type") && own.1 > 0;
        if is_public || is_associated {
            let end = signature_end(tokens, at + 1);
            let itself = declared(&tokens[at..end]);
            let of_others = tokens[at..end].iter().filter(|token| {
                token.kind == Kind::Word && token.text != own.0 && Some(token.text) != itself
            });
            needed.extend(of_others.map(|token| token.text));
        }
    }
}

/// Does `impl` begin a block here, and not a type such as `impl Iterator`?
fn is_statement(tokens: &[Token<'_>], at: usize) -> bool {
    at.checked_sub(1).is_none_or(|before| {
        ["}", ";", "]", "{"].iter().any(|sign| tokens[before].is_sign(sign))
            || tokens[before].is_word("unsafe")
    })
}

/// The type whose block begins here, and where the block ends. A trait's own words are needed.
fn implementation<'a>(tokens: &[Token<'a>], at: usize, needed: &mut BTreeSet<&'a str>) -> (&'a str, usize) {
    let Some(open) = (at..tokens.len()).find(|at| tokens[*at].is_sign("{")) else { return ("", 0) };
    let head = &tokens[at + 1..open];
    let turn = head.iter().position(|token| token.is_word("for"));
    if let Some(turn) = turn {
        needed.extend(head[..turn].iter().filter(|token| token.kind == Kind::Word).map(|token| token.text));
    }
    let mut depth = 0_usize;
    let mut own = "";
    for token in &head[turn.map_or(0, |turn| turn + 1)..] {
        match token.text {
            "<" => depth += 1,
            ">" => depth = depth.saturating_sub(1),
            "where" => break,
            name if depth == 0 && token.kind == Kind::Word => own = name,
            _ => {}
        }
    }
    (own, after_group(tokens, open))
}

/// The name that a declaration declares, where it is a type.
fn declared<'a>(tokens: &[Token<'a>]) -> Option<&'a str> {
    let at = tokens.iter().take(3).position(|token| matches!(token.text, "struct" | "enum" | "trait"))?;
    tokens.get(at + 1).map(|token| token.text)
}

/// Where the signature that begins here ends: before a function's body, behind the whole of a type or trait.
fn signature_end(tokens: &[Token<'_>], start: usize) -> usize {
    let is_whole = tokens.get(start).is_some_and(|token| matches!(token.text, "enum" | "trait"));
    let is_constant = tokens.get(start).is_some_and(|token| matches!(token.text, "const" | "static"));
    let is_use = tokens.get(start).is_some_and(|token| matches!(token.text, "use" | "mod"));
    if is_use {
        return start;
    }
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        let is_next = || tokens.get(at + 1).is_none_or(|next| next.is_word("pub") || next.is_sign("#"));
        match token.text {
            _ if token.kind != Kind::Sign => {}
            ";" | "}" => return at,
            "{" if is_whole => return after_group(tokens, at),
            "{" => return at,
            "=" if is_constant => return at,
            // The end of a public field; private ones between it and the next count too, which does no harm.
            "," if is_next() => return at,
            "(" | "[" => {
                at = after_group(tokens, at);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    at
}
