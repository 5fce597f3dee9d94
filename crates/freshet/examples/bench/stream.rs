//! `stream`: read → compare → apply of a data server's firehose, and of the same events as jetstream sends them, against (a) the bare decoding
//! of the same messages and (b) bare bulk inserts of the very rows that the run wrote.
//!
//! The frames come from memory, as the transport hands them over; everything behind that is a run as `freshet run` has it: the task
//! that listens, the core, the writer's thread, the store on disk. Two more figures say what binds: reading alone, on one thread and
//! without a store, and the writer alone.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use freshet_engine::compare::compare;
use freshet_engine::core::CoreOptions;
use freshet_network::networks::Networks;
use freshet_sim::{Firehose, FirehoseOptions};
use freshet_store::bench;
use freshet_store::row::{InstanceRow, OnDelete, StreamMark, Upload};
use freshet_store::{Access, Options};
use freshet_types::{
    Clock, Instance, NetworkName, Observation, RobotKind, Source, Span, StreamMessage, StreamTarget,
    SystemClock, Timestamp, VisitId,
};
use ipld_core::ipld::Ipld;
use serde::Deserialize as _;
use serde_ipld_dagcbor::de::Deserializer;
use serde_json::{Value, json};

use crate::crawl::{self, Crawl};
use crate::{Scale, timing};

const FRAMES: usize = 200_000;
/// Rounds; the best of each side counts.
const ROUNDS: u32 = 3;
/// A round that takes longer has failed.
const ROUND_MAX: Duration = Duration::from_mins(5);
/// Posts in one upload of the writer alone: as many as a full batch of a stream has.
const BATCH: usize = 256;
/// Bytes of the name of a block.
const NAME_BYTES: usize = 36;
/// Uploads in one of its transactions.
const UPLOADS: usize = 32;

/// One way in which the events come.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// The stream, in figures and in the definition.
    name: &'static str,
    definition: &'static str,
    base: &'static str,
    /// Accounts of the server, all watched; jetstream names each of them.
    people: u32,
    is_json: bool,
}

const SIDES: [Side; 2] = [
    Side {
        name: "firehose",
        definition: "bluesky-pds",
        base: "https://bench.test",
        people: 1000,
        is_json: false,
    },
    Side {
        name: "jetstream",
        definition: "bluesky",
        base: "https://public.api.bsky.app",
        people: 150,
        is_json: true,
    },
];

impl Side {
    fn network(self) -> NetworkName {
        NetworkName::new(self.definition, (!self.is_json).then_some("bench.test"))
    }

    fn instance(self) -> Instance {
        Instance { network: self.network(), base: self.base.to_owned(), allow_private: false }
    }

    /// The messages as the transport hands them over.
    fn messages(self, firehose: &Firehose) -> Vec<StreamMessage> {
        let text = |data: &String| StreamMessage { data: data.clone(), ..StreamMessage::default() };
        let frame =
            |bytes: &Vec<u8>| StreamMessage { bytes: Some(bytes.clone()), ..StreamMessage::default() };
        if self.is_json {
            firehose.messages().iter().map(text).collect()
        } else {
            firehose.frames().iter().map(frame).collect()
        }
    }
}

pub(crate) fn run(scale: Scale) -> anyhow::Result<Value> {
    let (frames, rounds) = scale.pick((FRAMES, ROUNDS), (400, 1));
    let mut line = json!({"bench": "stream", "ratios": {}});
    for side in SIDES {
        let figures = measure(Side { people: scale.pick(side.people, 10), ..side }, frames, rounds)?;
        for (name, value) in figures {
            let name = if side.is_json { format!("json_{name}") } else { name.to_owned() };
            let is_ratio = !name.ends_with("_per_s");
            if is_ratio { line["ratios"][name] = value.into() } else { line[name] = value.into() }
        }
    }
    Ok(line)
}

