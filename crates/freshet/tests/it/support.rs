//! What the product tests share: the program under test, servers to crawl, a small HTTP client.

pub(crate) mod freshet;
pub(crate) mod http;
pub(crate) mod hub;
pub(crate) mod oauth;
pub(crate) mod process;
pub(crate) mod proxy;
pub(crate) mod services;
pub(crate) mod world;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

/// A path that `cargo xtask test` gives; `None` when the server is lacking.
pub(crate) fn provided(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The provided paths, or a recorded skip.
pub(crate) fn need<const N: usize>(test: &str, names: [&str; N]) -> Option<[PathBuf; N]> {
    if let Some(name) = names.iter().find(|name| provided(name).is_none()) {
        skip(test, &format!("`{name}` is not set; run `cargo xtask test`, which prepares the servers"));
        return None;
    }
    Some(names.map(|name| provided(name).expect("looked at above")))
}

/// Whether these programs can be started; if not, a recorded skip.
pub(crate) fn need_programs(test: &str, programs: &[&str]) -> bool {
    let is_there = |program: &&&str| {
        let asked = std::process::Command::new(program).arg("--version").output();
        asked.is_ok_and(|said| said.status.success())
    };
    let lacking: Vec<&str> = programs.iter().filter(|it| !is_there(it)).copied().collect();
    if !lacking.is_empty() {
        skip(test, &format!("`{}` is not installed", lacking.join("`, `")));
    }
    lacking.is_empty()
}

/// Records that a test could not run.
#[expect(clippy::print_stdout, reason = "whoever runs `cargo test` by hand should see it too")]
fn skip(test: &str, reason: &str) {
    println!("SKIPPED: {test}: {reason}");
    let Some(path) = std::env::var_os("FRESHET_SKIPS") else { return };
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    let mut file = file.expect("the file of skips can be opened");
    writeln!(file, "{test}: {reason}").expect("the file of skips can be written");
}

/// Waits on the wall.
#[expect(clippy::disallowed_methods, reason = "these tests wait for other processes, which run on the wall")]
pub(crate) fn wait_ms(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

/// Asks again and again until there is an answer; panics after the limit.
pub(crate) fn until<T>(what: &str, limit: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < limit, "{what}: nothing within {} s", limit.as_secs());
        wait_ms(50);
    }
}

/// How often each exported post's own id occurs; the id's last part, as networks nest ids.
pub(crate) fn id_counts(export: &[Value]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for post in export {
        let id = post["native_id"].as_str().expect("`native_id` is a string");
        *counts.entry(id.rsplit('/').next().unwrap_or(id).to_owned()).or_default() += 1;
    }
    counts
}

/// Is every wanted post there, however often?
pub(crate) fn has_all(export: &[Value], wanted: &[String]) -> bool {
    let counts = id_counts(export);
    wanted.iter().all(|id| counts.contains_key(id))
}

/// Every wanted post is there exactly once.
pub(crate) fn assert_each_once(export: &[Value], wanted: &[String]) {
    let counts = id_counts(export);
    let lost: Vec<&String> = wanted.iter().filter(|id| !counts.contains_key(*id)).collect();
    let doubled: Vec<(&String, &usize)> = counts.iter().filter(|(_, count)| **count > 1).collect();
    assert!(!wanted.is_empty(), "nothing to look for");
    assert!(lost.is_empty(), "lost {} of {}: {:?}", lost.len(), wanted.len(), &lost[..lost.len().min(5)]);
    assert!(doubled.is_empty(), "doubled: {doubled:?}");
}
