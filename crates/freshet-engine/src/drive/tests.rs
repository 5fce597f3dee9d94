//! The rim in pieces: time that passes while it is busy, and a writer that is gone.

use freshet_fetch::Fetch;
use freshet_policy::{DEFAULT_POLICY, Pacing, policy_named};
use freshet_store::row::{InstanceRow, OnDelete};
use freshet_store::sqlite::SqliteStore;
use freshet_types::{Fault, Instance, NetworkName, Request, Response, RobotKind, Source, Span, SystemClock};
use futures::future::BoxFuture;

use super::*;

mod quota;

/// A web that never answers.
#[derive(Debug)]
struct Silence;

impl Fetch for Silence {
    fn fetch<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        Box::pin(std::future::pending())
    }
}

/// A driver with one source that is due.
fn driver(dir: &std::path::Path, options: &RunOptions) -> Driver {
    driver_with(dir, options, Arc::new(Silence))
}

fn driver_with(dir: &std::path::Path, options: &RunOptions, fetch: Arc<dyn Fetch>) -> Driver {
    let path = dir.join("freshet.db");
    let mut writer = SqliteStore::open(&path).unwrap();
    let network = NetworkName::from("mastodon:a.example");
    let instance =
        Instance { network: network.clone(), base: "https://a.example".to_owned(), allow_private: false };
    writer.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).unwrap();
    writer.add_sources(&[Source::new(&network, "posts", RobotKind::Status, "account", "7")]).unwrap();
    let pacing = Pacing { floor: Span::MINUTE, ceiling: Span::DAY };
    let kit = Kit {
        reader: Box::new(SqliteStore::open_reader(&path).unwrap()),
        writer: Box::new(writer),
        rings: Coordinator::open(dir, 1000).unwrap(),
        fetch,
        clock: Arc::new(SystemClock),
        networks: Arc::new(Networks::shipped()),
        policy: policy_named(DEFAULT_POLICY, pacing).unwrap(),
        credential: Arc::new(|_, _, _| None),
        subscriptions: Vec::new(),
        on_poll: Box::new(|| {}),
        on_unread: Box::new(drop),
    };
    Driver::start(kit, options).unwrap()
}

#[tokio::test]
async fn leases_end_though_the_loop_never_sleeps() {
    let dir = tempfile::tempdir().unwrap();
    let core = CoreOptions { lease_ms: 100, ..CoreOptions::default() };
    let mut driver = driver(dir.path(), &RunOptions { core, ..RunOptions::default() });
    let began = Instant::now();
    // Events that come without end, as seen from the loop; none of them is a tick.
    while driver.core.tally().visits_count == 0 {
        driver.feed_core(Event::Slots(Vec::new()));
        driver.perform().unwrap();
        driver.hear_more().unwrap();
        driver.keep_time();
        assert!(began.elapsed() < Duration::from_secs(30), "the request is never given up");
        tokio::time::sleep(SLEEP_MIN).await;
    }
    driver.end().unwrap();
}

#[tokio::test]
async fn a_writer_that_failed_has_the_last_word() {
    let dir = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path(), &RunOptions::default());
    let (jobs, todo) = std_mpsc::channel();
    let (tell, told) = mpsc::unbounded_channel();
    drop(todo);
    (driver.jobs, driver.told) = (jobs, told);
    let full = StoreError::Database { doing: "apply what was seen", why: "the disk is full".to_owned() };
    tell.send(Told::Event(Event::Tick)).unwrap();
    tell.send(Told::Failed(full.into())).unwrap();
    let error = driver.give(Job::Stop).unwrap_err();
    assert!(error.to_string().contains("the disk is full"), "{error}");
    assert!(matches!(driver.give(Job::Stop), Err(RunError::WriterGone)), "and it says so once");
}
