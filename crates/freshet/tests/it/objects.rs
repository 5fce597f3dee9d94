//! One object and its links: read from the store, asked of the network under the run's ledger, drawn and exported.
//!
//! The witness between program and world counts what is really asked.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::freshet::Freshet;
use crate::support::process::Process;
use crate::support::proxy::Proxy;
use crate::support::until;
use crate::support::world::{SPEED, World};

/// Wishes are seen within a second; a busy machine may need more.
const SOON: Duration = Duration::from_mins(1);

/// A world, what stands before it, and a data directory that watches the first author.
struct Place {
    freshet: Freshet,
    proxy: Proxy,
    /// Of the account that is watched.
    url: String,
    /// Of another account, which nobody watches.
    other: String,
    _world: World,
}

impl Place {
    fn start() -> Self {
        let world = World::start(6);
        let proxy = Proxy::before(world.port);
        let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
        freshet.ok(&["init"]);
        let author = |post: &Value| post["author"].as_str().expect("a post has an author").to_owned();
        let mut authors: Vec<String> = world.truth().iter().map(author).collect();
        authors.sort();
        authors.dedup();
        let url = |author: &String| format!("{}/@{author}", proxy.base);
        let (url, other) = (url(&authors[0]), url(&authors[1]));
        freshet.ok(&["add", "--allow-private", &url]);
        Self { freshet, proxy, url, other, _world: world }
    }

    fn run(&self) -> Process {
        self.freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "5m"], "run.log")
    }

    /// Waits until the account that is watched is stored with a post.
    fn wait_for_posts(&self) {
        let has_posts = || {
            let said = self.freshet.say(&["get", &self.url, "posts", "--format", "json"]);
            let report: Value = serde_json::from_str(&said.out).ok()?;
            (report["collections"]["posts"]["count"].as_u64()? > 0).then_some(())
        };
        until("posts", SOON, has_posts);
    }
}

