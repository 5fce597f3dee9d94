//! Rule: what our own code reports has types. Looking something up in JSON by a text is for what others wrote.
//!
//! Counted are `value["key"]`, `.get("key")` and `.pointer("/key")` with a literal, outside of tests. What is looked
//! up in something that is plainly no JSON (headers) is left out. `xtask` is not counted: it reads what other
//! programs print.

use std::collections::BTreeMap;

use super::code::{Kind, Token};
use super::workspace::Source;
use super::{Finding, known};

/// Calls that look something up.
const LOOKUPS: [&str; 5] = ["get", "get_mut", "pointer", "pointer_mut", "remove"];
/// What is looked into there has names of its own by a standard: headers of HTTP, parameters of an address.
const NOT_JSON: [&str; 2] = ["headers", "header"];

/// Refuses more than is known; says how many there are in each package.
pub(super) fn check<'a>(sources: &[Source<'a>], findings: &mut Vec<Finding>) -> BTreeMap<&'a str, usize> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is_inside() && !source.is_test) {
        if source.package != "xtask" {
            let lines = lookups(&source.production).into_iter();
            let of_package = places.entry(source.package).or_default();
            of_package.extend(lines.map(|line| format!("{}:{line}", source.path)));
        }
    }
    for (package, places) in &places {
        let advice = |most: usize| {
            let last = places[most.min(places.len())..].join(", ");
            format!("{} lookups by text, at most {most}; give what is read a type: {last}", places.len())
        };
        known::at_most(known::TEXT_KEYS, package, places.len(), advice, findings);
    }
    places.into_iter().map(|(package, places)| (package, places.len())).collect()
}

/// The lines of all lookups.
fn lookups(tokens: &[Token<'_>]) -> Vec<usize> {
    let is_lookup = |at: usize| {
        let text = &tokens[at];
        let (Some([call, open]), Some(close)) =
            (at.checked_sub(2).map(|start| &tokens[start..at]), tokens.get(at + 1))
        else {
            return false;
        };
        if text.kind != Kind::Text {
            return false;
        }
        let is_index = open.is_sign("[") && close.is_sign("]") && is_value(call);
        let is_call = open.is_sign("(") && close.is_sign(")") && LOOKUPS.contains(&call.text);
        let is_method = || at >= 3 && tokens[at - 3].is_sign(".");
        let is_other = || tokens[at.saturating_sub(6)..at].iter().any(|token| NOT_JSON.contains(&token.text));
        (is_index || (is_call && is_method())) && !is_other()
    };
    (0..tokens.len()).filter(|at| is_lookup(*at)).map(|at| tokens[at].line).collect()
}

/// Words behind which a bracket begins an array and no index.
const KEYWORDS: [&str; 5] = ["in", "return", "else", "match", "mut"];

/// Can the token end a value that is indexed?
fn is_value(token: &Token<'_>) -> bool {
    let is_end = [")", "]", "?"].iter().any(|sign| token.is_sign(sign));
    is_end || (token.kind == Kind::Word && !KEYWORDS.contains(&token.text))
}

#[cfg(test)]
mod tests {
    use super::super::code::tokens;
    use super::*;

    #[test]
    fn lookups_by_text_are_counted() {
        for (text, expected) in [
            (r#"report["state"]["name"]"#, 2),
            (r#"report.get("state").and_then(f)"#, 1),
            (r#"f()?["state"]"#, 1),
            (r#"report.pointer("/state")"#, 1),
            (r#"let a = ["state"]; f(&["state"]); for x in ["state"] {}"#, 0),
            (r#"response.headers().get("retry-after")"#, 0),
            (r#"report[name]; report.get(name); get("state")"#, 0),
            (r#"#[expect(clippy::x, reason = "state")]"#, 0),
        ] {
            assert_eq!(lookups(&tokens(text)).len(), expected, "{text}");
        }
    }
}
