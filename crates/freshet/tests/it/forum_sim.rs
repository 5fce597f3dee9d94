//! The simulated forum over HTTP: what a crawl keeps of its lists, which models it chooses, and what it does when pages change.
//!
//! The history is made here: boards with threads that live for an hour or two and are over, as threads are, and one that grew
//! to several pages in the last day. Time runs fast, so that a day of the forum passes in seconds.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::support::freshet::{Freshet, bare};
use crate::support::process::{Process, free_port};
use crate::support::{http, until};

/// The first post of the forum.
const BEGIN_S: i64 = 1_700_000_000;
const DAY_S: i64 = 86_400;
/// Days of history before the forum is served.
const DAYS: i64 = 120;
/// Posts of the thread that grew in the last day, and their distance.
const LONG_POSTS: i64 = 48;
const LONG_GAP_S: i64 = 1_500;
/// A busy machine needs many times as long as an idle one.
const LIMIT: Duration = Duration::from_mins(2);

/// One thread a day on each of three boards, eight posts ten minutes apart; at the end one long thread; and life goes on.
fn trace(path: &Path) {
    let mut lines = String::new();
    for day in 0..DAYS + 60 {
        for board in 0..3 {
            let (thread, began_s) = (1 + day * 3 + board, BEGIN_S + day * DAY_S + board * 3_600);
            for post in 0..8 {
                let _ = writeln!(lines, "{board}\t{thread}\t{}\t{}", began_s + post * 600, post % 5);
            }
        }
    }
    for post in 0..LONG_POSTS {
        let at_s = BEGIN_S + DAYS * DAY_S - (LONG_POSTS - post) * LONG_GAP_S;
        let _ = writeln!(lines, "0\t9999\t{at_s}\t{}", post % 5);
    }
    std::fs::write(path, lines).expect("the trace can be written");
}

/// A served forum.
struct Forum {
    base: String,
    _process: Process,
}

impl Forum {
    fn start(trace: &Path, port: u16, from_day: i64, speed: u32, more: &[&str]) -> Self {
        let (listen, speed) = (format!("127.0.0.1:{port}"), speed.to_string());
        let from = date_of(BEGIN_S + from_day * DAY_S);
        let trace = trace.to_string_lossy().into_owned();
        let mut args = vec!["world", "serve", "--forum", &trace, "--listen", &listen, "--speed", &speed];
        args.extend(["--page-size", "10", "--from", &from]);
        args.extend(more);
        let process = Process::start(bare(&args).stdout(Stdio::null()).stderr(Stdio::null()));
        let base = format!("http://{listen}");
        until("the forum", Duration::from_secs(30), || http::is_up(&base, "/clock").then_some(()));
        Self { base, _process: process }
    }

    fn front(&self) -> String {
        format!("{}/", self.base)
    }

    fn truth(&self) -> Vec<Value> {
        let (_, text) = http::ask(&self.base, "/truth.jsonl").expect("the forum answers");
        text.lines().map(|line| serde_json::from_str(line).expect("a line of truth is JSON")).collect()
    }
}