/// The figures of one way.
fn measure(side: Side, frames: usize, rounds: u32) -> anyhow::Result<[(&'static str, f64); 8]> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let began_at = clock.now() - Span::HOUR;
    let options =
        FirehoseOptions { seed: 17, people: side.people, frames, began_at, gap: Span::ZERO, kept: frames };
    let firehose = Firehose::new(options, Arc::clone(&clock));
    let messages = side.messages(&firehose);
    let bytes: usize = messages.iter().map(|it| it.data.len() + it.bytes.as_ref().map_or(0, Vec::len)).sum();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let bare_s = timing::best(rounds, || messages.iter().map(decoded_message).sum());
    let read_s = timing::best(rounds, || read(side, &messages).posts.len());
    let apply_s = apply(side, &read(side, &messages), &clock)?;
    drop(messages);
    let (mut stream_s, mut insert_s) = (f64::MAX, f64::MAX);
    for _ in 0..rounds {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("store.sqlite");
        stream_s = stream_s.min(runtime.block_on(listen(side, &firehose, &path))?);
        insert_s = insert_s.min(bench::copy_seconds(&path)?);
    }
    let per_s = |seconds: f64| frames as f64 / seconds;
    println!(
        "{}: {frames} messages of {} accounts, {} bytes each, best of {rounds} rounds",
        side.name,
        side.people,
        bytes / frames
    );
    println!("  bare decoding {:>10.0} events/s  one thread", per_s(bare_s));
    println!("  reading       {:>10.0} events/s  one thread", per_s(read_s));
    println!("  writer alone  {:>10.0} events/s", per_s(apply_s));
    println!("  bare inserts  {:>10.0} events/s", per_s(insert_s));
    println!("  stream        {:>10.0} events/s", per_s(stream_s));
    Ok([
        ("events_per_s", per_s(stream_s)),
        ("decoded_per_s", per_s(bare_s)),
        ("read_per_s", per_s(read_s)),
        ("applied_per_s", per_s(apply_s)),
        ("inserted_per_s", per_s(insert_s)),
        ("decode", bare_s / stream_s),
        ("insert", insert_s / stream_s),
        ("of_30000", per_s(stream_s) / 30_000.0),
    ])
}

/// A message decoded into values that nobody looks at; gives how many there were.
fn decoded_message(message: &StreamMessage) -> usize {
    match &message.bytes {
        Some(frame) => decoded(frame),
        None => usize::from(serde_json::from_str::<Value>(&message.data).is_ok()),
    }
}

/// A frame and its record, decoded into values that nobody looks at; gives how many there were.
fn decoded(frame: &[u8]) -> usize {
    let mut source = Deserializer::from_slice(frame);
    let header = Ipld::deserialize(&mut source);
    let body = Ipld::deserialize(&mut source);
    let record = match &body {
        Ok(Ipld::Map(map)) => map.get("blocks").and_then(|blocks| match blocks {
            Ipld::Bytes(blocks) => last_block(blocks),
            _ => None,
        }),
        _ => None,
    };
    let record = record.map(serde_ipld_dagcbor::from_slice::<Ipld>);
    usize::from(header.is_ok()) + usize::from(body.is_ok()) + usize::from(record.is_some_and(|it| it.is_ok()))
}

/// The last block of an archive: the record, where there is one.
fn last_block(mut rest: &[u8]) -> Option<&[u8]> {
    let mut last = None;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| byte & 0x80 == 0)?;
        let length = rest[..=end].iter().rev().fold(0, |sum, byte| (sum << 7) | usize::from(byte & 0x7f));
        let (section, after) = rest[end + 1..].split_at_checked(length)?;
        (last, rest) = (section.get(NAME_BYTES..), after);
    }
    last
}

/// What all messages show.
fn read(side: Side, messages: &[StreamMessage]) -> Observation {
    let networks = Networks::shipped();
    let connector = networks.connector(side.definition).expect("it is shipped");
    let instance = side.instance();
    let target =
        StreamTarget { instance: &instance, name: side.name, credential: None, cursor: None, roots: &[] };
    let mut all = Observation::default();
    for message in messages {
        let heard = connector.read_message(&target, message, Timestamp::from_secs(1_793_700_000));
        all.posts.extend(heard.observation.posts);
    }
    all
}

