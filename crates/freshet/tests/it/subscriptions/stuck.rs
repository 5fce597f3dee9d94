//! Receivers that hold everything up: a full disk, a pipe that nobody reads, a program that takes nothing, an address that never answers. The crawl and the
//! others go on, each is told of, and any of them can be removed in the middle of a delivery.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{LIMIT, ids, line_of, lines, watch_all};
use crate::support::freshet::Freshet;
use crate::support::until;
use crate::support::world::World;

/// A command that a stuck receiver must not hold up.
const PROMPT: Duration = Duration::from_secs(20);

#[test]
fn whoever_is_stuck_holds_up_nobody_and_can_be_removed() {
    let world = World::start(30);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    watch_all(&freshet, &world);
    let path = |name: &str| freshet.folder().join(name);
    let shown = |name: &str| path(name).to_string_lossy().into_owned();
    let fifo = std::process::Command::new("mkfifo").arg(path("pipe")).status();
    assert!(fifo.is_ok_and(|status| status.success()), "a pipe can be made");
    // Takes connections into its queue, and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let add = |name: &str, way: &[&str]| {
        freshet.ok(&[&["subscriptions", "add", name, "--from", "beginning"], way].concat());
    };
    add("full", &["--file", "/dev/full"]);
    add("pipe", &["--file", &shown("pipe")]);
    add("silent", &["--webhook", &url, "--unsigned", "--allow-private"]);
    add("archive", &["--file", &shown("all.jsonl")]);
    add("idle", &["--", "sleep", "600"]);
    let mut run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "10m"], "run.log");
    let count = || lines(&path("all.jsonl")).len();
    until("the others get what they want", LIMIT, || (count() > 20).then_some(()));
    let failed = until("the full disk is told", LIMIT, || {
        Some(line_of(&freshet, "full")).filter(|it| it["failed_count"].as_u64() > Some(0))
    });
    assert!(failed["failure"].as_str().is_some_and(|why| why.contains("No space left")), "{failed}");
    assert_eq!((&failed["delivered_count"], &failed["dropped_count"]), (&0.into(), &0.into()), "{failed}");
    let before = count();
    until("the crawl goes on", LIMIT, || (count() > before).then_some(()));
    // Each is in the middle of something.
    for name in ["full", "pipe", "silent", "idle"] {
        let began = Instant::now();
        freshet.ok(&["subscriptions", "remove", name]);
        assert!(began.elapsed() < PROMPT, "{name}");
        assert_eq!(line_of(&freshet, name), Value::Null);
    }
    let before = count();
    until("it still goes on", LIMIT, || (count() > before).then_some(()));
    // The same name may be used again at once, for somebody who takes it.
    add("idle", &["--file", &shown("again.jsonl")]);
    until("the next of this name", LIMIT, || (lines(&path("again.jsonl")).len() > 20).then_some(()));
    run.send("TERM");
    let ended = run.finish_within(PROMPT);
    assert!(ended.is_some_and(|status| status.success()), "{ended:?}");
    let stored: std::collections::BTreeSet<String> =
        freshet.posts().iter().filter_map(|post| post["id"].as_str().map(str::to_owned)).collect();
    assert_eq!(ids(&lines(&path("all.jsonl"))), stored, "nothing is left out");
}
