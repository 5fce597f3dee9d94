//! Decisions about one stream, event by event: jetstream, which is told whom to send of and goes on from a cursor; and a page that is asked
//! for again and again.

use freshet_network::networks::Networks;
use freshet_policy::{Pacing, policy_named};
use freshet_store::row::{SourceSlot, StreamRow, Upload};
use freshet_types::{Instance, Post, RobotKind, Source};

use super::super::{CoreOptions, CredentialChoice, Event, Moment};
use super::*;
use crate::order::FetcherId;
use crate::stream::{Sifted, StreamBatch};

const NETWORK: &str = "bluesky";
const LASTS: Span = Span::from_ms(86_400_000);

/// A core with one server, and what it wants.
struct Bench {
    core: Core,
    now: Timestamp,
    wall_ms: u64,
    stream: StreamName,
}

impl Bench {
    fn new() -> Self {
        Self::of((NETWORK, "https://public.api.bsky.app"), "jetstream")
    }

    /// The same of another server and stream.
    fn of((network, base): (&str, &str), name: &str) -> Self {
        let now = Timestamp::from_secs(1_800_000_000);
        let pacing = Pacing { floor: Span::MINUTE, ceiling: Span::DAY, ceiling_share: Pacing::WANTED_SHARE };
        let policy = policy_named("change-rate", pacing).unwrap();
        let choice: CredentialChoice = Arc::new(|_, _, _| Vec::new());
        let options = CoreOptions { uses_streams: true, ..CoreOptions::default() };
        let core = Core::new(Arc::new(Networks::shipped()), policy, choice, options, 1..10_000_000, now);
        let stream = StreamName { network: network.into(), name: name.into() };
        let mut bench = Self { core, now, wall_ms: 0, stream };
        let instance = Instance { network: network.into(), base: base.to_owned(), allow_private: false };
        bench.tell(Event::Instances(vec![instance]));
        bench.tell(Event::FetcherJoined(FetcherId(0)));
        bench
    }

    fn tell(&mut self, event: Event) -> Vec<Effect> {
        self.core.handle(event, Moment { now: self.now, wall_ms: self.wall_ms })
    }

    /// Time passes; gives what is wanted.
    fn pass(&mut self, span: Span) -> Vec<Effect> {
        self.now = self.now + span;
        self.wall_ms += u64::try_from(span.ms()).unwrap();
        self.tell(Event::Tick)
    }

    /// Whether the store is asked for whom the stream is.
    fn is_asked(effects: &[Effect]) -> bool {
        effects.iter().any(|effect| matches!(effect, Effect::ReadStream(_)))
    }

    /// The store answers; gives the order.
    fn find(&mut self, row: Option<StreamRow>, roots: &[&str]) -> Option<StreamOrder> {
        let stream = self.stream.clone();
        let roots = roots.iter().map(|&root| root.to_owned()).collect();
        let mut effects = self.tell(Event::StreamFound(Box::new(StreamFound { stream, row, roots })));
        // Politeness or a quota may want a moment.
        effects.extend(self.pass(Span::from_ms(100)));
        let number_of = |it: &Effect| match it {
            Effect::Reserve(reservation) => Some(reservation.number),
            _ => None,
        };
        let numbers: Vec<u64> = effects.iter().filter_map(number_of).collect();
        for number in numbers {
            effects.extend(self.tell(Event::Reserved(number)));
        }
        effects.into_iter().find_map(|effect| match effect {
            Effect::OpenStream(order) => Some(*order),
            _ => None,
        })
    }

    /// The connection stands; gives the upload that says so.
    fn opened(&mut self, id: StreamId) -> Upload {
        upload(self.tell(Event::StreamOpened(id))).expect("its row is written at once")
    }

    fn row(&self, age: Span) -> StreamRow {
        let (since, until) = (self.now - age - Span::HOUR, self.now - age);
        StreamRow {
            network: NETWORK.into(),
            name: "jetstream".to_owned(),
            since,
            until,
            cursor: Some("42".to_owned()),
        }
    }

