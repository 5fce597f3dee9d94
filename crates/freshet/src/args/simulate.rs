//! `freshet simulate`: policies compared on a recorded history.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap::builder::ArgPredicate;
use freshet_app::when::When;
use freshet_policy::Objective;
use freshet_sim::experiment::CALLS_PER_HOUR_MAX;
use freshet_sim::trace::By;

use super::ReportArgs;

/// Days of a window; ten years.
const DAYS_MAX: i64 = 3660;
/// Pages a day that are simulated at most: more than ten a second are asked of no forum.
const PAGES_PER_DAY_MAX: f64 = 1e6;
/// What is usual on a forum: the list-wise paper's year, of which the last 90 days count.
const FORUM_POLICIES: &str = "lws+bc,freshet";
const FORUM_WARM_DAYS: &str = "275";
const FORUM_EVAL_DAYS: &str = "90";

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

With --forum the history is a forum, crawled page by page from its portal on, as the list-wise
paper does it: index pages show the newest threads with their number of posts and their last
activity, thread pages show posts. Pages are fetched at an even pace, so many a day; the last
days count. Reported of threads and posts: the share of useful pages, coverage, T (from made to
fetched, of what was fetched) and the delay over all that was made; what was never fetched
waits until the end. Policies of forums: bound-based, curve-fitting (each page for itself), lws,
lws+bc (lists by the paper's regression, without and with bandwidth control), lws+gap (by the
mean gap or the silence so far), lws+choice, lws+rank (by the model that wins a backtest on the
site, by deviance or by ranking), freshet, freshet+bc, oracle (knows every post), and live, the
engine itself.

Examples:
  freshet simulate --trace posts.tsv.zst --policies rr,freshet,live --from 2024-02-01 \\
      --warm-days 28 --eval-days 28 --calls-per-hour 10
  freshet simulate --trace posts.tsv --policies rr,freshet --from 2024-02-01 \\
      --calls-per-hour 5,10,20 --plots plots/
  freshet simulate --from-store --policies rr,freshet --from 60d --calls-per-hour 60
  freshet simulate --forum forum.tsv.zst --from 2022-01-01 --pages-per-day 300,1000 \\
      --policies bound-based,lws+bc,lws+gap,freshet,oracle --plots plots/
  freshet simulate --forum forum.tsv --from 2022-01-01 --warm-days 21 --eval-days 7 \\
      --pages-per-day 1000 --policies freshet,live --format json";

/// `freshet simulate`.
#[derive(Debug, ClapArgs)]
#[command(after_help = SIMULATE_EXAMPLES)]
pub(crate) struct SimulateArgs {
    /// The recorded history
    #[arg(long, value_name = "FILE", required_unless_present_any = ["from_store", "forum"], conflicts_with = "from_store")]
    pub(crate) trace: Option<PathBuf>,
    /// Take the history from the data directory: what was collected. Posts that were never seen
    /// are not in it, so delays come out too well, most for policies unlike the one that collected
    #[arg(long)]
    pub(crate) from_store: bool,
    /// The recorded history of a forum: lines `board<TAB>thread<TAB>unix seconds<TAB>author`
    #[arg(long, value_name = "FILE", requires = "pages_per_day", conflicts_with_all = ["trace", "from_store"])]
    pub(crate) forum: Option<PathBuf>,
    /// What to compare, separated by commas; on a forum lws+bc,freshet unless given
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "rr,freshet",
        default_value_if("forum", ArgPredicate::IsPresent, FORUM_POLICIES)
    )]
    pub(crate) policies: Vec<String>,
    /// Begin of the warm-up, on a forum the day at its portal: a date (midnight in UTC), an RFC 3339 time, or a span back
    #[arg(long, value_name = "T")]
    pub(crate) from: When,
    /// Days whose posts are all known; on a forum, where 275 are usual, days that do not count
    #[arg(long, value_name = "N", default_value = "28", default_value_if("forum", ArgPredicate::IsPresent, FORUM_WARM_DAYS), value_parser = clap::value_parser!(u32).range(1..=DAYS_MAX))]
    pub(crate) warm_days: u32,
    /// Days that are measured; on a forum 90 unless given
    #[arg(long, value_name = "N", default_value = "28", default_value_if("forum", ArgPredicate::IsPresent, FORUM_EVAL_DAYS), value_parser = clap::value_parser!(u32).range(1..=DAYS_MAX))]
    pub(crate) eval_days: u32,
    /// The budget; several with commas
    #[arg(
        long, value_name = "X", value_delimiter = ',', required_unless_present = "forum", value_parser = calls,
        conflicts_with = "forum"
    )]
    pub(crate) calls_per_hour: Vec<f64>,
    /// The budget on a forum; several with commas
    #[arg(long, value_name = "X", value_delimiter = ',', requires = "forum", value_parser = pages)]
    pub(crate) pages_per_day: Vec<f64>,
    /// Posts that a visit returns at most, the newest; all unless given. On a forum the records of
    /// a page, 10 to 50, 20 unless given
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) page_size: Option<u32>,
    /// What happens to posts beyond a page: `lost`, or `pages` that cost a call each
    #[arg(long, value_name = "WHAT", default_value = "lost", value_parser = ["lost", "pages"], requires = "page_size", conflicts_with = "forum")]
    pub(crate) overflow: String,
    /// What policies are asked for: `delay` (mean time from post to visit) or `capture` (posts
    /// that are seen at all)
    #[arg(long, value_name = "WHAT", default_value = "delay", conflicts_with = "forum")]
    pub(crate) objective: Objective,
    /// Sources that one call can ask about whether they have news; what it finds takes a visit each
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000), conflicts_with = "forum")]
    pub(crate) group: u32,
    /// With `--group`: such a call is a page of a merged list, and shows the newest posts of its sources, so
    /// many at most; without, it only tells who has news
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) merged: Option<u32>,
    /// What is a source in a trace with threads: `author`, `thread` or `board`
    #[arg(long, value_name = "WHAT", default_value = "author", conflicts_with = "forum")]
    pub(crate) by: By,
    /// A file of lines `user<TAB>weight`: how much a user's posts count, 1 unless given; `live` takes
    /// weights from 0.001 to 1000, as a run does
    #[arg(long, value_name = "FILE", conflicts_with = "forum")]
    pub(crate) weights: Option<PathBuf>,
    /// Which days are not like others, for `cuvim` and `hash-week`: a file as `freshet calendar` takes it
    #[arg(long, value_name = "FILE")]
    pub(crate) calendar: Option<PathBuf>,
    /// For policies that draw lots: the same number gives the same result
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "forum")]
    pub(crate) seed: u64,
    /// Write plots (SVG) into this directory: delays, calls a day, prices, and delay against
    /// budget where several budgets are given; on a forum bandwidth utilisation, coverage and
    /// timeliness day by day, and against bandwidth
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

fn pages(text: &str) -> Result<f64, String> {
    let pages: f64 = text.trim().parse().map_err(|_| format!("`{text}` is no number of pages a day"))?;
    if (1.0..=PAGES_PER_DAY_MAX).contains(&pages) {
        Ok(pages)
    } else {
        Err(format!(
            "pages a day are between 1 and {PAGES_PER_DAY_MAX}: without a page nothing can be compared"
        ))
    }
}
