//! Deletions and forgettings reach exports and snapshots that were made before, whoever is killed meanwhile.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use freshet_sink::{Format, RecordKind, back};
use freshet_store::row::{InstanceRow, OnDelete, Upload};
use freshet_store::testing;
use freshet_types::{Account, Instance, Observation, Post, Relation, Timestamp, VisitId};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::python;
use crate::support::freshet::Freshet;
use crate::support::{need, until};

/// Stands in everything that is collected of the account that is forgotten, and nowhere else.
const SECRET: &str = "quartzzebra";
const NETWORK: &str = "mastodon:a.example";
/// Every kind of record.
const KINDS: &str = "posts,accounts,relations,changes,objects,links";
/// The account that is forgotten.
const ADA: &str = "mastodon:a.example/account/ada-quartzzebra";

fn apply(freshet: &Freshet, secs: i64, observation: Observation) {
    let mut store = testing::open(&freshet.data().join("store.sqlite"));
    let upload = Upload::new(VisitId(1), NETWORK.into(), Timestamp::from_secs(secs));
    let compare = freshet_engine::compare::compare;
    store.apply(&[Upload { observation, ..upload }], compare).expect("it is stored");
}

fn post(id: &str, author: &str, text: &str, n: i64) -> Post {
    Post {
        id: id.into(),
        kind: "post".into(),
        author: Some(author.into()),
        created_at: Some(Timestamp::from_secs(1_700_000_000 + n * 3_600)),
        text: text.into(),
        tags: vec!["rivers".into()],
        ..Post::default()
    }
}

/// A store with posts of two people, one of whom will be forgotten; each has `count` posts.
fn filled(count: i64) -> Freshet {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let account = |id: &str| Account {
        id: id.into(),
        handle: Some(format!("{id}@a.example")),
        bio: Some(format!("I am {id}")),
        ..Account::default()
    };
    let ada = format!("ada-{SECRET}");
    let mut posts: Vec<Post> = (0..count)
        .flat_map(|n| {
            let hers = post(&format!("{n}-{SECRET}"), &ada, &format!("{SECRET}, \"she\"\nsaid {n}"), n);
            [hers, post(&n.to_string(), "bob", &format!("bob, \"he\"\nsaid {n}"), n)]
        })
        .collect();
    // A repost by somebody else stays as an event.
    posts.push(Post { repost_of: Some(format!("0-{SECRET}")), ..post("r", "bob", SECRET, 1) });
    let relation = |source: &str, target: &str| Relation { source: source.into(), target: target.into() };
    let observation = Observation {
        posts,
        accounts: vec![account(&ada), account("bob")],
        relations: vec![relation(&ada, "bob"), relation("bob", "carol")],
        ..Observation::default()
    };
    let mut store = testing::open(&freshet.data().join("store.sqlite"));
    let instance =
        Instance { network: NETWORK.into(), base: "https://a.example".into(), allow_private: false };
    store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).expect("as the test made it");
    drop(store);
    apply(&freshet, 1_710_000_000, observation);
    freshet
}

/// Bob's first post is deleted on its network.
fn delete(freshet: &Freshet) {
    let gone = Post { is_deleted: true, ..post("0", "bob", "", 0) };
    apply(freshet, 1_711_000_000, Observation { posts: vec![gone], ..Observation::default() });
}

/// Whether the secret stands in any file below a folder, packed or not.
fn holds_secret(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a folder can be listed") {
        let path = entry.expect("as the test made it").path();
        if path.is_dir() {
            found.extend(holds_secret(&path));
            continue;
        }
        let bytes = std::fs::read(&path).expect("as the test made it");
        let has_it = if path.extension().is_some_and(|ending| ending == "parquet") {
            rows(&path).iter().any(|row| row.contains(SECRET))
        } else {
            bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
        };
        if has_it || path.to_string_lossy().contains(SECRET) {
            found.push(path.display().to_string());
        }
    }
    found
}

/// The records of a file of an export, as text.
fn rows(path: &Path) -> Vec<String> {
    let name = path.file_name().expect("as the test made it").to_string_lossy();
    let (stem, ending) = name.rsplit_once('.').expect("as the test made it");
    let above = path.parent().and_then(Path::file_name).expect("as the test made it").to_string_lossy();
    let kind: RecordKind = stem.parse().or_else(|_| above.parse()).expect("a kind");
    let format: Format = ending.parse().expect("a format");
    let mut rows = Vec::new();
    back::each_row::<freshet_sink::SinkError>(
        format,
        kind,
        std::fs::File::open(path).expect("as the test made it"),
        &mut |row| {
            rows.push(format!("{row:?}"));
            Ok(())
        },
    )
    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    rows
}

