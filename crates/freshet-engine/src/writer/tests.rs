//! The writer over a store that fails for a while: another program's lock, a full disk, rings that cannot be written.

use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use freshet_frontier::Coordinator;
use freshet_network::networks::Networks;
use freshet_store::api::Flow;
use freshet_store::row::Filter;
use freshet_store::{Access, Options, testing};
use freshet_types::{NetworkName, Post, VisitId};
use rusqlite::Connection;

use super::*;

/// Whether the file of the store may grow.
enum Growth {
    Free,
    Stopped,
}

/// Turns after which something is waited for in vain.
const TURNS_MAX: usize = 10_000;

/// A writer at work in a folder, and somebody else who has the same store open.
struct Bench {
    writer: Writer,
    store: Box<dyn Store>,
    told: VecDeque<Told>,
    foreign: Connection,
    wall_ms: u64,
}

impl Bench {
    fn start(dir: &Path, prepare: impl FnOnce(&Connection) -> Growth) -> Self {
        let db = dir.join("store.db");
        let options = Options { busy: Duration::from_millis(10), ..Options::default() };
        let store = freshet_store::open(&db, Access::Write, options).unwrap();
        let foreign = Connection::open(&db).unwrap();
        let store = match prepare(&foreign) {
            Growth::Free => store,
            Growth::Stopped => testing::full(&db, options),
        };
        let networks = Arc::new(Networks::shipped());
        let rings = Coordinator::open(&dir.join("rings"), 1000).unwrap();
        let feeder = Feeder::new(rings, Arc::clone(&networks), 0);
        let mut writer = Writer::new(networks, Some(feeder));
        writer.accept(Job::Constraints(Constraints::default()));
        Self { writer, store, told: VecDeque::new(), foreign, wall_ms: 0 }
    }

    /// Lets the writer have a turn, as its thread does when no job comes.
    fn turn(&mut self) {
        self.wall_ms += IDLE_AFTER_MS;
        let now = Timestamp::from_secs(1_000_000) + Span::from_ms(self.wall_ms.cast_signed());
        let moment = Moment { now, wall_ms: self.wall_ms };
        let Self { writer, store, told, .. } = self;
        let done = writer.turn(store, moment, &mut |news| told.push_back(news));
        self.told.extend(done.err().map(Told::Failed));
    }

    fn next(&mut self) -> Told {
        for _ in 0..TURNS_MAX {
            match self.told.pop_front() {
                Some(told) => return told,
                None => self.turn(),
            }
        }
        panic!("the writer tells nothing more");
    }

    /// Waits for something that the writer tells, and passes over the rest.
    fn expect_told<T>(&mut self, mut wanted: impl FnMut(Told) -> Option<T>) -> T {
        loop {
            match self.next() {
                Told::Failed(error) => panic!("{error}"),
                told => {
                    if let Some(found) = wanted(told) {
                        return found;
                    }
                }
            }
        }
    }

    fn expect_trouble(&mut self, part: Part) -> String {
        self.expect_told(|told| match told {
            Told::Trouble(of, what, _) if of == part => Some(what),
            Told::Event(Event::Applied(_)) if part == Part::Store => panic!("it cannot be written"),
            _ => None,
        })
    }

    fn expect_mended(&mut self, part: Part) {
        self.expect_told(|told| matches!(told, Told::Mended(of) if of == part).then_some(()));
    }

    fn expect_applied(&mut self) -> usize {
        self.expect_told(|told| match told {
            Told::Event(Event::Applied(applied)) => Some(applied.len()),
            _ => None,
        })
    }

    /// Ends it; gives the numbers of posts and what the setting `status` is.
    fn end(mut self, dir: &Path) -> (usize, Option<String>) {
        self.writer.accept(Job::Stop);
        while !self.writer.is_done() {
            self.turn();
        }
        let store = testing::reader(&dir.join("store.db"));
        let mut count = 0;
        let count_one = &mut |_| {
            count += 1;
            Flow::Continue(())
        };
        store.each_post(&Filter::default(), count_one).unwrap();
        (count, store.setting("status").unwrap())
    }
}

