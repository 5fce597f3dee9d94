//! The firehose of Bluesky's own data server: a run that listens is killed again and again while people write, edit and delete.
//!
//! Nothing is lost, nothing doubled, every text is the last one, and what was deleted is marked: no list shows that, so it came through the
//! stream. `FRESHET_TEST_FIREHOSE="100000 20"` asks for so many events and kills; without it the test has fewer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use freshet_store::{Access, Options};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;
use serde_json::{Value, json};

use super::server::{Bluesky, Person, post};
use crate::support::freshet::Freshet;
use crate::support::process::Process;
use crate::support::{need, provided, until, wait_ms};

/// Events and kills unless others are asked for.
const USUAL: (usize, usize) = (3_000, 6);
const PEOPLE: usize = 10;
/// Operations that one call of a person brings at most: some frames are small, some large.
const AT_ONCE_MAX: usize = 24;
/// A run hears of the stream within moments; a busy machine may need more.
const CONNECT_LIMIT: Duration = Duration::from_mins(2);
/// How long the last run may take to catch up, for each event.
const CATCH_UP: Duration = Duration::from_millis(12);
/// A run is killed within so many milliseconds after it has heard of the stream.
const LIVES_MS_MAX: u64 = 1_500;

/// What there is to find: texts of posts by address, `None` for what was deleted.
type Truth = BTreeMap<String, Option<String>>;

/// Somebody who writes until there are enough events.
struct Writer<'a> {
    bluesky: &'a Bluesky,
    people: &'a [Person],
    truth: Truth,
    rng: Pcg32,
    number: usize,
}

impl Writer<'_> {
    /// One call of one person; gives how many events it made.
    fn write(&mut self, left: usize) -> usize {
        let person = &self.people[self.rng.random_range(0..self.people.len())];
        let count = self.rng.random_range(1..=AT_ONCE_MAX).min(left);
        let own = format!("at://{}/", person.did);
        let alive: Vec<String> = self
            .truth
            .range(own.clone()..)
            .take_while(|(uri, _)| uri.starts_with(&own))
            .filter(|(_, text)| text.is_some())
            .map(|(uri, _)| uri.clone())
            .collect();
        let mut writes = Vec::new();
        let mut touched: Vec<(Option<String>, Option<String>)> = Vec::new();
        for _ in 0..count {
            self.number += 1;
            let text = format!("event {} by {}: héllo 🦀", self.number, person.handle);
            let place = self.rng.random_range(0..alive.len().max(1) * 10);
            // One in ten is about a post that is there; nothing twice in one call.
            let known =
                alive.get(place).filter(|uri| !touched.iter().any(|(it, _)| it.as_ref() == Some(*uri)));
            let (kind, uri, text) = match known {
                None => ("create", None, Some(text)),
                Some(uri) if place % 2 == 0 => ("update", Some(uri.clone()), Some(text)),
                Some(uri) => ("delete", Some(uri.clone()), None),
            };
            let mut write = json!({"$type": format!("com.atproto.repo.applyWrites#{kind}"), "collection": "app.bsky.feed.post"});
            if let Some(text) = &text {
                write["value"] = post(text);
            }
            if let Some(key) = uri.as_ref().and_then(|uri| uri.rsplit('/').next()) {
                write["rkey"] = key.into();
            }
            writes.push(write);
            touched.push((uri, text));
        }
        let answer = person.applies(self.bluesky, &writes);
        let results = answer["results"].as_array().cloned().unwrap_or_default();
        for ((uri, text), result) in
            touched.into_iter().zip(results.iter().chain(std::iter::repeat(&Value::Null)))
        {
            let uri = uri.or_else(|| result["uri"].as_str().map(str::to_owned));
            self.truth.insert(uri.expect("the server says where a post is"), text);
        }
        count
    }
}

/// What is asked for: events and kills.
fn wanted() -> (usize, usize) {
    let Some(text) = provided("FRESHET_TEST_FIREHOSE") else { return USUAL };
    let text = text.to_string_lossy().into_owned();
    let numbers: Vec<usize> = text.split_whitespace().map(|it| it.parse().expect("it is a number")).collect();
    (numbers[0], numbers[1])
}

fn stored_count(freshet: &Freshet) -> u64 {
    let path = freshet.data().join("store.sqlite");
    let store = freshet_store::open(&path, Access::Read, Options::default());
    store.ok().and_then(|store| store.counts().ok()).map_or(0, |counts| counts.posts)
}