    /// A source of this root, due in two hours.
    fn source(&self, root: &str) -> Source {
        Source {
            id: freshet_types::SourceId(1),
            due_at: self.now + Span::HOUR * 2.0,
            ..Source::new(&self.stream.network, "posts", RobotKind::Status, "account", root)
        }
    }

    /// What is told of it.
    fn slot(&self, root: &str) -> SourceSlot {
        let Source { id, network, robot, state, weight, due_at, .. } = self.source(root);
        SourceSlot { id, network, robot, state, weight, due_at, gap: None }
    }

    /// Makes it known.
    fn know(&mut self, root: &str) -> Source {
        let slot = self.slot(root);
        self.tell(Event::Slots(vec![slot]));
        self.source(root)
    }

    /// The source, which was visited then, comes due; gives whether it is put off.
    fn is_put_off(&mut self, source: Source, visited_at: Timestamp) -> bool {
        let wanted = self.pass(Span::HOUR * 2.0);
        assert!(wanted.iter().any(|it| matches!(it, Effect::Load(id) if *id == source.id)), "{wanted:?}");
        let source = Source { visited_at: Some(visited_at), ..source };
        self.tell(Event::Loaded(source.id, Some(Box::new(source.clone()))));
        let slot = self.core.sources.get(source.id).expect("it was made known");
        assert_eq!(slot.is_streamed, !slot.is_leased, "it is put off or visited");
        slot.is_streamed
    }
}

fn upload(effects: Vec<Effect>) -> Option<Upload> {
    effects.into_iter().find_map(|effect| match effect {
        Effect::Apply(upload) => Some(*upload),
        _ => None,
    })
}

#[test]
fn a_connection_goes_on_from_its_cursor_unless_that_is_too_old() {
    for (age, is_resumed) in [(Span::HOUR, true), (LASTS - Span::SECOND, true), (LASTS + Span::SECOND, false)]
    {
        let mut bench = Bench::new();
        assert!(Bench::is_asked(&bench.pass(Span::SECOND)));
        let row = bench.row(age);
        let order = bench.find(Some(row.clone()), &["did:plc:a"]).expect("it is opened");
        assert_eq!(order.request.url.contains("cursor=42"), is_resumed, "{age}: {}", order.request.url);
        assert!(order.request.url.contains("wantedDids=did%3Aplc%3Aa"));
        let mark = bench.opened(order.id).stream.unwrap();
        let expected = if is_resumed { (row.since, Some("42")) } else { (bench.now, None) };
        assert_eq!((mark.since, mark.cursor.as_deref()), expected, "{age}");
    }
}

#[test]
fn a_stream_for_nobody_is_not_opened() {
    let mut bench = Bench::new();
    assert!(Bench::is_asked(&bench.pass(Span::SECOND)));
    assert!(bench.find(None, &[]).is_none());
    assert!(!Bench::is_asked(&bench.pass(Span::SECOND)), "not at once again");
    assert!(Bench::is_asked(&bench.pass(LOOK_AGAIN)));
}

