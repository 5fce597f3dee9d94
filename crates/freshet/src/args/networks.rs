//! The arguments of `freshet networks`: definitions, and what is kept of a network.
//!
//! The value of a setting is a word here; what it means to which setting is said by the command.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::ReportArgs;

/// `freshet networks …`.
#[derive(Debug, Subcommand)]
pub(crate) enum NetworksCommand {
    /// Show the networks that are defined
    List(ReportArgs),
    /// Show one definition
    Show {
        /// Its name
        name: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Check a definition without using it
    Check {
        /// A TOML file
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Read recorded exchanges as the crawl would; one JSON line each
    Read(ReadArgs),
    /// Change what happens to a network's content
    Set {
        /// A network (`bluesky`, `mastodon:example.social`), or all servers of a definition
        name: String,
        /// What to set: `on_delete`, `retention` or `store`
        #[arg(value_enum)]
        setting: NetworkSetting,
        /// For `on_delete`: `keep` or `redact`. For `retention`: how long posts are kept, such as 90d, or `keep`. For `store`: `keep`, or
        /// `never`, which hands everything to subscribers only
        value: String,
        /// Accept a retention of less than a day
        #[arg(long)]
        yes: bool,
        /// With `store never`: also take out the content that is stored, for good
        #[arg(long)]
        erase: bool,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Print the JSON schema of definitions, for editors
    Schema,
}

/// What can be set of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum NetworkSetting {
    /// What happens to content that it deletes: `keep` or `redact`.
    OnDelete,
    /// How long its posts are kept, whatever brings them: a span, or `keep`.
    Retention,
    /// What becomes of everything that is seen there: `keep`, or `never`, and subscribers only get it.
    Store,
}

/// `freshet networks read`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ReadArgs {
    /// The definition to read them by
    #[arg(long, value_name = "NAME")]
    pub(crate) network: String,
    /// One exchange a line, as JSON: method, url, status, headers, body; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) recordings: PathBuf,
    /// How to print what was read
    #[arg(long, default_value = "jsonl", value_parser = ["jsonl"])]
    pub(crate) format: String,
}
