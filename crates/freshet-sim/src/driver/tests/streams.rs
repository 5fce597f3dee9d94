//! What servers send by themselves, on the virtual clock: posts come soon and once, visits are spared, and no fault of a stream loses
//! or harms anything.

use std::collections::VecDeque;

use freshet_fetch::stream::{Frame, Frames, Opened};
use freshet_report::run::StreamStatus;
use freshet_types::{Fault, Request, Response, StreamMessage, Transport};
use futures::future::BoxFuture;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use super::*;

const ACCOUNTS: u32 = 12;

/// How a server misbehaves.
#[derive(Clone, Copy, Debug, Default)]
struct Faults {
    /// Closes after a message with this chance.
    closes: f64,
    /// Sends rubbish before a message with this chance.
    rubbish: f64,
    /// Sends a message twice with this chance.
    doubles: f64,
    /// Sends a message after the next one with this chance.
    swaps: f64,
    /// Closes every connection before it says anything.
    closes_at_once: bool,
    /// Opens and never says anything; the transport gives up.
    is_silent: bool,
}

/// A world whose streams misbehave.
#[derive(Debug)]
struct Spoilt {
    world: WorldFetch,
    faults: Faults,
    opened: Mutex<u64>,
}

impl Fetch for Spoilt {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        self.world.fetch(request)
    }

    fn open<'a>(
        &'a self,
        request: &'a Request,
        transport: Transport,
    ) -> BoxFuture<'a, Result<Opened, Fault>> {
        let mut opened_count = self.opened.lock().unwrap();
        *opened_count += 1;
        let rng = Pcg32::seed_from_u64(*opened_count);
        let faults = self.faults;
        let opened = self.world.open(request, transport);
        Box::pin(async move {
            Ok(match opened.await? {
                Opened::Stream(frames) => {
                    Opened::Stream(Box::new(SpoiltFrames { frames, faults, rng, ready: VecDeque::new() }))
                }
                refused @ Opened::Refused(_) => refused,
            })
        })
    }
}

#[derive(Debug)]
struct SpoiltFrames {
    frames: Box<dyn Frames>,
    faults: Faults,
    rng: Pcg32,
    /// What comes next; `None` closes.
    ready: VecDeque<Option<Frame>>,
}

impl SpoiltFrames {
    fn spoil(&mut self, frame: Frame) {
        let (faults, rng) = (self.faults, &mut self.rng);
        if rng.random_bool(faults.rubbish) {
            let texts = ["{", "null", "[1, 2]", "{\"id\": {}}", "\u{0}\u{ffff}", ""];
            let data = texts[rng.random_range(0..texts.len())].to_owned();
            let events = ["update", "delete", "status.update", "unheard_of"];
            let event = Some(events[rng.random_range(0..events.len())].to_owned());
            self.ready.push_back(Some(Frame::Message(StreamMessage {
                event,
                data,
                ..StreamMessage::default()
            })));
            self.ready.push_back(Some(Frame::Dropped("a message is too long".to_owned())));
        }
        self.ready.push_back(Some(frame.clone()));
        if rng.random_bool(faults.doubles) {
            self.ready.push_back(Some(frame));
        }
        if rng.random_bool(faults.swaps) {
            let last = self.ready.len() - 1;
            self.ready.swap(0, last);
        }
        if rng.random_bool(faults.closes) {
            self.ready.push_back(None);
        }
    }
}

impl Frames for SpoiltFrames {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Frame>, Fault>> {
        if self.faults.closes_at_once {
            return std::future::ready(Ok(None)).boxed();
        }
        if self.faults.is_silent {
            let fault = Fault::new(FaultKind::Timeout, "no word of the stream");
            return std::future::ready(Err(fault)).boxed();
        }
        if self.ready.is_empty() {
            match self.frames.next().now_or_never() {
                None => return std::future::pending().boxed(),
                Some(Ok(Some(frame))) => self.spoil(frame),
                Some(other) => return std::future::ready(other).boxed(),
            }
        }
        std::future::ready(Ok(self.ready.pop_front().flatten())).boxed()
    }
}

