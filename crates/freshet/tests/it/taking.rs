//! Taking data away: exports that are split, counted, interrupted and read by others; snapshots that are verified.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::freshet::Freshet;
use crate::support::need;
use crate::support::world::World;

mod deleted;
mod killed;
mod refused;

/// A small world, crawled for some seconds; one account is watched.
fn crawled() -> (World, Freshet) {
    let world = World::start(5);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let mut authors: Vec<String> =
        world.truth().iter().map(|post| post["author"].as_str().expect("an author").to_owned()).collect();
    authors.sort();
    authors.dedup();
    for author in &authors {
        freshet.ok(&["add", "--allow-private", &format!("{}/@{author}", world.base)]);
    }
    freshet.run_for(5, "1h");
    (world, freshet)
}

fn manifest(dir: &Path) -> Value {
    let text = std::fs::read_to_string(dir.join("export.json")).expect("there is a manifest");
    serde_json::from_str(&text).expect("a manifest is JSON")
}

fn python(program: &Path, script: &str, folder: &Path) -> String {
    let mut command = Command::new(program);
    command.arg("-c").arg(script).current_dir(folder).stdin(Stdio::null());
    let output = command.output().expect("python can be started");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{script}\n{out}\n{err}");
    out.into_owned()
}

#[test]
fn an_export_is_counted_split_and_gone_on_with() {
    let (_world, freshet) = crawled();
    let posts = freshet.posts();
    let dry = freshet.ok(&["export", "--split", "day", "--dry-run", "-o", "out"]);
    assert!(dry.contains(&posts.len().to_string()) && dry.contains("nothing was written"), "{dry}");
    assert!(!freshet.folder().join("out").exists(), "a dry run writes nothing");
    let export = ["export", "--split", "day", "--kind", "posts,accounts", "-o", "out"];
    let said = freshet.say(&export);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains(&format!("{} posts", posts.len())), "{said:?}");
    let out = freshet.folder().join("out");
    let days = days_of(&posts);
    let files: Vec<_> = std::fs::read_dir(out.join("posts")).unwrap().collect();
    assert_eq!(files.len(), days.len(), "one file a day: {days:?}");
    for (day, count) in &days {
        let text = std::fs::read_to_string(out.join(format!("posts/{day}.jsonl"))).unwrap();
        assert_eq!(text.lines().count(), *count, "{day}");
    }
    assert_eq!(manifest(&out)["is_complete"], true);

    // As if it had been killed before its last two files.
    let mut broken = manifest(&out);
    broken["is_complete"] = json!(false);
    let listed = broken["files"].as_array_mut().unwrap();
    let lost: Vec<String> =
        listed.drain(listed.len() - 2..).map(|file| file["name"].as_str().unwrap().to_owned()).collect();
    for name in &lost {
        std::fs::rename(out.join(name), out.join(format!("{name}.part"))).unwrap();
    }
    std::fs::write(out.join("export.json"), broken.to_string()).unwrap();
    let said = freshet.say(&export);
    assert!(said.code == 0 && said.err.contains("goes on where an export stopped"), "{said:?}");
    assert!(lost.iter().all(|name| out.join(name).is_file()), "{lost:?}");
    let mut again = manifest(&out);
    assert_eq!(again["files"].as_array().unwrap().len(), files.len() + count_of(&out.join("accounts")));
    again["is_complete"] = json!(false);
    std::fs::write(out.join("export.json"), again.to_string()).unwrap();
    let said = freshet.say(&["export", "--split", "day", "-o", "out"]);
    assert!(said.code == 0 && said.err.contains("something else"), "{said:?}");
    let quiet = freshet.say(&["export", "--quiet", "-o", "out"]);
    assert_eq!((quiet.code, quiet.out.as_str(), quiet.err.as_str()), (0, "", ""));
    let refused = freshet.say(&["export", "--split", "day"]);
    assert!(refused.code == 2 && refused.err.contains("-o DIR"), "{refused:?}");
}

fn count_of(dir: &Path) -> usize {
    std::fs::read_dir(dir).expect("a folder can be listed").count()
}

/// Days (UTC) of posts, by the tests' own arithmetic.
fn days_of(posts: &[Value]) -> std::collections::BTreeMap<String, usize> {
    let mut days = std::collections::BTreeMap::new();
    for post in posts {
        let at = post["created_at"].as_f64().or(post["seen_at"].as_f64()).expect("a time");
        *days.entry(date((at / 86_400.0).floor() as i64)).or_default() += 1;
    }
    days
}

/// The date of a day since 1970, counted year by year.
fn date(mut day: i64) -> String {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    while day >= 365 + i64::from(is_leap(year)) {
        day -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + i64::from(is_leap(year));
    let mut month = 0;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        month += 1;
        if day < length {
            break;
        }
        day -= length;
    }
    format!("{year}-{month:02}-{:02}", day + 1)
}

