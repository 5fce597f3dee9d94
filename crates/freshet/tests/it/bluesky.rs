//! A crawl of the Bluesky network's own servers, filled through their own API.
//!
//! Two set-ups: identities and one personal data server (quick), and the whole network with its AppView.
//! In both, every public post is stored exactly once, no limit is overrun, and a second run finds
//! what is new without fetching known pages again.

mod firehose;
mod server;

use std::time::Duration;

use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::http;
use crate::support::proxy::Proxy;
use crate::support::{assert_each_once, need, until};
use server::{Bluesky, Person};

/// A crawl of some hundred posts takes seconds; a busy machine may need more.
const CRAWL_LIMIT: Duration = Duration::from_mins(1);

#[test]
fn personal_data_server() {
    let Some([node, packages]) =
        need("bluesky::personal_data_server", ["FRESHET_TEST_NODE", "FRESHET_TEST_BLUESKY"])
    else {
        return;
    };
    let bluesky = Bluesky::personal_data_server(&node, &packages);
    let people = bluesky.people(4);
    // More than two pages of a hundred for one person, a part of a page for the others.
    people[0].writes_many(&bluesky, 230);
    let replies = fill(&bluesky, &people, 8);
    assert!(replies > 0, "somebody replied");
    let proxy = Proxy::before(bluesky.pds_port);
    check_crawl(&bluesky, &people, &proxy);
}

#[test]
fn whole_network() {
    let names =
        ["FRESHET_TEST_NODE", "FRESHET_TEST_BLUESKY", "FRESHET_TEST_POSTGRES_BIN", "FRESHET_TEST_REDIS"];
    let Some([node, packages, postgres, redis]) = need("bluesky::whole_network", names) else { return };
    let bluesky = Bluesky::whole_network(&node, &packages, &postgres, &redis);
    let people = bluesky.people(4);
    people[0].writes_many(&bluesky, 120);
    fill(&bluesky, &people, 6);
    wait_for_appview(&bluesky, &people);
    let proxy = Proxy::before(bluesky.appview_port);
    let freshet = check_crawl(&bluesky, &people, &proxy);
    check_robots(&bluesky, &people, &freshet);
    assert_eq!(proxy.status_count(429), 0, "a limit was overrun");
}

/// The relation robot brings everybody that the people follow and who follows them; the comment
/// robot brings a reply by somebody whom nobody added; a cancelled relation is told.
fn check_robots(bluesky: &Bluesky, people: &[Person], freshet: &Freshet) {
    let stranger = bluesky.person("stranger");
    let root = people[1].writes(bluesky, "who answers?", None);
    let reply = stranger.writes(bluesky, "a stranger does", Some(&root));
    let reply = reply["own"]["uri"].as_str().expect("a post has an address").to_owned();
    let cancelled = stranger.follows(bluesky, &people[0].did);
    let mut follows: Vec<(String, String)> = vec![(stranger.did.clone(), people[0].did.clone())];
    for person in people {
        let others = people.iter().filter(|other| other.did != person.did);
        follows.extend(others.map(|other| (person.did.clone(), other.did.clone())));
    }
    follows.sort();
    wait_for_appview(bluesky, people);
    for robot in ["relation", "comment"] {
        freshet.ok(&["robots", "start", robot]);
    }
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "2s"], "run.log");
    until("the stranger's reply is found in its thread", CRAWL_LIMIT, || {
        let posts = freshet.posts();
        let found = posts.iter().find(|post| post["native_id"] == reply.as_str())?;
        assert_eq!(found["reply_to"], root["own"]["uri"], "{found}");
        assert_eq!(found["author"], "stranger.test", "{found}");
        Some(())
    });
    until("every relation is found", CRAWL_LIMIT, || (relations(freshet, false) == follows).then_some(()));
    stranger.unfollows(bluesky, &cancelled);
    let gone = vec![(stranger.did.clone(), people[0].did.clone())];
    until("the cancelled relation is told", CRAWL_LIMIT, || (relations(freshet, true) == gone).then_some(()));
    follows.retain(|relation| *relation != gone[0]);
    assert_eq!(relations(freshet, false), follows, "the others stay");
    drop(run);
}

