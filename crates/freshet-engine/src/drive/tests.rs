//! The rim in pieces: time that passes while it is busy, and a writer that is gone; and whole runs in which the store or a
//! subscriber lets it wait.

use freshet_fetch::Fetch;
use freshet_policy::{DEFAULT_POLICY, Pacing, policy_named};
use std::path::Path;
use std::sync::Mutex;

use freshet_report::run::TroubledPart;
use freshet_store::row::{InstanceRow, OnDelete};
use freshet_store::{Access, Options, testing};
use freshet_types::{Fault, Instance, NetworkName, Request, Response, RobotKind, Source, Span, SystemClock};
use futures::future::BoxFuture;
use rusqlite::Connection;

use super::*;
use crate::core::CoreOptions;

mod quota;

/// A web that never answers.
#[derive(Debug)]
struct Silence;

impl Fetch for Silence {
    fn fetch<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        Box::pin(std::future::pending())
    }
}

/// Accounts that are crawled.
const ACCOUNTS: usize = 8;
/// Posts of each.
const POSTS: usize = 10;

/// A web of accounts with a few posts each. When it is first asked, it does `first` before it answers.
struct Web(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Web {
    fn new(first: impl FnOnce() + Send + 'static) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(Box::new(first)))))
    }
}

impl std::fmt::Debug for Web {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Web")
    }
}

impl Fetch for Web {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        if let Some(first) = self.0.lock().unwrap().take() {
            first();
        }
        let account = request.url.split("/accounts/").nth(1).and_then(|rest| rest.split_once("/statuses"));
        let post = |account: &str, number: usize| {
            serde_json::json!({
                "id": format!("{account}{number:03}"), "created_at": "2024-01-01T00:00:00Z", "content": "news",
                "account": {"id": account, "acct": account, "username": account},
            })
        };
        let (status, body) = match account {
            Some((account, _)) => (200, (0..POSTS).rev().map(|number| post(account, number)).collect()),
            None => (404, serde_json::json!({"error": "Record not found"})),
        };
        let (headers, url, body) = (Vec::new(), request.url.clone(), body.to_string().into_bytes());
        let response = Response { status, headers, body, url, received_at: SystemClock.now() };
        Box::pin(std::future::ready(Ok(response)))
    }
}

/// A kit in this folder with as many sources that are due.
fn kit(dir: &Path, sources_count: usize, fetch: Arc<dyn Fetch>) -> Kit {
    let path = dir.join("freshet.db");
    let options = Options { busy: Duration::from_millis(10), ..Options::default() };
    let mut writer = freshet_store::open(&path, Access::Write, options).unwrap();
    let network = NetworkName::from("mastodon:a.example");
    let instance =
        Instance { network: network.clone(), base: "https://a.example".to_owned(), allow_private: false };
    writer.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).unwrap();
    let source =
        |at: usize| Source::new(&network, "posts", RobotKind::Status, "account", &(7 + at).to_string());
    writer.add_sources(&(0..sources_count).map(source).collect::<Vec<_>>()).unwrap();
    let pacing = Pacing { floor: Span::MINUTE, ceiling: Span::DAY, ceiling_share: Pacing::WANTED_SHARE };
    Kit {
        viewers: None,
        reader: testing::reader(&path),
        writer,
        rings: Coordinator::open(&dir.join("rings"), 1000).unwrap(),
        fetch,
        clock: Arc::new(SystemClock),
        networks: Arc::new(Networks::shipped()),
        policy: policy_named(DEFAULT_POLICY, pacing).unwrap(),
        credential: Arc::new(|_, _, _| Vec::new()),
        subscriptions: Vec::new(),
        subscribe: Box::new(|_| Err("there are none".to_owned())),
        on_poll: Box::new(|| {}),
        on_unread: Box::new(drop),
    }
}

/// A driver with one source that is due.
fn driver(dir: &Path, options: &RunOptions) -> Driver {
    start(kit(dir, 1, Arc::new(Silence)), options)
}

/// Longest that the end of such a driver lasts: its web never answers, so it takes nearly all of that.
const END_MAX: Duration = Duration::from_secs(10);

