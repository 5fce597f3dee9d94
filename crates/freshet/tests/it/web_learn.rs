//! A forum that is learned from the dashboard: the address is given on a page, the rest goes by itself.

use std::fmt::Write as _;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::freshet::{Freshet, bare};
use crate::support::http::{self, Body};
use crate::support::process::{Process, free_port};
use crate::support::until;

/// A busy machine may need a while.
const SOON: Duration = Duration::from_mins(2);
const TOKEN: &str = "token-of-this-test";
const BEGIN_S: i64 = 1_700_000_000;

/// Two boards of twenty threads, all of it past; its address.
fn serve_forum(freshet: &Freshet) -> (Process, String) {
    let mut lines = String::new();
    for thread in 0..40_i64 {
        for post in 0..6_i64 {
            let at_s = BEGIN_S + thread * 40_000 + post * 700;
            writeln!(lines, "{}\t{thread}\t{at_s}\t{}", thread % 2, post % 4).expect("a text can grow");
        }
    }
    let trace = freshet.folder().join("forum.tsv");
    std::fs::write(&trace, lines).expect("a trace");
    let (listen, from) = (format!("127.0.0.1:{}", free_port()), (BEGIN_S + 3_000_000).to_string());
    let trace = trace.display().to_string();
    let mut command = bare(&["world", "serve", "--forum", &trace, "--from", &from, "--listen", &listen]);
    let process = Process::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
    let base = format!("http://{listen}");
    until("the forum", SOON, || http::is_up(&base, "/").then_some(()));
    (process, base)
}

fn learned(base: &str, address: &str) -> Value {
    until("it is learned, or not", SOON, || {
        let (_, text) = http::send("GET", base, "/api/v1/learning", Some(TOKEN), None).expect("an answer");
        let shown: Value = serde_json::from_str(&text).expect("JSON");
        let job = shown["learning"].as_array()?.iter().find(|job| job["address"] == address)?.clone();
        ["learned", "failed"].iter().any(|stage| job["stage"] == *stage).then_some(job)
    })
}

#[test]
fn a_forum_is_learned_from_its_address_alone() {
    let freshet = Freshet::new().with_variable("FRESHET_DASHBOARD_TOKEN", TOKEN);
    freshet.ok(&["init"]);
    let (_forum, front) = serve_forum(&freshet);
    let mut served = freshet.start(&["dashboard", "--listen", "127.0.0.1:0"], "dashboard.log");
    let base = until("the dashboard says where it is", SOON, || {
        let said = std::fs::read_to_string(freshet.folder().join("dashboard.log")).unwrap_or_default();
        assert!(served.status().is_none(), "it ended by itself:\n{said}");
        said.lines().find_map(|line| line.strip_prefix("dashboard: http://").map(str::to_owned))
    });
    let base = format!("http://{}", base.trim_end_matches('/'));
    let ask = |address: &str, allow_private: bool| {
        let wish = json!({ "address": address, "allow_private": allow_private });
        let sent = http::send("POST", &base, "/api/v1/learning", Some(TOKEN), Some(Body::Json(&wish)));
        sent.expect("an answer").0
    };
    let address = format!("{front}/");
    assert_eq!(ask(&address, false), 200);
    let refused = learned(&base, &address);
    assert_eq!(refused["stage"], "failed", "a private address is asked only when it is allowed");
    assert!(refused["told"].as_str().is_some_and(|told| told.contains("127.0.0.1")), "{refused}");

    assert_eq!(ask(&format!("{front}/nothing-here"), true), 200);
    assert_eq!(ask(&address, true), 200);
    let failed = learned(&base, &format!("{front}/nothing-here"));
    assert_eq!(failed["stage"], "failed", "{failed}");
    until("the forum is learned", SOON, || (learned(&base, &address)["stage"] == "learned").then_some(()));
    let (_, forums) = http::send("GET", &base, "/api/v1/forums", Some(TOKEN), None).expect("an answer");
    assert!(forums.contains("forum-127.0.0.1"), "the dashboard knows it without a new start: {forums}");
    assert_eq!(freshet.json(&["status"])["sources_count"], json!(1), "its front page is watched");

    assert_eq!(ask(&address, true), 400, "what is known is not learned again");
    assert_eq!(ask("no address", true), 400);
}
