//! `freshet simulate`: policies compared on a recorded history.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use freshet_app::when::When;
use freshet_policy::Objective;
use freshet_sim::experiment::CALLS_PER_HOUR_MAX;
use freshet_sim::trace::By;

use super::ReportArgs;

/// Days of a window; ten years.
const DAYS_MAX: i64 = 3660;

const SIMULATE_EXAMPLES: &str = "\
A trace is a file of lines `user<TAB>unix seconds` (or `board<TAB>thread<TAB>unix
seconds<TAB>author`), plain or compressed with zstd. The posts of the warm-up days are all
known; then time passes in slots of 15 minutes, each policy visits as often as the budget
allows, and learns only from what its visits return. A post that is never fetched is charged
until the end.

Policies: rr, random, proportional, organ-pipe, hash, hash-week, cuvim, change-rate,
curve-fitting, bound-based, cho-gm, azar, lambda-crawl, sia-cho, nutch-adaptive,
stormcrawler-adaptive, miniflux, backlog, index, index-profile, freshet; and two oracles that
know what no policy can: bound (the rates), clairvoyant (the posts). `live` is the engine of
`freshet run` itself, crawling a simulated server that posts as the trace does and announces the
budget as its limit; it learns in the warm-up with its own calls only. `live:NAME` crawls by
another policy.

Examples:
  freshet simulate --trace posts.tsv.zst --policies rr,freshet,live --from 2024-02-01 \\
      --warm-days 28 --eval-days 28 --calls-per-hour 10
  freshet simulate --trace posts.tsv --policies rr,freshet --from 2024-02-01 \\
      --calls-per-hour 5,10,20 --plots plots/
  freshet simulate --from-store --policies rr,freshet --from 60d --calls-per-hour 60";

/// `freshet simulate`.
#[derive(Debug, ClapArgs)]
#[command(after_help = SIMULATE_EXAMPLES)]
pub(crate) struct SimulateArgs {
    /// The recorded history
    #[arg(long, value_name = "FILE", required_unless_present = "from_store", conflicts_with = "from_store")]
    pub(crate) trace: Option<PathBuf>,
    /// Take the history from the data directory: what was collected. Posts that were never seen
    /// are not in it, so delays come out too well, most for policies unlike the one that collected
    #[arg(long)]
    pub(crate) from_store: bool,
    /// What to compare, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "rr,freshet")]
    pub(crate) policies: Vec<String>,
    /// Begin of the warm-up: a date (midnight in UTC), an RFC 3339 time, or a span back
    #[arg(long, value_name = "T")]
    pub(crate) from: When,
    /// Days whose posts are all known
    #[arg(long, value_name = "N", default_value_t = 28, value_parser = clap::value_parser!(u32).range(1..=DAYS_MAX))]
    pub(crate) warm_days: u32,
    /// Days that are measured
    #[arg(long, value_name = "N", default_value_t = 28, value_parser = clap::value_parser!(u32).range(1..=DAYS_MAX))]
    pub(crate) eval_days: u32,
    /// The budget; several with commas
    #[arg(long, value_name = "X", value_delimiter = ',', required = true, value_parser = calls)]
    pub(crate) calls_per_hour: Vec<f64>,
    /// Posts that a visit returns at most, the newest; all unless given
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) page_size: Option<u32>,
    /// What happens to posts beyond a page: `lost`, or `pages` that cost a call each
    #[arg(long, value_name = "WHAT", default_value = "lost", value_parser = ["lost", "pages"], requires = "page_size")]
    pub(crate) overflow: String,
    /// What policies are asked for: `delay` (mean time from post to visit) or `capture` (posts
    /// that are seen at all)
    #[arg(long, value_name = "WHAT", default_value = "delay")]
    pub(crate) objective: Objective,
    /// Sources that one call can ask about whether they have news; what it finds takes a visit each
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) group: u32,
    /// With `--group`: such a call is a page of a merged list, and shows the newest posts of its sources, so
    /// many at most; without, it only tells who has news
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) merged: Option<u32>,
    /// What is a source in a trace with threads: `author`, `thread` or `board`
    #[arg(long, value_name = "WHAT", default_value = "author")]
    pub(crate) by: By,
    /// A file of lines `user<TAB>weight`: how much a user's posts count, 1 unless given
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// For policies that draw lots: the same number gives the same result
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Write plots (SVG) into this directory: delays, calls a day, prices, and delay against
    /// budget where several budgets are given
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

fn calls(text: &str) -> Result<f64, String> {
    let calls: f64 = text.trim().parse().map_err(|_| format!("`{text}` is no number of calls an hour"))?;
    if (0.0..=CALLS_PER_HOUR_MAX).contains(&calls) {
        Ok(calls)
    } else {
        Err(format!("calls an hour are between 0 and {CALLS_PER_HOUR_MAX:e}"))
    }
}
