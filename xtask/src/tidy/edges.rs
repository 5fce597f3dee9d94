//! The star: which crate may depend on which, read from `cargo metadata`.
//!
//! `types` depends on nothing; the siblings know `types` only; `engine` introduces them; `sim` drives the
//! engine; `app` does what people ask for, `alert`, `export` and `web` stand on it; `freshet` shows it all. Tests may look
//! further in the crates that see everything anyway.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Finding;
use crate::process;

const SIBLINGS: [&str; 8] = ["types", "policy", "frontier", "network", "forum", "fetch", "store", "report"];

/// Crate, and what it may depend on besides the siblings it may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("freshet-types", &[]),
    ("freshet-policy", &["types"]),
    ("freshet-frontier", &["types"]),
    ("freshet-network", &["types"]),
    ("freshet-forum", &["types"]),
    ("freshet-fetch", &["types"]),
    ("freshet-store", &["types"]),
    ("freshet-sink", &["types"]),
    ("freshet-report", &["types"]),
    ("freshet-engine", &["sink"]),
    ("freshet-sim", &["sink", "engine"]),
    ("freshet-jobs", &["types", "policy"]),
    ("freshet-app", &["engine", "sim"]),
    ("freshet-alert", &["engine", "app"]),
    ("freshet-export", &["sink", "engine", "app"]),
    ("freshet-web", &["sink", "engine", "sim", "app", "alert"]),
    ("freshet", &["sink", "engine", "sim", "app", "alert", "export", "web"]),
    ("xtask", &[]),
];
/// These may depend on all siblings, and in tests on anything.
const WIDE: [&str; 7] = [
    "freshet-engine",
    "freshet-sim",
    "freshet-app",
    "freshet-alert",
    "freshet-export",
    "freshet-web",
    "freshet",
];

/// Compares the workspace's manifests with the table.
pub(super) fn check(root: &Path) -> Result<Vec<Finding>> {
    let mut command = Command::new("cargo");
    command.current_dir(root).args(["metadata", "--format-version", "1", "--no-deps"]);
    let metadata: Value =
        serde_json::from_str(&process::output(&mut command)?).context("cargo metadata is no JSON")?;
    let mut findings = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        check_package(package, &mut findings);
    }
    Ok(findings)
}

pub(super) fn check_package(package: &Value, findings: &mut Vec<Finding>) {
    let name = package["name"].as_str().unwrap_or_default();
    if !ALLOWED.iter().any(|(known, _)| *known == name) {
        let advice =
            "a crate that the table of allowed edges does not know; add it to xtask/src/tidy/edges.rs";
        findings.push(Finding::new(name, advice));
        return;
    }
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let on = dependency["name"].as_str().unwrap_or_default();
        let is_ours = on == "freshet" || on.starts_with("freshet-");
        if is_ours && !is_allowed(name, on, dependency["kind"].as_str() == Some("dev")) {
            let advice = format!(
                "must not depend on `{on}`; pass what is needed through freshet-types, or do it in freshet-engine"
            );
            findings.push(Finding::new(format!("crates/{name}/Cargo.toml"), advice));
        }
    }
}

fn is_allowed(name: &str, on: &str, is_for_tests: bool) -> bool {
    let short = on.trim_start_matches("freshet-");
    let is_wide = WIDE.contains(&name);
    let is_listed = ALLOWED.iter().any(|(known, on)| *known == name && on.contains(&short));
    is_listed
        || (is_wide && (is_for_tests || SIBLINGS.contains(&short)))
        || (is_for_tests && short == "types")
}
