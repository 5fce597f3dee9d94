//! The arguments of `freshet forum`: learning how a forum's pages are read, and reading them.
//!
//! What `add --as forum` takes is in `sources.rs`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use freshet_app::forum::PAGES_USUAL;

use super::{ReportArgs, value};

/// `freshet forum …`.
#[derive(Debug, Subcommand)]
pub(crate) enum ForumCommand {
    /// Learn where threads, posts, times and page links are, from an address or from saved pages
    Learn(ForumLearnArgs),
    /// Read saved pages: what they are, their records, the pages around them
    Inspect(ForumInspectArgs),
}

const FORUM_LEARN_EXAMPLES: &str = "\
A folder holds pages (*.html, *.html.gz) and index.tsv: a header row with the columns `file`,
`url` and, where known, `captured` (the HTTP date of the fetch, base of times such as yesterday).

Examples:
  freshet forum learn https://forum.example/ -o site.toml
  freshet forum learn saved/ -o site.toml
  freshet forum inspect saved/ --site site.toml --format jsonl";

/// `freshet forum learn`.
#[derive(Debug, ClapArgs)]
#[command(after_help = FORUM_LEARN_EXAMPLES)]
pub(crate) struct ForumLearnArgs {
    /// The address of the front page, or a folder of saved pages
    #[arg(value_name = "URL_OR_DIR")]
    pub(crate) source: String,
    /// Fetch at most so many pages
    #[arg(long, value_name = "N", default_value_t = PAGES_USUAL)]
    pub(crate) pages: usize,
    /// Permit loopback and private addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Write the definition there [default: standard output, after the report]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet forum inspect`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ForumInspectArgs {
    /// A saved page, or a folder of them with index.tsv
    #[arg(value_name = "FILE_OR_DIR")]
    pub(crate) source: PathBuf,
    /// The address of the page, when it is one file
    #[arg(long, value_name = "URL", value_parser = value::page)]
    pub(crate) url: Option<url::Url>,
    /// The definition that `forum learn` wrote [default: learned from the pages themselves]
    #[arg(long, value_name = "FILE")]
    pub(crate) site: Option<PathBuf>,
    /// How to print what was read
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: ForumFormat,
}

/// How pages are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ForumFormat {
    /// One document: the page, or a list of pages.
    Json,
    /// One line a page.
    Jsonl,
}
