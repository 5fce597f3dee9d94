//! The simulated network over HTTP: a crawl is killed twice, and nothing is lost or doubled.
//!
//! Small and quick; `cargo xtask chaos` does the same with many kills.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::world::World;
use crate::support::{assert_each_once, wait_ms};

/// Older posts than this, at the end, must be there: six simulated hours.
const LAG_ALLOWED_S: f64 = 6.0 * 3600.0;

#[test]
fn killed_twice_loses_nothing() {
    let world = World::start(40);
    let authors: BTreeSet<String> = world.truth().iter().map(|post| text(post, "author")).collect();
    assert_eq!(authors.len(), 40, "every account has posted");
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let list = freshet.folder().join("references");
    let lines: Vec<String> = authors.iter().map(|author| format!("{}/@{author}\n", world.base)).collect();
    std::fs::write(&list, lines.concat()).unwrap();
    freshet.ok(&["add", "--allow-private", "-f", &list.to_string_lossy()]);
    for pause_ms in [700, 1900] {
        let mut run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1h"], "run.log");
        wait_ms(pause_ms);
        let log = || std::fs::read_to_string(freshet.folder().join("run.log")).unwrap_or_default();
        assert!(run.kill(), "`run` ended by itself:\n{}", log());
    }
    freshet.run_for(15, "1h");
    let truth = world.truth();
    let newest = truth.iter().map(created_at).fold(f64::MIN, f64::max);
    let due = truth.iter().filter(|post| post["deleted_at"].is_null() && post["hidden_at"].is_null());
    let due: Vec<String> =
        due.filter(|post| created_at(post) < newest - LAG_ALLOWED_S).map(|post| text(post, "id")).collect();
    let posts = freshet.posts();
    assert_each_once(&posts, &due);
    assert_fields(&posts, &freshet);
}

/// What the contract promises of every exported post, and of the status report.
fn assert_fields(posts: &[Value], freshet: &Freshet) {
    let fields = [
        "id",
        "native_id",
        "network",
        "author",
        "created_at",
        "seen_at",
        "text",
        "edited_at",
        "deleted_at",
        "reply_to",
        "repost_of",
        "url",
    ];
    for post in posts.iter().take(50) {
        for field in fields {
            assert!(post.get(field).is_some(), "`{field}` is not in {post}");
        }
        assert!(text(post, "id").starts_with("mastodon:127.0.0.1:"), "{post}");
        assert!(post["created_at"].is_number() && post["seen_at"].is_number(), "{post}");
    }
    let status = freshet.json(&["status"]);
    assert!(status["fetches_count"].as_u64().is_some_and(|count| count > 0), "{status}");
    assert_eq!(status["rate_limited_count"], 0, "{status}");
}

fn created_at(post: &Value) -> f64 {
    post["created_at"].as_f64().expect("a post has a time")
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("no `{key}` in {value}")).to_owned()
}
