//! What subscribers get: kinds, filters, losses, the end; by a store in memory and receivers that say what they are told to.

use std::sync::Mutex;

use freshet_network::networks::Networks;
use freshet_store::row::Upload;
use freshet_store::subscription::{Filter, Kind, State, Subscription as Row, Way};
use freshet_store::testing;
use freshet_types::{Account, Link, NetworkName, Observation, Post, Relation, Timestamp, VisitId};
use serde_json::Value;

use super::*;
use crate::compare::compare;

/// What receivers have got, and what they say next.
#[derive(Clone, Default)]
struct Receiver {
    got: Arc<Mutex<Vec<Value>>>,
    answers: Arc<Mutex<Vec<Result<Ack, String>>>>,
}

impl Outlet for Receiver {
    fn deliver(&mut self, batch: &Batch) -> Result<Ack, String> {
        let answer = self.answers.lock().unwrap().pop().unwrap_or(Ok(Ack::Taken));
        if answer == Ok(Ack::Taken) {
            let read = |line: &String| serde_json::from_str::<Value>(line).unwrap();
            self.got.lock().unwrap().extend(batch.lines.iter().map(read));
        }
        answer
    }
}

impl Receiver {
    fn says(&self, answers: impl IntoIterator<Item = Result<Ack, String>>) {
        self.answers.lock().unwrap().extend(answers);
    }

    /// What it got since it was last asked, in short.
    fn got(&self) -> Vec<String> {
        let short = |line: Value| {
            let record = &line["record"];
            let what = match line["kind"].as_str().unwrap() {
                "posts" => record["native_id"].as_str().unwrap().to_owned(),
                "relations" => {
                    format!("{}>{}", record["source"].as_str().unwrap(), record["target"].as_str().unwrap())
                }
                "links" => record["to"].as_str().unwrap().to_owned(),
                "dropped" => line["count"].to_string(),
                _ => record["id"].as_str().unwrap().rsplit('/').next().unwrap().to_owned(),
            };
            let changes = line["changes"].as_array().into_iter().flatten();
            let changes: Vec<&str> = changes.filter_map(Value::as_str).collect();
            format!("{} {what} {}", line["kind"].as_str().unwrap(), changes.join("+")).trim_end().to_owned()
        };
        std::mem::take(&mut *self.got.lock().unwrap()).into_iter().map(short).collect()
    }
}

fn network() -> NetworkName {
    "mastodon:a.example".into()
}

fn networks() -> Arc<Networks> {
    Arc::new(Networks::shipped())
}

fn at(secs: i64) -> Moment {
    Moment { now: Timestamp::from_secs(secs), wall_ms: secs as u64 * 1000 }
}

fn see(store: &mut dyn Store, secs: i64, observation: Observation) {
    let upload = Upload::new(VisitId(1), network(), Timestamp::from_secs(secs));
    store.apply(&[Upload { observation, ..upload }], compare).unwrap();
}

fn post(id: &str, text: &str) -> Post {
    Post { id: id.into(), kind: "post".into(), text: text.into(), ..Post::default() }
}

fn posts(ids: impl IntoIterator<Item = u32>) -> Observation {
    let posts = ids.into_iter().map(|id| post(&id.to_string(), "x")).collect();
    Observation { posts, ..Observation::default() }
}

/// A subscriber of a row that this makes.
fn subscriber(store: &mut dyn Store, change: impl FnOnce(&mut Row), receiver: &Receiver) -> Subscriber {
    let mut row = Row {
        name: "a".into(),
        kinds: vec![Kind::Posts],
        way: Way::Stdout,
        filters: Vec::new(),
        buffer_max: None,
        state: State::Running,
        added_at: Timestamp::from_secs(0),
    };
    change(&mut row);
    assert!(store.add_subscription(&row, 0).unwrap());
    let row = store.subscriptions().unwrap().remove(0);
    let receiver = receiver.clone();
    Subscriber::of(&row, &networks(), Box::new(move || Ok(Box::new(receiver.clone())))).unwrap()
}

/// Steps until there is nothing more, or it failed.
fn run(subscriber: &mut Subscriber, store: &dyn Store, secs: i64) -> Stepped {
    loop {
        match subscriber.step(store, at(secs)) {
            Stepped::Delivered => {}
            other => return other,
        }
    }
}

