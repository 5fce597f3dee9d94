//! `freshet run`: crawl, until stopped.
//!
//! Holds the lock of the data directory for as long as it runs, so that there is one scheduler.
//! Being killed is as good as stopping: the next `run` goes on where this one was.

use std::fmt::Write as _;
use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::crawl::Choices;
use freshet_app::data::Data;
use freshet_app::forget;
use freshet_engine::forum::Share;
use freshet_store::setting::Setting;
use serde::Serialize;
use serde_json::Value;

use crate::args::RunArgs;
use crate::crawl::{self, Around, Dashboard};
use crate::output::{self, COLUMNS, Report};

/// Crawls and reports.
pub(crate) fn execute(globals: &Globals, args: &RunArgs) -> anyhow::Result<ExitCode> {
    let mut data = Data::open(globals)?;
    let _lock = data.lock()?;
    forget::finish(&mut data)?;
    let forum_share = forum_share(&mut data, args.forum_share)?;
    let choices = Choices {
        lasts: args.duration.map(freshet_types::Span::to_std),
        ceiling: args.ceiling,
        policy: args.policy.clone(),
        forum_share,
        keeps_raw: args.keep_raw,
        record: args.record.clone(),
        deliver: args.deliver.clone(),
        depth_max: args.depth,
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
    };
    let report = runtime()?.block_on(crawl::crawl(globals, &data, choices, around))?;
    output::print(args.report, &RunReport(report))?;
    if output::draws_progress() {
        output::note("everything is stored; `freshet run` goes on where this one stopped");
    }
    Ok(ExitCode::SUCCESS)
}

/// Setting under which the store remembers what decides between boards and threads.
const FORUM_SHARE: Setting<String> = Setting::new("forum_share");

/// The rule that was asked for, now or by an earlier run.
fn forum_share(data: &mut Data, asked: Option<Share>) -> anyhow::Result<Share> {
    if let Some(share) = asked {
        FORUM_SHARE.put(&mut data.store, &share.name().to_owned())?;
        return Ok(share);
    }
    let remembered = FORUM_SHARE.get(&data.store)?;
    Ok(remembered.and_then(|name| name.parse().ok()).unwrap_or_default())
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

/// What a crawl did.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct RunReport(pub(super) Value);

impl Report for RunReport {
    fn text(&self) -> String {
        let number = |key: &str| self.0[key].as_u64().unwrap_or(0);
        let mut text = format!(
            "{}, {}, {}: {} new, {} edited, {} deleted",
            output::count(number("visits_count"), "visit"),
            output::count(number("fetches_count"), "fetch").replace("fetchs", "fetches"),
            output::count(number("posts_read_count"), "post read").replace("post reads", "posts read"),
            number("posts_count"),
            number("edited_count"),
            number("deleted_count"),
        );
        if let Some(median) = self.0["lag_s"]["median"].as_f64() {
            let median = freshet_types::Span::from_secs_f64(median);
            let _ = write!(text, "; median lag {median}");
        }
        text = output::wrapped(&text, COLUMNS - 2, "  ");
        for failure in self.0["failures"].as_array().into_iter().flatten() {
            let field = |key: &str| output::one_line(failure[key].as_str().unwrap_or("?"));
            let line = format!("failed: {}: {}", field("source"), field("why"));
            let _ = write!(text, "\n{}", output::wrapped(&line, COLUMNS - 2, "  "));
        }
        text
    }
}
