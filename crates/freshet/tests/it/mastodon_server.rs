//! A crawl of a third party's server that speaks Mastodon's API, with its limits and faults switched on.
//!
//! The server is independent of ours but is no Mastodon; what matters here is that its paging, its limits
//! and its injected faults were written by somebody else. Its `X-RateLimit-Reset` is in
//! unix seconds, where Mastodon writes ISO 8601, and its 429 carries no `Retry-After`.

mod server;
mod streaming;

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::freshet::Freshet;
use crate::support::http::{self, Body};
use crate::support::proxy::Proxy;
use crate::support::{assert_each_once, need, until};
use server::Site;

/// Thirty requests, one in two seconds, take two of the stricter windows; faults and a busy machine may double that.
const CRAWL_LIMIT: Duration = Duration::from_mins(2);
/// The server's limit while it is crawled: more than the definition declares, so that counts.
const LIMITS: &str = "enabled = true\nlimit = 50\nwindow_seconds = 10\n";
/// A limit below the declared one, which must be followed.
const STRICT_LIMITS: &str = "enabled = true\nlimit = 20\nwindow_seconds = 30\n";
const NO_LIMITS: &str = "enabled = false\n";

#[test]
fn limits_and_faults() {
    let Some([program]) = need("mastodon_server::limits_and_faults", ["FRESHET_TEST_MASTODON"]) else {
        return;
    };
    let site = Site::new(program);
    site.generate(6, 90);
    let (handles, wanted) = {
        let server = site.serve(NO_LIMITS);
        let handles = server.handles();
        (handles.clone(), handles.iter().flat_map(|handle| server.posts_of(handle)).collect::<Vec<_>>())
    };
    let server = site.serve(STRICT_LIMITS);
    for effect in [
        json!({"type": "status", "status": 500}),
        json!({"type": "malformed"}),
        json!({"type": "status", "status": 503}),
        json!({"type": "latency", "delay_ms": 800}),
    ] {
        let rule = json!({"match": {"path_regex": "/statuses$"}, "effect": effect, "count": 1});
        http::post(&server.base, "/api/v1/_mock/faults", None, Body::Json(&rule));
    }
    let proxy = Proxy::before(server.port);
    let freshet = added(&proxy, &handles);
    freshet.run_until_stored(&wanted, "1h", CRAWL_LIMIT);
    assert_each_once(&freshet.posts(), &wanted);
    assert_eq!(proxy.status_count(500) + proxy.status_count(503), 2, "the faults were met");
    assert_in_order(&freshet, &proxy);
    let status = freshet.json(&["status"]);
    let quotas = status["quotas"].as_array().expect("quotas are listed");
    // Paging has a slower limit of its own in the definition, which stays.
    let api = quotas.iter().find(|quota| quota["rule"] == "api").expect("its quota is listed");
    assert_eq!(api["limit"], 20, "it goes by the server's own limit: {quotas:?}");
    let left = http::get(&server.base, "/api/v1/_mock/faults");
    assert!(left.as_array().is_none_or(Vec::is_empty), "each fault was met: {left}");
}

#[test]
fn new_posts() {
    let Some([program]) = need("mastodon_server::new_posts", ["FRESHET_TEST_MASTODON"]) else { return };
    let site = Site::new(program);
    let (people, mut wanted) = {
        let server = site.serve(NO_LIMITS);
        let people = server.people(3);
        let posts =
            (0..150).map(|number| server.writes(&people[number % 3].0, &format!("post {number} #tag")));
        let posts: Vec<String> = posts.collect();
        (people, posts)
    };
    let server = site.serve(LIMITS);
    let proxy = Proxy::before(server.port);
    let handles: Vec<String> = people.iter().map(|(_, handle)| handle.clone()).collect();
    let freshet = added(&proxy, &handles);
    freshet.run_until_stored(&wanted, "5s", CRAWL_LIMIT);
    assert_each_once(&freshet.posts(), &wanted);
    assert!(proxy.take_requests().iter().any(|request| request.contains("max_id=")), "lists have two pages");

    wanted.extend(people.iter().map(|(token, _)| server.writes(token, "one more")));
    freshet.run_until_stored(&wanted, "3s", CRAWL_LIMIT);
    assert_each_once(&freshet.posts(), &wanted);
    let deep: Vec<String> =
        proxy.take_requests().into_iter().filter(|request| request.contains("max_id=")).collect();
    assert!(deep.is_empty(), "known pages were fetched again: {deep:?}");
    assert_in_order(&freshet, &proxy);
}