/// A scene whose server is watched as a whole, with a token.
fn scene(seed: u64, faults: Faults) -> (Scene, Arc<Spoilt>) {
    let options = WorldOptions { seed, accounts: ACCOUNTS, posts_per_day: 24.0, ..WorldOptions::default() };
    let mut scene = Scene::new(options, Span::MINUTE * 30.0);
    scene.uses_streams = true;
    scene.credentials = vec![Holder::alone("token".into())];
    let world = WorldFetch::new(Arc::clone(&scene.world), Arc::new(scene.clock.clone()));
    let spoilt = Arc::new(Spoilt { world, faults, opened: Mutex::default() });
    scene.fetch = Some(Arc::<Spoilt>::clone(&spoilt));
    (scene, spoilt)
}

/// The local timeline of the server, as a source.
fn timeline(scene: &Scene) -> Vec<Source> {
    let connector = scene.networks.connector("mastodon").unwrap();
    robot::sources_for(&*connector, &Scene::network(), RobotKind::Status, "server", "local", 0)
}

/// Of all that the timeline has shown until then and still shows nothing is lost; nothing is stored otherwise than it was.
fn check_timeline<S: Store>(scene: &Scene, store: &S, settled_at: Timestamp) {
    let stored = posts(store);
    let facts = scene.with_world(invariant::facts);
    expect_none("invented", &invariant::nothing_invented(&facts, &stored));
    let known: Set<&str> = stored.iter().map(|row| row.post.id.as_str()).collect();
    assert_eq!(known.len(), stored.len(), "nothing is doubled");
    let shown: Set<String> = scene.with_world(|world| {
        world.originals().into_iter().map(|place| world.posts.get(place).id.to_string()).collect()
    });
    let is_due = |fact: &&invariant::Fact| {
        shown.contains(&fact.id)
            && fact.created_at.max(fact.shown_since.unwrap_or(Timestamp::MAX)) < settled_at
    };
    let due: Vec<_> = facts.iter().filter(is_due).collect();
    assert!(due.len() > 20, "{} posts are too few to tell anything", due.len());
    let is_lost = |fact: &&&invariant::Fact| !known.contains(fact.id.as_str());
    let lost: Vec<String> =
        due.iter().filter(is_lost).map(|fact| format!("{} ({})", fact.id, fact.created_at)).collect();
    expect_none("lost", &lost);
}

/// The report of its stream.
fn stream_of<S>(driver: &Driver<S>) -> StreamStatus {
    driver.report.work.streams.first().cloned().expect("a report shows the stream")
}

/// Visits to lists of posts since then.
fn looks<S>(driver: &Driver<S>, since: Timestamp) -> usize {
    let is_list = |it: &&Exchange| &*it.endpoint == "public_posts" && it.sent_at >= since;
    driver.journal.iter().filter(is_list).count()
}

#[test]
fn a_stream_brings_all_posts_and_spares_the_visits() {
    let crawl = |uses_streams: bool| {
        let (mut scene, _) = scene(7, Faults::default());
        scene.uses_streams = uses_streams;
        let mut driver = scene.start(furnish(testing::memory(), &timeline(&scene)));
        driver.run_for(Span::HOUR).unwrap();
        let since = scene.now();
        driver.run_for(Span::HOUR * 12.0).unwrap();
        let settled_at = scene.now() - Span::MINUTE * if uses_streams { 1.0 } else { 90.0 };
        check_timeline(&scene, &driver.store, settled_at);
        (looks(&driver, since), driver.report.lag_s.map_or(0.0, |lag| lag.median), driver)
    };
    let (looks_with, lag_with, driver) = crawl(true);
    let (looks_without, lag_without, _) = crawl(false);
    assert!(looks_with <= 3, "{looks_with} looks, {looks_without} without the stream");
    assert!(looks_without > 23, "{looks_without}");
    assert!(lag_with < 30.0 && lag_without > 60.0, "{lag_with} s and {lag_without} s");
    let stream = stream_of(&driver);
    assert!(stream.connected_at.is_some() && stream.reconnects_count == 0, "{stream:?}");
    assert!(stream.posts_count > 30 && stream.dropped_count == 0, "{stream:?}");
    let rows = driver.store.streams().unwrap();
    assert_eq!(rows.len(), 1, "one row, however much it brings");
    assert!(driver.core().queue_sizes().0 == 1);
}