/// An instant as options take it.
fn date_of(at_s: i64) -> String {
    let (days, rest) = (at_s.div_euclid(DAY_S), at_s.rem_euclid(DAY_S));
    // Civil date of a count of days, Howard Hinnant's way.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// A crawl of a forum that was just added.
fn added(forum: &Forum) -> Freshet {
    let freshet = Freshet::new().with_clock(format!("{}/clock", forum.base));
    freshet.ok(&["init"]);
    let said = freshet.ok(&["add", "--allow-private", &forum.front()]);
    assert!(said.contains("learned `forum-127.0.0.1-"), "{said}");
    freshet
}

fn run(freshet: &Freshet, more: &[&str]) -> Process {
    freshet.start(&[&["run", "--headless", "--no-dashboard"], more].concat(), "run.log")
}

/// Waits until all posts that were made before the crawl began are stored, and no list has a hole.
fn wait_for_mirror(freshet: &Freshet, wanted_count: usize) {
    until("the forum is mirrored", LIMIT, || {
        let status = freshet.json(&["status"]);
        let lists = &status["forum_lists"][0];
        let is_whole = lists["complete_threads_count"] == lists["threads_count"];
        let has_all = status["posts_count"].as_u64() >= Some(wanted_count as u64);
        (has_all && is_whole).then_some(())
    });
}

fn stop(mut run: Process) {
    run.send("TERM");
    assert!(run.finish_within(LIMIT).is_some_and(|status| status.success()), "it stops when asked");
}

#[test]
fn lists_are_objects_models_are_chosen_and_a_front_page_is_removed_whole() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("trace.tsv");
    trace(&path);
    let forum = Forum::start(&path, free_port(), DAYS, 600, &[]);
    let freshet = added(&forum);
    let robots = freshet.json(&["robots", "list"]).to_string();
    assert!(robots.contains(r#""stopped""#), "no robot was started for all networks: {robots}");
    let wanted_count = forum.truth().len();
    let running = run(&freshet, &["--forum-share", "ratio"]);
    wait_for_mirror(&freshet, wanted_count);
    let status = until("models are trained", LIMIT, || {
        let status = freshet.json(&["status"]);
        (!status["forums"][0]["threads"]["model"].is_null()).then_some(status)
    });
    stop(running);
    let (live, lists) = (&status["forums"][0], &status["forum_lists"][0]);
    for kind in ["regression", "average interval", "silence", "ordinary"] {
        assert!(live["threads"]["errors"][kind].is_number(), "{kind} was asked: {live}");
    }
    assert_ne!(
        live["threads"]["model"], "regression",
        "threads that are over are not foretold by a line: {live}"
    );
    assert_eq!(live["share"], "ratio");
    let (share, spent) = (live["index_share"].as_f64(), live["index_spent"].as_f64());
    assert!(share.is_some_and(|it| it > 0.05 && it < 0.3) && spent.is_some_and(|it| it > 0.0), "{live}");
    assert!(lists["threads_count"].as_u64() >= Some(361), "{lists}");
    assert!(lists["pages_count"].as_u64() >= Some(365), "the long thread has five pages: {lists}");
    assert_eq!(lists["boards_count"], 4, "three boards and the front page: {lists}");
    let text = freshet.ok(&["status"]);
    assert!(text.contains("model of boards"), "{text}");
    assert_silence_is_told(&freshet, &forum.base);
    assert_removed_whole(&freshet, &forum.front());
}

/// A thread of the first day has waited long, and says why; its model is told with its figures.
fn assert_silence_is_told(freshet: &Freshet, base: &str) {
    let told = freshet.ok(&["explain", "/thread/0"]);
    for words in ["its last look brought nothing", "up to 30 days", "model: ", "errors: ordinary"] {
        assert!(told.contains(words), "`{words}` is missing in\n{told}");
    }
    let told = freshet.json(&["explain", "/thread/0"]);
    assert_eq!(told["sources"][0]["why"]["reason"], "silence", "{told}");
    // What the board calls it, as the forum's own page shows.
    let title = told["sources"][0]["title"].as_str().unwrap_or_default().to_owned();
    let (_, thread) = http::ask(base, "/thread/0").expect("the forum answers");
    assert!(title.contains(' ') && thread.contains(&format!("<h1>{title}</h1>")), "`{title}`: {thread}");
    let board = freshet.json(&["explain", "/board/0"])["sources"][0].clone();
    assert!(board["label"].as_str().is_some_and(|label| label.starts_with("Board of ")), "{board}");
}

/// The rule is remembered, and with the front page everything of the forum goes.
fn assert_removed_whole(freshet: &Freshet, front: &str) {
    let before = freshet.json(&["status"])["sources"]["active"].as_u64();
    let removed = freshet.json(&["remove", front]);
    assert_eq!(removed["removed_count"].as_u64(), before, "{removed}");
    let after = freshet.json(&["status"]);
    assert!(after["sources"]["active"].is_null(), "{after}");
    let said = freshet.ok(&["run", "--headless", "--no-dashboard", "--for", "2s"]);
    assert!(said.starts_with("0 visits"), "{said}");
    assert_eq!(freshet.json(&["status"])["forums"][0]["share"], "ratio", "as the run before was asked");
}

#[test]
fn edits_on_earlier_pages_are_seen_in_the_end() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("trace.tsv");
    trace(&path);
    let forum =
        Forum::start(&path, free_port(), DAYS, 6_000, &["--edit-every", "5", "--edited-after", "30h"]);
    let freshet = added(&forum);
    let mirrored = forum.truth();
    let running = run(&freshet, &["--ceiling", "2h"]);
    wait_for_mirror(&freshet, mirrored.len());
    let is_long = |post: &&Value| post["thread"].as_u64() == Some(long_thread(&mirrored));
    let earlier: Vec<String> =
        mirrored.iter().filter(is_long).take(20).map(|post| post["id"].to_string()).collect();
    let edited: Vec<&String> =
        earlier.iter().filter(|id| id.parse::<u64>().is_ok_and(|id| id % 5 == 0)).collect();
    assert!(!edited.is_empty(), "{earlier:?}");
    until("edits on the first pages of a thread are seen", LIMIT, || {
        let posts = freshet.posts();
        let is_seen = |id: &&&String| {
            let post = posts.iter().find(|post| post["native_id"] == ***id);
            post.is_some_and(|post| {
                post["text"].as_str().is_some_and(|text| text.contains("on second thoughts"))
            })
        };
        (edited.iter().filter(is_seen).count() == edited.len()).then_some(())
    });
    stop(running);
    let changes = freshet.export("changes");
    let kinds = |kind: &str| changes.iter().filter(|change| change["kind"] == kind).count();
    assert_eq!(kinds("deleted"), 0, "nothing was deleted");
    assert!(kinds("edited") >= edited.len());
}

/// The thread with the most posts.
fn long_thread(truth: &[Value]) -> u64 {
    let mut counts = std::collections::BTreeMap::new();
    for post in truth {
        *counts.entry(post["thread"].as_u64().unwrap_or(0)).or_insert(0) += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).expect("there are threads").0
}

impl Forum {
    /// Rebuilds the site: the same addresses and posts, other pages.
    fn rebuild(&self, layout: &str) {
        let (status, said) = http::send("POST", &self.base, &format!("/layout/{layout}"), None, None)
            .expect("the forum answers");
        assert_eq!(status, 204, "{said}");
    }
}

/// Nothing is lost and nothing doubled: each post of the forum once, none changed or taken out.
fn assert_mirrored(freshet: &Freshet, truth: &[Value]) {
    let posts = freshet.posts();
    let mut ids: Vec<&str> = posts.iter().filter_map(|post| post["native_id"].as_str()).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|two| two[0] != two[1]), "a post is stored twice");
    for post in truth {
        let id = post["id"].to_string();
        let found = posts.iter().find(|it| it["native_id"] == id.as_str()).expect("it is stored");
        let (shown_s, made_s) = (found["created_at"].as_f64(), post["created_at"].as_f64());
        // One of the layouts writes no seconds.
        let is_same =
            shown_s.zip(made_s).is_some_and(|(shown_s, made_s)| (0.0..60.0).contains(&(made_s - shown_s)));
        assert!(is_same, "made at {made_s:?}: {found}");
    }
    let kinds = |kind: &str| freshet.export("changes").iter().filter(|it| it["kind"] == kind).count();
    assert_eq!((kinds("deleted"), kinds("edited")), (0, 0), "only the layout has changed");
}

