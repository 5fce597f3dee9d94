//! Puts a crawl together from a data directory and runs it: what `run` and `demo` share.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use freshet_engine::core::CoreOptions;
use freshet_engine::deliver::Subscription;
use freshet_engine::drive::{self, Kit, RunError, RunOptions};
use freshet_engine::forum::Share as ForumShare;
use freshet_fetch::descriptors::{self, Share};
use freshet_fetch::recording::RECORDING_BYTES_MAX;
use freshet_fetch::{Fetch, HttpFetch, HttpOptions, Recorder, Vault};
use freshet_frontier::Coordinator;
use freshet_network::networks::Networks;
use freshet_policy::{DEFAULT_POLICY, POLICY_NAMES, Pacing, Policy, policy_named};
use freshet_store::{Access, Options};
use freshet_types::{Clock, Map, Span};
use serde_json::Value;
use tokio::sync::watch;

use crate::alert::send::Sender;
use crate::alert::watch::{RunningWatch, WatchKit};
use crate::args::TlsArgs;
use crate::config::Globals;
use crate::data::{self, Data};
use crate::failure::Failure;
use crate::relearn::Relearner;
use crate::{alert, mined, output, view, web};

/// Memory of all rings together: 10 million ids stay under 64 MB whatever is on disk.
const RINGS_MEMORY_MAX: usize = 1 << 20;

/// How long the writer waits for a lock in one go: it tries again, and says so meanwhile.
const WRITER_BUSY: Duration = Duration::from_secs(2);
/// Longest that the end of a run waits for the last look of the watch, whose messages have five seconds.
const WATCH_END_MAX: Duration = Duration::from_secs(8);

/// What a person may choose about a crawl.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices {
    /// Title of the view.
    pub(crate) title: String,
    /// Draw nothing.
    pub(crate) is_headless: bool,
    /// Stop after so long on the wall.
    pub(crate) lasts: Option<Duration>,
    /// Longest a source stays unvisited.
    pub(crate) ceiling: Option<Span>,
    /// Name of the policy.
    pub(crate) policy: Option<String>,
    /// What decides between boards and threads of a forum.
    pub(crate) forum_share: ForumShare,
    /// Keep every answer as received.
    pub(crate) keeps_raw: bool,
    /// Append every exchange to this file.
    pub(crate) record: Option<PathBuf>,
    /// Append every new, edited and deleted post to this file.
    pub(crate) deliver: Option<PathBuf>,
    /// Steps from what a person added that robots may go.
    pub(crate) depth_max: u16,
    /// Where the dashboard is served, if at all.
    pub(crate) dashboard: Dashboard,
    /// How it is encrypted on its way.
    pub(crate) tls: TlsArgs,
}

/// Where a crawl serves its dashboard.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Dashboard {
    /// Nowhere.
    #[default]
    Off,
    /// On loopback, at the first free port.
    Usual,
    /// There, or not at all.
    At(SocketAddr),
}

