//! Receivers that are slow, wrong, silent, gone and back again, under one crawl: nothing is lost but what is counted, the order
//! of an object's records holds, and the crawl asks for the same at the same instants as one to which nobody listens.
//!
//! A receiver here has a mood that changes with the virtual clock, a quarter of a day each. What it was handed and what it answered are two
//! matters, as on a line that breaks: it may have all of a batch, half of it or nothing when it fails.

use freshet_engine::deliver::{Ack, Batch, Outlet, Subscriber};
use freshet_store::subscription::{self, Standing, Subscription};
use serde_json::Value;

use super::*;
use crate::Chances;

/// How long is played.
const LASTS: Span = Span::from_ms(4 * 86_400_000);
/// From when on everybody takes what comes: a day to catch up.
const CALM_AFTER: Span = Span::from_ms(3 * 86_400_000);
/// Accounts that are watched.
const ACCOUNTS: usize = 6;
/// Changes that those may be behind who lose what they do not take.
const BUFFER_MAX: u64 = 200;

/// What a receiver does with a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Takes,
    /// It has the batch, and its answer comes too late.
    Slow,
    /// It has half of the batch, and answers nonsense.
    Wrong,
    /// It has nothing, and never answers.
    Silent,
    /// 410: it wants nothing any more.
    Gone,
}

/// How long a mood lasts: long enough that more is found meanwhile than a buffer holds, when it comes twice.
const MOOD: Span = Span::from_ms(6 * 3_600_000);

/// A receiver's moods in turn, again and again until all is calm.
type Moods = &'static [Mood];

const PLAYS: &[(&str, Moods)] = &[
    ("well", &[Mood::Takes]),
    ("slow", &[Mood::Slow, Mood::Slow, Mood::Takes]),
    ("wrong", &[Mood::Wrong, Mood::Takes, Mood::Wrong]),
    ("silent", &[Mood::Silent]),
    ("moody", &[Mood::Takes, Mood::Slow, Mood::Silent, Mood::Wrong, Mood::Takes, Mood::Silent, Mood::Silent]),
    ("gone", &[Mood::Takes, Mood::Takes, Mood::Gone]),
];

/// One receiver, and what it has.
#[derive(Clone, Debug)]
struct Moody {
    moods: Moods,
    clock: VirtualClock,
    began_at: Timestamp,
    got: Arc<Mutex<Vec<Value>>>,
}

impl Moody {
    fn mood(&self) -> Mood {
        let past = self.clock.now() - self.began_at;
        let turn = (past.secs_f64() / MOOD.secs_f64()) as usize;
        if past > CALM_AFTER { Mood::Takes } else { self.moods[turn % self.moods.len()] }
    }

    /// What it has of posts, each number once and in the order in which it first came; and of how many losses it was told.
    fn read(&self) -> (Vec<(u64, String)>, u64) {
        let mut seen: Set<u64> = Set::default();
        let (mut posts, mut told) = (Vec::new(), 0);
        for line in self.got.lock().unwrap().iter() {
            let number = line["number"].as_u64().unwrap();
            if line["kind"] == "dropped" {
                // One that came twice says the same total.
                told = line["total"].as_u64().unwrap();
            } else if seen.insert(number) {
                posts.push((number, line["record"]["id"].as_str().unwrap().to_owned()));
            }
        }
        (posts, told)
    }
}

impl Outlet for Moody {
    fn deliver(&mut self, batch: &Batch) -> Result<Ack, String> {
        let take = |count: usize| {
            let lines = batch.lines[..count].iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
            self.got.lock().unwrap().extend(lines);
        };
        let all = batch.lines.len();
        match self.mood() {
            Mood::Takes => take(all),
            Mood::Slow => {
                take(all);
                return Err("it did not answer within 30 seconds".to_owned());
            }
            Mood::Wrong => {
                take(all / 2);
                return Err("it answered 500".to_owned());
            }
            Mood::Silent => return Err("it did not answer within 30 seconds".to_owned()),
            Mood::Gone => return Ok(Ack::Gone("it answered 410, gone".to_owned())),
        }
        Ok(Ack::Taken)
    }
}

/// A crawl of four days to which these listen; gives its requests, its store and what they have.
struct Played {
    journal: Vec<Exchange>,
    store: Box<dyn Store>,
    receivers: Vec<Moody>,
}

