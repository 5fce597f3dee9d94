//! The two use-cases of `SocWeb`, each with one command, on two simulated networks over HTTP.

use serde_json::Value;

use crate::support::freshet::bare;

/// Wall time of a crawl; simulated, more than two hours.
const LASTS: &str = "15s";

/// Runs a use-case to its end; gives its report.
fn run(case: &str) -> Value {
    let said = bare(&["demo", case, "--headless", "--for", LASTS, "--format", "json"]).output();
    let said = said.expect("the program can be started");
    let err = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{case}: {err}");
    serde_json::from_slice(&said.stdout).unwrap_or_else(|error| panic!("{case}: {error}\n{err}"))
}

/// How many objects of a type are stored of the networks whose name begins so.
fn count(report: &Value, network: &str, kind: &str) -> u64 {
    let objects = report["objects"].as_array().expect("a list").iter();
    let of_it = objects.filter(|it| {
        it["type"] == kind && it["network"].as_str().is_some_and(|name| name.starts_with(network))
    });
    of_it.filter_map(|it| it["count"].as_u64()).sum()
}

#[test]
fn a_spider_goes_to_friends_and_not_to_their_friends() {
    let report = run("spider");
    let found = report["found_count"].as_u64().expect("a number");
    assert!(found > 0 && report["names_count"].as_u64() > Some(0), "{report}");
    let accounts = count(&report, "graph", "account");
    // All 200 are within a few steps of each other: whoever followed friends of friends would know most of them.
    assert!(accounts > found && accounts < 150, "{accounts} of 200, {found} were searched for");
    assert!(count(&report, "graph", "post") > 200, "the whole history of whoever was found: {report}");
    assert!(count(&report, "graph", "album") > 0, "{report}");
    assert_eq!(count(&report, "youtube", ""), 0, "nobody follows links into other networks here");
}

#[test]
fn shared_videos_are_pulled_from_the_network_they_live_on() {
    let report = run("world");
    for (network, kind) in
        [("graph", "post"), ("youtube", "video"), ("youtube", "account"), ("youtube", "comment")]
    {
        assert!(count(&report, network, kind) > 0, "{network} {kind}: {report}");
    }
    let (posts, videos) = (count(&report, "graph", "post"), count(&report, "youtube", "video"));
    assert!(videos < posts, "one post in five shares a video: {report}");
}
