//! The arguments of `freshet search` and `freshet find`: by words, in what was collected and on a network.
//!
//! One object by its name is `object.rs`.

use clap::Args as ClapArgs;

use super::ReportArgs;

/// `freshet search`.
#[derive(Debug, ClapArgs)]
pub(crate) struct SearchArgs {
    /// Words that must occur; "a phrase"; a OR b; NOT c; pre*
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const FIND_EXAMPLES: &str = "\
Examples:
  freshet find bluesky river watchers            who calls themselves so
  freshet find mastodon:example.social botany --add --limit 50
                                                 and watch the first fifty
  freshet robots start relation                  go on from them to whom they follow, with
  freshet run --depth 1                          one step more

A request or a few are sent, with the network's credential if there is one; some networks answer none without.
Nothing is stored unless --add is given.";

/// `freshet find`.
#[derive(Debug, ClapArgs)]
#[command(after_help = FIND_EXAMPLES)]
pub(crate) struct FindArgs {
    /// Which network: `bluesky`, `mastodon:example.social`, `mastodon:http://127.0.0.1:4040`
    #[arg(value_name = "NETWORK")]
    pub(crate) network: String,
    /// Words to look for: a name, a handle, what people say of themselves
    #[arg(value_name = "WORDS", required = true)]
    pub(crate) words: Vec<String>,
    /// Watch the accounts that are found, as `freshet add` would
    #[arg(long)]
    pub(crate) add: bool,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub(crate) limit: u32,
    /// Permit loopback and private addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}
