//! The definitions in `networks/` against recordings of the exact shape of the real ones, with invented people and texts.
//!
//! `fixtures/NETWORK.jsonl` holds exchanges, `NETWORK.expected` one line each: kind, posts, accounts, first and last id, newest
//! and oldest time, outcome, and `+N` for N complaints. Whoever adds a network adds two files and no line here. The tables below
//! say what is asked of networks that are known by their definitions alone, and what people type for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use freshet_network::Definition;
use freshet_network::networks::Networks;
use freshet_network::recording::{self, Reading};
use freshet_types::{Connector, Instance, Intent, NetworkName, Page, Primitive, Target, Timestamp};

use super::{read, without_fields};

/// Networks whose definitions are tested here beyond their recordings.
const NAMES: [&str; 6] = ["facebook", "github", "stackexchange", "tumblr", "twitter", "weibo"];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(folder("../../networks").join(format!("{name}.toml")))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn definition(name: &str) -> Definition {
    Definition::parse(name, &text(name)).unwrap_or_else(|error| panic!("{error}"))
}

fn show(reading: &Reading) -> String {
    let kind = serde_json::to_value(reading.kind).expect("a kind is a word");
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let time = |value: Option<i64>| value.map_or_else(|| "-".to_owned(), |secs| secs.to_string());
    let line = format!(
        "{} {} {} {} {} {} {} {}",
        kind.as_str().expect("a kind is a word"),
        reading.posts,
        reading.accounts,
        text(&reading.first_id),
        text(&reading.last_id),
        time(reading.newest_created_at),
        time(reading.oldest_created_at),
        reading.outcome
    );
    match reading.complaints.len() {
        0 => line,
        count => format!("{line} +{count}"),
    }
}

