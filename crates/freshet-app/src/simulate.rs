//! Comparing policies on a recorded history or on what was collected: where the history comes from ([`history`]), and what is
//! drawn ([`plots`]). The comparison itself is the simulator's business (`freshet_sim::experiment`). Forums are compared by
//! their pages ([`forum`]).

pub mod forum;
pub mod history;
pub mod plots;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use freshet_policy::Objective;
use freshet_report::UnixNumber;
use freshet_report::simulate::{PolicyResult, SimulateReport, WindowReport};
use freshet_sim::experiment::{self, Outcome, Overflow, Setup};
use freshet_sim::trace::{By, History, TraceError, Window};
use freshet_types::Timestamp;

use crate::calendars;
use crate::config::Globals;
use crate::failure::Failure;
use crate::notice;
use crate::progress::Progress;
use crate::when::When;

/// Where the ways to ask are shown.
const HELP: &str =
    "`freshet simulate --help` has examples; docs/reference/policies.md says what each policy is good for";
/// What a trace is.
const TRACE: &str = "a trace is a table of user and unix seconds, or of board, thread, unix seconds and author, perhaps \
     packed with gzip or zstd";

/// Which policies are compared, and on what.
#[derive(Clone, Debug)]
pub struct SimulateWish {
    /// A recorded history; without one, what was collected.
    pub trace: Option<PathBuf>,
    /// What counts as a source of a trace of forums.
    pub by: By,
    /// The policies, by name.
    pub policies: Vec<String>,
    /// Where the window begins.
    pub from: When,
    /// Days in which policies learn and are not measured.
    pub warm_days: u32,
    /// Days in which they are measured.
    pub eval_days: u32,
    /// Budgets, each compared.
    pub calls_per_hour: Vec<f64>,
    /// Posts of a page, where pages are limited.
    pub page_size: Option<u32>,
    /// What becomes of posts beyond a page.
    pub overflow: Overflow,
    /// What a policy is to make small.
    pub objective: Objective,
    /// Sources that a call can ask about.
    pub group: u32,
    /// Posts that such a call shows of them all; without, it only tells who has news.
    pub merged: Option<u32>,
    /// Of what is random.
    pub seed: u64,
    /// A file of weights.
    pub weights: Option<PathBuf>,
    /// A file that says which days are not like others.
    pub calendar: Option<PathBuf>,
}

/// A comparison: its report, and what plots are drawn from.
#[derive(Debug)]
pub struct Comparison {
    /// For people and programs.
    pub report: SimulateReport,
    /// What each policy came to, day by day.
    pub outcomes: Vec<Outcome>,
}

/// Runs the comparison.
pub fn compare(globals: &Globals, args: &SimulateWish) -> anyhow::Result<Comparison> {
    let misuse = |error: experiment::ExperimentError| Failure::misuse(error.to_string()).hint(HELP);
    experiment::check_names(&args.policies).map_err(misuse)?;
    notice::on_interrupt("stopped: nothing was written");
    let setups = setups(args)?;
    let (name, caveat, history) = read(globals, args)?;
    let runs_count = (args.policies.len() * setups.len()) as u64;
    let progress = Mutex::new(Progress::new("policies", 0, runs_count));
    let done = |_: &Outcome| progress.lock().unwrap_or_else(PoisonError::into_inner).step();
    let outcomes = experiment::compare(&history, &args.policies, &setups, &done).map_err(misuse)?;
    drop(progress);
    let report = SimulateReport {
        trace: name,
        window: window_report(&history, args),
        policies: outcomes.iter().map(result_of).collect(),
        caveat: caveat.map(str::to_owned),
    };
    Ok(Comparison { report, outcomes })
}

fn setups(args: &SimulateWish) -> anyhow::Result<Vec<Setup>> {
    if args.merged.is_some() && args.group < 2 {
        return Err(Failure::misuse("a merged list is one of several sources")
            .hint("say of how many with `--group`, such as `--group 40 --merged 40`")
            .into());
    }
    let weights = args.weights.as_deref().map(history::weights).transpose()?.unwrap_or_default();
    let calendar = args.calendar.as_deref().map(calendars::read).transpose()?;
    let calendar = calendar.map(|spec| spec.compile()).transpose()?.map(Arc::new);
    let setup = |calls_per_hour: &f64| Setup {
        page_size: args.page_size,
        overflow: args.overflow,
        objective: args.objective,
        group: args.group,
        merged_page: args.merged.unwrap_or(0),
        seed: args.seed,
        weights: weights.clone(),
        calendar: calendar.clone(),
        ..Setup::new(*calls_per_hour)
    };
    Ok(args.calls_per_hour.iter().map(setup).collect())
}

/// The history, what to call it, and what must be said about it.
fn read(globals: &Globals, args: &SimulateWish) -> anyhow::Result<(String, Option<&'static str>, History)> {
    let window = |from: Timestamp| Window { from, warm_days: args.warm_days, eval_days: args.eval_days };
    let Some(path) = &args.trace else {
        let (name, history) = history::from_store(globals, args.from, window)?;
        return Ok((name, Some(history::CAVEAT), history));
    };
    let from = args.from.resolve(|| Err(no_span_back().into()))?;
    let history = History::read(path, window(from), args.by).map_err(|error| match error {
        TraceError::Empty { .. } => {
            Failure::misuse(error.to_string()).hint("choose another --from, or fewer days")
        }
        other => Failure::new(other.to_string()).hint(TRACE),
    })?;
    Ok((file_name(path), None, history))
}

/// A trace has no now.
fn no_span_back() -> Failure {
    Failure::misuse("a span back has no meaning in a trace").hint("give `--from` a date, such as 2024-02-01")
}

/// What a trace is called in reports.
fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn window_report(history: &History, args: &SimulateWish) -> WindowReport {
    let window = history.window;
    WindowReport {
        from: UnixNumber(window.from),
        start: UnixNumber(window.start()),
        end: UnixNumber(window.end()),
        warm_days: window.warm_days,
        eval_days: window.eval_days,
        sources: history.posters.len(),
        posts: history.eval_count(),
        objective: args.objective.name().to_owned(),
        page_size: args.page_size,
    }
}

/// What a policy came to, as reports have it.
pub fn result_of(outcome: &Outcome) -> PolicyResult {
    PolicyResult {
        policy: outcome.policy.clone(),
        calls_per_hour: outcome.calls_per_hour,
        calls: outcome.calls,
        posts_total: outcome.posts_total,
        captured: outcome.captured,
        coverage: outcome.coverage,
        mean_delay_s: outcome.mean_delay_s,
        median_delay_s: outcome.median_delay_s,
        p90_delay_s: outcome.p90_delay_s,
        posts_per_call: outcome.posts_per_call,
        useful_call_share: outcome.useful_call_share,
        wall_ms: outcome.wall_ms,
    }
}
