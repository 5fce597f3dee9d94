//! A data directory that an earlier version made: it opens, is brought up to date, and the crawl goes on where it was killed.
//!
//! `fixtures/store-vN.sqlite.zst` is the store of a crawl by the last version with schema N: twelve accounts of the world
//! that `World::start(12)` serves, added and crawled for five seconds, killed, checkpointed with `sqlite3`. Its server's
//! port is part of every name in it; it is replaced by that of the world that runs here, which is as long.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::support::assert_each_once;
use crate::support::freshet::Freshet;
use crate::support::world::World;

/// The port of the world that was crawled.
const PORT: &str = "40404";
/// Older posts than this, at the end, must be there: six simulated hours.
const LAG_ALLOWED_S: f64 = 6.0 * 3600.0;

/// The store of this fixture, as if its server had listened on `port`.
fn store_at(fixture: &str, port: u16) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(fixture);
    let file = std::fs::File::open(&path).expect("the fixture is committed");
    let mut bytes = zstd::decode_all(file).expect("the fixture is compressed");
    let (old, new) = (format!("127.0.0.1:{PORT}"), format!("127.0.0.1:{port}"));
    assert_eq!(old.len(), new.len(), "free ports have five digits");
    let places: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(old.as_bytes())).collect();
    assert!(!places.is_empty(), "the server is named in the store");
    for at in places {
        bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
    }
    bytes
}

fn ids(posts: &[Value]) -> BTreeSet<String> {
    posts.iter().map(|post| post["native_id"].as_str().expect("a post has an id").to_owned()).collect()
}

/// What was stored stays, and what the world shows is stored in the end, each post once.
fn check(fixture: &str, posts_count: usize) {
    let world = World::start(12);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let store = freshet.data().join("store.sqlite");
    for rest in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(freshet.data().join(format!("store.sqlite{rest}")));
    }
    std::fs::write(&store, store_at(fixture, world.port)).expect("the store can be replaced");
    freshet.ok(&["init"]);
    let before = freshet.posts();
    assert_eq!(before.len(), posts_count, "all posts of the earlier version can be read");
    freshet.run_for(15, "1h");
    let after = freshet.posts();
    assert!(ids(&before).is_subset(&ids(&after)), "nothing stored was lost");
    assert!(after.len() > before.len(), "the crawl went on");
    let truth = world.truth();
    let created_at = |post: &Value| post["created_at"].as_f64().expect("a post has a time");
    let newest = truth.iter().map(created_at).fold(f64::MIN, f64::max);
    let is_due = |post: &&Value| {
        let is_shown = post["deleted_at"].is_null() && post["hidden_at"].is_null();
        is_shown && created_at(post) < newest - LAG_ALLOWED_S
    };
    let due: Vec<String> = truth
        .iter()
        .filter(is_due)
        .map(|post| post["id"].as_str().expect("a post has an id").to_owned())
        .collect();
    assert_each_once(&after, &due);
    assert_eq!(freshet.json(&["check"])["is_whole"], true);
}

#[test]
fn a_store_of_an_earlier_version_opens_and_goes_on() {
    check("store-v10.sqlite.zst", 644);
}