/// Seconds that the store takes for these posts in batches, nothing else going on.
fn apply(side: Side, all: &Observation, clock: &Arc<dyn Clock>) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir()?;
    let mut store =
        freshet_store::open(&folder.path().join("store.sqlite"), Access::Write, Options::default())?;
    store.put_instance(&InstanceRow { instance: side.instance(), on_delete: OnDelete::Keep })?;
    let uploads: Vec<Upload> = all
        .posts
        .chunks(BATCH)
        .map(|posts| Upload {
            observation: Observation { posts: posts.to_vec(), ..Observation::default() },
            robot: Some(RobotKind::Status),
            ..Upload::new(VisitId(1), side.network(), clock.now())
        })
        .collect();
    let began = Instant::now();
    for some in uploads.chunks(UPLOADS) {
        store.apply(some, compare)?;
    }
    Ok(began.elapsed().as_secs_f64())
}

/// A whole run into an empty store, until the last frame is in it.
async fn listen(side: Side, firehose: &Firehose, path: &Path) -> anyhow::Result<f64> {
    let networks = Arc::new(Networks::shipped());
    let store = furnished(side, &networks, path, SystemClock.now())?;
    let kit = crawl::kit(store, path, Arc::new(firehose.clone()), networks)?;
    let core = CoreOptions { uses_streams: true, ..CoreOptions::default() };
    let look = freshet_store::open(path, Access::Read, Options::default())?;
    let mut crawl = Crawl::start(kit, core, ROUND_MAX);
    let (mut began, mut took) = (Instant::now(), None);
    let last = firehose.frames().len().to_string();
    while took.is_none() && crawl.reports.changed().await.is_ok() {
        let streams = look.streams()?;
        // Before it is connected nothing can come.
        if crawl.reports.borrow().work.streams.iter().all(|stream| stream.messages_count == 0) {
            began = Instant::now();
        }
        let is_there = |row: &freshet_store::row::StreamRow| row.cursor.as_deref() == Some(&*last);
        took = streams.iter().any(is_there).then(|| began.elapsed().as_secs_f64());
    }
    let report = crawl.stop().await?;
    let stored = look.counts()?.posts;
    ensure!(stored as usize >= firehose.truth().len(), "only {stored} posts arrived: {report:?}");
    took.with_context(|| format!("it ended before the last frame: {report:?}"))
}

/// A store that watches everybody, and stands before the first frame.
fn furnished(
    side: Side,
    networks: &Networks,
    path: &Path,
    now: Timestamp,
) -> anyhow::Result<Box<dyn freshet_store::api::Store>> {
    let mut store = freshet_store::open(path, Access::Write, Options::default())?;
    store.put_instance(&InstanceRow { instance: side.instance(), on_delete: OnDelete::Keep })?;
    let connector = networks.connector(side.definition).context("it is shipped")?;
    let network = side.network();
    let sources = (0..side.people).flat_map(|person| {
        let did = Firehose::did(person);
        freshet_network::robot::sources_for(&*connector, &network, RobotKind::Status, "account", &did, 0)
    });
    let visited_at = Some(now);
    let sources: Vec<Source> =
        sources.map(|source| Source { visited_at, due_at: now + Span::DAY, ..source }).collect();
    store.add_sources(&sources)?;
    let mark = StreamMark {
        name: side.name.into(),
        since: now - Span::MINUTE,
        until: now,
        cursor: Some("0".to_owned()),
        covers: Vec::new(),
        revisit: Vec::new(),
    };
    let upload = Upload { stream: Some(mark), ..Upload::new(VisitId(0), side.network(), now) };
    store.apply(&[upload], compare)?;
    Ok(store)
}
