//! Subscribers that do not read, that die, and that come back: a real pipe, and a store beside it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use freshet_store::row::Upload;
use freshet_store::testing;
use freshet_types::{NetworkName, Post, SystemClock, Timestamp, VisitId};

use serde_json::Value;

use super::*;
use crate::deliver::{DeliverError, Subscriber};

/// Posts in the log: more than a pipe takes, and more than a batch.
const POSTS: u32 = 2500;

/// A store with posts, and a pipe.
fn kit(dir: &Path) -> (PathBuf, PathBuf) {
    let (db, pipe) = (dir.join("store.db"), dir.join("pipe"));
    let mut store = testing::open(&db);
    let post = |id: u32| Post { id: id.to_string(), kind: "post".into(), ..Post::default() };
    let network = NetworkName::from("mastodon:a.example");
    let mut upload = Upload::new(VisitId(1), network, Timestamp::from_secs(1));
    upload.observation.posts.extend((0..POSTS).map(post));
    store.apply(&[upload], |_, _| None).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success(), "mkfifo makes a pipe");
    (db, pipe)
}

fn start(db: &Path, pipe: &Path) -> Subscribers {
    let reader = testing::reader(db);
    let subscription = Subscription::to_file(pipe, reader).unwrap();
    let nobody: Subscribe = Box::new(|_| Err("there are no others".to_owned()));
    Subscribers::start(vec![subscription], nobody, (&Wall::new(Arc::new(SystemClock)), &Arc::default()))
        .unwrap()
}

fn cursor(subscribers: &Subscribers) -> u64 {
    lock(&subscribers.roster())[0].cursor()
}

/// Reads so many lines; gives the ids.
fn read(reader: &mut impl BufRead, count: usize) -> Vec<u32> {
    let id = |line: std::io::Result<String>| {
        let line: Value = serde_json::from_str(&line.unwrap()).expect("every line is whole");
        line["native_id"].as_str().unwrap().parse().unwrap()
    };
    reader.lines().take(count).map(id).collect()
}

#[test]
fn a_pipe_that_nobody_reads_is_left_behind_with_its_cursor_where_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let (db, pipe) = kit(dir.path());
    let subscribers = start(&db, &pipe);
    subscribers.farewell(Instant::now() + Duration::from_millis(50));
    let moment = Moment { now: Timestamp::from_secs(2), wall_ms: 0 };
    let view = &subscribers.views(|| Some(u64::from(POSTS)), moment)[0];
    assert_eq!(view.behind, Some(u64::from(POSTS)), "{view:?}");
    assert_eq!(cursor(&subscribers), 0);
}

#[test]
fn a_reader_that_dies_and_comes_back_gets_everything_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let (db, pipe) = kit(dir.path());
    let subscribers = start(&db, &pipe);
    // The first reader dies in the middle of a batch; what is in the pipe then is lost with it.
    let first = read(&mut BufReader::new(File::open(&pipe).unwrap()), 10);
    assert_eq!(first, (0..10).collect::<Vec<_>>());
    let moment = Moment { now: Timestamp::from_secs(2), wall_ms: 0 };
    while subscribers.views(|| None, moment)[0].why.is_none() {
        std::thread::yield_now();
    }
    let mut second = BufReader::new(File::open(&pipe).unwrap());
    // The batch that was torn comes again from its beginning.
    let ids = read(&mut second, POSTS as usize);
    assert_eq!(ids, (0..POSTS).collect::<Vec<_>>());
    subscribers.farewell(Instant::now() + Duration::from_secs(20));
    assert_eq!(cursor(&subscribers), u64::from(POSTS), "all of it was read");
}

#[test]
fn a_cursor_does_not_pass_what_is_still_in_the_pipe() {
    let dir = tempfile::tempdir().unwrap();
    let (db, pipe) = kit(dir.path());
    let store = testing::reader(&db);
    let mut subscriber = Subscriber::to_file(&pipe).unwrap();
    // The last few posts alone.
    subscriber.progress().begin_at(u64::from(POSTS) - 5);
    // They fit into the pipe, and nothing more comes that would show that nobody reads.
    let moment = Moment { now: Timestamp::from_secs(2), wall_ms: 0 };
    let delivering = std::thread::spawn(move || subscriber.deliver(&store, moment));
    let reader = File::open(&pipe).unwrap();
    while rustix::io::ioctl_fionread(&reader).unwrap() == 0 {
        std::thread::yield_now();
    }
    drop(reader);
    let error = delivering.join().unwrap().unwrap_err();
    assert!(matches!(error, DeliverError::Refused { .. }), "{error}");
}
