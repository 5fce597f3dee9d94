//! `freshet demo`: world, engine and live view in one process, with nothing to set up.
//!
//! The crawl is the real one: real HTTP on loopback, the real store in a folder that is removed
//! at the end, unless somebody wants to keep it. Only the network is simulated, and its time runs fast.

mod case;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use freshet_app::add::{self, AddWish};
use freshet_app::case::Case;
use freshet_app::config::{Config, Globals};
use freshet_app::crawl::Choices;
use freshet_app::data::Data;
use freshet_app::failure::Failure;
use freshet_sim::serve::Server;
use freshet_sim::world::{World, WorldOptions};
use freshet_types::Span;

use crate::args::{CaseName, DemoArgs};
use crate::crawl::{self, Around, Dashboard};
use crate::output;

/// Accounts of the simulated network.
const ACCOUNTS: u32 = 150;
/// Seconds of the simulated network per second on the wall.
const SPEED: f64 = 600.0;
/// Longest a source stays unvisited, in simulated time.
const CEILING: Span = Span::from_secs(20 * 60);

/// Shows the whole system at work.
pub(crate) fn execute(args: &DemoArgs) -> anyhow::Result<ExitCode> {
    super::run::runtime()?.block_on(async {
        match args.case {
            None => demo(args).await,
            Some(CaseName::Spider) => case::run(args, Case::Spider).await,
            Some(CaseName::World) => case::run(args, Case::World).await,
        }
    })
}

async fn demo(args: &DemoArgs) -> anyhow::Result<ExitCode> {
    let options = WorldOptions { seed: args.seed, accounts: ACCOUNTS, ..WorldOptions::default() };
    let world = World::new(options)?;
    let handles: Vec<String> = world.accounts().map(|account| account.handle.to_owned()).collect();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.context("cannot listen on loopback")?;
    let server = Server::new(world, listener, SPEED)?;
    let base = format!("http://{}", server.address()?);
    let (stopper, serving) = (server.stopper(), tokio::spawn(server.run()));

    let folder = Folder::new(args.keep.as_deref())?;
    let globals = Globals {
        viewer: None,
        data_dir: folder.path.clone(),
        store: None,
        clock: Some(format!("{base}/clock")),
        verbosity: 0,
        config: Config::default(),
    };
    let mut data = Data::create(&globals)?;
    // It is a run like any other: whether one is alive is asked of the lock.
    let _lock = data.lock()?;
    let references: Vec<String> = handles.iter().map(|handle| format!("{base}/@{handle}")).collect();
    let wish = AddWish { references, allow_private: true, ..AddWish::default() };
    add::add_to(&globals, &mut data, &wish)?;
    let choices =
        Choices { lasts: args.duration.map(Span::to_std), ceiling: Some(CEILING), ..Choices::default() };
    let around = Around {
        title: format!("freshet demo · {ACCOUNTS} simulated accounts, {SPEED} times as fast"),
        is_headless: args.headless,
        dashboard: if args.headless { Dashboard::Off } else { Dashboard::Usual },
        ..Around::default()
    };
    let report = crawl::crawl(&globals, &data, choices, around).await?;
    stopper.stop();
    serving.await.context("the simulated network failed")??;
    output::print(args.report, &report)?;
    if matches!(args.report.format, crate::args::ReportFormat::Text) {
        output::line(
            "\nThat was a simulated network. For real ones:\nfreshet init, freshet add REF, freshet run.",
        )?;
        folder.tell()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The data directory of a demo: one that a person named, or one that is removed at the end.
struct Folder {
    path: PathBuf,
    passing: Option<tempfile::TempDir>,
}

impl Folder {
    fn new(kept: Option<&Path>) -> anyhow::Result<Self> {
        let Some(kept) = kept else {
            let passing = tempfile::tempdir().context("a temporary folder cannot be made")?;
            return Ok(Self { path: passing.path().to_owned(), passing: Some(passing) });
        };
        if kept.exists() {
            let failure = Failure::misuse(format!("`{}` is there already", kept.display()));
            return Err(failure.hint("give `--keep` the name of a folder that is to be made").into());
        }
        Ok(Self { path: kept.to_owned(), passing: None })
    }

    /// Says where it is, if it stays.
    fn tell(&self) -> anyhow::Result<()> {
        if self.passing.is_none() {
            output::line(format!(
                "\nWhat was collected stays: freshet --data {} status",
                self.path.display()
            ))?;
        }
        Ok(())
    }
}