#[test]
fn a_layout_that_changes_is_learned_anew_without_a_person() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("trace.tsv");
    trace(&path);
    let forum = Forum::start(&path, free_port(), DAYS, 600, &["--layout", "classic"]);
    let freshet = added(&forum);
    let running = run(&freshet, &["--ceiling", "1h"]);
    wait_for_mirror(&freshet, forum.truth().len());
    let threads_count = freshet.json(&["status"])["forum_lists"][0]["threads_count"].as_u64();
    forum.rebuild("modern");
    let status = until("the forum is learned anew", LIMIT, || {
        let status = freshet.json(&["status"]);
        (status["relearnt"][0]["is_accepted"] == true).then_some(status)
    });
    let note = &status["relearnt"][0];
    assert!(
        note["what"].as_str().is_some_and(|what| what.contains("stored posts were found again")),
        "{note}"
    );
    let wanted = forum.truth();
    until("posts are read again", LIMIT, || {
        let status = freshet.json(&["status"]);
        let is_read = status["unreadable"].as_array().is_some_and(Vec::is_empty);
        (is_read && status["posts_count"].as_u64() >= Some(wanted.len() as u64)).then_some(())
    });
    stop(running);
    assert_mirrored(&freshet, &wanted);
    let lists = freshet.json(&["status"])["forum_lists"][0].clone();
    // A day has three new threads; a second address for each would double them.
    let more = lists["threads_count"].as_u64().zip(threads_count).map(|(after, before)| after - before);
    assert!(more.is_some_and(|more| more < 60), "{lists}");
    let text = freshet.ok(&["status"]);
    assert!(text.contains("its layout was learned anew"), "{text}");
    let changes = freshet.export("changes");
    let relearnt: Vec<&Value> = changes.iter().filter(|it| it["kind"] == "relearnt").collect();
    let is_front = |it: &&Value| it["id"].as_str().is_some_and(|id| id.ends_with("/portal//"));
    assert!(relearnt.len() == 1 && relearnt.iter().all(is_front), "{relearnt:?}");
    let kept = std::fs::read_dir(freshet.data().join("networks")).expect("there are definitions").flatten();
    let names: Vec<String> = kept.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
    assert!(names.iter().any(|name| name.ends_with(".toml.before")), "the old one stays: {names:?}");
}

