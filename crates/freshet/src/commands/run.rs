//! `freshet run`: crawl, until stopped.
//!
//! Holds the lock of the data directory for as long as it runs, so that there is one scheduler.
//! Being killed is as good as stopping: the next `run` goes on where this one was.

use std::fmt::Write as _;
use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::crawl::{Choices, remembered_share};
use freshet_app::data::Data;
use freshet_app::forget;
use freshet_app::hubs::{self, public_address};
use freshet_engine::importance::IMPORTANCE;
use freshet_report::RunStatus;
use freshet_types::Span;

use crate::args::RunArgs;
use crate::crawl::{self, Around, Dashboard};
use crate::output::{self, COLUMNS, Report};

/// Crawls and reports.
pub(crate) fn execute(globals: &Globals, args: &RunArgs) -> anyhow::Result<ExitCode> {
    let mut data = Data::open(globals)?;
    let _lock = data.lock()?;
    forget::finish(&mut data)?;
    hubs::begin_anew(&mut data)?;
    let forum_share = remembered_share(&mut data, args.forum_share)?;
    if let Some(switch) = &args.importance {
        IMPORTANCE.put(&mut data.store, switch)?;
    }
    let choices = Choices {
        lasts: args.duration.map(Span::to_std),
        ceiling: args.ceiling,
        policy: args.policy.clone(),
        objective: args.objective,
        group: args.group,
        forum_share,
        keeps_raw: args.keep_raw,
        record: args.record.clone(),
        deliver: args.deliver.clone(),
        depth_max: args.depth,
        avoids_streams: args.no_streams,
    };
    let around = Around {
        title: format!("freshet run · {}", data.dir().display()),
        is_headless: args.headless,
        tls: args.tls.files(),
        dashboard: match (args.no_dashboard, args.listen) {
            (true, _) => Dashboard::Off,
            (false, Some(address)) => Dashboard::At(address),
            (false, None) => Dashboard::Usual,
        },
        websub_at: args.websub_at.as_deref().map(public_address).transpose()?,
    };
    let report = runtime()?.block_on(crawl::crawl(globals, &data, choices, around))?;
    output::print(args.report, &report)?;
    if output::draws_progress() {
        output::note("everything is stored; `freshet run` goes on where this one stopped");
    }
    Ok(ExitCode::SUCCESS)
}

/// Fetchers and the loop share it; the writer has a thread of its own.
pub(super) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    use anyhow::Context as _;
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get().min(8));
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}

impl Report for RunStatus {
    fn text(&self) -> String {
        let mut text = format!(
            "{}, {}, {}: {} new, {} edited, {} deleted",
            output::count(self.visits_count, "visit"),
            output::count(self.fetches_count, "fetch").replace("fetchs", "fetches"),
            output::count(self.posts_read_count, "post read").replace("post reads", "posts read"),
            self.posts_count,
            self.edited_count,
            self.deleted_count,
        );
        if let Some(lag) = self.lag_s {
            let _ = write!(text, "; median lag {}", Span::from_secs_f64(lag.median));
        }
        text = output::wrapped(&text, COLUMNS - 2, "  ");
        for failure in &self.work.failures {
            let (source, why) = (output::one_line(&failure.source), output::one_line(&failure.why));
            let line = format!("failed: {source}: {why}");
            let _ = write!(text, "\n{}", output::wrapped(&line, COLUMNS - 2, "  "));
        }
        text
    }
}
