//! The star: which crate may depend on which. ARCHITECTURE.md's table of crates says it, `cargo metadata` says what is so.
//!
//! The table is the only list: its second column holds names without `freshet-`, divided by commas, or the words
//! `siblings` (types and all crates above that know types only), `siblings but` one of them, and `all of the above`. Crates that may know all
//! siblings see everything anyway, so their tests may depend on any crate; other tests may depend on types too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{File, Finding};
use crate::process;

const DOCUMENT: &str = "ARCHITECTURE.md";
/// The heading above the table.
const HEADING: &str = "## Crates";

/// All siblings without the one that follows.
const BUT: &str = "siblings but ";

/// What one crate may know.
#[derive(Debug, Default)]
pub(super) struct Allowed {
    on: BTreeSet<String>,
    /// May its tests depend on anything?
    has_wide_tests: bool,
}

/// The table: crate → what it may know.
pub(super) type Table = BTreeMap<String, Allowed>;

/// Crate → the crates of the workspace that it depends on, those of its tests left out.
pub(super) type Edges = BTreeMap<String, BTreeSet<String>>;

/// Compares the workspace's manifests with the table.
pub(super) fn check(root: &Path, files: &[File], findings: &mut Vec<Finding>) -> Result<Edges> {
    let document = files.iter().find(|file| file.path == DOCUMENT);
    let table = table(document.map_or("", |file| file.text.as_str()), findings);
    let mut command = Command::new("cargo");
    command.current_dir(root).args(["metadata", "--format-version", "1", "--no-deps"]);
    let metadata: Value =
        serde_json::from_str(&process::output(&mut command)?).context("cargo metadata is no JSON")?;
    let mut edges = Edges::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        check_package(package, &table, &mut edges, findings);
    }
    for name in table.keys().filter(|name| !edges.contains_key(*name)) {
        let advice = format!("the table of crates names `{name}`, which is no package; remove its row");
        findings.push(Finding::new(DOCUMENT, advice));
    }
    Ok(edges)
}

/// Reads the table of crates.
pub(super) fn table(document: &str, findings: &mut Vec<Finding>) -> Table {
    let mut table = Table::new();
    let mut siblings = BTreeSet::new();
    let lines = document.lines().skip_while(|line| !line.starts_with(HEADING)).skip(1);
    for line in lines.take_while(|line| !line.starts_with("## ")) {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let (Some(name), Some(on)) = (cells.next(), cells.next()) else { continue };
        let Some(name) = name.strip_prefix('`').and_then(|name| name.strip_suffix('`')) else { continue };
        let mut allowed = Allowed::default();
        for word in on.split(',').map(str::trim).filter(|word| *word != "–") {
            let is_siblings = word == "siblings" || word.starts_with(BUT);
            match word {
                _ if is_siblings => {
                    let left_out =
                        word.strip_prefix(BUT).map(|name| format!("freshet-{}", name.trim_matches('`')));
                    let known = siblings.iter().filter(|name| Some(*name) != left_out.as_ref());
                    allowed.on.extend(known.cloned());
                }
                "all of the above" => allowed.on.extend(table.keys().cloned()),
                _ if table.contains_key(&format!("freshet-{word}")) => {
                    allowed.on.insert(format!("freshet-{word}"));
                }
                _ => {
                    let advice =
                        format!("`{name}` may depend on `{word}`: no crate of a row above; name one");
                    findings.push(Finding::new(DOCUMENT, advice));
                }
            }
            allowed.has_wide_tests |= is_siblings || word == "all of the above";
        }
        if on == "types" || name == "freshet-types" {
            siblings.insert(name.to_owned());
        }
        table.insert(name.to_owned(), allowed);
    }
    table
}

pub(super) fn check_package(package: &Value, table: &Table, edges: &mut Edges, findings: &mut Vec<Finding>) {
    let name = package["name"].as_str().unwrap_or_default();
    let known = edges.entry(name.to_owned()).or_default();
    let Some(allowed) = table.get(name) else {
        let advice = "a crate without a row; add it to the table of crates with what it may depend on";
        findings.push(Finding::new(DOCUMENT, format!("`{name}`: {advice}")));
        return;
    };
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let on = dependency["name"].as_str().unwrap_or_default();
        let is_for_tests = dependency["kind"].as_str() == Some("dev");
        let is_ours = on == "freshet" || on.starts_with("freshet-");
        if is_ours && !is_for_tests {
            known.insert(on.to_owned());
        }
        let is_allowed = allowed.on.contains(on)
            || (is_for_tests && name != "xtask" && (allowed.has_wide_tests || on == "freshet-types"));
        if is_ours && !is_allowed {
            let advice = format!(
                "must not depend on `{on}` by the table of {DOCUMENT}; pass what is needed through freshet-types, or do it in freshet-engine"
            );
            findings.push(Finding::new(format!("crates/{name}/Cargo.toml"), advice));
        }
    }
}

/// The longest way from a crate down to one that knows none, upper crates first.
pub(super) fn longest_chain(edges: &Edges) -> Vec<String> {
    edges.keys().map(|name| chain(edges, name)).max_by_key(Vec::len).unwrap_or_default()
}

/// Cargo refuses rings, so that this ends.
fn chain(edges: &Edges, name: &str) -> Vec<String> {
    let below = edges.get(name).into_iter().flatten().map(|on| chain(edges, on));
    let below = below.max_by_key(Vec::len).unwrap_or_default();
    [vec![name.to_owned()], below].concat()
}
