//! The dashboard as a person meets it: a crawl serves it, its numbers move, robots obey its buttons;
//! afterwards it is served again over what was collected, behind a password.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::http::{self, Body};
use crate::support::process::Process;
use crate::support::until;
use crate::support::world::World;

/// A busy machine may need a while to start.
const SOON: Duration = Duration::from_secs(30);
const TOKEN: &str = "token-of-this-test";

/// The address that a command said it serves on.
fn address(freshet: &Freshet, log: &str, process: &mut Process) -> String {
    until("the dashboard says where it is", SOON, || {
        let said = std::fs::read_to_string(freshet.folder().join(log)).unwrap_or_default();
        assert!(process.status().is_none(), "it ended by itself:\n{said}");
        let line = said.lines().find_map(|line| line.strip_prefix("dashboard: ")).map(str::to_owned);
        line.map(|url| url.trim_end_matches('/').to_owned())
    })
}

fn page(base: &str, path: &str) -> String {
    let (status, text) = http::ask(base, path).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(status, 200, "{path}\n{text}");
    text
}

/// The next so many live values.
fn live(base: &str, count: usize) -> Vec<Value> {
    let host = base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host).expect("the dashboard answers");
    stream.set_read_timeout(Some(SOON)).expect("a socket has a time limit");
    write!(stream, "GET /api/v1/live HTTP/1.0\r\nHost: {host}\r\n\r\n").expect("it can be asked");
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    let data = lines.filter_map(|line| line.strip_prefix("data: {").map(|rest| format!("{{{rest}")));
    data.take(count).map(|text| serde_json::from_str(&text).expect("live values are JSON")).collect()
}

#[test]
fn a_crawl_is_watched_and_steered_in_the_browser() {
    let world = World::start(20);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let mut authors: Vec<String> =
        world.truth().iter().map(|post| post["author"].as_str().expect("an author").to_owned()).collect();
    authors.sort();
    authors.dedup();
    let references: Vec<String> = authors.iter().map(|author| format!("{}/@{author}", world.base)).collect();
    let args = ["add", "--allow-private"].into_iter().chain(references.iter().map(String::as_str));
    freshet.ok(&args.collect::<Vec<_>>());
    let mut run =
        freshet.start(&["run", "--headless", "--ceiling", "10m", "--listen", "127.0.0.1:0"], "run.log");
    let base = address(&freshet, "run.log", &mut run);

    until("posts arrive", SOON, || {
        let status = http::get(&base, "/api/v1/status");
        (status["posts_count"].as_u64() > Some(0) && status["lag_s"].is_object()).then_some(())
    });
    let overview = page(&base, "/");
    for words in [
        "Is it fresh?",
        "Lag, median",
        "Calls against quota",
        "mastodon:127.0.0.1",
        "lists are proven complete",
    ] {
        assert!(overview.contains(words), "`{words}` is not in\n{overview}");
    }
    let values = live(&base, 5);
    assert!(values.iter().all(|it| it["state"] == "running"), "{values:?}");
    assert!(values.first() != values.last(), "live values move: {values:?}");

    // The same report as on the command line, by the same function.
    let (shown, said) = (http::get(&base, "/api/v1/status"), freshet.json(&["status"]));
    let keys = |value: &Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>());
    assert_eq!(keys(&shown), keys(&said));
    check_pages(&base);

    let csrf = http::get(&base, "/api/v1/session")["csrf"].as_str().expect("a word").to_owned();
    let (refused, _) =
        http::send("POST", &base, "/robots/status/pause", None, Some(Body::Form(&[]))).expect("an answer");
    assert_eq!(refused, 403);
    let form = [("csrf", csrf.as_str())];
    let (moved, _) =
        http::send("POST", &base, "/robots/status/pause", None, Some(Body::Form(&form))).expect("an answer");
    assert_eq!(moved, 303);
    until("the crawl obeys", SOON, || {
        (freshet.json(&["status"])["robots"]["status"] == "paused").then_some(())
    });
    assert!(page(&base, "/").contains("The robot status is paused"));
    until("a point of the past is there", SOON, || {
        page(&base, "/part/overview").contains("<polyline").then_some(())
    });
    run.send("TERM");
    assert!(
        run.finish_within(SOON).is_some_and(|status| status.success()),
        "it stops well while it is watched"
    );
    check_afterwards(freshet);
}