#[test]
fn every_kind_is_told_as_what_it_is() {
    let mut store = testing::memory();
    let account = |id: &str| Account { id: id.into(), handle: Some(id.into()), ..Account::default() };
    let end = |kind: &str, id: &str| freshet_types::End { kind: kind.into(), id: id.into() };
    let link =
        Link { from: end("post", "1"), name: "likers".into(), to: end("account", "b"), is_member: true };
    let observation = Observation {
        posts: vec![post("1", "x"), post("2", "y")],
        accounts: vec![account("a"), account("b")],
        relations: vec![Relation { source: "a".into(), target: "b".into() }],
        links: vec![link],
        ..Observation::default()
    };
    see(&mut *store, 1, observation);
    see(&mut *store, 2, Observation { posts: vec![post("1", "z")], ..Observation::default() });
    let gone = Upload::new(VisitId(2), network(), Timestamp::from_secs(3));
    store.apply(&[Upload { deleted: vec![("post".into(), "2".into())], ..gone }], compare).unwrap();
    for (kinds, expected) in [
        (vec![Kind::Posts], vec!["posts 1 created+edited", "posts 2 created+deleted"]),
        (vec![Kind::Accounts], vec!["accounts a created", "accounts b created"]),
        (vec![Kind::Relations], vec!["relations a>b created"]),
        (vec![Kind::Links], vec!["links mastodon:a.example/account/b created"]),
        (vec![Kind::Deletions], vec!["deletions 2 created+deleted"]),
    ] {
        let receiver = Receiver::default();
        let mut subscriber = subscriber(&mut *store, |row| row.kinds.clone_from(&kinds), &receiver);
        assert!(matches!(run(&mut subscriber, &*store, 4), Stepped::Idle));
        let mut got = receiver.got();
        got.sort();
        assert_eq!(got, expected, "{kinds:?}");
        let standing = subscriber.progress().standing();
        assert_eq!(standing.delivered_count, expected.len() as u64);
        assert_eq!(standing.cursor, store.last_change().unwrap(), "what it does not want is passed over");
        assert!(store.remove_subscription("a").unwrap());
    }
}

#[test]
fn who_is_forgotten_and_alerts_are_told_in_the_order_of_the_log() {
    let mut store = testing::memory();
    let receiver = Receiver::default();
    let kinds = vec![Kind::Posts, Kind::Forgettings, Kind::Alerts];
    // A filter has no say in them.
    let filter = Filter { type_name: "post".into(), text: "post.text != 'no'".into() };
    let change = |row: &mut Row| (row.kinds, row.filters) = (kinds, vec![filter]);
    let mut subscriber = subscriber(&mut *store, change, &receiver);
    see(&mut *store, 1, posts(1..2));
    store.mark_forgotten("mastodon:a.example/account/b", at(2).now).unwrap();
    see(&mut *store, 3, posts(2..3));
    store.put_notice(Kind::Alerts, "{\"id\":\"silence/7\"}", at(4).now).unwrap();
    run(&mut subscriber, &*store, 5);
    let got = receiver.got();
    let expected = ["posts 1 created", "forgettings b forgotten", "posts 2 created", "alerts 7 raised"];
    assert_eq!(got, expected);
    let standing = subscriber.progress().standing();
    assert_eq!(standing.cursor, store.last_number().unwrap());
    assert!(store.note_standing("a", &standing).unwrap());
    assert_eq!(store.notices_above(0, 9).unwrap(), [], "everybody has them");
}

#[test]
fn a_filter_lets_through_what_it_says_yes_to() {
    let mut store = testing::memory();
    let liked = |id: &str, likes: Option<i64>| Post {
        plinks: likes.map(|likes| ("like_count".into(), likes.into())).into_iter().collect(),
        ..post(id, "x")
    };
    let all = vec![liked("1", Some(5)), liked("2", Some(50)), liked("3", None)];
    see(&mut *store, 1, Observation { posts: all, ..Observation::default() });
    let receiver = Receiver::default();
    let filter = Filter { type_name: "post".into(), text: "post.like_count > 10".into() };
    let mut subscriber = subscriber(&mut *store, |row| row.filters = vec![filter], &receiver);
    run(&mut subscriber, &*store, 2);
    assert_eq!(receiver.got(), ["posts 2 created"]);
    // What was not known yet is heard of when it is.
    see(
        &mut *store,
        3,
        Observation {
            posts: vec![Post { text: "y".into(), ..liked("3", Some(99)) }],
            ..Observation::default()
        },
    );
    run(&mut subscriber, &*store, 4);
    assert_eq!(receiver.got(), ["posts 3 edited"]);
}