/// What others read of the files afterwards: how many posts, whose, and which are marked.
const READ: &str = r#"
import sys, duckdb, pyarrow.parquet as parquet
table = parquet.read_table("parquet/posts.parquet")
assert "quartzzebra" not in str(table.to_pylist())
for name, read in [("jsonl", "read_json('jsonl/posts.jsonl')"), ("csv", "read_csv('csv/posts.csv')"), ("parquet", "'parquet/posts.parquet'")]:
    rows = duckdb.sql(f"SELECT count(*), count(DISTINCT author_id), count(deleted_at) FROM {read}").fetchall()[0]
    print(name, *rows)
"#;

#[test]
fn what_was_forgotten_and_deleted_is_gone_from_every_format() {
    const COUNT: i64 = 60;
    let freshet = filled(COUNT);
    let at = |name: &str| freshet.folder().join(name);
    for format in ["jsonl", "csv", "parquet"] {
        freshet.ok(&["export", "--format", format, "--kind", KINDS, "-o", format]);
        let days = format!("{format}-days");
        freshet.ok(&["export", "--format", format, "--kind", KINDS, "--split", "day", "-o", &days]);
    }
    // An export that another one replaced left files that are nobody's but ours.
    freshet.ok(&["export", "--format", "csv", "-o", "jsonl"]);
    freshet.ok(&["export", "--format", "jsonl", "--kind", KINDS, "-o", "jsonl"]);
    std::fs::write(at("jsonl/notes.txt"), "mine").expect("as the test made it");
    let care = freshet.json(&["care"]);
    assert_eq!(care["exports"].as_array().expect("as the test made it").len(), 6, "{care}");
    assert!(care["exports"][0]["command"].is_null(), "nothing was deleted since: {care}");

    let forgotten = freshet.json(&["forget", ADA, "--yes", "--receipt", &at("r.json").to_string_lossy()]);
    let receipt = std::fs::read_to_string(at("r.json")).expect("as the test made it");
    assert_eq!(hash(receipt.as_bytes()), forgotten["receipt_sha256"].as_str().expect("as the test made it"));
    assert!(!receipt.contains(SECRET), "{receipt}");
    assert_eq!(
        (&forgotten["receipt"]["posts_count"], &forgotten["receipt"]["exports_count"]),
        (&COUNT.into(), &6.into())
    );
    delete(&freshet);

    let listed = freshet.json(&["export", "--tombstones", "jsonl"]);
    assert_eq!(
        (&listed["is_applied"], &listed["deletions"]["sums"]["marked_count"]),
        (&false.into(), &2.into())
    );
    let tombstones = std::fs::read_to_string(at("jsonl/tombstones.jsonl")).expect("as the test made it");
    assert!(tombstones.contains(&format!("\"id\":\"{NETWORK}/post/3-{SECRET}\"")), "{tombstones}");
    assert!(!tombstones.contains("said"), "no content: {tombstones}");

    for format in ["jsonl", "csv", "parquet"] {
        for dir in [format.to_owned(), format!("{format}-days")] {
            assert!(!holds_secret(&at(&dir)).is_empty(), "{dir} has it before");
            let said = freshet.json(&["export", "--apply-deletions", &dir]);
            let sums = &said["deletions"]["sums"];
            let is_twice = u64::from(dir == "jsonl");
            assert_eq!(sums["marked_count"], 1 + is_twice, "{said}");
            assert_eq!(sums["redacted_count"], 1 + is_twice, "the repost is emptied: {said}");
            assert!(sums["forgotten_count"].as_u64() > Some(COUNT as u64), "{said}");
            assert_eq!(holds_secret(&at(&dir)), [] as [&str; 0], "{dir}");
            check_receipt(&at(&dir), &said);
            let again = freshet.json(&["export", "--apply-deletions", &dir]);
            assert!(
                again["receipt"].is_null() && again["deletions"]["files"] == serde_json::json!([]),
                "{again}"
            );
        }
    }
    assert_eq!(std::fs::read_to_string(at("jsonl/notes.txt")).expect("as the test made it"), "mine");
    assert_eq!(rows(&at("csv/posts.csv")).len() as i64, COUNT + 1);
    let care = freshet.ok(&["care"]);
    assert_eq!(care.matches("nothing was deleted since").count(), 6, "{care}");
    // The next export is what the files are now, but for the order of nothing.
    freshet.ok(&["export", "--format", "parquet", "--kind", KINDS, "-o", "fresh"]);
    for kind in ["posts", "accounts", "relations", "changes"] {
        let name = format!("{kind}.parquet");
        let later = rows(&at("fresh").join(&name));
        let kept = rows(&at("parquet").join(&name));
        assert!(kept.iter().all(|row| later.contains(row)), "{kind}: {kept:?}\n{later:?}");
    }
    let Some([program]) = need("taking::deleted", ["FRESHET_TEST_READERS"]) else { return };
    let line = |format: &str| format!("{format} {} 1 1\n", COUNT + 1);
    assert_eq!(python(&program, READ, freshet.folder()), ["jsonl", "csv", "parquet"].map(line).concat());
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"))
}