#[test]
fn a_hint_makes_its_source_due() {
    let (mut scene, _) = scene(8, Faults::default());
    scene.ceiling = Span::HOUR * 6.0;
    let authors = scene.accounts(6);
    let mut driver = scene.start(scene.store(6));
    driver.run_for(Span::HOUR * 9.0).unwrap();
    let stream = stream_of(&driver);
    assert!(stream.hints_count >= 5 && stream.unwatched_count > 10, "{stream:?}");
    // Nothing of accounts that nobody watches is stored but what watched ones answered or passed on.
    let settled_at = scene.now() - Span::HOUR * 7.0;
    let (stored, facts) = (posts(&driver.store), scene.with_world(invariant::facts));
    expect_none("lost", &invariant::nothing_lost(&facts, &stored, &authors, settled_at));
    expect_none("invented", &invariant::nothing_invented(&facts, &stored));
}

#[test]
fn whatever_a_stream_does_nothing_is_lost_or_harmed() {
    let bad = Faults { closes: 0.02, rubbish: 0.2, doubles: 0.2, swaps: 0.3, ..Faults::default() };
    for (seed, faults) in [(1, bad), (2, Faults { closes: 0.3, ..bad }), (3, Faults { rubbish: 1.0, ..bad })]
    {
        let (scene, spoilt) = scene(seed, faults);
        let mut driver = scene.start(furnish(testing::memory(), &timeline(&scene)));
        driver.run_for(Span::HOUR * 18.0).unwrap();
        // A break is a hole that a visit closes within the spread and what a visit may be late by.
        check_timeline(&scene, &driver.store, scene.now() - Span::HOUR * 2.0);
        let stream = stream_of(&driver);
        assert!(stream.dropped_count > 10, "every drop is counted: {stream:?}");
        assert!(stream.reconnects_count > 2 && *spoilt.opened.lock().unwrap() > 2, "{stream:?}");
        assert!(!driver.store.complaints(None, 10, 1).unwrap().is_empty(), "and told");
    }
}

#[test]
fn a_server_that_closes_or_is_silent_is_asked_less_and_less() {
    let storm = Faults { closes_at_once: true, ..Faults::default() };
    let silence = Faults { is_silent: true, ..Faults::default() };
    for faults in [storm, silence] {
        let (scene, spoilt) = scene(4, faults);
        let mut driver = scene.start(furnish(testing::memory(), &timeline(&scene)));
        driver.run_for(Span::HOUR * 12.0).unwrap();
        let opened_count = *spoilt.opened.lock().unwrap();
        assert!((10..90).contains(&opened_count), "{opened_count} times in half a day");
        check_timeline(&scene, &driver.store, scene.now() - Span::HOUR * 2.0);
        let stream = stream_of(&driver);
        assert!(stream.why.is_some() && stream.posts_count == 0, "{stream:?}");
    }
}

#[test]
fn a_stream_that_needs_a_credential_is_not_opened_without() {
    let (mut scene, spoilt) = scene(5, Faults::default());
    scene.credentials.clear();
    let mut driver = scene.start(furnish(testing::memory(), &timeline(&scene)));
    driver.run_for(Span::HOUR * 2.0).unwrap();
    assert_eq!(*spoilt.opened.lock().unwrap(), 0);
    let why = stream_of(&driver).why.unwrap_or_default();
    assert!(why.contains("freshet credentials add"), "{why}");
}

#[test]
fn who_is_killed_while_a_stream_is_open_loses_nothing() {
    let bad = Faults { closes: 0.01, doubles: 0.1, ..Faults::default() };
    let (scene, _) = scene(6, bad);
    let mut store = furnish(testing::memory(), &timeline(&scene));
    let mut rng = Pcg32::seed_from_u64(6);
    for _ in 0..12 {
        let mut driver = scene.start(store);
        driver.run_steps(rng.random_range(5..200)).unwrap();
        store = driver.kill();
    }
    let mut driver = scene.start(store);
    driver.run_for(Span::HOUR * 3.0).unwrap();
    check_timeline(&scene, &driver.store, scene.now() - Span::HOUR * 2.0);
    let row = driver.store.streams().unwrap().pop().unwrap();
    assert!(row.since <= row.until && row.until <= scene.now(), "{row:?}");
    let store = driver.stop().unwrap();
    check_timeline(&scene, &store, scene.now() - Span::HOUR * 2.0);
}
