//! The picture of the path in `docs/path.md`: drawn from what a small crawl says, and compared with what is published.
//!
//! A process is started on one account that has posted since the last one ended. Every message between shell, runner, writer,
//! store and subscriber is noted; each must have its row here, or be named as one that stands beside the path.

use std::fmt::Write as _;
use std::path::Path;

use super::super::trace::Trace;
use super::faulty::{Fate, Faulty};
use super::receiver::Receiver;
use super::*;

/// How a message begins in the trace, the arrows that it is (from, to, words), its verbs, and where to look: file and function.
type Row = (
    &'static str,
    &'static [(&'static str, &'static str, &'static str)],
    &'static str,
    &'static str,
    &'static str,
);

#[rustfmt::skip]
const ROWS: [Row; 15] = [
    ("in Start", &[("Shell", "Runner", "Input::Start")], "the start of a run", "engine/src/runner/control.rs", "load_all"),
    ("out Ask(Slots", &[("Runner", "Store", "Question::Slots")], "the start of a run", "engine/src/question.rs", "answer"),
    ("in Reply(Slots", &[("Store", "Runner", "Reply::Slots"), ("Runner", "Core", "Event::Slots")],
        "2 schedule, 3 pick", "engine/src/core/intake.rs", "add_source"),
    ("out Ask(Sources", &[("Core", "Runner", "Effect::Load"), ("Runner", "Store", "Question::Sources")],
        "3 pick", "engine/src/question.rs", "answer"),
    ("in Reply(Sources", &[("Store", "Runner", "Reply::Sources"), ("Runner", "Core", "Event::Loaded")],
        "4 ask", "engine/src/core/begin.rs", "begin"),
    ("out Job(Ledger", &[("Core", "Runner", "Effect::Reserve"), ("Runner", "Writer", "Job::Ledger")],
        "4 ask", "engine/src/quota/reserve.rs", "reservation"),
    ("write Reservation", &[("Writer", "Store", "Settings::set_settings")], "4 ask", "engine/src/writer.rs", "write"),
    ("in Told(Event(Reserved", &[("Writer", "Runner", "Told::Event"), ("Runner", "Core", "Event::Reserved")],
        "4 ask", "engine/src/core/begin.rs", "on_reserved"),
    ("out Fetch", &[("Core", "Runner", "Effect::Fetch"), ("Runner", "Fetcher", "Output::Fetch")],
        "5 fetch, 6 read", "engine/src/fetcher.rs", "carry_out"),
    ("in Event(Fetched", &[("Fetcher", "Runner", "Input::Event"), ("Runner", "Core", "Event::Fetched")],
        "7 compare (what the page means for the walk)", "engine/src/core/page.rs", "on_answer"),
    ("out Job(Apply", &[("Core", "Runner", "Effect::Apply"), ("Runner", "Writer", "Job::Apply")],
        "8 apply", "engine/src/writer.rs", "accept"),
    ("write Apply", &[("Writer", "Store", "Apply::apply")],
        "7 compare (post by post), 8 apply", "store/src/sqlite/apply.rs", "apply"),
    ("in Told(Event(Applied", &[("Writer", "Runner", "Told::Event"), ("Runner", "Core", "Event::Applied")],
        "10 learn, 1 plan, 2 schedule", "engine/src/core/finish.rs", "confirm"),
    ("write Delivery", &[("Store", "Subscriber", "ChangeLog::changes_above")], "9 deliver", "engine/src/deliver.rs", "step"),
    ("subscriber Cursor", &[("Subscriber", "Writer", "Job::Cursor")], "9 deliver", "engine/src/writer.rs", "move_cursors"),
];

/// Messages beside the path: what else a run reads at its start, looks after and reports.
const BESIDE: [&str; 48] = [
    // Whether there are more than the one source.
    "out Ask(Slots(SourceId(1",
    "in Reply(Slots(SourceId(1",
    "in Event(FetcherJoined",
    "in Event(Fitted",
    "in Tick",
    "in Reply(Instances",
    "in Reply(Constraints",
    "in Reply(Budgets",
    "in Reply(Robots",
    "in Reply(Subscriptions",
    "in Reply(Controls",
    "in Reply(Newest",
    "in Reply(Evidence",
    "in Reply(Calendars",
    "in Reply(Importance",
    "in Looked",
    "in Parted",
    "in Stop",
    "in WriterEnded",
    "in Told(Rings",
    "in Told(Spent",
    "out Ask(Instances",
    "out Ask(Constraints",
    "out Ask(Budgets",
    "out Ask(Robots",
    "out Ask(Subscriptions",
    "out Subscriptions",
    "out Ask(Controls",
    "out Ask(Newest",
    "out Ask(Evidence",
    "out Ask(Calendars",
    "out Ask(Importance",
    "out Job(Constraints",
    "out Job(Room",
    "out Job(Report",
    "out Job(History",
    "out Job(Prices",
    "out Reload",
    "out Look",
    "out Report",
    "out Free",
    "out Work",
    "write Setting",
    "write Numbers",
    "write Cursor",
    "write Index",
    "write Expire",
    "write Parking",
];

/// Longest that the second process takes to find and deliver a post.
const SECONDS_MAX: u32 = 120;