/// The receipt is a file of the folder, and every hash in it is that of its file.
fn check_receipt(dir: &Path, said: &Value) {
    let text = std::fs::read(dir.join(said["receipt"].as_str().expect("as the test made it")))
        .expect("as the test made it");
    assert_eq!(hash(&text), said["receipt_sha256"].as_str().expect("as the test made it"));
    let receipt: Value = serde_json::from_slice(&text).expect("as the test made it");
    assert_eq!(receipt, said["deletions"]);
    for file in receipt["files"].as_array().expect("as the test made it") {
        let bytes = std::fs::read(dir.join(file["name"].as_str().expect("as the test made it")))
            .expect("as the test made it");
        assert_eq!(hash(&bytes), file["sha256"].as_str().expect("as the test made it"), "{file}");
    }
    let left: Vec<String> = std::fs::read_dir(dir)
        .expect("as the test made it")
        .map(|entry| entry.expect("as the test made it").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".part") || name.contains(".new") || name == "tombstones.jsonl")
        .collect();
    assert_eq!(left, [] as [&str; 0]);
}

#[test]
fn what_a_network_redacts_is_emptied() {
    let freshet = filled(3);
    freshet.ok(&["export", "-o", "out"]);
    freshet.ok(&["networks", "set", NETWORK, "on_delete", "redact"]);
    delete(&freshet);
    let said = freshet.json(&["export", "--apply-deletions", "out"]);
    assert_eq!(
        (&said["deletions"]["sums"]["redacted_count"], &said["deletions"]["sums"]["forgotten_count"]),
        (&1.into(), &0.into())
    );
    let text =
        std::fs::read_to_string(freshet.folder().join("out/posts.jsonl")).expect("as the test made it");
    let first: Value = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("as the test made it"))
        .find(|it: &Value| it["native_id"] == "0")
        .expect("as the test made it");
    assert_eq!(
        (&first["text"], &first["tags"], &first["author_id"]),
        (&"".into(), &serde_json::json!([]), &"bob".into())
    );
    assert_eq!(first["deleted_at"], 1_711_000_000);
}

#[test]
fn a_snapshot_gets_a_revision() {
    let freshet = filled(5);
    let at = |name: &str| freshet.folder().join(name);
    freshet.ok(&["snapshot", "cited", "--title", "Rivers"]);
    let id = freshet.json(&["snapshot", "verify", "cited"])["id"]
        .as_str()
        .expect("as the test made it")
        .to_owned();
    freshet.ok(&["forget", ADA, "--yes"]);
    assert!(!holds_secret(&at("cited")).is_empty());
    let said = freshet.json(&["export", "--apply-deletions", "cited"]);
    assert_eq!(
        (&said["deletions"]["revision"], &said["deletions"]["id_before"]),
        (&2.into(), &id.as_str().into()),
        "{said}"
    );
    assert_eq!(holds_secret(&at("cited")), [] as [&str; 0]);
    check_receipt(&at("cited"), &said);
    let now = freshet.json(&["snapshot", "verify", "cited"]);
    assert!(now["is_whole"] == true && now["id"] != id.as_str(), "{now}");
    let list = format!("cited/revisions/SHA256SUMS.{}", id.trim_start_matches("sha256:"));
    assert_eq!(
        format!("sha256:{}", hash(&std::fs::read(at(&list)).expect("as the test made it"))),
        id,
        "who cited it finds its list"
    );
    let facts: Value =
        serde_json::from_slice(&std::fs::read(at("cited/snapshot.json")).expect("as the test made it"))
            .expect("as the test made it");
    assert_eq!((&facts["revision"], &facts["counts"]["posts_count"]), (&2.into(), &6.into()), "{facts}");
    assert!(
        std::fs::read_to_string(at("cited/README.md"))
            .expect("as the test made it")
            .contains("## Revision 2")
    );
    let again = freshet.json(&["export", "--apply-deletions", "cited"]);
    assert!(again["deletions"]["revision"].is_null(), "{again}");
    assert_eq!(freshet.json(&["snapshot", "verify", "cited"])["id"], now["id"]);
    let care = freshet.json(&["care"]);
    assert_eq!(
        (&care["exports"][0]["is_snapshot"], &care["exports"][0]["command"]),
        (&true.into(), &Value::Null)
    );
}

