//! A crawl with everything that stands around it: live view, dashboard, alerts, Ctrl-C; what `run` and `demo` share.
//!
//! The crawl itself is put together by [`freshet_app::crawl`].

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context as _;
use freshet_alert::send::Sender;
use freshet_alert::watch::{RunningWatch, WatchKit};
use freshet_app::config::Globals;
use freshet_app::crawl::{Choices, Crawl};
use freshet_app::data::Data;
use freshet_app::hubs::{self, HubsKit, RunningHubs};
use freshet_report::RunStatus;
use freshet_store::{Access, Options};
use freshet_web as web;
use freshet_web::TlsFiles;
use tokio::sync::watch;

use crate::{output, view};

/// Longest that the end of a run waits for the last look of the watch, whose messages have five seconds.
const WATCH_END_MAX: Duration = Duration::from_secs(8);

/// What stands around a crawl.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// Title of the view.
    pub(crate) title: String,
    pub(crate) is_headless: bool,
    /// Where the dashboard is served, if at all.
    pub(crate) dashboard: Dashboard,
    /// How it is encrypted on its way.
    pub(crate) tls: TlsFiles,
    /// Where hubs of feeds reach it, where they are to be asked.
    pub(crate) websub_at: Option<String>,
}

/// Where a crawl serves its dashboard.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Dashboard {
    #[default]
    Off,
    /// On loopback, at the first free port.
    Usual,
    /// There, or not at all.
    At(SocketAddr),
}

/// Crawls until the time is up or somebody presses Ctrl-C; gives the last report.
pub(crate) async fn crawl(
    globals: &Globals,
    data: &Data,
    choices: Choices,
    around: Around,
) -> anyhow::Result<RunStatus> {
    let lasts = choices.lasts;
    let crawl = Crawl::prepare(globals, data, choices).await?;
    let hubs = around.websub_at.as_ref().map(|_| hubs::prepare(crawl.clock.clone())).transpose()?;
    let parts = web::Parts {
        place: data.place().clone(),
        networks: crawl.networks.clone(),
        clock: crawl.clock.clone(),
        credentials: Some(crawl.credentials.clone()),
        passphrase: globals.config.passphrase.clone(),
        tls: web::tls_config(&around.tls)?,
        access: web::Access::new(data.dir(), globals.config.dashboard_token.clone())?,
        choices: crawl.chosen(),
        readers: Some(crawl.readers.clone()),
        hubs: hubs.as_ref().map(|prepared| prepared.hubs.clone()),
    };
    let served = serve(around.dashboard, parts).await?;
    let told = hubs.zip(around.websub_at).filter(|_| served.is_some());
    let telling = told.map(|(prepared, public)| tell(prepared, public, &crawl, data)).transpose()?;
    let open = || freshet_store::open(&data.store_address(), Access::Write, Options::default());
    let (reports, seen) = watch::channel(RunStatus::default());
    let watching = freshet_alert::watch::start(WatchKit {
        dir: data.dir().to_owned(),
        store: open()?,
        clock: crawl.clock.clone(),
        reports: seen.clone(),
        sender: Sender::new(&globals.config, crawl.contact.clone(), crawl.clock.clone()),
    })?;
    let stopped = stop_signal();
    let view = view::ViewKit {
        title: around.title,
        dashboard: served.as_ref().map(|served| served.url.clone()),
        lasts,
        reports: seen,
        stopped: stopped.clone(),
        store: open()?,
        place: data.place().clone(),
        networks: crawl.networks.clone(),
        clock: crawl.clock.clone(),
    };
    let drawing = (!around.is_headless && !output::is_quiet()).then(|| tokio::spawn(view::show(view)));
    let report = Box::pin(crawl.run(stopped, reports)).await;
    drop(telling);
    if let Some(drawing) = drawing {
        drawing.await.context("the view failed")?;
    }
    end_watch(watching, report.is_ok()).await;
    report
}

/// Asks hubs of feeds to tell of news from now on.
fn tell(prepared: hubs::Prepared, public: String, crawl: &Crawl, data: &Data) -> anyhow::Result<RunningHubs> {
    let kit = HubsKit {
        place: data.place().clone(),
        networks: crawl.networks.clone(),
        clock: crawl.clock.clone(),
        contact: crawl.contact.clone(),
        public,
    };
    hubs::start(prepared, kit)
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