#[test]
fn pages_that_cannot_be_read_are_no_empty_lists() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("trace.tsv");
    trace(&path);
    let forum = Forum::start(&path, free_port(), DAYS, 600, &["--layout", "classic"]);
    let freshet = added(&forum);
    let running = run(&freshet, &["--ceiling", "1h"]);
    wait_for_mirror(&freshet, forum.truth().len());
    forum.rebuild("closed");
    let status = until("learning anew was tried", LIMIT, || {
        let status = freshet.json(&["status"]);
        let note = &status["relearnt"][0];
        (note["is_accepted"] == false && note["is_under_way"] == false).then_some(status)
    });
    let why = status["relearnt"][0]["what"].as_str().unwrap_or_default().to_owned();
    assert!(why.contains("no lists of threads and of posts were found"), "{why}");
    let advice = status["unreadable"][0]["advice"].as_str().unwrap_or_default().to_owned();
    assert!(advice.contains("freshet forum learn http://127.0.0.1:"), "{advice}");
    let text = freshet.ok(&["status"]);
    for words in ["nothing can be read", "forum learn", "learning anew was tried"] {
        assert!(text.contains(words), "`{words}` is missing in\n{text}");
    }
    let deleted = freshet.export("changes").iter().filter(|change| change["kind"] == "deleted").count();
    assert_eq!(deleted, 0, "what cannot be read is not gone");

    // As the advice says; the run under way takes the new definition in, of whatever layout.
    forum.rebuild("nested");
    let file = advice.split('`').nth(1).and_then(|command| command.split(" -o ").nth(1)).expect("a command");
    let file = freshet.data().join(file).to_string_lossy().into_owned();
    freshet.ok(&["forum", "learn", &forum.front(), "--allow-private", "-o", &file]);
    let wanted = forum.truth();
    until("posts are read again", LIMIT, || {
        let status = freshet.json(&["status"]);
        let is_read = status["unreadable"].as_array().is_some_and(Vec::is_empty);
        (is_read && status["posts_count"].as_u64() >= Some(wanted.len() as u64)).then_some(())
    });
    stop(running);
    assert_mirrored(&freshet, &wanted);
}

/// A page that is neither a forum nor a feed, and offers one.
fn plain_site() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let base = format!("http://{}", listener.local_addr().expect("it listens"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 4096]);
            let page = "<!DOCTYPE html><html><head><title>Bakery</title><link rel=\"alternate\" \
                        type=\"application/rss+xml\" href=\"/news\"></head><body><h1>Bread</h1><p>Every \
                        morning.</p><a href=\"/about\">About</a></body></html>";
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{page}",
                page.len()
            );
        }
    });
    base
}

#[test]
fn what_is_neither_forum_nor_feed_is_refused_with_what_was_tried() {
    let base = plain_site();
    let freshet = Freshet::new();
    let said = freshet.say(&["add", "--allow-private", &format!("{base}/")]);
    assert_eq!(said.code, 2, "{}\n{}", said.out, said.err);
    for words in [
        "of no network that is known",
        "tried as a forum",
        "no lists of threads and of posts were found",
        "page",
        &format!("freshet add rss:{base}/news"),
    ] {
        assert!(said.err.contains(words), "`{words}` is missing in\n{}", said.err);
    }
    assert!(!freshet.data().join("store.sqlite").is_file(), "nothing is stored");
}