#[test]
fn who_is_killed_goes_on() {
    const COUNT: i64 = 800;
    let freshet = filled(COUNT);
    let out = freshet.folder().join("out");
    freshet.ok(&["export", "--split", "day", "--format", "parquet", "--kind", "posts,changes", "-o", "out"]);
    freshet.ok(&["forget", ADA, "--yes"]);
    let journal = out.join("deletions.json.part");
    let args = ["export", "--apply-deletions", "out"];
    let mut done = 0;
    for _ in 0..3 {
        let mut process = freshet.start(&args, "killed.log");
        let found = until("a file that is done", Duration::from_mins(1), || {
            let is_over = process.status().is_some();
            let count = done_count(&journal).filter(|count| *count > done);
            (is_over || count.is_some()).then_some(count)
        });
        assert!(process.kill(), "it ended before it could be killed, after {done} files");
        done = found.expect("a file more");
    }
    let said = freshet.json(&args);
    let sums = &said["deletions"]["sums"];
    // Her posts, and the lines of the log of her posts and of herself.
    assert_eq!(
        sums["forgotten_count"].as_i64().expect("as the test made it")
            + sums["expired_count"].as_i64().expect("as the test made it"),
        2 * COUNT + 1,
        "{sums}"
    );
    assert_eq!(sums["redacted_count"], 1);
    assert_eq!(holds_secret(&out), [] as [&str; 0]);
    check_receipt(&out, &said);
    assert_eq!(freshet.json(&args)["deletions"]["files"], serde_json::json!([]), "nothing is left to do");
}

/// Files that a journal says are done.
fn done_count(journal: &Path) -> Option<usize> {
    let journal: Value = serde_json::from_slice(&std::fs::read(journal).ok()?).ok()?;
    journal["files"].as_array().map(Vec::len)
}

#[test]
fn folders_that_are_not_ours_are_left_alone() {
    let freshet = filled(3);
    let at = |name: &str| freshet.folder().join(name);
    std::fs::create_dir(at("theirs")).expect("as the test made it");
    std::fs::write(at("theirs/posts.jsonl"), "{\"mine\": true}\n").expect("as the test made it");
    freshet.ok(&["export", "--kind", "posts,accounts", "-o", "out"]);
    freshet.ok(&["export", "-o", "locked"]);
    freshet.ok(&["forget", ADA, "--yes"]);
    let other = filled(3);
    let out = at("out").to_string_lossy().into_owned();
    for (freshet, dir, words) in [
        (&freshet, "theirs", "is no folder of an export"),
        (&freshet, "nowhere", "is no folder of an export"),
        (&other, out.as_str(), "another data directory"),
    ] {
        for option in ["--apply-deletions", "--tombstones"] {
            let said = freshet.say(&["export", option, dir]);
            assert!(
                said.code == 2 && said.err.contains(words) && said.err.contains("hint:"),
                "{dir}: {said:?}"
            );
        }
    }
    assert_eq!(
        std::fs::read_to_string(at("theirs/posts.jsonl")).expect("as the test made it"),
        "{\"mine\": true}\n"
    );
    // A file that somebody changed is named and not touched; the others are done.
    let mut file =
        std::fs::OpenOptions::new().append(true).open(at("out/posts.jsonl")).expect("as the test made it");
    file.write_all(b"a note of mine\n").expect("as the test made it");
    drop(file);
    let before = std::fs::read(at("out/posts.jsonl")).expect("as the test made it");
    let said = freshet.say(&["export", "--apply-deletions", "out"]);
    assert!(said.code == 1 && said.out.contains("left alone: posts.jsonl: it was changed"), "{said:?}");
    assert_eq!(std::fs::read(at("out/posts.jsonl")).expect("as the test made it"), before);
    assert!(
        !std::fs::read_to_string(at("out/accounts.jsonl")).expect("as the test made it").contains(SECRET)
    );
    let care = freshet.json(&["care"]);
    let behind = care["exports"]
        .as_array()
        .expect("as the test made it")
        .iter()
        .filter(|it| !it["command"].is_null())
        .count();
    assert_eq!(behind, 2, "what was left alone has not heard: {care}");
    // A folder in which nothing can be written stays as it is; a folder in the way does so for every user.
    std::fs::create_dir(at("locked/tombstones.jsonl.part")).expect("as the test made it");
    let before = std::fs::read(at("locked/posts.jsonl")).expect("as the test made it");
    let said = freshet.say(&["export", "--apply-deletions", "locked"]);
    assert!(
        said.code == 1 && said.err.contains("cannot be written") && said.err.contains("hint:"),
        "{said:?}"
    );
    assert_eq!(std::fs::read(at("locked/posts.jsonl")).expect("as the test made it"), before);
    let said = freshet.say(&["export", "--format", "json"]);
    assert!(said.code == 2 && said.err.contains("jsonl, csv or parquet"), "{said:?}");
}