/// Crawls until the time is up or somebody presses Ctrl-C; gives the last report.
pub(crate) async fn crawl(globals: &Globals, data: &Data, choices: Choices) -> anyhow::Result<Value> {
    let clock = data.clock().await?;
    let pacing = pacing(choices.ceiling);
    let policy = policy(choices.policy.as_deref().unwrap_or(DEFAULT_POLICY), pacing)?;
    let vault = Arc::new(data.vault(globals)?);
    let contact = contact(globals, data)?;
    let fetch = fetch(&choices, &contact, &clock, &vault)?;
    let mut definitions = Definitions::watch(data.networks_dir());
    let networks = Arc::new(data::networks(globals)?);
    let subscribe = |path: &Path| subscribe(data, path);
    let subscriptions = choices.deliver.as_deref().map(subscribe).transpose()?.into_iter().collect();
    let watched = Arc::clone(&networks);
    let parts = web::Parts {
        dir: data.dir().to_owned(),
        networks: Arc::clone(&networks),
        clock: Arc::clone(&clock),
        credentials: Some(vault.list()),
        passphrase: globals.config.passphrase.clone(),
        tls: web::tls::config(&choices.tls)?,
        access: web::Access::new(data.dir(), globals.config.dashboard_token.clone())?,
        choices: chosen(&choices, pacing.ceiling),
    };
    let served = serve(choices.dashboard, parts).await?;
    let open = || freshet_store::open(&data.store_path(), Access::Write, Options::default());
    let (reports, seen) = watch::channel(Value::Null);
    let watching = alert::watch::start(WatchKit {
        dir: data.dir().to_owned(),
        store: open()?,
        clock: Arc::clone(&clock),
        reports: seen.clone(),
        sender: Sender::new(&globals.config, contact, Arc::clone(&clock)),
    })?;
    let stopped = stop_signal();
    let view = view::ViewKit {
        title: choices.title.clone(),
        dashboard: served.as_ref().map(|served| served.url.clone()),
        lasts: choices.lasts,
        reports: seen,
        stopped: stopped.clone(),
        store: open()?,
        dir: data.dir().to_owned(),
        networks: Arc::clone(&networks),
        clock: Arc::clone(&clock),
    };
    let relearner = Relearner::new(data, &networks, &fetch);
    let writing = Options { keep_raw: choices.keeps_raw, busy: WRITER_BUSY, ..Options::default() };
    let kit = Kit {
        credential: Arc::new(move |network, robot, named| vault.choose_named(network, robot, named)),
        writer: freshet_store::open(&data.store_path(), Access::Write, writing)?,
        reader: open()?,
        rings: Coordinator::open(&data.rings_dir(), RINGS_MEMORY_MAX)?,
        fetch,
        clock,
        on_poll: Box::new(move || definitions.refresh(&watched)),
        on_unread: Box::new(move |errand| relearner.begin(errand)),
        networks,
        policy,
        subscriptions,
    };
    let options = options(&choices, pacing.ceiling);
    let drawing = (!choices.is_headless && !output::is_quiet()).then(|| tokio::spawn(view::show(view)));
    let report = drive::run(kit, options, stopped, reports).await;
    if let Some(drawing) = drawing {
        drawing.await.context("the view failed")?;
    }
    end_watch(watching, report.is_ok()).await;
    report.map_err(explained)
}

/// A subscription into a file, which reads the store through a connection of its own.
fn subscribe(data: &Data, path: &Path) -> anyhow::Result<Subscription> {
    let store = freshet_store::open(&data.store_path(), Access::Write, Options::default())?;
    Ok(Subscription::to_file(path, store)?)
}

/// Why a run ended, with what to do where the engine knows no better.
fn explained(error: RunError) -> anyhow::Error {
    match error {
        RunError::Unwritten { .. } => Failure::new(error.to_string())
            .hint("see that the disk has room and that no other program holds the store, then start again")
            .into(),
        // As it is: who gives hints looks for it.
        RunError::Store(error) => error.into(),
        other => other.into(),
    }
}

/// Lets the watch take a last look, for which it may wait for whom it tells. After a run that the store has ended, it is
/// not waited for: it writes to the same store.
async fn end_watch(watching: RunningWatch, is_waited_for: bool) {
    let (on_end, ended) = tokio::sync::oneshot::channel();
    // A thread of its own: one that is stuck must not hold up the end of the process, as a task would.
    std::thread::spawn(move || {
        drop(watching);
        let _ = on_end.send(());
    });
    if is_waited_for && tokio::time::timeout(WATCH_END_MAX, ended).await.is_err() {
        tracing::warn!("the watch did not end in time; alerts that were not sent come with the next run");
    }
}

fn policy(name: &str, pacing: Pacing) -> Result<Arc<dyn Policy>, Failure> {
    policy_named(name, pacing).ok_or_else(|| {
        Failure::misuse(format!("there is no policy `{name}`"))
            .hint(format!("the policies are {}", POLICY_NAMES.join(", ")))
    })
}

/// How requests are sent: over HTTP, recorded where that is wanted.
fn fetch(
    choices: &Choices,
    contact: &str,
    clock: &Arc<dyn Clock>,
    vault: &Arc<Vault>,
) -> anyhow::Result<Arc<dyn Fetch>> {
    let http = HttpFetch::new(HttpOptions::new(contact, Arc::clone(clock), Arc::clone(vault)))?;
    Ok(match &choices.record {
        Some(path) => {
            Arc::new(Recorder::create(Arc::new(http), path, vault.scrubber(), RECORDING_BYTES_MAX)?)
        }
        None => Arc::new(http),
    })
}

/// Turns true when somebody presses Ctrl-C.
fn stop_signal() -> watch::Receiver<bool> {
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        wait_for_signal().await;
        stop.send_replace(true);
        // The sender must live on: a closed channel would look like news for ever.
        std::future::pending::<()>().await;
    });
    stopped
}