/// Who takes part, and where it lives.
const LANES: [(&str, &str); 7] = [
    ("Shell", "shell: engine::drive, sim::driver"),
    ("Runner", "engine::runner"),
    ("Core", "engine::core"),
    ("Fetcher", "engine::fetcher"),
    ("Writer", "engine::writer"),
    ("Store", "store"),
    ("Subscriber", "engine::deliver"),
];

/// What is said from the start of a process until a subscriber has the post that it finds.
fn said() -> Vec<String> {
    let history = Span::DAY;
    let options = WorldOptions { accounts: 2, posts_per_day: 12.0, history, ..WorldOptions::default() };
    let mut scene = Scene::new(options, Span::HOUR * 6.0);
    let (fate, receiver) = (Fate::default(), Receiver::default());
    let lists: Vec<Source> =
        scene.sources(1).into_iter().filter(|source| source.robot == RobotKind::Status).collect();
    let store = Faulty::new(furnish(testing::memory(), &lists), fate.clone());
    let mut before = scene.start(store.clone());
    before.subscribe(receiver.subscriber(&fate)).unwrap();
    before.run_for(Span::HOUR).unwrap();
    before.stop().unwrap();
    let known = receiver.count();
    let (stopped_at, authors) = (scene.now(), scene.accounts(1));
    let is_new = |fact: &invariant::Fact| {
        authors.contains(&fact.author) && fact.created_at > stopped_at && fact.deleted_at.is_none()
    };
    while !scene.with_world(invariant::facts).iter().any(is_new) {
        scene.clock.advance(Span::HOUR);
    }
    scene.trace = Trace::recording();
    fate.trace(scene.trace.clone());
    let mut driver = scene.start(store);
    driver.subscribe(receiver.subscriber(&fate)).unwrap();
    // The post is found within seconds; where nothing comes, what was said shows how far it got.
    for _ in 0..SECONDS_MAX {
        driver.run_for(Span::SECOND).unwrap();
        if receiver.count() > known && driver.core().is_idle() {
            return scene.trace.said();
        }
    }
    panic!("no new post was delivered:\n{}", scene.trace.said().join("\n"));
}

/// The rows of what was said since the run began, in order and without repetitions.
fn rows(said: &[String]) -> Vec<&'static Row> {
    let mut rows: Vec<&'static Row> = Vec::new();
    let is_before = |message: &&String| *message != "in Start";
    let is_beside = |message: &str| BESIDE.iter().any(|beside| message.starts_with(beside));
    for message in said.iter().skip_while(is_before).filter(|message| !is_beside(message)) {
        let Some(row) = ROWS.iter().find(|row| message.starts_with(row.0)) else {
            panic!("`{message}` has no row in ROWS and is not in BESIDE; name its room")
        };
        if rows.last().is_none_or(|last| last.0 != row.0) {
            rows.push(row);
        }
    }
    rows
}

fn document(rows: &[&Row]) -> String {
    let mut text = String::from(
        "# The path of a post, as it runs\n\nThis page is drawn from a simulated crawl (`crates/freshet-sim/src/driver/tests/path.rs`): a process \
         starts, visits one account that has posted,\nstores what is new and delivers it to a subscriber. Noted were the \
         inputs and outputs of the runner, the writes that last and what the subscriber took;\nthe arrows to and from the core \
         are the events and effects that these carry. They stand in the order in which they were sent; repetitions,\nreports and \
         what else a run looks after are left out. The shell hands over every message; under tokio it does so between threads.\n\
         To draw it anew: `FRESHET_BLESS=1 cargo test -p freshet-sim --lib driver::tests::path`.\n\n\
         ```mermaid\nsequenceDiagram\n",
    );
    for (name, place) in LANES {
        writeln!(text, "    participant {name} as {place}").unwrap();
    }
    for (from, to, words) in rows.iter().flat_map(|row| row.1) {
        writeln!(text, "    {from}->>{to}: {words}").unwrap();
    }
    text.push_str("```\n\n| message | verb | look in |\n|---|---|---|\n");
    for (place, (_, arrows, verb, file, function)) in rows.iter().enumerate() {
        if rows[..place].iter().any(|row| row.1 == *arrows) {
            continue;
        }
        let names: Vec<String> = arrows.iter().map(|(_, _, words)| format!("`{words}`")).collect();
        let file = format!("crates/freshet-{file}");
        writeln!(text, "| {} | {verb} | [`{file}`](../{file}) `{function}` |", names.join(" → ")).unwrap();
    }
    text
}

/// Run with `FRESHET_BLESS=1` to write it anew.
#[test]
fn the_published_path_is_the_one_that_a_crawl_takes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (message, _, _, file, function) in ROWS {
        let text = std::fs::read_to_string(root.join(format!("crates/freshet-{file}"))).unwrap_or_default();
        let has = ["(", "<"].iter().any(|end| text.contains(&format!("fn {function}{end}")));
        assert!(has, "`{message}`: `{file}` has no function `{function}`");
    }
    let (said, path) = (said(), root.join("docs/path.md"));
    let rows = rows(&said);
    for (message, ..) in ROWS {
        assert!(rows.iter().any(|row| row.0 == message), "`{message}` was not said:\n{}", said.join("\n"));
    }
    let drawn = document(&rows);
    #[expect(clippy::disallowed_methods, reason = "a developer's switch, read by this test only")]
    if std::env::var("FRESHET_BLESS").is_ok() {
        std::fs::write(&path, &drawn).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(published == drawn, "docs/path.md is out of date; run this test with FRESHET_BLESS=1");
}
