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
    // The runs that were killed may have been too slow to store anything; this one begins with enough to fit weights on.
    freshet.run_for(5, "1h");
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
    // The last run found enough in the store to fit the shared weights on.
    assert!(status["fitted_at"].is_number(), "{status}");
}

fn created_at(post: &Value) -> f64 {
    post["created_at"].as_f64().expect("a post has a time")
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("no `{key}` in {value}")).to_owned()
}

#[test]
fn a_crawl_explains_plans_and_shows_its_prices() {
    let world = World::start(12);
    let authors: BTreeSet<String> = world.truth().iter().map(|post| text(post, "author")).collect();
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let references: Vec<String> = authors.iter().map(|author| format!("{}/@{author}", world.base)).collect();
    let mut args = vec!["add", "--allow-private"];
    args.extend(references.iter().map(String::as_str));
    freshet.ok(&args);
    for policy in ["change-rate", "freshet"] {
        freshet.ok(&["run", "--headless", "--for", "8s", "--ceiling", "1h", "--policy", policy]);
        check_reports(&freshet, &references[0], policy);
    }
    freshet.ok(&["run", "--headless", "--for", "8s", "--ceiling", "1h", "--policy", "rr"]);
    let told = freshet.ok(&["explain", &references[0]]);
    assert!(told.contains("turn: round") && told.contains("sources"), "{told}");
    assert!(!told.contains("twice the price"), "where sources have turns, no price has a say: {told}");
}

fn check_reports(freshet: &Freshet, reference: &str, policy: &str) {
    let status = freshet.json(&["status"]);
    let prices = status["prices"].as_array().expect("status has prices");
    assert!(
        prices.iter().any(|it| it["rule"] == "api" && it["budget_per_h"].as_f64() > Some(0.0)),
        "{status}"
    );
    let explained = freshet.json(&["explain", reference]);
    let sources = explained["sources"].as_array().expect("explain has sources");
    let why = sources.iter().map(|it| &it["why"]).find(|why| !why.is_null()).expect("a list has a reason");
    assert_eq!(why["policy"], policy, "{why}");
    for key in ["expected_posts", "rate_mean_per_day", "price_post_s", "worth_now", "calls", "due_at"] {
        assert!(why[key].is_number(), "`{key}` is not in {why}");
    }
    assert!(why["otherwise"]["price_doubled_at"].is_number() && why["kind"].is_string(), "{why}");
    let told = freshet.ok(&["explain", reference]);
    assert!(told.contains("why then") && told.contains("twice the price"), "{told}");
    let plan = freshet.json(&["plan", "--calls-per-hour", "60"]);
    // Where the floor binds, the plan uses fewer calls than it may, and its lag is the least there is.
    let lag = format!("{}s", plan["lag_s"].as_f64().expect("a plan has a lag").round().max(15.0));
    assert!(plan["table"].as_array().is_some_and(|table| table.len() > 1), "{plan}");
    assert!(plan["scopes"][0]["quota_per_hour"].as_f64() > Some(100.0), "{plan}");
    let back = freshet.json(&["plan", "--lag", &lag]);
    let calls = |plan: &Value| plan["calls_per_hour"].as_f64().expect("a plan has calls");
    let ratio = calls(&back) / calls(&plan);
    assert!((0.8..1.25).contains(&ratio), "{plan}\n{back}");
    assert!(freshet.ok(&["plan"]).lines().all(|line| line.chars().count() <= 80));
}
