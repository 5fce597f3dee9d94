//! What was exported against what the world says: every post that is due exactly once.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::Value;

/// A post counts as due when it is older than this at the end: six ceilings, in simulated seconds.
const LAG_ALLOWED_S: f64 = 6.0 * 3600.0;

/// What was found.
#[derive(Debug, PartialEq)]
pub(super) struct Report {
    pub(super) kills: u32,
    pub(super) due_count: usize,
    pub(super) exported_count: usize,
    pub(super) lost: Vec<String>,
    pub(super) doubled: Vec<String>,
}

impl Report {
    pub(super) fn is_clean(&self) -> bool {
        self.lost.is_empty() && self.doubled.is_empty()
    }

    pub(super) fn line(&self) -> String {
        let Self { kills, due_count, exported_count, lost, doubled } = self;
        let (lost, doubled) = (lost.len(), doubled.len());
        format!(
            "{kills} kills, {due_count} posts due, {exported_count} exported, lost {lost}, doubled {doubled}"
        )
    }
}

/// Every post of a watched author, old enough and still public, must be exported exactly once.
pub(super) fn compare(
    authors: &BTreeSet<String>,
    truth: &[Value],
    export: &str,
    kills: u32,
) -> Result<Report> {
    let seen = exported(export)?;
    let newest = truth.iter().filter_map(|post| post["created_at"].as_f64()).fold(f64::MIN, f64::max);
    let due: Vec<String> = truth
        .iter()
        .filter(|post| post["created_at"].as_f64().is_some_and(|at| at < newest - LAG_ALLOWED_S))
        .filter(|post| post["author"].as_str().is_some_and(|author| authors.contains(author)))
        .filter(|post| post["deleted_at"].is_null() && post["hidden_at"].is_null())
        .map(|post| plain(&post["id"]))
        .collect();
    Ok(Report {
        kills,
        due_count: due.len(),
        exported_count: seen.values().sum(),
        lost: due.into_iter().filter(|id| !seen.contains_key(id)).collect(),
        doubled: seen.into_iter().filter(|(_, count)| *count > 1).map(|(id, _)| id).collect(),
    })
}

/// How often each post of an export, a file of JSON lines, is in it; every line must be whole.
pub(super) fn exported(export: &str) -> Result<BTreeMap<String, usize>> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for line in export.lines().filter(|line| !line.trim().is_empty()) {
        let post: Value = serde_json::from_str(line).with_context(|| format!("the export holds `{line}`"))?;
        let id = if post["native_id"].is_null() { &post["id"] } else { &post["native_id"] };
        let id = plain(id);
        *seen.entry(id.rsplit('/').next().unwrap_or_default().to_owned()).or_default() += 1;
    }
    Ok(seen)
}

/// An id without JSON's quotes, whether it was written as a string or as a number.
fn plain(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(export: &[Value], lost: &[&str], doubled: &[&str]) {
        let at = |at: u32| json!({"created_at": at, "author": "a", "deleted_at": null, "hidden_at": null});
        let post = |id: &str, created_at: u32, changes: Value| {
            let mut post = at(created_at);
            post["id"] = json!(id);
            for (key, value) in changes.as_object().unwrap() {
                post[key] = value.clone();
            }
            post
        };
        let truth = [
            post("1", 100, json!({})),
            post("2", 200, json!({})),
            post("3", 300, json!({"deleted_at": 400})),
            post("4", 300, json!({"hidden_at": 400})),
            post("5", 300, json!({"author": "stranger"})),
            post("6", 1_000_000, json!({})),
        ];
        let export: Vec<String> = export.iter().map(Value::to_string).collect();
        let report = compare(&BTreeSet::from(["a".to_owned()]), &truth, &export.join("\n"), 7).unwrap();
        assert_eq!((report.due_count, report.kills), (2, 7));
        assert_eq!(
            (report.lost, report.doubled),
            (
                lost.iter().map(ToString::to_string).collect(),
                doubled.iter().map(ToString::to_string).collect()
            )
        );
    }

    #[test]
    fn export_and_truth_are_compared() {
        let line = |id: &str| json!({"id": format!("mastodon:x/post/{id}"), "native_id": id});
        check(&[line("1"), line("2")], &[], &[]);
        check(&[line("1"), line("2"), line("3"), line("6"), line("9")], &[], &[]);
        check(&[line("1")], &["2"], &[]);
        check(&[line("1"), line("2"), line("1")], &[], &["1"]);
        check(&[json!({"id": "mastodon:x/post/1"}), json!({"id": "x", "native_id": 2})], &[], &[]);
    }

    #[test]
    fn a_torn_line_is_no_export() {
        assert!(exported("{\"id\": \"1\"}\n{\"id\": \"2").is_err());
    }
}