#[test]
fn an_object_is_read_shown_and_drawn_from_the_store() {
    let place = Place::start();
    let freshet = &place.freshet;
    let unknown = freshet.say(&["get", &place.url]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(unknown.err.contains("nothing is stored") && unknown.err.contains("--online"), "{}", unknown.err);
    let mut run = place.run();
    place.wait_for_posts();
    run.send("TERM");
    run.finish_within(SOON);
    place.proxy.take_requests();
    let account = freshet.json(&["get", &place.url]);
    let address = account["address"].as_str().expect("an address").to_owned();
    let handle = account["plinks"]["handle"].as_str().expect("a handle").to_owned();
    let [first, ..] = account["colinks"]["posts"].as_array().expect("posts").as_slice() else {
        panic!("{account}")
    };
    let post = first["address"].as_str().expect("an address");
    // From the post to its author and back, by address.
    assert_eq!(freshet.ok(&["get", post, "author.handle"]).trim(), handle);
    let count = freshet.ok(&["get", post, "author.followers_count"]);
    assert_eq!(count.trim(), account["plinks"]["followers_count"].to_string());
    let text = freshet.json(&["get", post])["plinks"]["text"].clone();
    let by_place = freshet.json(&["get", &address, "posts[0].text", "posts[0].author.posts[0].text"]);
    assert_eq!(by_place["answers"][0]["values"], json!([text]));
    assert_eq!(by_place["answers"][1]["values"], json!([text]));
    let misuse = freshet.say(&["get", &address, "shoe_size"]);
    assert!(misuse.code == 2 && misuse.err.contains("followers_count"), "{misuse:?}");
    let (network, _) = address.split_once("/account/").expect("an account");
    let strange = freshet.say(&["get", &format!("{network}/shoe/1")]);
    assert!(strange.code == 2 && strange.err.contains("has no type `shoe`; its types are"), "{strange:?}");
    let shown = freshet.ok(&["show", &address]);
    assert!(shown.contains(&handle) && shown.contains("visited by:") && shown.contains("created"), "{shown}");
    for name in ["a.svg", "a.graphml", "a.gexf"] {
        let file = freshet.folder().join(name);
        let report =
            freshet.json(&["graph", &address, "-o", file.to_str().expect("a plain path"), "--depth", "2"]);
        assert!(
            report["nodes_count"].as_u64() > Some(1) && report["edges_count"].as_u64() > Some(0),
            "{report}"
        );
        let text = std::fs::read_to_string(&file).expect("it was written");
        assert!(text.contains(post) && text.trim_end().ends_with('>'), "{text}");
    }
    assert_eq!(place.proxy.take_requests(), [] as [String; 0], "nothing was asked of the network");
}

#[test]
fn every_question_about_an_object_is_counted() {
    let place = Place::start();
    let freshet = &place.freshet;
    let mut run = place.run();
    place.wait_for_posts();
    run.send("TERM");
    run.finish_within(SOON);
    let account = freshet.json(&["get", &place.url]);
    let address = account["address"].as_str().expect("an address");
    let post = account["colinks"]["posts"][0]["address"].as_str().expect("an address");
    let file = freshet.folder().join("around.svg");
    let file = file.to_str().expect("a plain path");
    // As the lists of the account show it: questions a day over seven days.
    let asked = || {
        let told = freshet.json(&["explain", &place.url]);
        let lists = told["sources"].as_array().expect("sources").iter();
        let eir = lists.filter_map(|it| it["counts"]["eir_per_day"].as_f64()).fold(0.0, f64::max);
        (eir * 7.0).round()
    };
    for question in [
        &["get", address][..],
        &["get", post, "author.handle"],
        &["show", address],
        &["show", post],
        &["graph", address, "-o", file],
        &["graph", post, "-o", file],
    ] {
        let before = asked();
        freshet.ok(question);
        let after = asked();
        assert!((after - before - 1.0).abs() < 0.5, "{question:?}: asked {before} times, then {after}");
    }
    let before = asked();
    assert_eq!(freshet.say(&["get", &place.other]).code, 2, "nothing is stored of it");
    freshet.ok(&["status"]);
    assert!((asked() - before).abs() < 0.5, "who gets no answer and who asks about all ask about nobody");
}

#[test]
fn the_network_is_asked_under_the_ledger_without_a_run_and_with_one() {
    let place = Place::start();
    let freshet = &place.freshet;
    // Whoever asked already is not told to ask.
    let missing = format!("mastodon:{}/post/99", place.proxy.base.trim_start_matches("http://"));
    let said = freshet.say(&["get", &missing, "replies", "--online", "--allow-private"]);
    assert!(said.code == 2 && said.err.contains("showed nothing of it"), "{said:?}");
    place.proxy.take_requests();
    freshet.ok(&["budget", "set", "all", "4/d"]);
    // Without a run: a look-up, stored and charged.
    let asked = freshet.json(&["get", &place.other, "--online", "--allow-private"]);
    assert_eq!(asked["online"]["is_by_run"], false, "{asked}");
    let address = asked["address"].as_str().expect("an address").to_owned();
    assert_eq!(
        freshet.json(&["get", &address])["plinks"]["handle"],
        asked["plinks"]["handle"],
        "it is stored"
    );
    let sent_before = place.proxy.take_requests().len();
    assert_eq!(asked["online"]["requests_count"], json!(sent_before), "{asked}");
    // While a run spends the same budget, nobody overdraws it.
    let start = Instant::now();
    let mut run = place.run();
    let mut sent = sent_before;
    until("a run that asks", SOON, || {
        sent += place.proxy.take_requests().len();
        (sent > sent_before).then_some(())
    });
    let wish = ["get", &address, "posts", "--online", "--allow-private", "--format", "json"];
    let mut granted = Vec::new();
    let refused = until("an empty budget", SOON, || {
        let said = freshet.say(&wish);
        if said.code == 0 {
            granted.push(serde_json::from_str::<Value>(&said.out).expect("a report"));
            return None;
        }
        Some(said.err)
    });
    assert!(refused.contains("no room"), "{refused}");
    assert!(granted.iter().all(|report| report["online"]["is_by_run"] == true), "{granted:?}");
    run.send("TERM");
    run.finish_within(SOON);
    sent += place.proxy.take_requests().len();
    // What flows in meanwhile, by the clock of the world, is there to be spent too.
    let days = start.elapsed().as_secs_f64() * SPEED / 86_400.0;
    let allowed = 4 + (days * 4.0).ceil() as usize;
    assert!(sent <= allowed, "{sent} requests of a budget of 4 a day, {allowed} by now");
}