/// Who follows whom as exported, those that were cancelled or those that stand.
fn relations(freshet: &Freshet, is_cancelled: bool) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = freshet.export("relations");
    let wanted = all.iter().filter(|relation| relation["cancelled_at"].is_null() != is_cancelled);
    let mut pairs: Vec<_> =
        wanted.map(|relation| (text(&relation["source"]), text(&relation["target"]))).collect();
    pairs.sort();
    pairs
}

/// Posts, replies and follows among all people; gives the number of replies.
fn fill(bluesky: &Bluesky, people: &[Person], rounds: usize) -> usize {
    let mut replies = 0;
    let mut last: Option<Value> = None;
    for round in 0..rounds {
        for (place, person) in people.iter().enumerate() {
            let parent = last.as_ref().filter(|_| (round + place) % 3 == 0);
            replies += usize::from(parent.is_some());
            last = Some(person.writes(
                bluesky,
                &format!("round {round} by {place}: héllo 🦀 #tag{round}"),
                parent,
            ));
        }
    }
    for person in people {
        for other in people.iter().filter(|other| other.did != person.did) {
            person.follows(bluesky, &other.did);
        }
    }
    replies
}

/// Crawls twice through the witness and compares with the servers' own records.
fn check_crawl(bluesky: &Bluesky, people: &[Person], proxy: &Proxy) -> Freshet {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let network = if bluesky.has_appview() { "bluesky" } else { "bluesky-pds" };
    let references: Vec<String> =
        people.iter().map(|person| format!("{network}:{}/{}", proxy.base, person.handle)).collect();
    let mut add = vec!["add", "--allow-private"];
    add.extend(references.iter().map(String::as_str));
    freshet.ok(&add);
    let written = written(bluesky, people);
    freshet.run_until_stored(&written, "5s", CRAWL_LIMIT);
    assert_each_once(&freshet.posts(), &written);
    assert!(proxy.take_requests().iter().any(|request| is_deep(request)), "the long list has several pages");
    assert_in_order(&freshet, proxy);

    // What is posted later is found by looking at the newest page only.
    for person in people {
        person.writes(bluesky, "one more", None);
    }
    if bluesky.has_appview() {
        wait_for_appview(bluesky, people);
    }
    let written = self::written(bluesky, people);
    freshet.run_until_stored(&written, "2s", CRAWL_LIMIT);
    assert_each_once(&freshet.posts(), &written);
    let deep: Vec<String> = proxy.take_requests().into_iter().filter(|request| is_deep(request)).collect();
    assert!(deep.is_empty(), "known pages were fetched again: {deep:?}");
    assert_in_order(&freshet, proxy);
    freshet
}

/// Ids of all posts, as the data server keeps them.
fn written(bluesky: &Bluesky, people: &[Person]) -> Vec<String> {
    people.iter().flat_map(|person| bluesky.posts_of(&person.did)).collect()
}

/// A page behind the first one; `reverse` asks upward from the newest known post instead.
fn is_deep(request: &str) -> bool {
    request.contains("cursor=") && !request.contains("reverse=true")
}

fn assert_in_order(freshet: &Freshet, proxy: &Proxy) {
    assert_eq!(proxy.status_count(429), 0, "a limit was overrun");
    let status = freshet.json(&["status"]);
    assert_eq!(status["rate_limited_count"], 0, "{status}");
    assert!(status["fetches_count"].as_u64().is_some_and(|count| count > 0), "{status}");
    let gaps = freshet.json(&["gaps"]);
    assert_eq!(gaps["holes_count"], 0, "{gaps}");
}

/// The AppView follows the data servers with a little delay.
fn wait_for_appview(bluesky: &Bluesky, people: &[Person]) {
    for person in people {
        let written = bluesky.posts_of(&person.did).len() as u64;
        until("the AppView has every post", Duration::from_secs(30), || {
            let path = format!("/xrpc/app.bsky.actor.getProfile?actor={}", person.did);
            let profile = http::get(&bluesky.appview(), &path);
            (profile["postsCount"].as_u64() == Some(written)).then_some(())
        });
    }
}
