//! What a server sends by itself, over HTTP: a run that listens is killed again and again, and nothing is lost or doubled.

use std::time::Duration;

use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::world::World;
use crate::support::{assert_each_once, http, until, wait_ms};

/// Posts since the start that are older than this, at the end, must be there: two simulated hours, some seconds on the wall.
const LAG_ALLOWED_S: f64 = 7200.0;
const KILLS: u64 = 6;

/// A data folder that watches the whole server, with a token for it.
fn watching(world: &World) -> Freshet {
    let freshet = Freshet::new()
        .with_clock(format!("{}/clock", world.base))
        .with_variable("FRESHET_PASSPHRASE", "open sesame");
    freshet.ok(&["init"]);
    let network = format!("mastodon:127.0.0.1:{}", world.port);
    let added = freshet.say_with_input(&["credentials", "add", &network], "a-token-of-somebody\n");
    assert_eq!(added.code, 0, "{added:?}");
    freshet.ok(&["add", "--allow-private", &format!("{}/public/local", world.base)]);
    freshet
}

/// The stream as the status shows it, once it is connected and has brought something.
fn connected(freshet: &Freshet) -> Value {
    until("the stream", Duration::from_mins(1), || {
        let stream = freshet.json(&["status"])["streams"][0].clone();
        (stream["connected_at"].is_number() && stream["posts_count"].as_u64() > Some(0)).then_some(stream)
    })
}

/// Ids of what the server's timeline shows, down to a page that is older than what is looked for.
fn timeline(world: &World, is_known: impl Fn(&String) -> bool) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    loop {
        let below = ids.last().map_or(String::new(), |id| format!("&max_id={id}"));
        let page = http::get(&world.base, &format!("/api/v1/timelines/public?local=true&limit=40{below}"));
        let page = page.as_array().expect("a page of the timeline").iter();
        let shown: Vec<String> =
            page.map(|post| post["id"].as_str().expect("a post has an id").to_owned()).collect();
        let is_last = !shown.iter().any(&is_known);
        ids.extend(shown);
        if is_last {
            return ids;
        }
    }
}

#[test]
fn a_run_that_listens_is_killed_again_and_again_and_loses_nothing() {
    let world = World::start(300);
    let began_at = http::get(&world.base, "/clock")["now"].as_f64().expect("the clock shows a time");
    let freshet = watching(&world);
    for round in 0..KILLS {
        let mut run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1h"], "run.log");
        wait_ms(600 + 350 * round);
        let log = || std::fs::read_to_string(freshet.folder().join("run.log")).unwrap_or_default();
        assert!(run.kill(), "`run` ended by itself:\n{}", log());
    }
    let mut run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1h"], "run.log");
    let stream = connected(&freshet);
    assert_eq!((&stream["name"], &stream["transport"]), (&"local".into(), &"sse".into()), "{stream}");
    assert_eq!(stream["complete"], serde_json::json!(["public_posts"]), "{stream}");
    let told = freshet.ok(&["explain", &format!("{}/public/local", world.base)]);
    assert!(told.contains("its server sends posts by itself, through `local`: connected"), "{told}");
    let said = freshet.ok(&["status"]);
    assert!(said.contains("stream `local`") && said.contains("connected for"), "{said}");
    wait_ms(6_000);
    assert!(run.kill(), "it is still running");
    freshet.run_for(8, "1h");
    let truth = world.truth();
    let at = |post: &Value| post["created_at"].as_f64().unwrap();
    let newest = truth.iter().map(at).fold(f64::MIN, f64::max);
    let posts = freshet.posts();
    let is_due = |id: &String| {
        truth
            .iter()
            .any(|post| post["id"] == **id && at(post) >= began_at && at(post) < newest - LAG_ALLOWED_S)
    };
    let due: Vec<String> = {
        let is_news = |id: &String| truth.iter().any(|post| post["id"] == **id && at(post) >= began_at);
        timeline(&world, |id| is_news(id) || !truth.iter().any(|post| post["id"] == **id))
    }
    .into_iter()
    .filter(is_due)
    .collect();
    assert!(due.len() > 10, "{} posts are too few to tell anything", due.len());
    assert_each_once(&posts, &due);
    let known: Vec<&str> = posts.iter().filter_map(|post| post["native_id"].as_str()).collect();
    assert!(known.iter().all(|id| truth.iter().any(|post| post["id"] == **id)), "nothing is invented");
}

#[test]
fn without_streams_none_is_opened() {
    let world = World::start(6);
    let freshet = watching(&world);
    freshet.ok(&["run", "--headless", "--no-dashboard", "--no-streams", "--for", "3s"]);
    let status = freshet.json(&["status"]);
    assert!(status["streams"].is_null(), "{status}");
    assert!(status["visits_count"].as_u64() > Some(0), "{status}");
    let told = freshet.ok(&["explain", &format!("{}/public/local", world.base)]);
    assert!(told.contains("through `local`: not connected"), "{told}");
}
