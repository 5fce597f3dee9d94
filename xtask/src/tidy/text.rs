//! Rules about single files: header, size, words, paths of somebody's machine.
//!
//! Words are looked for in whole files, except those that are only wrong as identifiers (`mock` and
//! the like): there, strings and comments are left out of the search by a plain scan, not by a parser.

use super::{File, Finding};

/// Lines of production code, the trailing tests module not counted.
const FILE_LINES_MAX: usize = 800;
/// Files that may be longer, each with its reason.
const LONG_ALLOWED: &[(&str, &str)] = &[];

/// Marks that never reach the main branch.
const MARKS: [&str; 2] = ["FIXME", "XXX"];
/// Parts of identifiers that say less than the house word.
const VAGUE: [(&str, &str); 3] =
    [("mock", "world"), ("dummy", "example"), ("crawler", "robot, visit or engine")];
/// Names of functions that mean too many things, and what to say instead.
const BARE_VERBS: [(&str, &str); 7] = [
    ("take", "`add_…`, `read_…`, `pop`, `drain_…` or `spend`"),
    ("again", "what is done again"),
    ("hear", "`on_…`, or `expect_…` in a test"),
    ("heed", "`use_…` or `follow_…`"),
    ("suffer", "`on_trouble`"),
    ("sweep", "`evict`, `expire` or `drop_…`; a sweep is the reading of a whole list of members"),
    ("set_manners", "`set_politeness`"),
];
/// The names of other people's programs, which are what they are.
const THEIR_NAMES: [&str; 3] = ["mastodon-mock", "mastodon_mock", "stormcrawler"];
/// Places on somebody's machine.
const PLACES: [&str; 5] = ["/work/main", "/work/shared", "/tmp/t-", "/root/", "/home/"];
/// Where the rules themselves are written down.
const RULES: &str = "xtask/src/tidy";

pub(super) fn check(file: &File, findings: &mut Vec<Finding>) {
    let path = file.path.as_str();
    if file.ending() == "rs" {
        header(file, findings);
        size(file, findings);
    }
    if file.ending() == "md" && !file.text.starts_with("# ") {
        findings.push(Finding::new(path, "a document starts with its title: `# Title` on the first line"));
    }
    if path.ends_with("/Cargo.toml") && !has_lints(&file.text) {
        findings.push(Finding::new(path, "add `[lints]` with `workspace = true`"));
    }
    if !path.starts_with(RULES) {
        for (number, line) in file.text.lines().enumerate() {
            words(file, number + 1, line, findings);
        }
    }
}

fn header(file: &File, findings: &mut Vec<Finding>) {
    if !file.text.starts_with("//!") {
        let advice = "open the file with `//!`: what it is, which step, its invariant, what it does not do";
        findings.push(Finding::new(file.path.as_str(), advice));
    }
}

fn size(file: &File, findings: &mut Vec<Finding>) {
    let is_test = file.path.ends_with("/tests.rs") || file.path.contains("/tests/");
    let lines = production_lines(&file.text);
    if !is_test && lines > FILE_LINES_MAX && !LONG_ALLOWED.iter().any(|(path, _)| *path == file.path) {
        let advice = format!("{lines} lines, at most {FILE_LINES_MAX}; split it by what its parts do");
        findings.push(Finding::new(file.path.as_str(), advice));
    }
}

/// Lines before the trailing `#[cfg(test)] mod …`.
pub(super) fn production_lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let is_tests = |at: &usize| {
        lines[*at] == "#[cfg(test)]"
            && lines.get(at + 1).is_some_and(|line| line.starts_with("mod ") && line.ends_with('{'))
    };
    (0..lines.len()).rev().find(is_tests).unwrap_or(lines.len())
}

fn has_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[lints]");
    lines.next().is_some()
        && lines.take_while(|line| !line.starts_with('[')).any(|line| line == "workspace = true")
}

fn words(file: &File, number: usize, line: &str, findings: &mut Vec<Finding>) {
    let place = || format!("{}:{number}", file.path);
    for mark in MARKS {
        if has_word(line, mark) {
            findings
                .push(Finding::new(place(), format!("`{mark}` never reaches main; do it, or open an issue")));
        }
    }
    if has_word(line, "TODO") && !has_issue(line) {
        findings.push(Finding::new(place(), "a to-do names its issue: `TODO(#12)`"));
    }
    for place_name in PLACES {
        if has_path(line, place_name) {
            findings.push(Finding::new(
                place(),
                format!("`{place_name}` is a place on somebody's machine; take it as an option"),
            ));
        }
    }
    if file.ending() == "rs" {
        let code = THEIR_NAMES.iter().fold(code_of(line), |code, name| code.replace(name, ""));
        for (word, better) in VAGUE {
            if code.contains(word) {
                findings.push(Finding::new(
                    place(),
                    format!("`{word}` in an identifier; the house word is: {better}"),
                ));
            }
        }
        for (verb, better) in BARE_VERBS {
            if has_word(&code, &format!("fn {verb}")) {
                findings.push(Finding::new(
                    place(),
                    format!("a function named `{verb}` may do anything; say {better}"),
                ));
            }
        }
    }
}

/// The line in lower case without its comment and without what its strings hold.
pub(super) fn code_of(line: &str) -> String {
    let mut code = String::new();
    let mut chars = line.chars().peekable();
    let mut is_text = false;
    while let Some(char) = chars.next() {
        match char {
            '\\' if is_text => drop(chars.next()),
            '"' => is_text = !is_text,
            '/' if !is_text && chars.peek() == Some(&'/') => break,
            _ if !is_text => code.extend(char.to_lowercase()),
            _ => {}
        }
    }
    code
}

/// `word` with no letter or digit on either side.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let is_part = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '_');
        !is_part(line[..at].chars().next_back()) && !is_part(line[at + word.len()..].chars().next())
    })
}

fn has_issue(line: &str) -> bool {
    line.split('#').skip(1).any(|rest| rest.starts_with(|char: char| char.is_ascii_digit()))
}

/// A path that starts here, not one inside an address or a longer path.
fn has_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|char| char.is_alphanumeric() || "./})>$*~".contains(char))
    })
}
