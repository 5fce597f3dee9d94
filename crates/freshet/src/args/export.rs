//! The arguments of `freshet export` and `freshet snapshot`: taking records out.
//!
//! `--format` of an export names how records are written or how its report is printed; which of both fits is judged by the command.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use freshet_app::when::When;
use freshet_export::CHECKPOINT_EVERY;
use freshet_sink::{Format, RecordKind, SinkError};

use super::{ReportArgs, ReportFormat};

const EXPORT_EXAMPLES: &str = "\
Examples:
  freshet export > posts.jsonl                   every post, its newest version
  freshet export --format parquet -o out/        for DuckDB, pandas, polars: out/posts.parquet
  freshet export --kind posts,accounts,relations,changes --format csv -o out/
  freshet export --kind links                    who liked what, and where links lead
  freshet export --split day --format parquet -o out/
                                                 out/posts/2026-01-05.parquet and so on
  freshet export --split day --since 30d --dry-run
                                                 how many there would be

An export into a directory that was interrupted goes on when the same command is given again, within its
files: nothing that is written is written twice.

What is deleted, forgotten or too old by now is taken out of an export, or a snapshot, that was made before:
  freshet export --apply-deletions out/          the files are written anew, with a receipt
  freshet export --tombstones out/               only list what is to go, for copies of the folder";

/// What says what a new export is to be.
const NEW_EXPORT: [&str; 8] = ["kind", "since", "until", "network", "output", "split", "dry_run", "restart"];

/// As what records are written, or how a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    Records(Format),
    Report(ReportFormat),
}

impl FromStr for ExportFormat {
    type Err = SinkError;
    fn from_str(text: &str) -> Result<Self, SinkError> {
        Ok(match text {
            "text" => Self::Report(ReportFormat::Text),
            "json" => Self::Report(ReportFormat::Json),
            _ => Self::Records(text.parse()?),
        })
    }
}

/// `freshet export`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArgs {
    /// jsonl, csv or parquet; how to print the report of --apply-deletions and --tombstones: text or json
    #[arg(long, default_value = "jsonl")]
    pub(crate) format: ExportFormat,
    /// posts, accounts, relations, changes, objects or links; several with commas, into a directory
    #[arg(long, value_name = "KIND", default_value = "posts", value_delimiter = ',')]
    pub(crate) kind: Vec<RecordKind>,
    /// Posts created at or after this (everything else: first seen)
    #[arg(long, value_name = "T")]
    pub(crate) since: Option<When>,
    /// Created before this
    #[arg(long, value_name = "T")]
    pub(crate) until: Option<When>,
    /// Only this network: `bluesky`, `mastodon:example.social`
    #[arg(long, value_name = "NAME")]
    pub(crate) network: Option<String>,
    /// Write DIR/KIND.FORMAT instead of standard output
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// One file for each day (UTC): DIR/KIND/2026-01-05.FORMAT
    #[arg(long, value_name = "BY", value_enum)]
    pub(crate) split: Option<Split>,
    /// Count what there would be, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Take what was deleted, forgotten or is kept no longer out of this export or snapshot
    #[arg(long, value_name = "DIR", conflicts_with_all = NEW_EXPORT)]
    pub(crate) apply_deletions: Option<PathBuf>,
    /// Only write down what that would be: DIR/tombstones.jsonl
    #[arg(long, value_name = "DIR", conflicts_with_all = NEW_EXPORT, conflicts_with = "apply_deletions")]
    pub(crate) tombstones: Option<PathBuf>,
    /// Begin anew: neither go on with an export that was interrupted, nor spare one of another data directory
    #[arg(long, requires = "output")]
    pub(crate) restart: bool,
    /// Records between two points from which an interrupted export can go on
    #[arg(long, value_name = "N", hide = true, default_value_t = CHECKPOINT_EVERY, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) checkpoint_every: u64,
}

/// By what an export is split into files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Split {
    /// By day.
    Day,
}

const SNAPSHOT_EXAMPLES: &str = "\
Examples:
  freshet snapshot flood-2026-11 --title 'Posts on the flood of November 2026'
  freshet snapshot january --since 2026-01-01 --until 2026-02-01 --data-format jsonl
  freshet snapshot verify flood-2026-11";

/// `freshet snapshot`.
#[derive(Debug, ClapArgs)]
#[command(after_help = SNAPSHOT_EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct SnapshotArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SnapshotCommand>,
    /// The folder; it must not be there yet
    #[arg(value_name = "DIR", required = true)]
    pub(crate) dir: Option<PathBuf>,
    /// The title of its README
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// jsonl, csv or parquet
    #[arg(long, value_name = "FORMAT", default_value = "parquet")]
    pub(crate) data_format: Format,
    /// Posts created at or after this (everything else: first seen)
    #[arg(long, value_name = "T")]
    pub(crate) since: Option<When>,
    /// Created before this
    #[arg(long, value_name = "T")]
    pub(crate) until: Option<When>,
    /// Only this network: `bluesky`, `mastodon:example.social`
    #[arg(long, value_name = "NAME")]
    pub(crate) network: Option<String>,
    /// Begin anew, even where a snapshot of the same was interrupted
    #[arg(long)]
    pub(crate) restart: bool,
    /// Records between two points from which an interrupted snapshot can go on
    #[arg(long, value_name = "N", hide = true, default_value_t = CHECKPOINT_EVERY, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) checkpoint_every: u64,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet snapshot …`.
#[derive(Debug, Subcommand)]
pub(crate) enum SnapshotCommand {
    /// Check that every file of a snapshot is there and as it was
    Verify {
        /// The folder
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        #[command(flatten)]
        report: ReportArgs,
    },
}