#[test]
fn care_reaches_every_export_and_snapshot_at_once() {
    let freshet = filled(4);
    assert!(freshet.ok(&["care", "apply"]).contains("no export or snapshot has to hear"));
    freshet.ok(&["export", "--kind", "posts,accounts", "-o", "one"]);
    freshet.ok(&["export", "--format", "csv", "-o", "two"]);
    freshet.ok(&["export", "-o", "gone"]);
    freshet.ok(&["snapshot", "three"]);
    freshet.ok(&["forget", ADA, "--yes"]);
    let at = |name: &str| freshet.folder().join(name);
    assert!(["one", "two", "three"].iter().all(|name| !holds_secret(&at(name)).is_empty()));
    std::fs::remove_dir_all(at("gone")).expect("as the test made it");
    let said = freshet.say(&["care", "apply", "--format", "json"]);
    assert_eq!(said.code, 1, "one of them is gone: {said:?}");
    let applied: Value = serde_json::from_str(&said.out).expect("it is a report");
    assert_eq!(applied["folders"].as_array().map(Vec::len), Some(3), "{applied}");
    assert!(applied["failed"][0]["name"].as_str().is_some_and(|name| name.ends_with("gone")), "{applied}");
    for name in ["one", "two", "three"] {
        assert_eq!(holds_secret(&at(name)), [""; 0], "{name}");
    }
    freshet.ok(&[
        "care",
        "drop",
        &at("gone").canonicalize().unwrap_or_else(|_| at("gone")).to_string_lossy(),
    ]);
    assert!(freshet.ok(&["care", "apply"]).contains("no export or snapshot has to hear"));
}

#[test]
fn care_knows_one_account_and_obeys_what_is_set() {
    let freshet = filled(4);
    let ada = freshet.json(&["care", ADA]);
    assert_eq!(
        (&ada["posts_count"], &ada["following_count"], &ada["reason"]),
        (&4.into(), &1.into(), &"shown".into()),
        "{ada}"
    );
    assert!(freshet.ok(&["care", ADA]).contains("on pages of others"));
    freshet.ok(&["forget", ADA, "--yes"]);
    assert!(freshet.ok(&["care", ADA]).contains("is forgotten"));
    assert!(freshet.ok(&["care", "set", "within", "1w"]).contains("within 7d 0h"));
    assert_eq!(freshet.json(&["care"])["within_s"], 604_800.0);
    freshet.ok(&["export", "-o", "out"]);
    std::fs::remove_dir_all(freshet.folder().join("out")).expect("as the test made it");
    assert!(freshet.ok(&["care"]).contains("freshet care drop"));
    let path = freshet.folder().canonicalize().expect("as the test made it").join("out");
    freshet.ok(&["care", "drop", &path.to_string_lossy()]);
    assert!(freshet.ok(&["care"]).contains("no export or snapshot is remembered"));
    for (args, words) in [
        (&["networks", "set", NETWORK, "retention", "1"][..], "say --yes"),
        (&["networks", "set", NETWORK, "retention", "soon"], "90d"),
        (&["networks", "set", NETWORK, "on_delete", "burn"], "`keep` or `redact`"),
        (&["add", "@ada@a.example", "--retention", "1"], "say --yes"),
    ] {
        let said = freshet.say(args);
        assert!(said.code == 2 && said.err.contains(words), "{args:?}: {said:?}");
    }
    assert!(freshet.ok(&["care", "@nobody@nowhere.example"]).contains("nothing is kept of"));
    assert_eq!(freshet.posts().len(), 5);
    let said = freshet.ok(&["networks", "set", NETWORK, "retention", "90d"]);
    assert!(said.contains("kept for 90d 0h") && said.contains("5 posts erased"), "{said}");
    assert_eq!(freshet.posts().len(), 0);
    let care = freshet.json(&["care"]);
    assert_eq!(
        (&care["networks"][0]["retention_s"], &care["erasures"][0]["what"]),
        (&7_776_000.0.into(), &"expired".into())
    );
    assert!(
        freshet.ok(&["networks", "set", "mastodon", "retention", "keep"]).contains("are kept from now on")
    );
}
