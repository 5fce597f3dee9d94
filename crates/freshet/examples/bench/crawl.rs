//! A run as benchmarks measure it: the engine on tokio over a store on disk, to which nobody subscribes and for which there are no
//! credentials.
//!
//! What is fetched and how many at once is handed in. When a run has done its work is told by its reports or its store; the
//! benchmarks judge that themselves.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use freshet_engine::core::CoreOptions;
use freshet_engine::drive::{self, Kit, RunError, RunOptions};
use freshet_fetch::Fetch;
use freshet_frontier::Coordinator;
use freshet_network::networks::Networks;
use freshet_policy::{Pacing, policy_named};
use freshet_report::RunStatus;
use freshet_store::api::Store;
use freshet_store::{Access, Options};
use freshet_types::SystemClock;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How often a run reports.
const REPORT_EVERY: Duration = Duration::from_millis(20);
/// Ids that the rings hold in memory, all together.
const RING_IDS: usize = 1 << 16;

/// What a run needs: this store, which lies at `path`, and rings beside it.
pub(crate) fn kit(
    writer: Box<dyn Store>,
    path: &Path,
    fetch: Arc<dyn Fetch>,
    networks: Arc<Networks>,
) -> anyhow::Result<Kit> {
    Ok(Kit {
        viewers: None,
        writer,
        reader: freshet_store::open(path, Access::Write, Options::default())?,
        rings: Coordinator::open(&path.with_file_name("rings"), RING_IDS)?,
        fetch,
        clock: Arc::new(SystemClock),
        networks,
        policy: policy_named("change-rate", Pacing::default()).context("it exists")?,
        credential: Arc::new(|_, _, _| Vec::new()),
        subscriptions: Vec::new(),
        subscribe: Box::new(|_| Err("there are none".to_owned())),
        on_poll: Box::new(|| {}),
        on_unread: Box::new(drop),
    })
}

/// A run under way.
pub(crate) struct Crawl {
    pub(crate) reports: watch::Receiver<RunStatus>,
    stop: watch::Sender<bool>,
    running: JoinHandle<Result<RunStatus, RunError>>,
}

impl Crawl {
    /// Begins; a run that lasts longer than this has failed, and ends.
    pub(crate) fn start(kit: Kit, core: CoreOptions, lasts_max: Duration) -> Self {
        let options =
            RunOptions { lasts: Some(lasts_max), core, report_every: REPORT_EVERY, ..RunOptions::default() };
        let (report, reports) = watch::channel(RunStatus::default());
        let (stop, stopped) = watch::channel(false);
        Self { reports, stop, running: tokio::spawn(drive::run(kit, options, stopped, report)) }
    }

    /// Ends it; gives its last report.
    pub(crate) async fn stop(self) -> anyhow::Result<RunStatus> {
        self.stop.send_replace(true);
        Ok(self.running.await??)
    }
}
