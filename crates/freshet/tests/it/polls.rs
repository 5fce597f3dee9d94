//! A page that tells what changed, asked for again and again: who stands on it is visited at once, and once.

use std::time::Duration;

use freshet_fetch::hostile::{Behaviour, Hostile};
use serde_json::{Value, json};

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
[endpoints.posts]
url = "/notes/{{ root }}"
kind = "posts"
root = "account"
robot = "status"
link = "posts"
items = [{ mapping = "note" }]
[[stream]]
name = "changed"
url = "/changed"
transport = "poll"
every = "10s"
covers = [{ endpoint = "posts", proof = "hint" }]
messages = [{ revisits = "/names/*" }]
[mappings.note]
kind = "post"
id = "/id"
author = "$root"
created_at = "/at"
text = "/text"
[[references]]
pattern = 'notes:(?P<id>[a-z]+)'
root = "account"
example = "notes:ada"
"#;

fn serve(server: &Hostile, path: &str, body: &Value) {
    server.route(path, vec![Behaviour::json(200, &body.to_string())]);
}

fn notes(ids: &[u32]) -> Value {
    ids.iter()
        .map(|id| json!({"id": id.to_string(), "at": format!("2026-11-02T10:00:{id:02}Z"), "text": "a note"}))
        .collect()
}

#[test]
fn who_stands_on_a_page_of_changes_is_visited_at_once_and_once() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
    let server = runtime.block_on(Hostile::start());
    serve(&server, "/notes/ada", &notes(&[1]));
    serve(&server, "/notes/bob", &notes(&[5]));
    serve(&server, "/changed", &json!({"names": []}));
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let folder = freshet.data().join("networks");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let text = NOTES.replace("BASE", server.url("").trim_end_matches('/'));
    std::fs::write(folder.join("notes.toml"), text).expect("a file can be written");
    freshet.ok(&["add", "--allow-private", "notes:ada", "notes:bob"]);
    let run = freshet.start(&["run", "--headless", "--no-dashboard"], "run.log");
    until("both were visited and the page was asked for", LIMIT, || {
        (freshet.posts().len() == 2 && server.count("/changed") > 0).then_some(())
    });
    let stream = |name: &str| freshet.json(&["status"])["streams"][0][name].as_u64();
    assert_eq!(stream("hints_count"), Some(0), "the page names nobody");

    serve(&server, "/notes/ada", &notes(&[2, 1]));
    serve(&server, "/changed", &json!({"names": ["nobody", "ada", 7]}));
    until("the page made her due", LIMIT, || (stream("hints_count") == Some(1)).then_some(()));
    until("the new note is there", LIMIT, || (freshet.posts().len() == 3).then_some(()));
    // She stands on it for a while, and is not due again for that.
    let asked = server.count("/changed");
    until("the page is asked for again", LIMIT, || (server.count("/changed") > asked + 1).then_some(()));
    assert_eq!(stream("hints_count"), Some(1));
    let status = freshet.ok(&["status"]);
    assert!(status.contains("stream `changed` of notes: asked for again and again for"), "{status}");

    // Nonsense is counted, and the page is asked for on.
    server.route("/changed", vec![Behaviour::json(200, "<html>")]);
    until("what cannot be read is counted", LIMIT, || (stream("dropped_count") > Some(0)).then_some(()));
    drop(run);
}