fn play(plays: &[(&str, Moods)], buffer_max: Option<u64>) -> Played {
    // Only new posts: each is one record, so that losses can be counted from outside.
    let options = WorldOptions {
        seed: 17,
        accounts: ACCOUNTS as u32 + 2,
        posts_per_day: 100.0,
        history: Span::HOUR * 6.0,
        chances: Chances::NONE,
        ..WorldOptions::default()
    };
    let scene = Scene::new(options, Span::HOUR);
    let mut store = scene.store(ACCOUNTS);
    for (name, _) in plays {
        // Of those that are tried again after minutes rather than seconds.
        let way = subscription::Way::Webhook { url: String::new(), allow_private: false, secret: None };
        let it = Subscription { buffer_max, ..testing::subscription(name, way) };
        assert!(store.add_subscription(&it, 0).unwrap());
    }
    let receivers: Vec<Moody> = plays
        .iter()
        .map(|(_, moods)| Moody {
            moods,
            clock: scene.clock.clone(),
            began_at: scene.now(),
            got: Arc::default(),
        })
        .collect();
    let mut driver = scene.start(store);
    if !plays.is_empty() {
        let names: Vec<String> = plays.iter().map(|(name, _)| (*name).to_owned()).collect();
        let (networks, all) = (Arc::clone(&scene.networks), receivers.clone());
        driver
            .subscribe_by(Box::new(move |row| {
                let place = names.iter().position(|name| *name == row.subscription.name).unwrap();
                let receiver = all[place].clone();
                Subscriber::of(row, &networks, Box::new(move || Ok(Box::new(receiver.clone())))).unwrap()
            }))
            .unwrap();
    }
    let until = scene.now() + LASTS;
    while scene.now() < until {
        driver.run_for(Span::HOUR).unwrap();
        // Whoever was ended by a receiver is tried again by a person, every hour.
        let rows = driver.store.subscriptions().unwrap();
        for row in rows.iter().filter(|row| row.subscription.state == State::Ended) {
            driver.store.set_subscription(&row.subscription.name, State::Running).unwrap();
            driver.wish(&Control::Subscriptions).unwrap();
        }
    }
    let journal = std::mem::take(&mut driver.journal);
    Played { journal, store: driver.stop().unwrap(), receivers }
}

fn standing(store: &dyn Store, name: &str) -> Standing {
    let rows = store.subscriptions().unwrap();
    rows.into_iter().find(|row| row.subscription.name == name).unwrap().standing
}

/// What there was to hear of: the number and address of each post, in the order of the log.
fn logged(store: &dyn Store) -> Vec<(u64, String)> {
    let changes = store.changes_above(0, usize::MAX >> 1).unwrap();
    let posts = changes.into_iter().filter(|change| &*change.address.kind != robot::ACCOUNT);
    posts.map(|change| (change.number, change.address.to_string())).collect()
}

#[test]
fn whatever_receivers_do_nothing_is_lost_and_the_crawl_does_not_wait() {
    let alone = play(&[], None);
    let played = play(PLAYS, None);
    assert!(alone.journal.len() > 200, "{}", alone.journal.len());
    assert!(alone.journal == played.journal, "the crawl asks for the same at the same instants");
    let expected = logged(&*played.store);
    assert!(expected.len() > 200, "{}", expected.len());
    for ((name, moods), receiver) in PLAYS.iter().zip(&played.receivers) {
        let (got, told) = receiver.read();
        assert!(got == expected, "{name}: {} of {}, or in another order", got.len(), expected.len());
        let standing = standing(&*played.store, name);
        assert_eq!((standing.dropped_count, told), (0, 0), "{name}");
        assert_eq!(standing.cursor, played.store.last_change().unwrap(), "{name}");
        assert_eq!(standing.delivered_count, expected.len() as u64, "{name}: counted once each");
        assert_eq!(standing.failed_count > 0, moods.iter().any(|mood| *mood != Mood::Takes), "{name}");
    }
}

#[test]
fn what_is_dropped_is_counted_exactly_and_told() {
    let played = play(PLAYS, Some(BUFFER_MAX));
    let expected = logged(&*played.store);
    let mut lossy = 0;
    for ((name, _), receiver) in PLAYS.iter().zip(&played.receivers) {
        let (got, told) = receiver.read();
        let standing = standing(&*played.store, name);
        let mut rest = expected.iter();
        assert!(got.iter().all(|post| rest.any(|it| it == post)), "{name}: invented, or in another order");
        // A slow or wrong receiver may have what it was said to have lost.
        let missing = (expected.len() - got.len()) as u64;
        let taken = standing.delivered_count;
        assert_eq!(taken + standing.dropped_count, expected.len() as u64, "{name}: each is one or the other");
        assert!(missing <= standing.dropped_count, "{name}: {missing} of {}", standing.dropped_count);
        if matches!(*name, "well" | "silent") {
            assert_eq!(missing, standing.dropped_count, "{name}");
        }
        assert_eq!((standing.untold_count, told), (0, standing.dropped_count), "{name}: it is told of all");
        lossy += u64::from(standing.dropped_count > 0);
    }
    assert_eq!(standing(&*played.store, "well").dropped_count, 0);
    assert!(lossy >= 3, "{lossy} of them lost something");
}
