//! The whole product against a server that commits every fault: each one becomes visible by its
//! name in `status`, what was stored before stays as it was, nothing panics and nothing hangs.
//!
//! Time comes from a simulated world, so that the waits between attempts pass quickly; time-outs
//! are on the wall. A network of its own, from a definition in the data folder, leads to the faults.

use std::time::{Duration, Instant};

use freshet_fetch::hostile::{Behaviour, Hostile, Step};
use serde_json::Value;

use crate::support::assert_each_once;
use crate::support::freshet::Freshet;
use crate::support::until;
use crate::support::world::{SPEED, World};

const DEFINITION: &str = r#"
name = "hostile"
title = "A server of every fault"
hosts = "many"
base = "http://{{ host }}"
pause = "0s"
in_flight_max = 8

[types.account]
colinks = { posts = "post" }

[types.post]
clinks = { author = "account" }

[endpoints.posts]
url = "/{{ root }}"
kind = "posts"
root = "account"
robot = "status"
link = "posts"
items = [{ at = "/posts", mapping = "post" }]
page_size = 20
paging = { style = "cursor", param = "cursor", at = "/cursor" }

[mappings.post]
kind = "post"
id = "/id"
author = "$root"
created_at = "/at"
text = "/text"

[[references]]
pattern = '(?P<scheme>http)://(?P<host>[^/]+)/(?P<id>.+)'
root = "account"
example = "http://hostile.example/reset"
"#;

/// Path of the fault, and words of the reason that `status` gives.
const FAULTS: [(&str, &str); 18] = [
    ("reset", "connection"),
    ("empty-reply", "connection"),
    ("garbage", "HTTP"),
    ("half-body", "before message length"),
    ("length-too-long", "before message length"),
    ("huge-header", "header"),
    ("endless-headers", "header"),
    ("announced-giant", "bytes"),
    ("endless-body", "bytes"),
    ("wrong-charset", "JSON"),
    ("bomb/gzip", "bytes"),
    ("bomb/br", "bytes"),
    ("encoded/wrong", "gzip"),
    ("encoded/unknown", "x-secret-sauce"),
    ("redirect/endless/1", "redirect"),
    ("redirect/metadata", "169.254.169.254"),
    ("html", "JSON"),
    ("unavailable", "transient"),
];
/// Three attempts of each, with waits that pass 600 times as fast.
const LIMIT: Duration = Duration::from_secs(90);

#[test]
fn every_fault_is_named_and_nothing_is_harmed() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(Hostile::start());
    server.route("/good", vec![Behaviour::json(200, &page(1..=3))]);
    // It answers once, and then never well again.
    server.route("/turns", vec![Behaviour::json(200, &page(4..=6)), Behaviour::new(vec![Step::Reset])]);
    let (world, freshet) = prepared();
    let references = ["good", "turns"].into_iter().chain(FAULTS.iter().map(|(path, _)| *path));
    add(&freshet, references.map(|path| server.url(&format!("/{path}"))));
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "10m"], "run.log");
    let status = until("every fault has failed three times", LIMIT, || {
        let status = freshet.json(&["status"]);
        (status["sources"]["failed"].as_u64() == Some(FAULTS.len() as u64 + 1)).then_some(status)
    });
    for (path, words) in FAULTS {
        let why = failure_of(&status, &format!("/{path}"));
        assert!(why.contains(words), "`{path}` failed because of `{why}`, which does not say `{words}`");
    }
    let kinds = ["broken", "too_large", "bomb", "encoding", "redirects", "forbidden_address"];
    for kind in kinds {
        let faults = status["faults"].as_array().expect("faults are listed");
        assert!(faults.iter().any(|fault| fault["kind"] == kind), "`{kind}` is not in {faults:?}");
    }
    assert_stops_well(&freshet, run, Duration::from_secs(15));
    let wanted: Vec<String> = (1..=6).map(|id| id.to_string()).collect();
    let posts = freshet.posts();
    assert_each_once(&posts, &wanted);
    assert_eq!(posts.len(), wanted.len(), "faults bring no posts");
    assert!(posts.iter().all(|post| post["deleted_at"].is_null()), "silence deletes nothing: {posts:?}");
    drop(world);
}

