//! Rules about doc comments: what others use says what it is for; fields and variants speak where their name does not.
//!
//! The compiler's lint asks for a comment on every field, and gets comments such as "Its name." Here functions, types, traits
//! and constants that are `pub` need one, fields and variants need none, and none may be so short that it says nothing.

use super::{File, Finding};

/// Items that need a comment where they are `pub`.
const ITEMS: [&str; 7] = ["fn ", "async fn ", "struct ", "enum ", "trait ", "type ", "const "];
/// Words that a comment of a field or variant has at least: fewer repeat its name.
const WORDS_MIN: usize = 3;
/// Where comments are read by people as help texts and schemas, however short.
const SHOWN: [&str; 4] = [
    "crates/freshet/src/args",
    "crates/freshet-types/src/",
    "crates/freshet-report/",
    "crates/freshet-sink/src/record",
];

pub(super) fn check(file: &File, findings: &mut Vec<Finding>) {
    let is_library = file.path.starts_with("crates/") && file.path.contains("/src/");
    if file.ending() != "rs" || !is_library || file.path.contains("/tests") {
        return;
    }
    let is_shown = SHOWN.iter().any(|place| file.path.starts_with(place));
    let lines: Vec<&str> = file.text.lines().take(super::text::production_lines(&file.text)).collect();
    let mut comment: Vec<&str> = Vec::new();
    let mut depth = 0;
    for (at, line) in lines.iter().map(|line| line.trim()).enumerate() {
        if let Some(words) = line.strip_prefix("///") {
            comment.push(words);
        } else if depth > 0 || line.starts_with("#[") {
            // An attribute, perhaps over several lines.
            depth += line.matches('[').count();
            depth = depth.saturating_sub(line.matches(']').count());
        } else {
            let place = || format!("{}:{}", file.path, at + 1);
            let public = line.strip_prefix("pub ").unwrap_or_default();
            // What a macro makes has the comment that it is given.
            let is_made = public.contains('$');
            if comment.is_empty() && !is_made && ITEMS.iter().any(|item| public.starts_with(item)) {
                findings.push(Finding::new(place(), "say in a `///` comment what it is for"));
            }
            let words = comment.iter().flat_map(|line| line.split_whitespace()).count();
            if (1..WORDS_MIN).contains(&words) && is_part(line) && !is_shown {
                findings.push(Finding::new(
                    place(),
                    "its comment says no more than its name; say more, or nothing",
                ));
            }
            comment.clear();
        }
    }
}

/// Whether a line declares a field or a variant.
fn is_part(line: &str) -> bool {
    let field = line.strip_prefix("pub ").unwrap_or(line);
    let name_len =
        field.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(field.len());
    let (name, rest) = field.split_at(name_len);
    let is_variant = name.starts_with(char::is_uppercase)
        && [",", "(", " {", " = "].iter().any(|end| rest.starts_with(end));
    is_variant
        || (!name.is_empty() && rest.starts_with(": ") && !line.starts_with("pub(") && line.ends_with(','))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_one(path: &str, text: &str, expected: &[&str]) {
        let mut findings = Vec::new();
        check(&File { path: path.to_owned(), text: format!("//! A.\n{text}\n") }, &mut findings);
        let found: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{text}\n{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found} lacks {expected}");
        }
    }

    #[test]
    fn what_others_use_is_explained_and_names_are_not_repeated() {
        for (text, expected) in [
            ("pub fn a() {}", &["what it is for"][..]),
            ("/// Adds two numbers.\npub fn a() {}", &[]),
            ("/// Adds two numbers.\n#[expect(\n    x,\n    reason = \"y\"\n)]\npub fn a() {}", &[]),
            ("pub(crate) fn a() {}", &[]),
            ("pub mod a;", &[]),
            ("/// A name.\npub struct A {\n    pub name: String,\n}", &[]),
            (
                "/// A name.\npub struct A {\n    /// Its name.\n    pub name: String,\n}",
                &["no more than its name"],
            ),
            (
                "/// A thing.\nenum A {\n    /// Which.\n    Which(u8),\n    /// Until it is read again.\n    Until,\n}",
                &["no more"],
            ),
        ] {
            check_one("crates/a/src/b.rs", text, expected);
        }
        check_one(
            "crates/freshet/src/args.rs",
            "/// A.\npub struct A {\n    /// Its name.\n    pub name: String,\n}",
            &[],
        );
        check_one("crates/a/src/b/tests.rs", "pub fn a() {}", &[]);
    }
}
