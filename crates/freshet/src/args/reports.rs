//! The arguments of the commands that tell something and change nothing: `explain`, `plan`, `gaps`, `complaints`, `alerts`.
//!
//! Reports that take no argument of their own, such as `status`, need none but `ReportArgs`.

use clap::{Args as ClapArgs, Subcommand};
use freshet_types::Span;

use super::{ReportArgs, value};

/// `freshet explain`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    /// The source: what `add` was given, a handle, an address or a source's number
    #[arg(value_name = "SOURCE")]
    pub(crate) source: String,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const PLAN_EXAMPLES: &str = "\
Examples:
  freshet plan                                   lag and calls at present prices
  freshet plan --lag 10m                         how many calls an hour that needs
  freshet plan --calls-per-hour 200              what lag to expect of them";

/// `freshet plan`.
#[derive(Debug, Default, ClapArgs)]
#[command(after_help = PLAN_EXAMPLES)]
pub(crate) struct PlanArgs {
    /// The mean time from post to visit that is wanted, such as 10m
    #[arg(long, value_name = "SPAN", value_parser = value::span, conflicts_with = "calls_per_hour")]
    pub(crate) lag: Option<Span>,
    /// Requests an hour that may be spent, over all networks
    #[arg(long, value_name = "N", value_parser = value::calls, allow_negative_numbers = true)]
    pub(crate) calls_per_hour: Option<f64>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet gaps`.
#[derive(Debug, ClapArgs)]
pub(crate) struct GapsArgs {
    /// Show at most so many sources as text, those with the dearest holes first; JSON has all
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const COMPLAINTS_EXAMPLES: &str = "\
A complaint is about one record of an answer, or one value of it; the rest of the answer is kept.
Samples are kept for 30 days, and forgetting anybody erases all of them.

Examples:
  freshet complaints                             all kinds, those met last first
  freshet complaints --network mastodon          of all servers of a network
  freshet complaints --samples 20 --format json  with all that is kept";

/// `freshet complaints`.
#[derive(Debug, ClapArgs)]
#[command(after_help = COMPLAINTS_EXAMPLES)]
pub(crate) struct ComplaintsArgs {
    /// Only of this network, or of all servers of this definition
    #[arg(long, value_name = "NETWORK")]
    pub(crate) network: Option<String>,
    /// Show at most so many samples of each kind as text; JSON has all that are kept
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) samples: usize,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const ALERTS_EXAMPLES: &str = "\
Examples:
  freshet alerts                                 the latest, the rules and who is told
  freshet alerts config > alerts.toml            a file to start from, for the data directory
  freshet alerts test phone                      does it arrive?";

/// `freshet alerts`.
#[derive(Debug, ClapArgs)]
#[command(after_help = ALERTS_EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct AlertsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<AlertsCommand>,
    /// Show at most so many, the latest first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet alerts …`.
#[derive(Debug, Subcommand)]
pub(crate) enum AlertsCommand {
    /// Send a test to a receiver, or to all who are told of a rule
    Test {
        /// A receiver of alerts.toml, or a rule: silence, burst, hole, quota, login, dead, store, server
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Print alerts.toml as it is in force, with examples of receivers
    Config,
}