fn check_recordings(name: &str) {
    let definition = definition(name);
    let read = |ending: &str| {
        let file = folder("fixtures").join(format!("{name}.{ending}"));
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    let (recordings, expected) = (read("jsonl"), read("expected"));
    assert_eq!(recordings.lines().count(), expected.lines().count(), "{name}");
    for (number, (line, expected)) in recordings.lines().zip(expected.lines()).enumerate() {
        let reading = recording::read_line(&definition, number + 1, line, Timestamp::MAX);
        assert_eq!(show(&reading), expected, "{name}:{}\n{line}\n{:?}", number + 1, reading.complaints);
    }
}

#[test]
fn all_recordings_are_read() {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder("fixtures")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            names.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
    names.sort();
    assert!(NAMES.iter().all(|name| names.iter().any(|known| known == name)), "{names:?}");
    for name in names {
        check_recordings(&name);
    }
}

/// Paths that are alike but for the form of ids, a version, and a parameter that both lists send.
const ALIKE: &str = r#"
name = "net"
title = "Net"
base = "https://net.example"
[types.account]
[types.post]
[endpoints.board]
url = "/v2/{{ root }}"
roots = '[a-z]+/[a-z]+'
kind = "accounts"
root = "account"
items = [{ at = "/list", mapping = "account", is_optional = true }]
[endpoints.thread]
url = "/v2/{{ root }}"
roots = '[a-z]+/[a-z]+/\d+'
kind = "posts"
root = "post"
items = [{ at = "/list", mapping = "post", is_optional = true }]
[endpoints.new]
url = "/v2/search"
query = { fields = "id", sort = "new" }
kind = "posts"
root = "account"
items = [{ at = "/list", mapping = "post", is_optional = true }]
[endpoints.people]
url = "/v2/search"
query = { fields = "id", sort = "people" }
kind = "accounts"
root = "account"
items = [{ at = "/list", mapping = "account", is_optional = true }]
[mappings.account]
kind = "account"
id = "/id"
[mappings.post]
kind = "post"
id = "/id"
"#;

#[test]
fn endpoints_are_told_apart_by_roots_and_parameters_in_any_version() {
    let definition = Definition::parse("net", ALIKE).unwrap();
    for (path, expected) in [
        ("v2/ada/river", "accounts 0 1"),
        ("v2/ada/river/5", "posts 1 0"),
        ("v1.1/ada/river/5", "posts 1 0"),
        ("ada/river/5", "posts 1 0"),
        ("v2/search?fields=id,name&sort=people", "accounts 0 1"),
        ("v3/search?fields=id,name&sort=new", "posts 1 0"),
        ("v2/search?fields=id&sort=old", "other 0 0"),
        ("v2/elsewhere", "other 0 0"),
    ] {
        let line = format!(r#"{{"url": "https://net.example/{path}", "body": {{"list": [{{"id": 7}}]}}}}"#);
        let shown = show(&recording::read_line(&definition, 1, &line, Timestamp::MAX));
        assert!(shown.starts_with(expected), "{path}: {shown}");
    }
}

/// The network by its definition alone, and the server that it lives on.
fn network(name: &str) -> (Arc<dyn Connector>, Instance) {
    let networks = Networks::empty();
    networks.load(&[(name.to_owned(), text(name))]).unwrap_or_else(|error| panic!("{error}"));
    let instance = networks.instance_of(&NetworkName::from(name)).expect("it has a base");
    (networks.connector(name).expect("it was loaded"), instance)
}

/// What is asked: network, endpoint, root, intent, and the URL without the parameters that choose fields.
const ASKED: &[(&str, &str, &str, &str, &str)] = &[
    ("telegram", "posts", "riverwatch", "101", "https://t.me/s/riverwatch?before=101"),
    ("telegram", "post", "riverwatch/120", "", "https://t.me/riverwatch/120?embed=1&mode=tme"),
    (
        "stackexchange",
        "account",
        "17",
        "",
        "https://api.stackexchange.com/2.3/users/17?site=stackoverflow.com",
    ),
    (
        "stackexchange",
        "posts",
        "17",
        "2",
        "https://api.stackexchange.com/2.3/users/17/posts?filter=withbody&order=desc&pagesize=100&site=stackoverflow.com&sort=creation&page=2",
    ),
    (
        "github",
        "issues",
        "ada/river",
        "",
        "https://api.github.com/repos/ada/river/issues?direction=desc&per_page=100&sort=created&state=all",
    ),
    ("github", "thread", "ada/river/issues/5", "", "https://api.github.com/repos/ada/river/issues/5"),
    (
        "github",
        "thread_comments",
        "ada/river/issues/5",
        "",
        "https://api.github.com/repos/ada/river/issues/5/comments?per_page=100",
    ),
    ("github", "discussions", "ada/river", "", "https://api.github.com/graphql"),
    (
        "tumblr",
        "posts",
        "ada",
        "20",
        "https://api.tumblr.com/v2/blog/ada/posts?limit=20&npf=true&reblog_info=true&offset=20",
    ),
    ("tumblr", "replies", "ada/posts/123", "", "https://api.tumblr.com/v2/blog/ada/notes?id=123&mode=all"),
    (
        "twitter",
        "posts",
        "7",
        "b26",
        "https://api.x.com/2/users/7/tweets?max_results=100&pagination_token=b26",
    ),
    (
        "twitter",
        "replies",
        "9",
        "",
        "https://api.x.com/2/tweets/search/recent?max_results=100&query=conversation_id%3A9",
    ),
    (
        "weibo",
        "posts",
        "7",
        "99",
        "https://api.weibo.com/2/statuses/user_timeline.json?count=100&uid=7&max_id=99",
    ),
    (
        "facebook",
        "replies",
        "123_456",
        "",
        "https://graph.facebook.com/v25.0/123_456/comments?filter=stream&limit=100&order=reverse_chronological",
    ),
];

/// Parameters that choose fields; they are long, and change often.
const FIELDS: [&str; 5] = ["expansions", "fields", "media.fields", "tweet.fields", "user.fields"];

#[test]
fn endpoints_are_asked_by_these_urls() {
    for (name, endpoint, root, part, url) in ASKED {
        let ((connector, instance), credential) =
            (network(name), freshet_types::Holder::alone("mine".into()));
        let target =
            Target { instance: &instance, endpoint, root, credential: Some(&credential), validators: None };
        let intent = if part.is_empty() { Intent::First } else { Intent::Next((*part).to_owned()) };
        let request =
            connector.ask(&target, &intent).unwrap_or_else(|error| panic!("{name} {endpoint}: {error}"));
        assert_eq!(without_fields(&request.url, &FIELDS), *url);
        assert!(request.body.iter().all(|body| serde_json::from_str::<serde_json::Value>(body).is_ok()));
        assert!(!request.needs.is_empty(), "{name} {endpoint} takes from no quota");
    }
}

/// The page that a body is, asked about through an endpoint.
fn page_of(name: &str, (endpoint, root): (&str, &str), intent: &Intent, body: &str) -> Page {
    let (connector, instance) = network(name);
    let target = Target { instance: &instance, endpoint, root, credential: None, validators: None };
    read(&*connector, &target, intent, body)
}

#[test]
fn one_person_has_accounts_on_many_sites() {
    let sites = r#"{"items": [
        {"account_id": 9, "user_id": 17, "site_url": "https://stackoverflow.com"},
        {"account_id": 9, "user_id": 5, "site_url": "https://superuser.com"},
        {"account_id": 9, "user_id": 6, "site_url": "https://rivers.stackexchange.com"}], "has_more": false}"#;
    let page = page_of("stackexchange", ("associated", "9"), &Intent::First, sites);
    let person = &page.observation.things[0];
    let mut accounts: Vec<_> = person.slinks.iter().map(|link| link.target.to_string()).collect();
    accounts.sort();
    assert_eq!((&*person.kind, person.id.as_str()), ("person", "9"));
    assert_eq!(
        accounts,
        ["stackexchange:rivers.stackexchange.com/account/6", "stackexchange:superuser.com/account/5"],
        "the one on the site that was asked is no link across"
    );
    let user = r#"{"items": [{"user_id": 17, "account_id": 9, "display_name": "Ada"}]}"#;
    let page = page_of("stackexchange", ("account", "17"), &Intent::First, user);
    let account = &page.observation.accounts[0];
    let told = |link: &freshet_types::CrossLink| format!("{} {:?}", link.target, link.confidence);
    let across: Vec<_> = account.slinks.iter().map(told).collect();
    assert_eq!(across, ["web/page/https://stackexchange.com/users/9 1"]);
    let own: Vec<_> = page.observation.links.iter().map(|link| (&*link.name, link.to.id.as_str())).collect();
    assert_eq!(own, [("person", "9")]);
}