/// Compares what was exported with what was written.
fn check(exported: &[Value], truth: &Truth) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for post in exported {
        let uri = post["native_id"].as_str().expect("a post has an id");
        *seen.entry(uri).or_default() += 1;
        let is_right = match truth.get(uri) {
            Some(Some(text)) => post["text"] == **text && post["deleted_at"].is_null(),
            Some(None) => !post["deleted_at"].is_null(),
            None => false,
        };
        if !is_right {
            wrong.push(post);
        }
    }
    let lost: Vec<&String> = truth.keys().filter(|uri| !seen.contains_key(uri.as_str())).collect();
    let doubled = seen.values().filter(|count| **count > 1).count();
    assert!(lost.is_empty(), "lost {} of {}: {:?}", lost.len(), truth.len(), &lost[..lost.len().min(5)]);
    assert_eq!(doubled, 0, "doubled");
    assert!(wrong.is_empty(), "{} are wrong: {:?}", wrong.len(), &wrong[..wrong.len().min(3)]);
}

/// How far whoever writes has come.
#[derive(Default)]
struct Progress {
    written: AtomicUsize,
    is_done: AtomicBool,
}

/// Writes so many events; gives what there is to find.
fn write_all(bluesky: &Bluesky, people: &[Person], events: usize, progress: &Progress) -> Truth {
    let mut writer = Writer { bluesky, people, truth: Truth::new(), rng: Pcg32::seed_from_u64(1), number: 0 };
    while writer.number < events {
        let count = writer.write(events - writer.number);
        progress.written.fetch_add(count, Ordering::Relaxed);
    }
    progress.is_done.store(true, Ordering::Relaxed);
    writer.truth
}

/// A run that listens, and can be killed.
struct Listener<'a> {
    freshet: &'a Freshet,
    process: Process,
    rng: Pcg32,
}

impl<'a> Listener<'a> {
    fn start(freshet: &'a Freshet) -> Self {
        Self { freshet, process: run(freshet), rng: Pcg32::seed_from_u64(17) }
    }

    /// Its stream, once it is connected.
    fn connected(&self) -> Value {
        until("the connection", CONNECT_LIMIT, || {
            let stream = self.freshet.json(&["status"])["streams"][0].clone();
            stream["connected_at"].is_number().then_some(stream)
        })
    }

    /// Kills it some moments after so much was written, and starts it again.
    fn is_killed_after(&mut self, due: usize, progress: &Progress, limit: Duration) {
        self.connected();
        until("more is written", limit, || {
            let is_due = progress.written.load(Ordering::Relaxed) >= due;
            (is_due || progress.is_done.load(Ordering::Relaxed)).then_some(())
        });
        wait_ms(self.rng.random_range(0..LIVES_MS_MAX));
        let log = || std::fs::read_to_string(self.freshet.folder().join("run.log")).unwrap_or_default();
        assert!(self.process.kill(), "`run` ended by itself:\n{}", log());
        self.process = run(self.freshet);
    }
}

fn run(freshet: &Freshet) -> Process {
    freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1h"], "run.log")
}

#[test]
fn whoever_listens_to_the_firehose_and_is_killed_loses_nothing() {
    let names = ["FRESHET_TEST_NODE", "FRESHET_TEST_BLUESKY"];
    let Some([node, packages]) = need("bluesky::firehose", names) else { return };
    let (events, kills) = wanted();
    let limit = CONNECT_LIMIT + CATCH_UP * events as u32;
    let bluesky = Bluesky::data_server_without_limits(&node, &packages);
    let people = bluesky.people(PEOPLE);
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let reference = |it: &Person| format!("bluesky-pds:http://127.0.0.1:{}/{}", bluesky.pds_port, it.handle);
    let references: Vec<String> = people.iter().map(reference).collect();
    let references: Vec<&str> = references.iter().map(String::as_str).collect();
    freshet.ok(&[&["add", "--allow-private"], &references[..]].concat());
    let mut listener = Listener::start(&freshet);
    let stream = listener.connected();
    assert_eq!((&stream["name"], &stream["complete"]), (&"firehose".into(), &json!(["posts", "reposts"])));
    let covers_since = stream["covers_since"].as_f64().expect("it says since when it covers");
    let (progress, began) = (Progress::default(), Instant::now());
    let (truth, wrote_s) = std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let truth = write_all(&bluesky, &people, events, &progress);
            (truth, began.elapsed().as_secs_f64())
        });
        for kill in 0..kills {
            listener.is_killed_after(events * (kill + 1) / (kills + 1), &progress, limit);
        }
        writing.join().expect("everything could be written")
    });
    until("everything is stored", limit, || (stored_count(&freshet) >= truth.len() as u64).then_some(()));
    let took_s = began.elapsed().as_secs_f64();
    // What was deleted or edited last comes in the frames behind.
    wait_ms(3_000);
    let stream = listener.connected();
    check(&freshet.posts(), &truth);
    let since = stream["covers_since"].as_f64().unwrap_or(f64::MAX);
    assert!(since <= covers_since + 1.0, "it had a hole since {covers_since}: {stream}");
    let deleted = truth.values().filter(|text| text.is_none()).count();
    println!(
        "{events} events, {kills} kills: {} posts, {deleted} of them deleted; lost 0, doubled 0; written in {wrote_s:.0} s, \
         all stored after {took_s:.0} s",
        truth.len()
    );
}