#[test]
fn who_takes_nothing_loses_the_oldest_and_is_told_how_many() {
    let mut store = testing::memory();
    see(&mut *store, 1, posts(0..30));
    let receiver = Receiver::default();
    let mut subscriber = subscriber(&mut *store, |row| row.buffer_max = Some(10), &receiver);
    assert!(matches!(run(&mut subscriber, &*store, 2), Stepped::Idle));
    assert_eq!(receiver.got().len(), 30, "whoever asks for the past gets it");
    receiver.says([Err("no".to_owned()), Err("no".to_owned())]);
    see(&mut *store, 3, posts(100..150));
    assert!(matches!(run(&mut subscriber, &*store, 4), Stepped::Failed(_)));
    let standing = subscriber.progress().standing();
    assert_eq!((standing.dropped_count, standing.untold_count, standing.failed_count), (40, 40, 1));
    see(&mut *store, 5, posts(200..205));
    assert!(matches!(run(&mut subscriber, &*store, 60), Stepped::Failed(_)), "it says no once more");
    assert!(matches!(run(&mut subscriber, &*store, 120), Stepped::Idle));
    let got = receiver.got();
    assert_eq!((got[0].as_str(), got.len()), ("dropped 45", 11), "{got:?}");
    assert_eq!((got[1].as_str(), got[10].as_str()), ("posts 145 created", "posts 204 created"));
    let standing = subscriber.progress().standing();
    assert_eq!((standing.dropped_count, standing.untold_count, standing.delivered_count), (45, 0, 40));
    assert_eq!(
        standing.failure.as_ref().map(|(at, _)| *at),
        Some(Timestamp::from_secs(60)),
        "the last one stays"
    );
}

#[test]
fn who_waits_loses_nothing() {
    let mut store = testing::memory();
    let receiver = Receiver::default();
    let mut subscriber = subscriber(&mut *store, |_| {}, &receiver);
    receiver.says((0..5).map(|_| Err("no".to_owned())));
    see(&mut *store, 1, posts(0..2500));
    let mut secs = 1;
    while !matches!(run(&mut subscriber, &*store, secs), Stepped::Idle) {
        secs += 10;
    }
    let got = receiver.got();
    assert_eq!(
        (got.len(), got[0].as_str(), got[2499].as_str()),
        (2500, "posts 0 created", "posts 2499 created")
    );
    assert_eq!(subscriber.progress().standing().failed_count, 5);
}

#[test]
fn who_is_gone_gets_nothing_more() {
    let mut store = testing::memory();
    see(&mut *store, 1, posts(0..3));
    let receiver = Receiver::default();
    let mut subscriber = subscriber(&mut *store, |_| {}, &receiver);
    receiver.says([Ok(Ack::Gone("moved".to_owned()))]);
    assert!(matches!(run(&mut subscriber, &*store, 2), Stepped::Ended));
    let standing = subscriber.progress().standing();
    assert!(standing.is_ended && standing.cursor == 0, "{standing:?}");
    assert!(store.note_standing("a", &standing).unwrap());
    let row = store.subscriptions().unwrap().remove(0);
    assert_eq!((row.subscription.state, row.standing.failure.unwrap().1), (State::Ended, "moved".to_owned()));
}

#[test]
fn a_batch_ends_before_it_is_too_large() {
    let mut store = testing::memory();
    let long = "x".repeat(400_000);
    let all = (0..6).map(|id: u32| post(&id.to_string(), &long)).collect();
    see(&mut *store, 1, Observation { posts: all, ..Observation::default() });
    let receiver = Receiver::default();
    let mut subscriber = subscriber(&mut *store, |_| {}, &receiver);
    assert!(matches!(subscriber.step(&*store, at(2)), Stepped::Delivered));
    let first = receiver.got().len();
    assert!((1..6).contains(&first), "{first}");
    run(&mut subscriber, &*store, 2);
    assert_eq!(receiver.got().len(), 6 - first, "the others follow, each once");
}

#[test]
fn what_lies_outside_of_what_is_collected_is_told_to_nobody() {
    let mut store = testing::memory();
    let receiver = Receiver::default();
    let mut all = subscriber(&mut *store, |row| row.kinds = vec![Kind::Posts, Kind::Deletions], &receiver);
    let mut page = Upload::new(VisitId(1), network(), Timestamp::from_secs(1));
    page.observation = posts(1..4);
    page.outside.hold_post(&"post".into(), "2");
    store.apply(std::slice::from_ref(&page), compare).unwrap();
    assert!(matches!(run(&mut all, &*store, 2), Stepped::Idle));
    assert_eq!(receiver.got(), ["posts 1 created", "posts 3 created"]);
    let gone = Upload {
        deleted: vec![("post".into(), "2".into())],
        ..Upload::new(VisitId(2), network(), Timestamp::from_secs(3))
    };
    store.apply(&[gone], compare).unwrap();
    assert!(matches!(run(&mut all, &*store, 4), Stepped::Idle));
    assert_eq!(receiver.got(), ["deletions 2 deleted"], "an id is no content");
}
