//! Rules about the documents as a whole: they exist, stay short, and know every word and network.

use super::{File, Finding, text};

/// Document, and how many lines it may have.
const LENGTHS: [(&str, usize); 3] = [("README.md", 150), ("ARCHITECTURE.md", 300), ("CONTRIBUTING.md", 250)];
/// The two commands of the README; `ci` runs the second as it stands there.
const COMMANDS: [&str; 2] = ["cargo run --release -- demo", "cargo xtask test"];
/// One word, one meaning: the glossary explains each.
const TERMS: [&str; 36] = [
    "account",
    "age",
    "back",
    "budget",
    "change",
    "connector",
    "coverage",
    "definition",
    "exclusion",
    "experiment",
    "fetch",
    "freshness",
    "front",
    "lag",
    "lease",
    "link",
    "model",
    "network",
    "object",
    "observation",
    "partition",
    "pause",
    "policy",
    "post",
    "price",
    "quota",
    "ring",
    "robot",
    "scheduler",
    "sink",
    "source",
    "subscription",
    "trace",
    "visit",
    "worker",
    "world",
];

pub(super) fn check(files: &[File], findings: &mut Vec<Finding>) {
    let find = |path: &str| files.iter().find(|file| file.path == path);
    for (path, lines_max) in LENGTHS {
        let Some(file) = find(path) else {
            findings.push(Finding::new(path, "is missing; write it"));
            continue;
        };
        let lines = file.text.lines().count();
        if lines > lines_max {
            findings.push(Finding::new(
                path,
                format!("{lines} lines, at most {lines_max}; move detail to docs/"),
            ));
        }
    }
    if let Some(readme) = find("README.md") {
        for command in COMMANDS.iter().filter(|command| !readme.text.contains(**command)) {
            findings.push(Finding::new("README.md", format!("must show `{command}`")));
        }
    }
    glossary(find("docs/glossary.md"), findings);
    networks(files, findings);
}

fn glossary(file: Option<&File>, findings: &mut Vec<Finding>) {
    let text = file.map(|file| file.text.to_lowercase()).unwrap_or_default();
    for term in TERMS.iter().filter(|term| !text::has_word(&text, term)) {
        findings.push(Finding::new("docs/glossary.md", format!("explain the term `{term}`")));
    }
}

fn networks(files: &[File], findings: &mut Vec<Finding>) {
    let is_document = |file: &&File| file.path.starts_with("docs/") && file.ending() == "md";
    let documents: String = files.iter().filter(is_document).map(|file| file.text.to_lowercase()).collect();
    for file in files {
        let name = file.path.strip_prefix("networks/").and_then(|name| name.strip_suffix(".toml"));
        let Some(name) = name.filter(|name| !name.contains('/')) else { continue };
        if !text::has_word(&documents, name) {
            findings.push(Finding::new(
                file.path.as_str(),
                format!("no page of docs/ names `{name}`; add its line"),
            ));
        }
    }
}
