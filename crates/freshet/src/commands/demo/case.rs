//! `freshet demo spider` and `freshet demo world`: SocWeb's use-cases on two simulated networks over HTTP.
//!
//! What is set up, and how a person would do it, stands in [`freshet_app::case`].

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use freshet_app::case::{self, Bases, Case};
use freshet_app::config::{Config, Globals};
use freshet_app::crawl::Choices;
use freshet_app::data::Data;
use freshet_report::case::CaseReport;
use freshet_sim::serve::{Server, Stopper};
use freshet_sim::society::Society;
use freshet_sim::world::World;
use freshet_types::Span;
use tokio::task::JoinHandle;

use super::{CEILING, Folder, SPEED};
use crate::args::DemoArgs;
use crate::crawl::{self, Around, Dashboard};
use crate::output::{self, Report, fitted};

/// People of the simulated network.
const PEOPLE: u32 = 200;
/// One in so many lends their name to the search.
const NAMED_EVERY: usize = 40;

/// A world that is served.
struct Served {
    base: String,
    stopper: Stopper,
    serving: JoinHandle<Result<(), freshet_sim::SimError>>,
}

async fn serve(world: World) -> anyhow::Result<Served> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.context("cannot listen on loopback")?;
    let server = Server::new(world, listener, SPEED)?;
    let base = format!("http://{}", server.address()?);
    let (stopper, serving) = (server.stopper(), tokio::spawn(server.run()));
    Ok(Served { base, stopper, serving })
}

impl Served {
    async fn stop(self) -> anyhow::Result<()> {
        self.stopper.stop();
        Ok(self.serving.await.context("a simulated network failed")??)
    }
}

/// Runs a use-case from names to a table.
pub(super) async fn run(args: &DemoArgs, case: Case) -> anyhow::Result<ExitCode> {
    let society = Society::new(args.seed, PEOPLE)?;
    let handles = society.graph.accounts().step_by(NAMED_EVERY).map(|account| account.handle.to_owned());
    // The first two words of a handle are the name that people know.
    let names: Vec<String> =
        handles.map(|handle| handle.split('_').take(2).collect::<Vec<_>>().join(" ")).collect();
    let (graph, videos) = (serve(society.graph).await?, serve(society.videos).await?);
    let bases = Bases { graph: graph.base.clone(), videos: videos.base.clone() };
    let folder = Folder::new(args.keep.as_deref())?;
    let globals = Arc::new(Globals {
        viewer: None,
        data_dir: folder.path.clone(),
        store: None,
        clock: Some(format!("{}/clock", graph.base)),
        verbosity: 0,
        config: Config::default(),
    });
    let mut data = Data::create(&globals)?;
    case::set_up(&globals, &mut data, case, &bases)?;
    let seeding = (Arc::clone(&globals), bases, names.clone());
    let seeded = tokio::task::spawn_blocking(move || case::seed(&seeding.0, &seeding.1, &seeding.2));
    let found_count = seeded.await.context("the search failed")??;
    // Whoever searches asks for room in the quotas, and a lock would mean a run that answers.
    let _lock = data.lock()?;
    let choices = Choices {
        lasts: args.duration.map(Span::to_std),
        ceiling: Some(CEILING),
        depth_max: case.depth_max(),
        ..Choices::default()
    };
    let around = Around {
        title: format!("freshet demo {} · {PEOPLE} simulated people, {SPEED} times as fast", case.name()),
        is_headless: args.headless,
        dashboard: if args.headless { Dashboard::Off } else { Dashboard::Usual },
        ..Around::default()
    };
    let status = crawl::crawl(&globals, &data, choices, around).await?;
    graph.stop().await?;
    videos.stop().await?;
    let report = case::report(&data, case, (names.len(), found_count), status)?;
    output::print(args.report, &report)?;
    if matches!(args.report.format, crate::args::ReportFormat::Text) {
        output::line(format!("\nThe same by hand:\n{}", case.commands().join("\n")))?;
        folder.tell()?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Report for CaseReport {
    fn text(&self) -> String {
        let rows =
            self.objects.iter().map(|it| vec![it.network.clone(), it.kind.clone(), it.count.to_string()]);
        let table = fitted(&["network", "type", "#stored"], rows);
        let (names, found) = (self.names_count, self.found_count);
        format!("{}\n\n{names} names searched, {found} accounts found\n\n{table}", self.run.text())
    }
}
