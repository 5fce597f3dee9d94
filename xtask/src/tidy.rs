//! `cargo xtask tidy`: the house rules that a machine can check. Not one of the ten steps.
//!
//! Each rule is a function from text to findings, each finding names the place and says what to do. It
//! is a task and also an ordinary test of this crate, so nobody can forget it. Function sizes, naming and banned
//! calls are clippy's business (`clippy.toml`), not repeated here.

mod code;
mod comments;
mod dead;
mod documents;
mod door;
mod edges;
mod keys;
mod known;
mod modules;
mod rooms;
mod shipping;
mod summary;
mod text;
mod workspace;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::cache;
use summary::Summary;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// File, and line where there is one.
    pub(crate) place: String,
    /// What is wrong and what to do.
    pub(crate) advice: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.advice)
    }
}

impl Finding {
    fn new(place: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { place: place.into(), advice: advice.into() }
    }
}

/// A file of the repository that is text.
#[derive(Debug)]
pub(crate) struct File {
    /// Path from the root, with `/`.
    pub(crate) path: String,
    /// Its whole text.
    pub(crate) text: String,
}

impl File {
    fn ending(&self) -> &str {
        ending(Path::new(&self.path))
    }
}

/// Prints all findings and the house in figures; fails when there are findings.
pub(crate) fn run() -> Result<()> {
    let (findings, summary) = findings(&cache::repository())?;
    for finding in &findings {
        println!("{finding}");
    }
    println!("{summary}");
    if findings.is_empty() { Ok(()) } else { bail!("{} findings", findings.len()) }
}

/// Everything that is untidy below `root`, and what was counted.
pub(crate) fn findings(root: &Path) -> Result<(Vec<Finding>, Summary)> {
    let files = files(root)?;
    let mut findings = Vec::new();
    let edges = edges::check(root, &files, &mut findings)?;
    for file in &files {
        text::check(file, &mut findings);
        comments::check(file, &mut findings);
    }
    documents::check(&files, &mut findings);
    rooms::check(root, &files, &mut findings);
    shipping::check(&files, &mut findings);
    let sources = workspace::sources(&files);
    let mut summary = Summary::new(edges, &sources);
    summary.check(&mut findings);
    summary.cycles = modules::check(&sources, &mut findings);
    summary.doors = door::check(&sources, &mut findings);
    summary.dead = owned(dead::check(&sources, &mut findings));
    summary.keys = owned(keys::check(&sources, &mut findings));
    findings.sort();
    Ok((findings, summary))
}

/// Counts that outlive the text they were made from.
fn owned(counts: BTreeMap<&str, usize>) -> BTreeMap<String, usize> {
    counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
}

/// Endings of files that people write.
const ENDINGS: [&str; 14] = [
    "rs",
    "toml",
    "md",
    "mjs",
    "cjs",
    "js",
    "css",
    "html",
    "sql",
    "yml",
    "sh",
    "run",
    "service",
    "Dockerfile",
];
/// Folders with a leading dot that are part of the project.
const DOTTED: [&str; 3] = [".ci", ".github", ".cargo"];

fn files(root: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).with_context(|| format!("cannot list `{}`", folder.display()))?;
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            let is_hidden = name.starts_with('.') && !DOTTED.contains(&name.as_str());
            let Ok(kind) = entry.file_type() else { continue };
            let is_made = name == "target" || name == "node_modules" || path == root.join("dist");
            if kind.is_dir() && !is_hidden && !is_made {
                folders.push(path);
            } else if kind.is_file() && ENDINGS.contains(&ending(&path)) {
                let text = std::fs::read_to_string(&path)
                    .with_context(|| format!("cannot read `{}`", path.display()))?;
                files.push(File { path: relative(root, &path), text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The ending; a file without one, such as `.ci/run`, counts by its name.
fn ending(path: &Path) -> &str {
    path.extension().or(path.file_name()).and_then(|ending| ending.to_str()).unwrap_or_default()
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}
