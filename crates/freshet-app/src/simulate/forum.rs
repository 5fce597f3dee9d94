//! Comparing policies on the recorded history of a forum, as the list-wise paper does: from the portal on, at so many pages a day.
//! The comparison itself is the simulator's business (`freshet_sim::forum`).

pub mod plots;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use freshet_report::UnixNumber;
use freshet_report::simulate::{ForumPolicyResult, ForumShare, ForumSimulateReport, ForumWindowReport};
use freshet_sim::forum::live::LiveError;
use freshet_sim::forum::measure::Share;
use freshet_sim::forum::{self, Figures, History, Setup};
use freshet_sim::trace::TraceError;
use freshet_types::Timestamp;

use super::HELP;
use crate::failure::Failure;
use crate::notice;
use crate::progress::Progress;
use crate::when::When;

/// What a trace of a forum is.
const TRACE: &str = "a trace of a forum is a table of board, thread, unix seconds and author, four whole numbers with tabs between \
     them, plain or packed with zstd";

/// Which policies are compared, and on which forum.
#[derive(Clone, Debug)]
pub struct ForumWish {
    /// The recorded history.
    pub trace: PathBuf,
    /// The policies, by name.
    pub policies: Vec<String>,
    /// When they begin, at the portal.
    pub from: When,
    /// Days that do not count.
    pub warm_days: u32,
    /// Days after them, which count.
    pub eval_days: u32,
    /// Bandwidths, each compared.
    pub pages_per_day: Vec<f64>,
    /// Records of a page.
    pub page_size: u32,
}

/// A comparison: its report, and what plots are drawn from.
#[derive(Debug)]
pub struct ForumComparison {
    /// For people and programs.
    pub report: ForumSimulateReport,
    /// Pages a day, and what a policy came to, day by day.
    pub reached: Vec<(f64, Figures)>,
}

/// Runs the comparison.
pub fn compare(wish: &ForumWish) -> anyhow::Result<ForumComparison> {
    forum::check_names(&wish.policies).map_err(|error| Failure::misuse(error.to_string()).hint(HELP))?;
    let start = wish.from.resolve(|| Err(super::no_span_back().into()))?;
    let setup = |pages_per_day: &f64| Setup {
        start,
        days: wish.warm_days + wish.eval_days,
        eval_days: wish.eval_days,
        pages_per_day: *pages_per_day,
        page_size: wish.page_size,
    };
    let setups: Vec<Setup> = wish.pages_per_day.iter().map(setup).collect();
    let window = setup(&0.0);
    notice::on_interrupt("stopped: nothing was written");
    let history = read(wish, &window)?;
    let runs_count = (wish.policies.len() * setups.len()) as u64;
    let progress = Mutex::new(Progress::new("policies", 0, runs_count));
    let done = |_: &Figures| progress.lock().unwrap_or_else(PoisonError::into_inner).step();
    let figures =
        forum::compare(history, &wish.policies, &setups, &done).map_err(|error| unlearned(&error))?;
    drop(progress);
    let widths = wish.pages_per_day.iter().flat_map(|width| wish.policies.iter().map(move |_| *width));
    let reached: Vec<(f64, Figures)> = widths.zip(figures).collect();
    let report = ForumSimulateReport {
        trace: super::file_name(&wish.trace),
        window: window_report(history, &window),
        policies: reached.iter().map(|(width, figures)| result_of(*width, figures)).collect(),
    };
    Ok(ForumComparison { report, reached })
}

/// The history, for as long as the process lives: the engine keeps whom it asks, and a process compares once.
fn read(wish: &ForumWish, setup: &Setup) -> anyhow::Result<&'static History> {
    let counted = Timestamp::from_secs(setup.eval_s() as i64)..Timestamp::from_secs(setup.end_s() as i64);
    let history = History::read_counted(&wish.trace, counted).map_err(|error| match error {
        TraceError::Uncounted { .. } => {
            Failure::misuse(error.to_string()).hint("choose another --from, or fewer days")
        }
        other => Failure::new(other.to_string()).hint(TRACE),
    })?;
    Ok(Box::leak(Box::new(history)))
}

fn unlearned(error: &LiveError) -> Failure {
    let failure = Failure::new(format!("`live` cannot crawl: {error}"));
    match error {
        LiveError::Unlearned => {
            failure.hint("choose a later --from, when the forum has more threads, or leave `live` out")
        }
        LiveError::Run(_) => failure.hint("leave `live` out"),
    }
}

fn window_report(history: &History, setup: &Setup) -> ForumWindowReport {
    let (eval_s, end_s) = (setup.eval_s(), setup.end_s());
    let before = |at_s: f64| history.posts.partition_point(|post| (post.at_s as f64) < at_s);
    ForumWindowReport {
        from: UnixNumber(setup.start),
        start: UnixNumber(Timestamp::from_secs(eval_s as i64)),
        end: UnixNumber(Timestamp::from_secs(end_s as i64)),
        warm_days: setup.days - setup.eval_days,
        eval_days: setup.eval_days,
        page_size: setup.page_size,
        boards: history.board_count,
        threads: history.thread_count(),
        archived_posts: before(setup.start.secs_f64()),
        posts: history.posts.len() - before(eval_s),
    }
}

fn result_of(pages_per_day: f64, figures: &Figures) -> ForumPolicyResult {
    let share = |share: &Share| ForumShare {
        useful_page_share: share.useful,
        coverage: share.coverage,
        timeliness_s: share.timeliness_s,
        mean_delay_s: share.charged_s,
    };
    ForumPolicyResult {
        policy: figures.policy.to_owned(),
        pages_per_day,
        pages: figures.page_count,
        threads: share(&figures.index),
        posts: share(&figures.posts),
    }
}
