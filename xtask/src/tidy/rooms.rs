//! Rooms that the documents name exist: a newcomer who follows a document finds every file.
//!
//! Looked at is what stands between backticks: `engine::core::page` (the short name of a crate, then modules, then perhaps an
//! item of the last one) and paths such as `web/src/NAME.rs`, of which everything before a name in capitals must be there.
//! Lines about what is to come begin with "To come". Whether the words beside it are true is not checked.

use std::path::{Path, PathBuf};

use super::{File, Finding, text};

/// The documents by which people find their way.
const DOCUMENTS: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/invariants.md"];
/// How lines begin that name what is not there yet.
const TO_COME: &str = "To come";

pub(super) fn check(root: &Path, files: &[File], findings: &mut Vec<Finding>) {
    for file in files.iter().filter(|file| DOCUMENTS.contains(&file.path.as_str())) {
        for (number, line) in file.text.lines().enumerate().filter(|(_, line)| !line.starts_with(TO_COME)) {
            let spans = line.split('`').skip(1).step_by(2).flat_map(variants);
            for room in spans.filter(|span| !is_there(root, span)) {
                let place = format!("{}:{}", file.path, number + 1);
                findings.push(Finding::new(place, format!("`{room}` is not there; name the room of today")));
            }
        }
    }
}

/// `a::{b, c}` names two.
fn variants(span: &str) -> Vec<String> {
    match span.strip_suffix('}').and_then(|span| span.split_once('{')) {
        Some((start, names)) => names.split(',').map(|name| format!("{start}{}", name.trim())).collect(),
        None => vec![span.to_owned()],
    }
}

/// Whether it is no room at all, or one that exists.
fn is_there(root: &Path, span: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:*".contains(letter);
    if span.starts_with(['/', '.']) || !span.chars().all(is_plain) {
        return true;
    }
    if span.contains("::") { is_module(root, span) } else { !span.contains("/src/") || is_path(root, span) }
}

/// The folder of a crate by its short name.
fn folder(root: &Path, name: &str) -> Option<PathBuf> {
    let names = [format!("crates/freshet-{name}"), format!("crates/{name}")];
    names.into_iter().map(|path| root.join(path)).find(|path| path.is_dir())
}

fn is_module(root: &Path, span: &str) -> bool {
    let (module, rest) = span.split_once('/').unwrap_or((span, ""));
    let mut names = module.split("::");
    let Some(home) = names.next().and_then(|name| folder(root, name)) else { return true };
    let (mut at, mut source) = (home.join("src"), home.join("src/lib.rs"));
    for name in names {
        at.push(name);
        let file = at.with_extension("rs");
        if file.is_file() {
            source = file;
        } else {
            let text = std::fs::read_to_string(&source).unwrap_or_default();
            if !text::has_word(&text, name) {
                return false;
            }
        }
    }
    rest.is_empty() || is_path(&at, rest)
}

/// Names in capitals, and what holds a star, stand for any name.
fn is_path(root: &Path, span: &str) -> bool {
    let is_any = |part: &&str| part.contains('*') || part.split('.').next().is_some_and(is_capital);
    let known: Vec<&str> = span.split('/').take_while(|part| !is_any(part)).collect();
    let path = known.join("/");
    let inside = known.split_first().and_then(|(name, rest)| Some(folder(root, name)?.join(rest.join("/"))));
    root.join(path).exists() || inside.is_some_and(|path| path.exists())
}

fn is_capital(word: &str) -> bool {
    word.len() > 1 && word.chars().all(|letter| letter.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(span: &str, expected: bool) {
        assert_eq!(is_there(&crate::cache::repository(), span), expected, "{span}");
    }

    #[test]
    fn rooms_are_looked_for_as_people_name_them() {
        for (span, expected) in [
            ("engine::core::page", true),
            ("engine::core::attic", false),
            ("store::api::Apply", true),
            ("store::api::Attic", false),
            ("app::data::Data::look", true),
            ("engine::runner/NAME.rs", true),
            ("render::Beside", true),
            ("cargo xtask tidy", true),
            ("web/src/NAME.rs", true),
            ("attic/src/NAME.rs", false),
            ("crates/freshet-types/src/robot.rs", true),
            ("crates/freshet-types/src/attic.rs", false),
            ("freshet/src/commands/NAME.rs", true),
            ("xtask/src/dist.rs", true),
            ("networks/NAME.toml", true),
        ] {
            check(span, expected);
        }
        assert_eq!(variants("a::{b, c}"), ["a::b", "a::c"]);
    }
}