fn start(kit: Kit, options: &RunOptions) -> Driver {
    let report_every = SLEEP_MIN;
    let options = RunOptions { report_every, drain_max: END_MAX, ..options.clone() };
    Driver::start(kit, &options, watch::channel(RunStatus::default()).0).unwrap()
}

impl Driver {
    /// Stops it as `run` does, and waits until it has ended.
    async fn end(mut self) -> Result<RunStatus, RunError> {
        self.input(Input::Stop)?;
        loop {
            self.perform()?;
            if self.last_report.is_some() {
                return self.part();
            }
            let told = tokio::time::timeout(self.sleep(), self.told.recv()).await;
            match told {
                Ok(told) => self.on_told(told)?,
                Err(_) => self.tick()?,
            }
        }
    }

    /// Carries out what is wanted, and lets time pass.
    fn turn(&mut self) {
        while self.perform().unwrap() {}
        self.drain_arrived().unwrap();
        self.tick().unwrap();
    }

    fn report(&self) -> RunStatus {
        self.view.borrow().clone()
    }
}

/// Posts that are stored in this folder.
fn stored(dir: &Path) -> u64 {
    testing::reader(&dir.join("freshet.db")).counts().unwrap().posts
}

/// A run under way: its reports, how to stop it, and what comes of it.
struct Running {
    reports: watch::Receiver<RunStatus>,
    stop: watch::Sender<bool>,
    outcome: tokio::task::JoinHandle<Result<RunStatus, RunError>>,
}

impl Running {
    fn start(kit: Kit, drain_max: Duration) -> Self {
        let (view, reports) = watch::channel(RunStatus::default());
        let (stop, stopped) = watch::channel(false);
        let report_every = Duration::from_millis(10);
        let options = RunOptions { report_every, drain_max, ..RunOptions::default() };
        let outcome = tokio::spawn(run(kit, options, stopped, view));
        Self { reports, stop, outcome }
    }

    async fn wait_for(&mut self, what: impl FnMut(&RunStatus) -> bool) -> RunStatus {
        self.reports.wait_for(what).await.expect("the run goes on").clone()
    }

    async fn end(self) -> Result<RunStatus, RunError> {
        self.stop.send_replace(true);
        self.outcome.await.unwrap()
    }
}

