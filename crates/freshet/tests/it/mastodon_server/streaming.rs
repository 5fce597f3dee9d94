//! The third party's streaming: what people write and delete is there within moments and once. Edits are not looked at: this server
//! calls them `status_update`, where Mastodon says `status.update`.

use std::time::Duration;

use serde_json::{Value, json};

use super::NO_LIMITS;
use super::server::{Server, Site};
use crate::support::freshet::Freshet;
use crate::support::{assert_each_once, need, until};

const LIMIT: Duration = Duration::from_mins(1);
const POSTS: usize = 40;

/// A data folder that watches the whole server as somebody.
fn watching(server: &Server, token: &str) -> Freshet {
    let freshet = Freshet::new().with_variable("FRESHET_PASSPHRASE", "open sesame");
    freshet.ok(&["init"]);
    let network = format!("mastodon:127.0.0.1:{}", server.port);
    let added = freshet.say_with_input(&["credentials", "add", &network], &format!("{token}\n"));
    assert_eq!(added.code, 0, "{added:?}");
    freshet.ok(&["add", "--allow-private", &format!("{}/public/local", server.base)]);
    freshet
}

/// The stream of this name, once it is connected.
fn connected(freshet: &Freshet, name: &str) -> Value {
    until(name, LIMIT, || {
        let streams = freshet.json(&["status"])["streams"].as_array().cloned().unwrap_or_default();
        streams.into_iter().find(|it| it["name"] == name && it["connected_at"].is_number())
    })
}

fn post<'a>(posts: &'a [Value], id: &str) -> Option<&'a Value> {
    posts.iter().find(|post| post["native_id"] == id)
}

/// Writes and deletes while the stream of this name is open.
fn check(server: &Server, people: &[(String, String)], name: &str) {
    let freshet = watching(server, &people[0].0);
    // No visit comes within the hour: what comes, comes through the stream.
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1h"], "run.log");
    let stream = connected(&freshet, name);
    assert_eq!(stream["complete"], json!(["public_posts"]), "{stream}");
    let mut ids = Vec::new();
    for number in 0..POSTS {
        let (token, _) = &people[number % people.len()];
        ids.push(server.writes(token, &format!("{name} {number} héllo")));
    }
    let deleted = &ids[POSTS - 2];
    until("the last post", LIMIT, || post(&freshet.posts(), &ids[POSTS - 1]).map(|_| ()));
    server.deletes(&people[(POSTS - 2) % people.len()].0, deleted);
    let posts = until("all posts and the deletion are told", LIMIT, || {
        let posts = freshet.posts();
        let has_all = ids.iter().all(|id| post(&posts, id).is_some());
        (has_all && !post(&posts, deleted)?["deleted_at"].is_null()).then_some(posts)
    });
    assert_each_once(&posts, &ids);
    let told = freshet.ok(&["explain", &format!("{}/public/local", server.base)]).replace('\n', " ");
    assert!(told.contains(&format!("through `{name}`: connected")), "{told}");
    drop(run);
}

#[test]
fn what_people_do_comes_through_the_stream() {
    let test = "mastodon_server::streaming";
    let Some([program]) = need(test, ["FRESHET_TEST_MASTODON"]) else { return };
    let site = Site::new(program);
    let server = site.serve(NO_LIMITS);
    let people = server.people(3);
    check(&server, &people, "local");
}