/// Whom servers can write to; asking strangers' servers without it is possible, not polite.
fn contact(globals: &Globals, data: &Data) -> anyhow::Result<String> {
    if let Some(contact) = data.contact(globals)? {
        return Ok(contact);
    }
    if data.store.instances()?.iter().any(|row| !row.instance.allow_private) {
        output::warn(
            "no contact is known, so servers cannot tell who asks; `freshet init --contact ADDRESS` sets it",
        );
    }
    Ok(data::CONTACT_UNKNOWN.to_owned())
}

/// Serves the dashboard where it is wanted, and says where. A crawl does not fail for want of a port.
async fn serve(dashboard: Dashboard, parts: web::Parts) -> anyhow::Result<Option<web::Served>> {
    let address = match dashboard {
        Dashboard::Off => return Ok(None),
        Dashboard::Usual => None,
        Dashboard::At(address) => Some(address),
    };
    match web::bind(address).await {
        Ok(listener) => {
            let served = web::serve(listener, parts)?;
            output::note(format!("dashboard: {}", served.url));
            Ok(Some(served))
        }
        Err(error) if address.is_none() => {
            output::warn(format!("{error:#}"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The choices as the engine takes them.
fn options(choices: &Choices, ceiling: Span) -> RunOptions {
    let share = Share::now();
    if share.is_scarce() {
        output::warn(format!(
            "only {} file descriptors are allowed, so at most {} visits go on at once; `ulimit -n 4096` allows more",
            descriptors::limit(),
            share.visits_max
        ));
    }
    let visits_max = share.visits_max;
    RunOptions {
        lasts: choices.lasts,
        depth_max: choices.depth_max,
        keeps_raw: choices.keeps_raw,
        core: CoreOptions { ceiling, visits_max, forum_share: choices.forum_share, ..CoreOptions::default() },
        ..RunOptions::default()
    }
}

/// What was chosen at the start, for show.
fn chosen(choices: &Choices, ceiling: Span) -> Vec<(&'static str, String)> {
    let path =
        |path: &Option<PathBuf>| path.as_ref().map_or("no".to_owned(), |path| path.display().to_string());
    vec![
        ("ceiling", ceiling.to_string()),
        ("depth", choices.depth_max.to_string()),
        ("forum_share", choices.forum_share.name().to_owned()),
        ("answers_kept", if choices.keeps_raw { "yes" } else { "no" }.to_owned()),
        ("recording", path(&choices.record)),
        ("delivered_to", path(&choices.deliver)),
    ]
}

fn pacing(ceiling: Option<Span>) -> Pacing {
    let usual = Pacing::default();
    let ceiling = ceiling.unwrap_or(usual.ceiling);
    Pacing { floor: usual.floor.min(ceiling), ceiling }
}

/// The definitions of the data directory, and when each was last written.
struct Definitions {
    dir: PathBuf,
    seen: Map<PathBuf, Option<SystemTime>>,
}

impl Definitions {
    /// As they are now. What is loaded after this is not missed when it changes in between.
    fn watch(dir: PathBuf) -> Self {
        let mut definitions = Self { dir, seen: Map::default() };
        definitions.changed();
        definitions
    }

    /// Those that appeared or changed since the last look.
    fn changed(&mut self) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for entry in std::fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let path = entry.path();
            let written_at = entry.metadata().and_then(|metadata| metadata.modified()).ok();
            let is_definition = path.extension().is_some_and(|ending| ending == "toml");
            if is_definition && self.seen.insert(path.clone(), written_at) != Some(written_at) {
                changed.push(path);
            }
        }
        changed
    }

    /// Applies what changed; a wrong one is told, and the old one stays in use.
    fn refresh(&mut self, networks: &Networks) {
        for path in self.changed() {
            let applied = data::read_definition(&path).and_then(|text| mined::apply(networks, &path, &text));
            match applied {
                Ok(name) => tracing::info!(network = name, "definition replaced"),
                Err(error) => tracing::warn!("the old definition stays in use: {error:#}"),
            }
        }
    }
}

/// Waits for Ctrl-C or for being asked to end.
pub(crate) async fn wait_for_signal() {
    let interrupt = tokio::signal::ctrl_c();
    match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => drop(interrupt.await),
    }
}