#[test]
fn pictures_and_films_are_values_of_their_posts() {
    let picture = r#"{"feed": [{"post": {"uri": "at://did:plc:a/app.bsky.feed.post/1", "author": {"did": "did:plc:a"},
        "record": {"text": "Rain", "createdAt": "2026-01-02T00:00:00Z"},
        "embed": {"$type": "app.bsky.embed.images#view", "images": [{"fullsize": "https://cdn.example/1.jpg"}]}}}]}"#;
    let page = page_of("bluesky", ("posts", "did:plc:a"), &Intent::First, picture);
    let media = page.observation.posts[0].plinks.iter().find(|(name, _)| &**name == "media_urls");
    let expected = Primitive::Text("https://cdn.example/1.jpg".to_owned());
    assert_eq!(media.map(|(_, value)| value), Some(&expected));
}

/// What people type, and `network type id-or-@handle`.
const TYPED: &[(&str, &str)] = &[
    ("https://stackoverflow.com/users/17/ada", "stackexchange account 17"),
    ("https://superuser.com/users/17", "stackexchange:superuser.com account 17"),
    (
        "https://rivers.stackexchange.com/questions/5/how-deep",
        "stackexchange:rivers.stackexchange.com post 5",
    ),
    ("https://stackoverflow.com/questions/5/how-deep/17#17", "stackexchange post 17"),
    ("https://stackoverflow.com/a/17/3", "stackexchange post 17"),
    ("stackoverflow.com/questions/tagged/rust", "stackexchange tag rust"),
    ("https://askubuntu.com/", "stackexchange:askubuntu.com server questions"),
    ("stackoverflow:17", "stackexchange account 17"),
    ("https://github.com/ada/river/pull/5/files", "github thread ada/river/issues/5"),
    ("https://github.com/ada/river/discussions/7", "github thread ada/river/discussions/7"),
    ("https://github.com/ada/river", "github repo ada/river"),
    ("https://github.com/ada/river.js/issues?q=is%3Aopen", "github repo ada/river.js"),
    ("github.com/ada/", "github account @ada"),
    ("github:ada/river", "github repo ada/river"),
    ("github:ada/river#5", "github thread ada/river/issues/5"),
    ("github:ada", "github account @ada"),
    ("tumblr:ada", "tumblr account ada"),
    ("https://ada.tumblr.com", "tumblr account ada"),
    ("https://www.tumblr.com/ada", "tumblr account ada"),
    ("https://ada.tumblr.com/post/123/the-river", "tumblr thread ada/posts/123"),
    ("https://www.tumblr.com/ada/123/the-river", "tumblr thread ada/posts/123"),
    ("https://www.tumblr.com/tagged/high%20water", "tumblr tag high water"),
    ("x.com/ada", "twitter account @ada"),
    ("https://twitter.com/ada/with_replies", "twitter account @ada"),
    ("https://mobile.twitter.com/ada/status/123?s=20", "twitter post 123"),
    ("https://x.com/i/lists/84", "twitter list 84"),
    ("https://x.com/hashtag/rivers", "twitter tag rivers"),
    ("twitter:@ada", "twitter account @ada"),
    ("https://weibo.com/u/1700000017", "weibo account 1700000017"),
    ("https://weibo.com/1700000017/profile", "weibo account 1700000017"),
    ("https://weibo.com/n/ada", "weibo account @ada"),
    ("https://m.weibo.cn/status/3436200000184587", "weibo post 3436200000184587"),
    ("weibo:1700000017", "weibo account 1700000017"),
    ("weibo:#rivers#", "weibo tag rivers"),
    ("https://www.facebook.com/riverwatch", "facebook account @riverwatch"),
    ("https://www.facebook.com/pages/River-Watch/123", "facebook account 123"),
    ("https://www.facebook.com/permalink.php?story_fbid=456&id=123", "facebook post 123_456"),
    ("facebook:riverwatch", "facebook account @riverwatch"),
    ("facebook:123_456", "facebook post 123_456"),
    ("https://t.me/s/riverwatch", "telegram account riverwatch"),
    ("https://t.me/s/riverwatch?before=120", "telegram account riverwatch"),
    ("t.me/riverwatch", "telegram account riverwatch"),
    ("https://telegram.me/riverwatch/", "telegram account riverwatch"),
    ("telegram:riverwatch", "telegram account riverwatch"),
    ("telegram:@riverwatch", "telegram account riverwatch"),
    ("https://t.me/riverwatch/120", "telegram post riverwatch/120"),
];

#[test]
fn references_are_understood() {
    let networks = Networks::shipped();
    for (typed, expected) in TYPED {
        let reference = networks.understand(typed).unwrap_or_else(|error| panic!("{typed}: {error}"));
        let id = match (&reference.root_id, &reference.handle) {
            (Some(id), None) => id.clone(),
            (None, Some(handle)) => format!("@{handle}"),
            both => panic!("{typed}: {both:?}"),
        };
        let shown = format!("{} {} {id}", reference.instance.network, reference.root_kind);
        assert_eq!(shown, *expected, "{typed}");
    }
}