/// So many posts, from one page.
fn page(visit: u64, posts: std::ops::Range<u32>) -> Job {
    let text = "what somebody said ".repeat(20);
    let post =
        |id: u32| Post { id: id.to_string(), kind: "post".into(), text: text.clone(), ..Post::default() };
    let network = NetworkName::from("mastodon:a.example");
    let mut upload = Upload::new(VisitId(visit), network, Timestamp::from_secs(1));
    upload.observation.posts.extend(posts.map(post));
    Job::Apply(Box::new(upload))
}

/// What another program does to the store.
fn run(foreign: &Connection, sql: &str) -> Growth {
    foreign.execute_batch(sql).unwrap();
    Growth::Free
}

/// Trouble begins before the first page and is mended after it was told: everything is stored once it is over.
fn check(trouble: impl FnOnce(&Connection) -> Growth, mend: impl FnOnce(&Connection), expected: &str) {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::start(dir.path(), trouble);
    bench.writer.accept(page(1, 0..500));
    let what = bench.expect_trouble(Part::Store);
    assert!(what.contains(expected), "{what}");
    // More comes meanwhile; of reports only the newest counts.
    bench.writer.accept(page(2, 500..1000));
    for report in 0..1000 {
        bench.writer.accept(Job::Report(report.to_string()));
    }
    mend(&bench.foreign);
    let mut applied_count = 0;
    while applied_count < 2 {
        applied_count += bench.expect_applied();
    }
    bench.expect_mended(Part::Store);
    assert_eq!(bench.end(dir.path()), (1000, Some("999".to_owned())), "{expected}");
}

#[test]
fn a_lock_of_another_program_loses_nothing() {
    check(
        |foreign| run(foreign, "BEGIN EXCLUSIVE"),
        |foreign| foreign.execute_batch("COMMIT").unwrap(),
        "locked",
    );
}

#[test]
fn a_full_disk_loses_nothing() {
    check(
        |foreign| {
            run(foreign, "CREATE TABLE junk (x); INSERT INTO junk VALUES (zeroblob(4000000))");
            Growth::Stopped
        },
        |foreign| foreign.execute_batch("DROP TABLE junk").unwrap(),
        "full",
    );
}

#[test]
fn what_stays_wrong_ends_the_writer() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::start(dir.path(), |foreign| run(foreign, "DROP TABLE changes"));
    bench.writer.accept(page(1, 0..1));
    loop {
        let told = bench.next();
        assert!(!matches!(told, Told::Trouble(..)), "{told:?}");
        if matches!(told, Told::Failed(_)) {
            return;
        }
    }
}

#[test]
fn a_lock_at_the_end_is_waited_for_until_somebody_gives_up() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::start(dir.path(), |foreign| run(foreign, "BEGIN EXCLUSIVE"));
    bench.writer.accept(page(1, 0..5));
    bench.writer.accept(Job::Stop);
    bench.expect_trouble(Part::Store);
    bench.foreign.execute_batch("COMMIT").unwrap();
    assert_eq!(bench.expect_applied(), 1);
    assert_eq!(bench.end(dir.path()).0, 5);
}

#[test]
fn rings_that_cannot_be_written_hold_up_no_page() {
    let dir = tempfile::tempdir().unwrap();
    let mut bench = Bench::start(dir.path(), |_| Growth::Free);
    let rings = dir.path().join("rings");
    bench.expect_told(|told| matches!(told, Told::Rings(_)).then_some(()));
    std::fs::remove_dir_all(&rings).unwrap();
    bench.expect_trouble(Part::Rings);
    bench.writer.accept(page(1, 0..5));
    assert_eq!(bench.expect_applied(), 1);
    std::fs::create_dir(&rings).unwrap();
    bench.expect_mended(Part::Rings);
    assert_eq!(bench.end(dir.path()).0, 5);
}
