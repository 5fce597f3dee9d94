//! Two networks with the finished binary: a post on one shares a video of the other. The link has its evidence, the video is a stub until
//! the robot `across` is started; then it, its comments and its channel are there. And what could not be used of the answers is looked up.

use std::time::Duration;

use freshet_fetch::hostile::{Behaviour, Hostile};
use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::until;

const LIMIT: Duration = Duration::from_secs(90);

const NOTES: &str = r#"
name = "notes"
title = "Notes"
hosts = "one"
base = "BASE"
pause = "10ms"
[types.account]
colinks = { posts = "post" }
[types.post]
clinks = { author = "account" }
scolinks = { videos = "films/video" }
[endpoints.posts]
url = "/notes/{{ root }}"
kind = "posts"
root = "account"
robot = "status"
link = "posts"
items = [{ mapping = "note" }]
[mappings.note]
kind = "post"
id = "/id"
author = "$root"
created_at = "/at"
text = "/text"
hints = [{ link = "videos", in = "/text", pattern = 'films\.example/v/(\w+)', to = "films/video/$1", confidence = 0.6 }]
[[references]]
pattern = 'notes:(?P<id>[a-z]+)'
root = "account"
example = "notes:ada"
"#;

const FILMS: &str = r#"
name = "films"
title = "Films"
hosts = "one"
base = "BASE"
pause = "10ms"
[types.account]
colinks = { posts = "video" }
[types.video]
clinks = { author = "account" }
[types.comment]
clinks = { author = "account", root = "video" }
[endpoints.channel]
url = "/channels/{{ root }}"
kind = "account"
root = "account"
robot = "user"
role = "single"
items = [{ mapping = "channel" }]
[endpoints.video]
url = "/videos/{{ root }}"
kind = "post"
root = "video"
role = "single"
items = [{ mapping = "video" }]
[endpoints.replies]
url = "/videos/{{ root }}/comments"
kind = "comments"
root = "video"
robot = "comment"
items = [{ mapping = "comment" }]
[mappings.channel]
kind = "account"
id = "/id"
name = "/name"
[mappings.video]
kind = "post"
type = "video"
id = "/id"
author = "/by"
created_at = "/at"
text = "/title"
[mappings.comment]
kind = "post"
type = "comment"
id = "/id"
author = "/by"
root = "$root"
created_at = "/at"
text = "/text"
[[references]]
pattern = 'films:(?P<id>[a-z]+)'
root = "account"
example = "films:cinema"
"#;

fn define(freshet: &Freshet, server: &Hostile) {
    let folder = freshet.data().join("networks");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    for (name, text) in [("notes", NOTES), ("films", FILMS)] {
        let text = text.replace("BASE", server.url("").trim_end_matches('/'));
        std::fs::write(folder.join(format!("{name}.toml")), text).expect("a file can be written");
    }
}