#[test]
fn the_dashboard_of_a_demo_says_that_it_runs() {
    let freshet = Freshet::new();
    let mut demo = freshet.start(&["demo", "--for", "1m"], "demo.log");
    let base = address(&freshet, "demo.log", &mut demo);
    let values = live(&base, 2);
    assert!(values.iter().all(|it| it["state"] == "running"), "{values:?}");
    let status = http::get(&base, "/api/v1/status");
    assert_eq!((&status["is_running"], status["pid"].is_u64()), (&true.into(), true), "{status}");
    assert!(!page(&base, "/").contains("No run is under way"));
    demo.send("TERM");
    assert!(demo.finish_within(SOON).is_some_and(|status| status.success()), "it stops while it is watched");
}

fn check_pages(base: &str) {
    let list = http::get(base, "/api/v1/sources?robot=status&sort=visited");
    let first = &list["sources"][0];
    let source = page(base, &format!("/sources/{}", first["source"]));
    for words in ["The next visit", "next visit:", "heat-5", "Last visits", "class=\"complete\""] {
        assert!(source.contains(words), "`{words}` is not in\n{source}");
    }
    let why = http::get(base, &format!("/api/v1/sources/{}", first["source"]));
    assert!(why["why"]["price_post_s"].is_number() && why["visits"][0]["outcome"].is_string(), "{why}");
    let posts = http::get(base, "/api/v1/posts");
    let number = posts["posts"][0]["post"].as_u64().expect("a post has a number");
    let post = page(base, &format!("/posts/{number}"));
    assert!(post.contains("History") && post.contains("created"), "{post}");
    let lines = page(base, "/api/v1/posts.jsonl?since=2d");
    assert!(lines.lines().count() > 1, "posts of two days");
    for (path, words) in [
        ("/robots", "Ring, in memory"),
        ("/networks", "Servers that are watched"),
        ("/networks/mastodon", "The whole definition"),
        ("/settings", "Needs a new start"),
        ("/metrics", "freshet_learn_lag_median_seconds"),
        ("/healthz", "ok"),
        ("/readyz", "ready"),
        ("/api/v1/openapi.json", "3.1.0"),
    ] {
        let text = page(base, path);
        assert!(text.contains(words), "{path}: `{words}` is not in\n{text}");
    }
}

/// Served again over what was collected, now with a password and a token.
fn check_afterwards(freshet: Freshet) {
    let said = freshet.say_with_input(&["dashboard", "password"], "correct horse battery\n");
    assert_eq!(said.code, 0, "{said:?}");
    let hash = std::fs::read_to_string(freshet.data().join("dashboard.password")).expect("a hash");
    assert!(hash.starts_with("$argon2id$") && !hash.contains("horse"), "{hash}");
    let freshet = freshet.with_variable("FRESHET_DASHBOARD_TOKEN", TOKEN);
    let mut served = freshet.start(&["dashboard", "--listen", "127.0.0.1:0"], "dashboard.log");
    let base = address(&freshet, "dashboard.log", &mut served);
    let (status, _) = http::ask(&base, "/").expect("an answer");
    assert_eq!(status, 303, "it asks for a login");
    let (status, text) = http::send("GET", &base, "/api/v1/status", Some(TOKEN), None).expect("an answer");
    assert_eq!(status, 200, "{text}");
    let status: Value = serde_json::from_str(&text).expect("JSON");
    assert!(status["is_running"] == false && status["posts_count"].as_u64() > Some(0), "{status}");
    served.send("TERM");
    assert!(served.finish_within(SOON).is_some_and(|status| status.success()));
}

#[test]
fn a_dashboard_for_others_needs_a_password() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let said = freshet.say(&["dashboard", "--listen", "0.0.0.0:0", "--for", "1s"]);
    assert!(said.code == 2 && said.err.contains("freshet dashboard password"), "{said:?}");
    let said = freshet.say_with_input(&["dashboard", "password"], "short\n");
    assert!(said.code == 2 && said.err.contains("shorter"), "{said:?}");
    let said = freshet.say(&["dashboard", "--for", "1s"]);
    assert!(said.code == 0 && said.out.contains("http://127.0.0.1:"), "{said:?}");
}