/// What others read of an export, as JSON: counts and a few values, by each reader.
const READ: &str = r#"
import json, duckdb, pyarrow.parquet as parquet, pyarrow.dataset as dataset
first = "SELECT id, author, text, created_at, len(tags) FROM {} ORDER BY id LIMIT 5"
table = parquet.read_table("out/posts.parquet")
rows = sorted(table.to_pylist(), key=lambda row: row["id"])[:5]
print(json.dumps({
    "duckdb": {
        "posts": duckdb.sql("SELECT count(*) FROM 'out/posts.parquet'").fetchall()[0][0],
        "days": duckdb.sql("SELECT count(*) FROM 'days/posts/*.parquet'").fetchall()[0][0],
        "accounts": duckdb.sql("SELECT count(*) FROM 'out/accounts.parquet'").fetchall()[0][0],
        "first": duckdb.sql(first.format("'out/posts.parquet'")).fetchall(),
        "first_of_days": duckdb.sql(first.format("'days/posts/*.parquet'")).fetchall(),
    },
    "pyarrow": {
        "posts": table.num_rows,
        "days": dataset.dataset("days/posts", format="parquet").count_rows(),
        "accounts": parquet.read_table("out/accounts.parquet").num_rows,
        "first": [[row["id"], row["author"], row["text"], row["created_at"], len(row["tags"])] for row in rows],
    },
}))
"#;

#[test]
fn duckdb_and_pyarrow_read_what_was_written() {
    let Some([program]) = need("taking::duckdb_and_pyarrow", ["FRESHET_TEST_READERS"]) else { return };
    let (_world, freshet) = crawled();
    freshet.ok(&["export", "--format", "parquet", "--kind", "posts,accounts", "-o", "out"]);
    freshet.ok(&["export", "--format", "parquet", "--split", "day", "-o", "days"]);
    let read: Value = serde_json::from_str(&python(&program, READ, freshet.folder())).unwrap();
    let mut posts = freshet.posts();
    posts.sort_by_key(|post| post["id"].as_str().unwrap().to_owned());
    let first: Vec<Value> = posts
        .iter()
        .take(5)
        .map(|post| {
            let tags = post["tags"].as_array().unwrap().len();
            json!([post["id"], post["author"], post["text"], post["created_at"].as_f64(), tags])
        })
        .collect();
    for reader in ["duckdb", "pyarrow"] {
        let read = &read[reader];
        assert_eq!(read["posts"], posts.len(), "{reader}: {read}");
        assert_eq!(read["days"], posts.len(), "{reader}: {read}");
        assert_eq!(read["accounts"], freshet.export("accounts").len(), "{reader}: {read}");
        assert_eq!(read["first"], json!(first), "{reader}");
    }
    assert_eq!(read["duckdb"]["first_of_days"], json!(first));
}

#[test]
fn the_walk_through_runs() {
    let Some([program]) = need("taking::the_walk_through", ["FRESHET_TEST_READERS"]) else { return };
    let (_world, freshet) = crawled();
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/read-an-export.md");
    let text = std::fs::read_to_string(guide).expect("the guide can be read");
    for line in blocks(&text, "console").lines().filter_map(|line| line.strip_prefix("$ freshet ")) {
        freshet.ok(&line.split_whitespace().collect::<Vec<_>>());
    }
    let code = blocks(&text, "python");
    assert!(code.lines().count() > 20, "there is code to run");
    let said = python(&program, &code, freshet.folder());
    assert!(said.contains(&format!("{} posts", freshet.posts().len())), "{said}");
}

/// All code of one language in a document, one after the other.
fn blocks(text: &str, language: &str) -> String {
    let mut code = String::new();
    let mut is_inside = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(opened) => is_inside = !is_inside && opened == language,
            None if is_inside => code.extend([line, "\n"]),
            None => {}
        }
    }
    code
}

#[test]
fn a_snapshot_is_whole_or_says_what_is_not() {
    let (_world, freshet) = crawled();
    let said = freshet.json(&["snapshot", "cited", "--title", "A small world"]);
    let id = said["id"].as_str().unwrap().to_owned();
    let dir = freshet.folder().join("cited");
    let posts = freshet.posts();
    let facts: Value =
        serde_json::from_str(&std::fs::read_to_string(dir.join("snapshot.json")).unwrap()).unwrap();
    assert_eq!(facts["counts"]["posts_count"], posts.len(), "{facts}");
    assert_eq!(facts["definitions"][0]["network"], "mastodon", "{facts}");
    let readme = std::fs::read_to_string(dir.join("README.md")).unwrap();
    for words in ["# A small world", "What is proven complete", "are proven complete", "sha256sum"] {
        assert!(readme.contains(words), "`{words}` is not in\n{readme}");
    }
    let ids = std::fs::read_to_string(dir.join("ids.txt")).unwrap();
    assert_eq!(ids.lines().count(), posts.len());
    assert!(ids.contains(posts[0]["id"].as_str().unwrap()));
    let coverage = std::fs::read_to_string(dir.join("coverage.jsonl")).unwrap();
    let lists: Vec<Value> = coverage.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(facts["coverage"]["lists_count"], lists.len(), "{facts}");

    let verified = freshet.json(&["snapshot", "verify", "cited"]);
    assert_eq!((&verified["is_whole"], &verified["id"]), (&json!(true), &json!(id)), "{verified}");
    let theirs =
        Command::new("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(&dir).status();
    assert!(theirs.is_ok_and(|status| status.success()), "sha256sum agrees");
    let refused = freshet.say(&["snapshot", "cited"]);
    assert!(refused.code == 2 && refused.err.contains("there already"), "{refused:?}");
    std::fs::write(dir.join("ids.txt"), "other\n").unwrap();
    let broken = freshet.say(&["snapshot", "verify", "cited"]);
    assert!(broken.code == 1 && broken.out.contains("changed: ids.txt"), "{broken:?}");
    let none = freshet.say(&["snapshot", "verify", "nowhere"]);
    assert!(none.code == 2 && none.err.contains("nowhere") && none.err.contains("hint:"), "{none:?}");
}
