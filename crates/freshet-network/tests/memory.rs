//! How much memory an answer takes while it is read: each case in a process of its own, by what the system counts.
//!
//! The bodies are as hostile as a few megabytes can be. A process that reads nothing is measured as well and taken off.
//! Only Linux says what a process took at most, so this is a test of Linux alone.
#![cfg(target_os = "linux")]

use std::process::Command;

use freshet_network::networks::Networks;
use freshet_types::{Instance, Intent, NetworkName, Response, Target, Timestamp};

/// Bytes of each body.
const BODY_BYTES: usize = 8 << 20;
/// Most memory that reading one takes, in bodies; the body itself is one of them. A feed took 560, a page of Mastodon 160.
const RATIO_MAX: u64 = 10;
/// Tells a process which case is its own.
const CASE: &str = "FRESHET_MEMORY_CASE";

/// Names of a case and its network, endpoint, and the body's start, repeated part and end.
type Case = (&'static str, &'static str, &'static str, [&'static str; 3]);

const CASES: &[Case] = &[
    ("nothing", "mastodon", "posts", ["", "", ""]),
    ("empty posts", "mastodon", "posts", ["[", "{},", "{}]"]),
    ("numbers", "mastodon", "posts", ["[", "1,", "1]"]),
    ("lists", "mastodon", "posts", ["[", "[[1],[1],[1],[1],[1],[1],[1],[1]],", "{}]"]),
    ("small posts", "mastodon", "posts", ["[", r#"{"id":1,"tags":[{"name":1},{"name":2}]},"#, "{}]"]),
    ("posts", "mastodon", "posts", ["[", r#"{"id":"@","account":{"id":"@"}},"#, "{}]"]),
    (
        "boosts",
        "mastodon",
        "posts",
        ["[", r#"{"id":"@","reblog":{"id":"x@","account":{"id":"a@"}}},"#, "{}]"],
    ),
    ("tags", "mastodon", "posts", [r#"[{"id":"1","tags":["#, r#"{"name":"t@"},"#, r#"{"name":"t"}]}]"#]),
    ("one text", "mastodon", "posts", [r#"[{"id":"1","content":""#, r"\u0061", r#""}]"#]),
    ("everything is kept", "bluesky", "posts", [r#"{"feed":["#, r#"{"post":{"uri":"@"}},"#, "{}]}"]),
    (
        "json feed",
        "rss",
        "feed",
        [
            r#"{"version":"https://jsonfeed.org/version/1.1","title":"t","items":["#,
            r#"{"id":"@"},"#,
            r#"{"id":"0"}]}"#,
        ],
    ),
    (
        "rss",
        "rss",
        "feed",
        ["<rss version='2.0'><channel><title>t</title>", "<item><guid>@</guid></item>", "</channel></rss>"],
    ),
    (
        "films",
        "rss",
        "feed",
        [
            "<rss version='2.0' xmlns:m='http://search.yahoo.com/mrss/'><channel><title>t</title>",
            "<item><m:content/><m:content/><m:content/><m:content/><m:content/><m:content/></item>",
            "</channel></rss>",
        ],
    ),
    (
        "atom",
        "rss",
        "feed",
        [
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title>",
            "<entry><id>@</id><link/></entry>",
            "</feed>",
        ],
    ),
];

fn body([start, repeated, end]: [&str; 3]) -> Vec<u8> {
    let mut body = String::with_capacity(BODY_BYTES + 1024);
    body.push_str(start);
    let mut number: u64 = 0;
    while !repeated.is_empty() && body.len() < BODY_BYTES {
        body.push_str(&repeated.replace('@', &number.to_string()));
        number += 1;
    }
    body.push_str(end);
    body.into_bytes()
}

/// The most memory that this process had at any time, in KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("Linux says it");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("it is a number")
}

/// Reads the case that the environment names, and prints the peak; without one, does nothing.
#[test]
#[expect(clippy::disallowed_methods, reason = "a process learns its case from the one that started it")]
fn one_case() {
    let Ok(name) = std::env::var(CASE) else { return };
    let (_, network, endpoint, parts) = CASES.iter().find(|(case, ..)| *case == name).unwrap();
    let networks = Networks::shipped();
    let connector = networks.connector(network).unwrap();
    let instance = Instance {
        network: NetworkName::new(network, None),
        base: "https://x.example".to_owned(),
        allow_private: false,
    };
    let target = Target {
        instance: &instance,
        endpoint,
        root: "https://x.example/1",
        credential: None,
        validators: None,
    };
    let response = Response {
        status: 200,
        headers: Vec::new(),
        body: body(*parts),
        url: "https://x.example/1".to_owned(),
        received_at: Timestamp::from_secs(0),
    };
    let page = connector.read(&target, &Intent::First, &response, Timestamp::from_secs(1_800_000_000));
    println!("read {} posts; peak_kib={}", page.observation.posts.len(), peak_kib());
}

fn measure(name: &str) -> (u64, String) {
    let own = std::env::current_exe().expect("a test is a program");
    let output = Command::new(own)
        .args(["--exact", "one_case", "--nocapture"])
        .env(CASE, name)
        .output()
        .expect("it can be started again");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let peak = text.split("peak_kib=").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    (peak.unwrap_or_else(|| panic!("{name}: {text}{}", String::from_utf8_lossy(&output.stderr))), text)
}

#[test]
fn reading_takes_a_few_times_the_body() {
    let (nothing, _) = measure("nothing");
    let mut over = Vec::new();
    for (name, ..) in &CASES[1..] {
        let (peak, text) = measure(name);
        let bodies = (peak.saturating_sub(nothing) * 1024) as f64 / BODY_BYTES as f64;
        println!(
            "{name}: {bodies:.1} bodies; {}",
            text.lines().find(|it| it.contains("read ")).unwrap_or("-")
        );
        if bodies > RATIO_MAX as f64 {
            over.push(format!("{name}: {bodies:.1}"));
        }
    }
    assert!(over.is_empty(), "these take more than {RATIO_MAX} bodies: {over:?}");
}
