//! The store in PostgreSQL, for every command: a crawl of the simulated network is killed twice, and nothing is lost or doubled; a store is
//! moved there and back, killed on its way, and is the same.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::services::Postgres;
use crate::support::world::World;
use crate::support::{assert_each_once, need, wait_ms};

/// Older posts than this, at the end, must be there: six simulated hours.
const LAG_ALLOWED_S: f64 = 6.0 * 3600.0;
const BIN: &str = "FRESHET_TEST_POSTGRES_BIN";

#[test]
fn killed_twice_loses_nothing_in_postgres() {
    let Some([bin]) = need("killed_twice_loses_nothing_in_postgres", [BIN]) else { return };
    let server = Postgres::start(&bin);
    let world = World::start(40);
    let freshet = crawled(&world, Freshet::new().with_variable("FRESHET_STORE", &server.url));
    assert!(!freshet.data().join("store.sqlite").exists(), "the store is elsewhere");
    assert_each_once(&freshet.posts(), &due(&world));
    let status = freshet.json(&["status"]);
    assert!(status["fetches_count"].as_u64().is_some_and(|count| count > 0), "{status}");
    assert_eq!(status["rate_limited_count"], 0, "{status}");
    let check = freshet.json(&["check"]);
    assert_eq!(check["is_whole"], true, "{check}");
    let other = Freshet::new();
    let posts = other.ok(&["--store", &server.url, "export", "--format", "jsonl", "--kind", "posts"]);
    assert_eq!(posts.lines().count(), freshet.posts().len(), "the store is found from anywhere");
    there_and_back(&freshet, &server);
}

/// Adds every author of the world, kills two runs, and lets another two end.
fn crawled(world: &World, freshet: Freshet) -> Freshet {
    let authors: BTreeSet<String> = world.truth().iter().map(|post| text(post, "author")).collect();
    let freshet = freshet.with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let list = freshet.folder().join("references");
    let lines: Vec<String> = authors.iter().map(|author| format!("{}/@{author}\n", world.base)).collect();
    std::fs::write(&list, lines.concat()).expect("the list can be written");
    freshet.ok(&["add", "--allow-private", "-f", &list.to_string_lossy()]);
    for pause_ms in [900, 2100] {
        let mut run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1h"], "run.log");
        wait_ms(pause_ms);
        let log = || std::fs::read_to_string(freshet.folder().join("run.log")).unwrap_or_default();
        assert!(run.kill(), "`run` ended by itself:\n{}", log());
    }
    freshet.run_for(20, "1h");
    freshet
}

/// Ids of what must be there.
fn due(world: &World) -> Vec<String> {
    let truth = world.truth();
    let newest = truth.iter().map(created_at).fold(f64::MIN, f64::max);
    let due = truth.iter().filter(|post| post["deleted_at"].is_null() && post["hidden_at"].is_null());
    due.filter(|post| created_at(post) < newest - LAG_ALLOWED_S).map(|post| text(post, "id")).collect()
}

/// Moves the store into a file and from there into another schema, where one copy is killed; all three are the same.
fn there_and_back(freshet: &Freshet, server: &Postgres) {
    let file = freshet.folder().join("moved.sqlite").display().to_string();
    let out = freshet.json(&["copy", &server.url, &file]);
    server.say("CREATE SCHEMA again");
    let again = format!("{}?options=-csearch_path%3Dagain", server.url);
    let mut killed = freshet.start(&["copy", &file, &again], "copy.log");
    wait_ms(150);
    killed.kill();
    let back = freshet.json(&["copy", &file, &again]);
    assert_eq!(out["tables"], back["tables"], "counts and hashes");
    assert!(out["tables"].as_array().is_some_and(|tables| tables.len() > 30), "{out}");
    for kind in ["posts", "accounts", "changes"] {
        let of = |store: &str| freshet.ok(&["--store", store, "export", "--format", "jsonl", "--kind", kind]);
        assert_eq!(of(&file), of(&server.url), "{kind} in the file");
        assert_eq!(of(&again), of(&server.url), "{kind} in the other schema");
    }
    let refused = freshet.say(&["copy", &file, &again]);
    assert!(refused.code != 0 && refused.err.contains("not empty"), "{}", refused.err);
}

fn created_at(post: &Value) -> f64 {
    post["created_at"].as_f64().expect("a post has a time")
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("no `{key}` in {value}")).to_owned()
}