/// A connection of somebody else, who takes the store for himself when the web is first asked.
fn lock(dir: &Path) -> (Arc<Mutex<Connection>>, Arc<Web>) {
    drop(kit(dir, ACCOUNTS, Arc::new(Silence)));
    let foreign = Arc::new(Mutex::new(Connection::open(dir.join("freshet.db")).unwrap()));
    let holder = Arc::clone(&foreign);
    let web = Web::new(move || {
        let holder = holder.lock().unwrap();
        holder.busy_timeout(Duration::from_secs(20)).unwrap();
        holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    });
    (foreign, web)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_outlives_a_lock_that_lasts_longer_than_its_patience() {
    let dir = tempfile::tempdir().unwrap();
    let (foreign, web) = lock(dir.path());
    let mut running = Running::start(kit(dir.path(), ACCOUNTS, web), Duration::ZERO);
    let report = running.wait_for(|report| report.work.trouble.is_some()).await;
    let trouble = report.work.trouble.as_ref().expect("there is trouble");
    assert!(trouble.what.contains("locked"), "{report:?}");
    assert!(!trouble.advice.is_empty() && trouble.since <= report.now, "{report:?}");
    foreign.lock().unwrap().execute_batch("COMMIT").unwrap();
    let posts = (ACCOUNTS * POSTS) as u64;
    let is_whole = |report: &RunStatus| report.work.trouble.is_none() && report.posts_count == posts;
    running.wait_for(is_whole).await;
    running.end().await.unwrap();
    assert_eq!(stored(dir.path()), posts);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_ends_though_the_store_is_locked_and_says_what_was_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let (foreign, web) = lock(dir.path());
    let mut running = Running::start(kit(dir.path(), ACCOUNTS, web), Duration::from_millis(500));
    running.wait_for(|report| report.work.trouble.is_some()).await;
    let error = running.end().await.unwrap_err();
    let RunError::Unwritten { uploads_count, .. } = &error else { panic!("{error}") };
    assert!(*uploads_count > 0 && error.to_string().contains("locked"), "{error}");
    foreign.lock().unwrap().execute_batch("COMMIT").unwrap();
    // Nothing is lost: the next run visits the same sources.
    let mut running = Running::start(kit(dir.path(), ACCOUNTS, Web::new(|| {})), Duration::ZERO);
    running.wait_for(|report| report.visits_count >= ACCOUNTS as u64).await;
    running.end().await.unwrap();
    assert_eq!(stored(dir.path()), (ACCOUNTS * POSTS) as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_has_stored_everything_ends_well_though_the_store_is_locked() {
    let dir = tempfile::tempdir().unwrap();
    let mut running = Running::start(kit(dir.path(), ACCOUNTS, Web::new(|| {})), Duration::from_millis(500));
    let reader = testing::reader(&dir.path().join("freshet.db"));
    // The ends of all visits are stored; the next are due in a minute.
    running.wait_for(|_| reader.counts().unwrap().visits >= ACCOUNTS as u64).await;
    let foreign = Connection::open(dir.path().join("freshet.db")).unwrap();
    foreign.busy_timeout(Duration::from_secs(20)).unwrap();
    foreign.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let report = running.end().await.unwrap();
    assert_eq!(report.posts_count, (ACCOUNTS * POSTS) as u64, "nothing is said to be left");
    foreign.execute_batch("COMMIT").unwrap();
    assert_eq!(stored(dir.path()), (ACCOUNTS * POSTS) as u64);
}

#[tokio::test]
async fn what_cannot_be_read_for_a_while_is_read_later() {
    let dir = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path(), &RunOptions::default());
    // A copy of the store without a write-ahead log: there, a lock keeps readers out too.
    drop(kit(other.path(), 1, Arc::new(Silence)));
    let path = other.path().join("freshet.db");
    let foreign = Connection::open(&path).unwrap();
    foreign.pragma_update(None, "journal_mode", "delete").unwrap();
    let options = Options { busy: Duration::from_millis(10), ..Options::default() };
    driver.reader = freshet_store::open(&path, Access::Read, options).unwrap();
    foreign.execute_batch("BEGIN EXCLUSIVE").unwrap();
    while driver.report().work.trouble.is_none() {
        tokio::time::sleep(SLEEP_MIN).await;
        driver.turn();
    }
    let trouble = driver.report().work.trouble.expect("there is trouble");
    assert_eq!(trouble.part, TroubledPart::Reading, "nothing of that is fatal");
    foreign.execute_batch("COMMIT").unwrap();
    while driver.report().work.trouble.is_some() {
        tokio::time::sleep(SLEEP_MIN).await;
        driver.turn();
    }
    driver.end().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_does_not_read_holds_up_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut kit = kit(dir.path(), ACCOUNTS, Web::new(|| {}));
    let reader = testing::reader(&dir.path().join("freshet.db"));
    kit.subscriptions = vec![Subscription::to_file(&pipe, reader).unwrap()];
    let mut running = Running::start(kit, Duration::from_millis(500));
    let posts = (ACCOUNTS * POSTS) as u64;
    let report = running.wait_for(|report| report.posts_count == posts).await;
    assert!(report.work.subscribers[0].behind.unwrap() > 0, "{report:?}");
    running.end().await.unwrap();
    assert_eq!(stored(dir.path()), posts);
}

#[tokio::test]
async fn leases_end_though_the_loop_never_sleeps() {
    let dir = tempfile::tempdir().unwrap();
    let core = CoreOptions { lease_ms: 100, ..CoreOptions::default() };
    let mut driver = driver(dir.path(), &RunOptions { core, ..RunOptions::default() });
    let began = Instant::now();
    // Events that come without end, as seen from the loop; none of them is a tick.
    while driver.runner.core().tally().visits_count == 0 {
        driver.input(Input::Event(Event::Slots(Vec::new()))).unwrap();
        driver.perform().unwrap();
        driver.drain_arrived().unwrap();
        assert!(began.elapsed() < Duration::from_secs(30), "the request is never given up");
        tokio::time::sleep(SLEEP_MIN).await;
    }
    driver.end().await.unwrap();
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