#[test]
fn edits_and_deletions() {
    let Some([program]) = need("mastodon_server::edits_and_deletions", ["FRESHET_TEST_MASTODON"]) else {
        return;
    };
    let site = Site::new(program);
    let server = site.serve(NO_LIMITS);
    let people = server.people(1);
    let (token, handle) = &people[0];
    let ids: Vec<String> = (0..5).map(|number| server.writes(token, &format!("post {number}"))).collect();
    let proxy = Proxy::before(server.port);
    let freshet = added(&proxy, std::slice::from_ref(handle));
    freshet.run_until_stored(&ids, "2s", CRAWL_LIMIT);
    server.edits(token, &ids[1], "second thoughts");
    server.deletes(token, &ids[3]);
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1s"], "run.log");
    let posts = until("both are seen", Duration::from_secs(30), || {
        let posts = freshet.posts();
        let is_edited = found(&posts, &ids[1])["text"].as_str()?.contains("second thoughts");
        (is_edited && !found(&posts, &ids[3])["deleted_at"].is_null()).then_some(posts)
    });
    drop(run);
    assert_each_once(&posts, &ids);
    assert!(found(&posts, &ids[1])["edited_at"].is_number(), "{}", found(&posts, &ids[1]));
    assert!(found(&posts, &ids[1])["deleted_at"].is_null(), "{}", found(&posts, &ids[1]));
    assert!(
        found(&posts, &ids[3])["text"].as_str().is_some_and(|text| text.contains("post 3")),
        "it is kept"
    );
    // Each is one event, and what did not change has none but its creation.
    let changes = freshet.export("changes");
    for (id, expected) in [
        (&ids[0], "created"),
        (&ids[1], "created edited"),
        (&ids[3], "created deleted"),
        (&ids[4], "created"),
    ] {
        let own =
            changes.iter().filter(|it| it["id"].as_str().is_some_and(|it| it.ends_with(&format!("/{id}"))));
        let kinds: Vec<&str> = own.filter_map(|change| change["kind"].as_str()).collect();
        assert_eq!(kinds.join(" "), expected, "{changes:?}");
    }
}

/// The exported post of this id; null if there is none.
fn found<'a>(posts: &'a [Value], id: &str) -> &'a Value {
    posts.iter().find(|post| post["native_id"] == id).unwrap_or(&Value::Null)
}

fn added(proxy: &Proxy, handles: &[String]) -> Freshet {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let list = freshet.folder().join("references");
    let lines: Vec<String> = handles.iter().map(|handle| format!("{}/@{handle}\n", proxy.base)).collect();
    std::fs::write(&list, lines.concat()).expect("the list can be written");
    freshet.ok(&["add", "--allow-private", "-f", &list.to_string_lossy()]);
    freshet
}

fn assert_in_order(freshet: &Freshet, proxy: &Proxy) {
    assert_eq!(proxy.status_count(429), 0, "a limit was overrun");
    let status = freshet.json(&["status"]);
    assert_eq!(status["rate_limited_count"], 0, "{status}");
    assert!(status["fetches_count"].as_u64().is_some_and(|count| count > 0), "{status}");
    let gaps = freshet.json(&["gaps"]);
    assert_eq!(gaps["holes_count"], 0, "{gaps}");
}