#[test]
fn silence_ends_in_a_time_out_and_storms_are_waited_out() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (silent, stormy) = (runtime.block_on(Hostile::start()), runtime.block_on(Hostile::start()));
    silent.route("/good", vec![Behaviour::json(200, &page(1..=3))]);
    let (world, freshet) = prepared();
    add(
        &freshet,
        ["good", "stall", "stall-in-headers", "stall-in-body"].map(|path| silent.url(&format!("/{path}"))),
    );
    add(&freshet, ["storm", "storm/retry-after"].map(|path| stormy.url(&format!("/{path}"))));
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "10m"], "run.log");
    let status = until("the silence is noticed", Duration::from_mins(1), || {
        let status = freshet.json(&["status"]);
        let faults = status["faults"].as_array().cloned().unwrap_or_default();
        let is_late =
            faults.iter().any(|fault| fault["kind"] == "timeout" && fault["count"].as_u64() >= Some(3));
        is_late.then_some(status)
    });
    assert!(status["rate_limited_count"].as_u64() > Some(0), "the storm is told: {status}");
    assert_storm_is_sat_out(&stormy.arrivals());
    assert!(silent.count("/good") > 5, "the others go on meanwhile");
    // Silent servers are not waited for longer than a graceful stop may take.
    assert_stops_well(&freshet, run, Duration::from_secs(15));
    assert_each_once(&freshet.posts(), &["1".to_owned(), "2".to_owned(), "3".to_owned()]);
    drop(world);
}

/// After the first refusals one request at a time looks whether the storm is over, and every time
/// it waits twice as long, up to 64 minutes. A busy machine can only make it later.
fn assert_storm_is_sat_out(arrivals: &[Instant]) {
    /// Sources of the stormy server: so many requests may be under way when the storm begins.
    const BURST: usize = 2;
    /// Time is told in answers of a server, so two instants are compared with some slack.
    const SLACK: f64 = 0.8;
    assert!(arrivals.len() > BURST, "the storm is looked at now and then: {arrivals:?}");
    let gaps = arrivals[BURST - 1..].windows(2).map(|pair| pair[1] - pair[0]);
    for (round, gap) in gaps.enumerate() {
        let gap_s = gap.as_secs_f64() * SPEED;
        let gap_min_s = 60.0 * f64::from(1 << round.min(6));
        assert!(gap_s > gap_min_s * SLACK, "look {round} came {gap_s:.0} s after the one before");
    }
}

/// A data folder with the definition, on the clock of a simulated world.
fn prepared() -> (World, Freshet) {
    let world = World::start(1);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let folder = freshet.data().join("networks");
    std::fs::create_dir_all(&folder).expect("a folder for definitions");
    std::fs::write(folder.join("hostile.toml"), DEFINITION).expect("the definition can be written");
    (world, freshet)
}

fn add(freshet: &Freshet, urls: impl IntoIterator<Item = String>) {
    let references: Vec<String> = urls.into_iter().map(|url| format!("hostile:{url}")).collect();
    let args = ["add", "--allow-private"].into_iter().chain(references.iter().map(String::as_str));
    freshet.ok(&args.collect::<Vec<_>>());
}

fn page(ids: std::ops::RangeInclusive<u32>) -> String {
    let posts =
        ids.rev().map(|id| format!(r#"{{"id":"{id}","at":"2026-01-01T00:00:{id:02}Z","text":"post {id}"}}"#));
    format!(r#"{{"posts":[{}]}}"#, posts.collect::<Vec<_>>().join(","))
}

fn failure_of(status: &Value, path: &str) -> String {
    let failed = status["failed_sources"].as_array().expect("failed sources are listed");
    let found = failed.iter().find(|it| it["label"].as_str().is_some_and(|label| label.contains(&path[1..])));
    let found = found.unwrap_or_else(|| panic!("`{path}` is not among {failed:?}"));
    found["why"].as_str().unwrap_or_default().to_owned()
}

fn assert_stops_well(freshet: &Freshet, mut run: crate::support::process::Process, limit: Duration) {
    let log = || std::fs::read_to_string(freshet.folder().join("run.log")).unwrap_or_default();
    assert!(run.status().is_none(), "`run` ended by itself:\n{}", log());
    let start = Instant::now();
    run.send("TERM");
    let status = run.finish_within(limit);
    let took = start.elapsed();
    assert!(status.is_some_and(|status| status.success()), "stopping took {took:?}: {status:?}\n{}", log());
    assert!(!log().contains("panicked"), "{}", log());
}