#[test]
fn a_server_that_fails_is_left_alone_for_longer_and_longer() {
    let mut bench = Bench::new();
    let mut gaps: Vec<Span> = Vec::new();
    let mut last = bench.now;
    let mut effects = bench.pass(Span::SECOND);
    for _ in 0..16 {
        while !Bench::is_asked(&effects) {
            effects = bench.pass(Span::SECOND);
        }
        gaps.push(bench.now - last);
        last = bench.now;
        let order = bench.find(None, &["did:plc:a"]).expect("it is tried again");
        bench.opened(order.id);
        effects = bench.tell(Event::StreamClosed(order.id, StreamEnd::Broken("closed at once".to_owned())));
    }
    assert!(gaps[1] < Span::from_secs(4) && gaps[6] > gaps[2] * 4.0, "{gaps:?}");
    assert!(gaps.iter().all(|gap| *gap <= RETRY_MAX + Span::SECOND), "{gaps:?}");
    let day: Span = gaps[8..].iter().fold(Span::ZERO, |sum, gap| sum + *gap);
    assert!(day > Span::HOUR, "{gaps:?}");
    assert_eq!(bench.core.stream_views(9)[0].why.as_deref(), Some("closed at once"));
    while !Bench::is_asked(&effects) {
        effects = bench.pass(Span::SECOND);
    }
    let order = bench.find(None, &["did:plc:a"]).unwrap();
    bench.tell(Event::StreamClosed(order.id, StreamEnd::Refused("401".to_owned())));
    assert!(!Bench::is_asked(&bench.pass(REFUSED_REST - Span::SECOND)), "who said no is asked late");
    assert!(Bench::is_asked(&bench.pass(Span::SECOND * 2.0)));
}

#[test]
fn a_batch_carries_its_cursor_and_a_clock_that_goes_back_takes_nothing_away() {
    let mut bench = Bench::new();
    bench.pass(Span::SECOND);
    let order = bench.find(None, &["did:plc:a"]).unwrap();
    bench.opened(order.id);
    let batch = |at: Timestamp, cursor: Option<&str>, messages_count: u64| {
        let post = Post { id: "p".into(), kind: "post".into(), created_at: Some(at), ..Post::default() };
        let mut batch = StreamBatch {
            cursor: cursor.map(str::to_owned),
            received_at: at,
            messages_count,
            ..StreamBatch::default()
        };
        batch.observation.posts.push(post);
        Box::new(batch)
    };
    let later = bench.now + Span::MINUTE;
    let first = upload(bench.tell(Event::StreamHeard(order.id, batch(later, Some("7"), 1)))).unwrap();
    let mark = first.stream.unwrap();
    assert_eq!((mark.cursor.as_deref(), mark.until, first.observation.posts.len()), (Some("7"), later, 1));
    let back = bench.now - Span::HOUR;
    let mark =
        upload(bench.tell(Event::StreamHeard(order.id, batch(back, None, 1)))).unwrap().stream.unwrap();
    assert_eq!(
        (mark.cursor.as_deref(), mark.until),
        (Some("7"), later),
        "a message without a cursor keeps the last"
    );
    assert!(
        upload(bench.tell(Event::StreamHeard(order.id, batch(later, Some("8"), 0)))).is_none(),
        "it is alive, no more"
    );
    assert!(
        upload(bench.tell(Event::StreamHeard(StreamId(99), batch(later, Some("9"), 1)))).is_none(),
        "of no stream"
    );
    let view = &bench.core.stream_views(9)[0];
    assert_eq!((view.messages_count, view.dropped_count), (2, 0));
}

#[test]
fn a_source_is_put_off_while_the_stream_covers_it_and_comes_back_after_a_break() {
    let connect = |root: &str| {
        let mut bench = Bench::new();
        let source = bench.know(root);
        bench.pass(Span::SECOND);
        let order = bench.find(None, &["a", "b"]).unwrap();
        bench.opened(order.id);
        let connected_at = bench.now;
        (bench, order, source, connected_at)
    };
    let (mut bench, _, source, connected_at) = connect("b");
    assert!(!bench.is_put_off(source, connected_at - Span::MINUTE), "there is a hole before the stream");
    let (mut bench, _, source, connected_at) = connect("c");
    assert!(!bench.is_put_off(source, connected_at + Span::MINUTE), "it is not named");
    let (mut bench, order, source, connected_at) = connect("a");
    assert!(bench.is_put_off(source, connected_at + Span::MINUTE));
    let due_of = |bench: &Bench| bench.core.sources.get(freshet_types::SourceId(1)).unwrap().news_at;
    assert!(due_of(&bench) > bench.now + Span::HOUR * 12.0, "only for reconciliation");
    // It can go on from its cursor: a short break is no hole.
    let heard = StreamBatch {
        cursor: Some("7".to_owned()),
        received_at: bench.now,
        messages_count: 1,
        ..StreamBatch::default()
    };
    bench.tell(Event::StreamHeard(order.id, Box::new(heard)));
    bench.tell(Event::StreamClosed(order.id, StreamEnd::Broken("broke".to_owned())));
    bench.pass(Span::SECOND);
    assert!(due_of(&bench) > bench.now + Span::HOUR, "it may come back");
    bench.pass(Span::MINUTE * 30.0);
    bench.pass(Span::SECOND);
    assert!(due_of(&bench) <= bench.now + Span::MINUTE * 10.0, "it stays away: polling closes the hole");
}

