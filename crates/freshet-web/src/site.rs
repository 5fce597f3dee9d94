//! What all pages stand on: the store, the clock, the networks, who may look.
//!
//! The store's seam is synchronous, so every look is one blocking task with a connection of its own:
//! at most [`READERS_MAX`] at once, the others wait. Changes go through one writing connection, one
//! after the other, exactly as commands make them. Nothing is kept between two requests but the
//! connections and the sums over all holes, which cost a walk over all sources.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::response::Response;
use freshet_app::config::Globals;
use freshet_app::data::{self, Data, vault_path};
use freshet_app::hubs::Hubs;
use freshet_app::place::Place;
use freshet_app::{gaps, status};
use freshet_engine::deliver::Readers;
use freshet_engine::history::History;
use freshet_fetch::CredentialInfo;
use freshet_network::networks::Networks;
use freshet_report::StatusReport;
use freshet_report::gaps::GapsReport;
use freshet_types::{Clock, Timestamp};
use secrecy::SecretString;
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::access::{Access, Identity, Sessions};
use super::answer::{Answer, Problem};
use super::bench::Bench;
use super::download;
use super::interest::Inquiries;
use super::jobs::Jobs;
use super::render::Pages;
use super::seats::{Room, Seats};
use super::tls::{TlsFiles, config};
use super::viewer::seen_as;

/// Looks at the store at once; more would only wait for the disk.
const READERS_MAX: usize = 4;
/// How long the sums over all holes are good for, at the least.
const COVERAGE_FOR: Duration = Duration::from_secs(15);
/// They are good for so many times what counting them took: a million sources take a while.
const COVERAGE_SHARE: u32 = 20;
/// Longest a page waits for them.
const COVERAGE_WAIT: Duration = Duration::from_millis(40);
/// Sources with holes that are kept with the sums, the dearest.
pub(super) const GAPS_MAX: usize = 1000;

/// Pages that listen at once. Each costs a look at the store every second; a person has a few of them.
/// One that took nothing for ten seconds does not read.
pub(super) const LISTENERS: Room = Room { max: 64, share: 32, patience: Duration::from_secs(10) };

