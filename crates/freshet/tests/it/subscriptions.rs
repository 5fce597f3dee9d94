//! Subscriptions of a real run: a file, a program and a web address at once, added, paused, replayed and removed while it runs.

mod bus;
mod socket;
mod stuck;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::alerts::{server, web};
use crate::support::freshet::Freshet;
use crate::support::until;
use crate::support::world::World;

const LIMIT: Duration = Duration::from_secs(30);

fn lines(path: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let whole = text.lines().take(text.matches('\n').count());
    whole.map(|line| serde_json::from_str(line).expect("every line is whole")).collect()
}

fn ids(records: &[Value]) -> BTreeSet<String> {
    records.iter().filter_map(|it| it["record"]["id"].as_str().map(str::to_owned)).collect()
}

fn line_of(freshet: &Freshet, name: &str) -> Value {
    let all = freshet.json(&["subscriptions", "list"]);
    let all = all["subscriptions"].as_array().cloned().unwrap_or_default();
    all.into_iter().find(|it| it["name"] == name).unwrap_or_default()
}

/// Watches everybody who ever posted there.
fn watch_all(freshet: &Freshet, world: &World) {
    let authors: BTreeSet<String> =
        world.truth().iter().filter_map(|post| post["author"].as_str().map(str::to_owned)).collect();
    let mut add = vec!["add".to_owned(), "--allow-private".to_owned()];
    add.extend(authors.iter().map(|author| format!("{}/@{author}", world.base)));
    freshet.ok(&add.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn subscriptions_are_managed_while_a_run_runs() {
    let world = World::start(6);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    watch_all(&freshet, &world);
    let path = |name: &str| freshet.folder().join(name);
    let shown = |name: &str| path(name).to_string_lossy().into_owned();
    freshet.ok(&["subscriptions", "add", "archive", "--file", &shown("all.jsonl"), "--from", "beginning"]);
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "10m"], "run.log");
    until("the file gets posts", LIMIT, || (!lines(&path("all.jsonl")).is_empty()).then_some(()));

    // The others come while it runs.
    let (port, heard) = server(web);
    let url = format!("http://127.0.0.1:{port}/hook");
    let hook = ["subscriptions", "add", "hook", "--webhook", &url, "--unsigned", "--kinds", "accounts"];
    let refused = freshet.say(&hook);
    assert!(refused.code == 2 && refused.err.contains("--allow-private"), "{refused:?}");
    freshet.ok(&[&hook[..], &["--allow-private", "--from", "beginning"]].concat());
    let cat = format!("exec cat >> '{}'", shown("program.jsonl"));
    freshet.ok(&["subscriptions", "add", "program", "--from", "beginning", "--", "sh", "-c", &cat]);
    let batch = heard.recv_timeout(LIMIT).expect("the address is told");
    let body: Value = serde_json::from_str(&batch[batch.find("\r\n\r\n").unwrap() + 4..]).unwrap();
    assert_eq!((&body["subscription"], &body["records"][0]["kind"]), (&"hook".into(), &"accounts".into()));
    let posts = || ids(&lines(&path("program.jsonl")));
    until("the program gets the same posts", LIMIT, || (posts().len() > 20).then_some(()));

    // Paused, it keeps its place; replayed, it gets everything again.
    freshet.ok(&["subscriptions", "pause", "program"]);
    assert_eq!(line_of(&freshet, "program")["state"], "paused");
    freshet.ok(&["subscriptions", "replay", "program", "--from", "beginning"]);
    let before = lines(&path("program.jsonl")).len();
    freshet.ok(&["subscriptions", "resume", "program"]);
    until("it comes again", LIMIT, || (lines(&path("program.jsonl")).len() > before).then_some(()));
    freshet.ok(&["subscriptions", "test", "archive"]);
    freshet.ok(&["subscriptions", "remove", "hook"]);
    assert_eq!(line_of(&freshet, "hook"), Value::Null);
    drop(run);

    // Killed: the next run delivers the rest, some of it twice and none of it never.
    freshet.ok(&["run", "--headless", "--no-dashboard", "--for", "3s"]);
    let stored: BTreeSet<String> =
        freshet.posts().iter().filter_map(|post| post["id"].as_str().map(str::to_owned)).collect();
    for name in ["all.jsonl", "program.jsonl"] {
        assert_eq!(ids(&lines(&path(name))), stored, "{name}");
    }
    let tests = lines(&path("all.jsonl")).iter().filter(|it| it["kind"] == "test").count();
    assert_eq!(tests, 1);
    let archive = line_of(&freshet, "archive");
    assert_eq!((&archive["behind"], &archive["dropped_count"]), (&0.into(), &0.into()), "{archive}");
    assert!(freshet.ok(&["status"]).contains("subscription archive is running: 0 changes behind"));
}

#[test]
fn what_cannot_be_subscribed_is_refused_by_name() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    for (args, parts) in [
        (&["a/b", "--stdout"][..], &["`a/b` cannot be the name"][..]),
        (&["a", "--stdout", "--kinds", "forgettings", "--drop-beyond", "5000"], &["must not be dropped"]),
        (&["a", "--nats", "http://127.0.0.1", "--subject", "a"], &["no address of a bus"]),
        (&["a", "--nats", "nats://127.0.0.1"], &["--subject"]),
        (&["a", "--nats", "nats://127.0.0.1", "--subject", "a.*"], &["no subject to publish to"]),
        (&["a", "--stdout", "--kinds", "tweets"], &["no kind `tweets`", "posts, accounts"]),
        (&["a", "--stdout", "--where", "post", "post.likez > 1"], &["likez"]),
        (&["a", "--file", "/no/such/folder/x"], &["/no/such/folder/x", "make the folder"]),
        (&["a", "--webhook", "http://10.0.0.1/", "--unsigned"], &["private", "--allow-private"]),
        (&["a", "--webhook", "https://a.example/"], &["FRESHET_PASSPHRASE"]),
        (&["a", "--stdout", "--from", "change:99"], &["no change 99"]),
        (&["a", "--stdout", "--drop-beyond", "3"], &["at least 1000"]),
    ] {
        let said = freshet.say(&[&["subscriptions", "add"], args].concat());
        assert!(said.code != 0 && parts.iter().all(|part| said.err.contains(part)), "{args:?}: {said:?}");
    }
    for verb in ["pause", "resume", "remove", "test"] {
        let said = freshet.say(&["subscriptions", verb, "nobody"]);
        assert!(said.code == 2 && said.err.contains("no subscription `nobody`"), "{said:?}");
    }
    assert!(freshet.ok(&["subscriptions", "list"]).contains("no subscriptions"));
}
