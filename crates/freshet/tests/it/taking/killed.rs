//! Exports and snapshots that are killed in the middle of a file, several times, and go on.

use std::path::Path;
use std::time::Duration;

use freshet_store::row::Upload;
use freshet_store::testing;
use freshet_types::{Observation, Post, Timestamp, VisitId};
use serde_json::Value;

use super::python;
use crate::support::freshet::Freshet;
use crate::support::{need, until};

/// Posts of the store.
const POSTS: i64 = 20_000;
/// Records between two checkpoints: a file has dozens of them, as one of millions has by default.
const CHECKPOINT: u64 = 500;
/// Posts that are stored at once.
const UPLOAD: i64 = 5_000;
/// Longest that an export may take to its next checkpoint.
const LIMIT: Duration = Duration::from_mins(1);

/// A store with many posts, made without a crawl.
fn filled() -> Freshet {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let mut store = testing::open(&freshet.data().join("store.sqlite"));
    for first in (0..POSTS).step_by(UPLOAD as usize) {
        let post = |n: i64| Post {
            id: n.to_string(),
            kind: "post".into(),
            created_at: Some(Timestamp::from_secs(1_700_000_000 + n * 20)),
            text: format!("text, \"quoted\"\nof post {n}"),
            tags: vec![format!("tag{}", n % 7)],
            ..Post::default()
        };
        let observation = Observation {
            posts: (first..first + UPLOAD).map(post).collect(),
            accounts: Vec::new(),
            relations: Vec::new(),
            tags: Vec::new(),
            ..Observation::default()
        };
        let upload =
            Upload::new(VisitId(1), "mastodon:a.example".into(), Timestamp::from_secs(1_710_000_000));
        store.apply(&[Upload { observation, ..upload }], |_, _| None).expect("posts are stored");
    }
    freshet
}

/// Starts a command and kills it as soon as its manifest tells of a new checkpoint; gives how many
/// records were written for good, or nothing where it ended before.
fn killed(freshet: &Freshet, args: &[&str], manifest: &Path, written: u64) -> Option<u64> {
    let mut process = freshet.start(args, "killed.log");
    let found = until("a checkpoint", LIMIT, || {
        let is_over = process.status().is_some();
        let found = records_of(manifest).filter(|count| *count > written);
        (is_over || found.is_some()).then_some(found)
    });
    process.kill().then_some(found).flatten()
}

/// Records that a manifest says are written for good.
fn records_of(manifest: &Path) -> Option<u64> {
    let manifest: Value = serde_json::from_slice(&std::fs::read(manifest).ok()?).ok()?;
    let open = manifest["open"]["files"].as_array().cloned().unwrap_or_default();
    let files = manifest["files"].as_array()?.iter().chain(&open).map(|file| file["records_count"].as_u64());
    files.sum()
}

/// Kills it at three checkpoints, then lets it end.
fn killed_thrice(freshet: &Freshet, args: &[&str], manifest: &Path) {
    let mut written = 0;
    for _ in 0..3 {
        let now = killed(freshet, args, manifest, written);
        written = now.unwrap_or_else(|| panic!("{args:?} ended before it could be killed, after {written}"));
        assert!(written % CHECKPOINT == 0, "{written}");
    }
    let said = freshet.say(args);
    assert!(said.code == 0 && said.err.contains("goes on where"), "{said:?}");
}

/// A manifest without the time at which its export began.
fn undated(path: &Path) -> Value {
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(path).expect("as the test made it"))
        .expect("as the test made it");
    assert!(
        manifest
            .as_object_mut()
            .expect("as the test made it")
            .remove("begun_ms")
            .expect("as the test made it")
            .is_i64()
    );
    manifest
}

fn assert_same(one: &Path, other: &Path) {
    let read =
        |path: &Path| std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (left, right) = (read(one), read(other));
    assert!(!left.is_empty() && left == right, "{} is not {}", one.display(), other.display());
}

/// Whether two Parquet files are the same table to others.
const COMPARE: &str = r#"
import duckdb, pyarrow.parquet as parquet
for kind in ["posts", "changes"]:
    one, other = parquet.read_table(f"whole-parquet/{kind}.parquet"), parquet.read_table(f"killed-parquet/{kind}.parquet")
    assert one.equals(other), kind
    rows = duckdb.sql(f"SELECT count(*), count(DISTINCT id) FROM 'killed-parquet/{kind}.parquet'").fetchall()[0]
    print(kind, one.num_rows, *rows)
order = duckdb.sql("SELECT native_id FROM 'killed-parquet/posts.parquet'").fetchall()
assert [int(row[0]) for row in order] == list(range(len(order))), "in order"
"#;

#[test]
fn a_killed_export_goes_on_within_its_file() {
    let freshet = filled();
    let at = |name: &str| freshet.folder().join(name);
    for format in ["jsonl", "csv", "parquet"] {
        let every = CHECKPOINT.to_string();
        let (whole, killed) = (format!("whole-{format}"), format!("killed-{format}"));
        let export =
            ["export", "--format", format, "--kind", "posts,changes", "--checkpoint-every", &every, "-o"];
        freshet.ok(&[&export[..], &[&whole]].concat());
        let manifest = at(&killed).join("export.json");
        killed_thrice(&freshet, &[&export[..], &[&killed]].concat(), &manifest);
        for kind in ["posts", "changes"] {
            let name = format!("{kind}.{format}");
            assert_same(&at(&whole).join(&name), &at(&killed).join(&name));
        }
        assert_eq!(undated(&at(&whole).join("export.json")), undated(&manifest));
        let count = std::fs::read_dir(at(&killed)).expect("it is a folder").count();
        assert_eq!(count, 3, "nothing is left behind");
    }
    let Some([program]) = need("taking::a_killed_export", ["FRESHET_TEST_READERS"]) else { return };
    let said = python(&program, COMPARE, freshet.folder());
    assert_eq!(said, format!("posts {POSTS} {POSTS} {POSTS}\nchanges {POSTS} {POSTS} {POSTS}\n"));
}

#[test]
fn a_killed_snapshot_goes_on() {
    let freshet = filled();
    let at = |name: &str| freshet.folder().join(name);
    let every = CHECKPOINT.to_string();
    let snapshot = |dir| ["snapshot", dir, "--checkpoint-every", &every];
    freshet.ok(&snapshot("whole"));
    killed_thrice(&freshet, &snapshot("killed"), &at("killed.part/data/export.json"));
    assert!(!at("killed.part").exists() && !at("killed.part.json").exists(), "nothing is left behind");
    freshet.ok(&["snapshot", "verify", "killed"]);
    let sums = |name: &str| -> Vec<String> {
        let text = std::fs::read_to_string(at(name).join("SHA256SUMS")).expect("as the test made it");
        // These say when it was made.
        let is_dated = |line: &str| {
            ["README.md", "snapshot.json", "data/export.json"].iter().any(|name| line.ends_with(name))
        };
        text.lines().filter(|line| !is_dated(line)).map(str::to_owned).collect()
    };
    assert!(sums("whole").len() > 6, "{:?}", sums("whole"));
    assert_eq!(sums("whole"), sums("killed"));
    // A finished one is not touched, whatever is asked.
    for args in [&["snapshot", "killed"][..], &["snapshot", "killed", "--restart"]] {
        let refused = freshet.say(args);
        assert!(refused.code == 2 && refused.err.contains("there already"), "{refused:?}");
    }
    freshet.ok(&["snapshot", "verify", "killed"]);
}
