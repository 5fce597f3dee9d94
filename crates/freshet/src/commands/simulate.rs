//! `freshet simulate`: compares policies on a recorded history, or on what was collected.

use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use freshet_app::config::Globals;
use freshet_app::failure::Failure;
use freshet_app::notice;
use freshet_app::progress::Progress;
use freshet_app::simulate::{history, plots};
use freshet_sim::experiment::{self, ORACLE_NAMES, Outcome, Overflow, Setup};
use freshet_sim::trace::{History, TraceError, Window};
use freshet_types::{Span, Timestamp};
use serde::Serialize;
use serde_json::Value;

use crate::args::SimulateArgs;
use crate::output::{self, COLUMNS, Report, seconds, table};

/// Where the ways to ask are shown.
const HELP: &str =
    "`freshet simulate --help` has examples; docs/reference/policies.md says what each policy is good for";
/// What a trace is.
const TRACE: &str = "a trace is a table of user and unix seconds, or of board, thread, unix seconds and author, perhaps \
     packed with gzip or zstd";

#[derive(Serialize)]
struct SimulateReport {
    trace: String,
    window: WindowReport,
    policies: Vec<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    caveat: Option<&'static str>,
}

#[derive(Serialize)]
struct WindowReport {
    from: Value,
    start: Value,
    end: Value,
    warm_days: u32,
    eval_days: u32,
    sources: usize,
    posts: u64,
    objective: &'static str,
    page_size: Option<u32>,
    #[serde(skip)]
    shown: (Timestamp, Timestamp),
}

/// Runs the comparison.
pub(crate) fn execute(globals: &Globals, args: &SimulateArgs) -> anyhow::Result<ExitCode> {
    let misuse = |error: experiment::ExperimentError| Failure::misuse(error.to_string()).hint(HELP);
    experiment::check_names(&args.policies).map_err(misuse)?;
    notice::on_interrupt("stopped: nothing was written");
    let setups = setups(args)?;
    let (name, caveat, history) = read(globals, args)?;
    let runs_count = (args.policies.len() * setups.len()) as u64;
    let progress = Mutex::new(Progress::new("policies", 0, runs_count));
    let done = |_: &Outcome| progress.lock().unwrap_or_else(PoisonError::into_inner).step();
    let policies = experiment::compare(&history, &args.policies, &setups, &done).map_err(misuse)?;
    drop(progress);
    if let Some(dir) = &args.plots {
        plots::write(dir, &policies)?;
    }
    let report = SimulateReport { trace: name, window: window_report(&history, args), policies, caveat };
    output::print(args.report, &report)?;
    Ok(ExitCode::SUCCESS)
}

fn setups(args: &SimulateArgs) -> anyhow::Result<Vec<Setup>> {
    let weights = args.weights.as_deref().map(history::weights).transpose()?.unwrap_or_default();
    let overflow = if args.overflow == "pages" { Overflow::Pages } else { Overflow::Lost };
    let setup = |calls_per_hour: &f64| Setup {
        calls_per_hour: *calls_per_hour,
        page_size: args.page_size,
        overflow,
        objective: args.objective,
        seed: args.seed,
        weights: weights.clone(),
    };
    Ok(args.calls_per_hour.iter().map(setup).collect())
}

/// The history, what to call it, and what must be said about it.
fn read(globals: &Globals, args: &SimulateArgs) -> anyhow::Result<(String, Option<&'static str>, History)> {
    let window = |from: Timestamp| Window { from, warm_days: args.warm_days, eval_days: args.eval_days };
    let Some(path) = &args.trace else {
        let (name, history) = history::from_store(globals, args.from, window)?;
        return Ok((name, Some(history::CAVEAT), history));
    };
    let from = args.from.resolve(|| {
        Err(Failure::misuse("a span back has no meaning in a trace")
            .hint("give `--from` a date, such as 2024-02-01")
            .into())
    })?;
    let history = History::read(path, window(from), args.by).map_err(|error| match error {
        TraceError::Empty { .. } => {
            Failure::misuse(error.to_string()).hint("choose another --from, or fewer days")
        }
        other => Failure::new(other.to_string()).hint(TRACE),
    })?;
    let name = path
        .file_name()
        .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    Ok((name, None, history))
}

fn window_report(history: &History, args: &SimulateArgs) -> WindowReport {
    let window = history.window;
    WindowReport {
        from: seconds(window.from),
        start: seconds(window.start()),
        end: seconds(window.end()),
        warm_days: window.warm_days,
        eval_days: window.eval_days,
        sources: history.posters.len(),
        posts: history.eval_count(),
        objective: args.objective.name(),
        page_size: args.page_size,
        shown: (window.start(), window.end()),
    }
}

impl Report for SimulateReport {
    fn text(&self) -> String {
        let window = &self.window;
        let header = format!(
            "{}: {}, {} from {} to {}, after {} days of warm-up; delay is the mean time from post to visit, useful the \
             share of calls that brought something",
            output::one_line(&self.trace),
            output::count(window.sources as u64, "source"),
            output::count(window.posts, "post"),
            window.shown.0,
            window.shown.1,
            window.warm_days,
        );
        let columns = ["policy", "#calls/h", "#captured", "#delay", "#median", "#p90", "#useful"];
        let rows = self.policies.iter().map(row);
        let caveat = self
            .caveat
            .map_or(String::new(), |caveat| format!("\n\n{}", output::wrapped(caveat, COLUMNS, "")));
        let header = output::wrapped(&header, COLUMNS, "");
        format!("{header}\n\n{}{caveat}", table(&columns, rows))
    }
}

fn row(outcome: &Outcome) -> Vec<String> {
    let span = |secs: Option<f64>| secs.map_or("-".to_owned(), |secs| Span::from_secs_f64(secs).to_string());
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let is_oracle = ORACLE_NAMES.contains(&outcome.policy.as_str());
    vec![
        if is_oracle { format!("({})", outcome.policy) } else { outcome.policy.clone() },
        outcome.calls_per_hour.to_string(),
        outcome.coverage.map_or("-".to_owned(), percent),
        span(outcome.mean_delay_s),
        span(outcome.median_delay_s),
        span(outcome.p90_delay_s),
        percent(outcome.useful_call_share),
    ]
}