fn serve(server: &Hostile) {
    let json = |body: &str| vec![Behaviour::json(200, body)];
    server.route(
        "/notes/ada",
        json(
            r#"[{"id": "2", "at": "2026-11-02T10:00:00Z", "text": "Look at https://films.example/v/tide"},
                {"id": "1", "at": "soon", "text": "A note without a time"},
                {"at": "2026-11-02T09:00:00Z", "text": "A note without an id"}]"#,
        ),
    );
    server.route(
        "/videos/tide",
        json(r#"{"id": "tide", "by": "cinema", "at": "2026-11-01T10:00:00Z", "title": "High tide"}"#),
    );
    server.route(
        "/videos/tide/comments",
        json(r#"[{"id": "c1", "by": "bob", "at": "2026-11-01T11:00:00Z", "text": "Well filmed"}]"#),
    );
    server.route("/channels/cinema", json(r#"{"id": "cinema", "name": "The Cinema"}"#));
    server.route("/channels/other", json(r#"{"id": "other", "name": "Another channel"}"#));
}

fn texts(freshet: &Freshet) -> Vec<String> {
    let mut texts: Vec<_> =
        freshet.posts().iter().filter_map(|it| it["text"].as_str().map(str::to_owned)).collect();
    texts.sort();
    texts
}

#[test]
fn a_shared_video_pulls_in_its_comments_and_its_channel() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(Hostile::start());
    serve(&server);
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    define(&freshet, &server);
    freshet.ok(&["add", "--allow-private", "notes:ada", "films:other"]);
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1s"], "run.log");
    until("the notes are stored", LIMIT, || (texts(&freshet).len() == 2).then_some(()));
    let pointed = |kind: &str| {
        let lines = freshet.export("changes").into_iter().filter(|it| it["id"] == "films/video/tide");
        lines.filter(|it| it["kind"] == kind).count()
    };
    until("the video is a stub", LIMIT, || (pointed("pointed") == 1).then_some(()));
    assert_eq!((server.count("/videos/tide"), pointed("created")), (0, 0), "nobody asked for it yet");
    freshet.ok(&["robots", "start", "across"]);
    let whole = ["A note without a time", "High tide", "Look at https://films.example/v/tide", "Well filmed"];
    until("the video and its comments are stored", LIMIT, || (texts(&freshet) == whole).then_some(()));
    let names =
        || -> Vec<Value> { freshet.export("accounts").into_iter().map(|it| it["name"].clone()).collect() };
    until("so is its channel", LIMIT, || names().contains(&"The Cinema".into()).then_some(()));
    assert_eq!((pointed("pointed"), pointed("created")), (1, 1));
    assert_eq!(server.count("/channels/bob"), 0, "those who comment are not visited");
    let report = freshet.json(&["complaints", "--network", "notes"]);
    let kinds: Vec<_> =
        report["complaints"].as_array().unwrap().iter().map(|it| it["what"].as_str().unwrap()).collect();
    assert!(
        kinds.contains(&"the item has no id") && kinds.contains(&"`…` is not a time that is understood"),
        "{report}"
    );
    assert!(report.to_string().contains("A note without an id"), "a sample is there: {report}");
    let nobody = freshet.say(&["complaints", "--network", "nowhere"]);
    assert!(nobody.code == 2 && nobody.err.contains("nothing of `nowhere` is watched"), "{nobody:?}");
    let said = freshet.ok(&["complaints"]);
    assert!(said.contains("notes posts") && said.contains("A note without an id"), "{said}");
    drop(run);
}

/// Requests that the network of films may be asked a day, and far fewer than its videos need.
const FILMS_A_DAY: usize = 5;
const VIDEOS: usize = 10;

/// Requests so far with a path that begins so.
fn asked(server: &Hostile, prefix: &str) -> usize {
    let prefix = format!("GET {prefix}");
    server.requests().iter().filter(|request| request.starts_with(&prefix)).count()
}

#[test]
fn videos_are_pulled_within_the_quota_of_their_own_network() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(Hostile::start());
    serve(&server);
    let notes: Vec<Value> = (0..VIDEOS)
        .map(|n| {
            let text = format!("Look at https://films.example/v/film{n}");
            serde_json::json!({"id": n.to_string(), "at": "2026-11-02T10:00:00Z", "text": text})
        })
        .collect();
    server.route("/notes/ada", vec![Behaviour::json(200, &Value::from(notes).to_string())]);
    for n in 0..VIDEOS {
        let video = format!(
            r#"{{"id": "film{n}", "by": "cinema", "at": "2026-11-01T10:00:00Z", "title": "Film {n}"}}"#
        );
        server.route(&format!("/videos/film{n}"), vec![Behaviour::json(200, &video)]);
        server.route(&format!("/videos/film{n}/comments"), vec![Behaviour::json(200, "[]")]);
    }
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    define(&freshet, &server);
    let films = freshet.data().join("networks/films.toml");
    let text = std::fs::read_to_string(&films).expect("it was written");
    let quota =
        format!("[[quotas]]\nname = \"day\"\nscope = \"ip\"\nlimit = {FILMS_A_DAY}\nwindow = \"1d\"\n");
    std::fs::write(&films, format!("{text}{quota}")).expect("a file can be written");
    // The added channel permits the server, and is not to spend the quota itself.
    freshet.ok(&["add", "--allow-private", "notes:ada", "films:other"]);
    freshet.ok(&["pause", "films:other"]);
    freshet.ok(&["robots", "start", "across"]);
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1s"], "run.log");
    let films = || asked(&server, "/videos") + asked(&server, "/channels");
    until("a video is asked for", LIMIT, || (films() > 0).then_some(()));
    // The other network is asked as before, so it is the quota that holds these back.
    let notes = asked(&server, "/notes");
    until("the notes are visited on", LIMIT, || (asked(&server, "/notes") >= notes + 10).then_some(()));
    // A small quota is spread over its day, so a run of seconds need not spend all of it.
    assert!(films() <= FILMS_A_DAY, "{:?}", server.requests());
    drop(run);
}