/// What a dashboard is made of.
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct Parts {
    /// The data directory.
    pub place: Place,
    /// The networks; a crawl shares its own, which follow the files on disk.
    pub networks: Arc<Networks>,
    /// The clock of the data directory.
    pub clock: Arc<dyn Clock>,
    /// Names of the credentials; `None` where the file was not opened.
    pub credentials: Option<Vec<CredentialInfo>>,
    /// Opens the file of credentials, where it is known.
    pub passphrase: Option<SecretString>,
    /// How it is encrypted on its way; `None`: not at all.
    pub tls: Option<Arc<rustls::ServerConfig>>,
    /// Who may look.
    pub access: Access,
    /// What was chosen at the start: name, value.
    pub choices: Vec<(&'static str, String)>,
    /// Where those come who read a subscription over a WebSocket; `None` where no run delivers in this process.
    pub readers: Option<Readers>,
    /// Where hubs of feeds come; `None` where none is asked for anything.
    pub hubs: Option<Hubs>,
}

impl Parts {
    /// Those of a data directory that nobody crawls in here.
    pub async fn of_directory(globals: &Globals, data: &Data, tls: &TlsFiles) -> anyhow::Result<Self> {
        let clock: Arc<dyn Clock> = match data.clock().await {
            Ok(clock) => clock,
            // The simulated world is gone: what was collected is shown as of then.
            Err(_) => Arc::new(Stopped(status::live_report(&data.store)?.map(|run| run.now.0))),
        };
        // Nobody is asked for a passphrase only to look: without it the names stay unknown.
        let is_locked = vault_path(data.dir()).is_file() && globals.config.passphrase.is_none();
        let credentials = if is_locked { None } else { Some(data.vault(globals)?.list()) };
        Ok(Self {
            place: data.place().clone(),
            networks: Arc::new(data::networks(globals)?),
            clock,
            credentials,
            passphrase: globals.config.passphrase.clone(),
            tls: config(tls)?,
            access: Access::new(data.dir(), globals.config.dashboard_token.clone())?,
            choices: Vec::new(),
            readers: None,
            hubs: None,
        })
    }
}

/// A clock that stands still at the last instant that a run noted.
#[derive(Debug)]
struct Stopped(Option<Timestamp>);

impl Clock for Stopped {
    fn now(&self) -> Timestamp {
        self.0.unwrap_or_else(|| freshet_types::SystemClock.now())
    }
}

/// A served dashboard.
pub(super) struct Site {
    pub(super) parts: Parts,
    pub(super) sessions: Sessions,
    pages: Pages,
    /// Reached from this computer only.
    pub(super) is_local: bool,
    /// The names of the credentials, as they are by now.
    pub(super) credentials: Mutex<Option<Vec<CredentialInfo>>>,
    /// The one backtest.
    pub(super) bench: Bench,
    /// Forums that are learned.
    pub(super) jobs: Jobs,
    /// What was asked about and is not counted yet.
    pub(super) inquiries: Inquiries,
    /// Pages that listen.
    pub(super) listeners: Arc<Seats>,
    /// Files that are taken away.
    pub(super) downloads: Arc<Seats>,
    /// Connections over which subscriptions are read; they end with the site.
    pub(super) sockets: Mutex<JoinSet<()>>,
    readers: Mutex<Vec<Data>>,
    permits: Semaphore,
    writer: Mutex<Option<Data>>,
    coverage: Mutex<Option<Sums>>,
    is_counting: AtomicBool,
}

/// The sums over all holes, as they were a while ago.
struct Sums {
    report: Arc<GapsReport>,
    counted_at: Instant,
    good_for: Duration,
    /// Somebody counts anew; the others are content with this.
    is_counting: bool,
}

impl Site {
    pub(super) fn new(parts: Parts, is_local: bool) -> anyhow::Result<Self> {
        // Brings an older store up to date, which a reader could not.
        let writer = Data::reopen(&parts.place)?;
        Ok(Self {
            sessions: Sessions::new(),
            pages: Pages::new()?,
            is_local,
            credentials: Mutex::new(parts.credentials.clone()),
            bench: Bench::default(),
            jobs: Jobs::default(),
            inquiries: Inquiries::default(),
            listeners: Seats::new(LISTENERS),
            downloads: Seats::new(download::ROOM),
            sockets: Mutex::default(),
            readers: Mutex::new(Vec::new()),
            permits: Semaphore::new(READERS_MAX),
            writer: Mutex::new(Some(writer)),
            coverage: Mutex::new(None),
            is_counting: AtomicBool::new(false),
            parts,
        })
    }

    pub(super) fn now(&self) -> Timestamp {
        self.parts.clock.now()
    }

    /// A whole page; `name` is its template, `title` what the browser shows.
    pub(super) fn page(
        &self,
        identity: Option<&Identity>,
        name: &str,
        title: &str,
        shown: &impl Serialize,
    ) -> Response {
        self.pages.page(self.now(), identity, name, title, shown)
    }

    /// What went wrong, as a page.
    pub(super) fn problem(&self, identity: Option<&Identity>, problem: &Problem) -> Response {
        self.pages.problem(self.now(), identity, problem)
    }

    /// Looks at the store on a thread that may block.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        look: impl FnOnce(&Self, &Data) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let _permit = self.permits.acquire().await.map_err(|_| Problem::busy("the dashboard is closing"))?;
        let site = Arc::clone(self);
        let viewer = seen_as();
        let looked = tokio::task::spawn_blocking(move || {
            if let Some(viewer) = viewer {
                // Opened for this one look: nobody after it is handed what a viewer sees.
                return look(&site, &Data::reader_as(&site.parts.place, &viewer)?);
            }
            let idle = site.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let data = idle.map_or_else(|| Data::reader(&site.parts.place), Ok)?;
            let answer = look(&site, &data);
            site.readers.lock().unwrap_or_else(PoisonError::into_inner).push(data);
            answer
        });
        looked.await.unwrap_or_else(|_| Err(Problem::busy("the answer could not be made")))
    }

    /// Changes something in the store, as a command would.
    pub(super) async fn write<T: Send + 'static>(
        self: &Arc<Self>,
        change: impl FnOnce(&Self, &mut Data) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let site = Arc::clone(self);
        let viewer = seen_as();
        let changed = tokio::task::spawn_blocking(move || {
            if let Some(viewer) = viewer {
                // Nothing is changed as a viewer but the index of what is searched for.
                return change(&site, &mut Data::reopen_as(&site.parts.place, &viewer)?);
            }
            let mut writer = site.writer.lock().unwrap_or_else(PoisonError::into_inner);
            let mut data = writer.take().map_or_else(|| Data::reopen(&site.parts.place), Ok)?;
            let answer = change(&site, &mut data);
            *writer = Some(data);
            answer
        });
        changed.await.unwrap_or_else(|_| Err(Problem::busy("the change could not be made")))
    }

    /// The report of `freshet status`, as far as pages show it: without a walk over all lists of forums.
    pub(super) fn status(&self, data: &Data) -> Answer<StatusReport> {
        Ok(status::brief(data, self.now())?)
    }

    /// The whole report of `freshet status`.
    pub(super) fn whole_status(&self, data: &Data) -> Answer<StatusReport> {
        Ok(status::whole(data, self.now())?)
    }

    /// The recent past.
    pub(super) fn history(data: &Data) -> Answer<History> {
        Ok(History::from_store(&data.store)?)
    }

    /// The same for a page that cannot wait: as counted last, or nothing yet while it is counted.
    pub(super) async fn coverage_soon(self: &Arc<Self>) -> Option<Arc<GapsReport>> {
        if !self.is_counting.swap(true, Ordering::Relaxed) {
            let site = Arc::clone(self);
            let counting = tokio::spawn(async move {
                let counted = site.read(Self::coverage).await;
                site.is_counting.store(false, Ordering::Relaxed);
                counted.ok()
            });
            // It goes on by itself when nobody waits any more.
            if let Ok(Ok(counted)) = tokio::time::timeout(COVERAGE_WAIT, counting).await {
                return counted;
            }
        }
        let kept = self.coverage.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().map(|kept| Arc::clone(&kept.report))
    }

    /// The report of `freshet gaps`, at most a few seconds old, with the dearest sources only.
    pub(super) fn coverage(&self, data: &Data) -> Answer<Arc<GapsReport>> {
        if data.viewer().is_some() {
            return self.count_coverage(data);
        }
        let lock = || self.coverage.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = lock().as_mut() {
            if kept.is_counting || kept.counted_at.elapsed() < kept.good_for {
                return Ok(Arc::clone(&kept.report));
            }
            kept.is_counting = true;
        }
        let began = Instant::now();
        let counted = self.count_coverage(data);
        let mut kept = lock();
        match counted {
            Ok(report) => {
                let good_for = COVERAGE_FOR.max(began.elapsed() * COVERAGE_SHARE);
                let counted_at = Instant::now();
                *kept = Some(Sums { report: Arc::clone(&report), counted_at, good_for, is_counting: false });
                Ok(report)
            }
            Err(problem) => {
                *kept = None;
                Err(problem)
            }
        }
    }

    fn count_coverage(&self, data: &Data) -> Answer<Arc<GapsReport>> {
        Ok(Arc::new(gaps::report(data, &self.parts.networks, self.now(), GAPS_MAX)?))
    }
}