#[test]
fn a_draining_run_closes_its_streams() {
    let mut bench = Bench::new();
    bench.pass(Span::SECOND);
    let order = bench.find(None, &["a"]).unwrap();
    bench.opened(order.id);
    let effects = bench.tell(Event::Drain);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::CloseStream(id) if *id == order.id)));
    assert!(!Bench::is_asked(&bench.pass(Span::DAY)), "and opens none");
}

/// The page of changes, answered so often with these roots; of whom it tells anew, and how long until it is asked for again.
fn answers(bench: &mut Bench, roots: &[&str], is_watched: bool, count: usize) -> Vec<(Vec<String>, Span)> {
    let mut told = Vec::new();
    for _ in 0..count {
        let order = bench.find(None, &["ada"]).expect("it is asked for");
        bench.tell(Event::StreamOpened(order.id));
        let revisit = roots.iter().map(|&root| root.to_owned()).collect();
        let batch =
            StreamBatch { revisit, messages_count: 1, received_at: bench.now, ..StreamBatch::default() };
        let upload =
            upload(bench.tell(Event::StreamHeard(order.id, Box::new(batch)))).expect("it is written down");
        let hints = if is_watched { vec![bench.slot("ada")] } else { Vec::new() };
        let sifted = Sifted { stream: bench.stream.clone(), unwatched_count: 0, hints, gap: None };
        let answered_at = bench.now;
        let mut effects =
            bench.tell(Event::StreamClosed(order.id, StreamEnd::Broken("it was answered".to_owned())));
        bench.tell(Event::StreamSifted(Box::new(sifted)));
        while !Bench::is_asked(&effects) {
            effects = bench.pass(Span::SECOND);
        }
        told.push((upload.stream.expect("its row").revisit, bench.now - answered_at));
    }
    told
}

#[test]
fn a_page_of_changes_is_asked_for_less_and_less_while_it_is_about_nobody() {
    let mut bench = Bench::of(("hackernews", "https://hacker-news.firebaseio.com"), "updates");
    assert!(Bench::is_asked(&bench.pass(Span::SECOND)));
    let told = answers(&mut bench, &["eve", "ada"], false, 12);
    let named: Vec<usize> = told.iter().map(|(roots, _)| roots.len()).collect();
    assert_eq!((named[0], named[1..].iter().sum()), (2, 0), "who stood there already is not told again");
    let gaps: Vec<Span> = told.iter().map(|(_, gap)| *gap).collect();
    let about = |gap: Span, secs: i64| (gap - Span::from_secs(secs)).secs_f64().abs() <= 2.0;
    for (at, secs) in [(0, 30), (1, 60), (2, 120), (5, 960), (6, 1_800), (11, 1_800)] {
        assert!(about(gaps[at], secs), "answer {at}: {gaps:?}");
    }
    let gaps = answers(&mut bench, &["ada"], true, 9);
    let gaps: Vec<Span> = gaps.iter().map(|(_, gap)| *gap).collect();
    assert!(about(gaps[1], 900) && about(gaps[8], 30), "and sooner when it is about somebody: {gaps:?}");
    let view = bench.core.stream_views(1).pop().expect("there is one");
    assert!(view.connected_at.is_some() && view.reconnects_count == 0 && view.why.is_none(), "{view:?}");
}
