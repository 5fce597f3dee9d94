//! The arguments of `freshet care` and `freshet retention`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args as ClapArgs, Subcommand};
use freshet_types::Span;

use super::{ReportArgs, value};

const CARE_EXAMPLES: &str = "\
Examples:
  freshet care                                   what is kept of whom, by which rules, and who has to hear
  freshet care @ada@example.social               everything that is kept of one account
  freshet care set within 30d                    exports have to hear of deletions within a month
  freshet care apply                             take out of all of them what is kept no longer; fit for once a day
  freshet care drop old-export                   its folder is gone, or in other hands

Exports and snapshots are remembered when they are made. `freshet export --apply-deletions DIR` takes
out of one what was deleted, forgotten or is kept no longer.";

/// `freshet care`.
#[derive(Debug, ClapArgs)]
#[command(after_help = CARE_EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct CareArgs {
    #[command(subcommand)]
    pub(crate) command: Option<CareCommand>,
    /// An account: an address, a handle, or what `add` was given
    #[arg(value_name = "REF")]
    pub(crate) reference: Option<String>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet care …`.
#[derive(Debug, Subcommand)]
pub(crate) enum CareCommand {
    /// Set within which time exports and snapshots are to hear of deletions
    #[command(subcommand)]
    Set(CareSetting),
    /// Let every export and snapshot that has to hear of deletions hear of them, as `export --apply-deletions` does
    Apply {
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Remember an export or a snapshot no more
    Drop {
        /// Its folder, as `freshet care` lists it
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        #[command(flatten)]
        report: ReportArgs,
    },
}

/// `freshet care set …`.
#[derive(Debug, Subcommand)]
pub(crate) enum CareSetting {
    /// Within which time exports and snapshots are to hear of deletions
    Within {
        /// Such as 30d
        #[arg(value_name = "SPAN", value_parser = value::span)]
        span: Span,
        #[command(flatten)]
        report: ReportArgs,
    },
}

const RETENTION_EXAMPLES: &str = "\
Examples:
  freshet retention @ada@example.social 90d      posts of this source are dropped after 90 days
  freshet retention 17 18 keep                   these are kept
  freshet networks set mastodon retention 1w     whatever brings them

What is too old by that is erased at once. Where a network has a retention too, the shorter one holds.
A source that is kept longer than before is read anew.";

/// `freshet retention`.
#[derive(Debug, ClapArgs)]
#[command(after_help = RETENTION_EXAMPLES)]
pub(crate) struct RetentionArgs {
    /// The source: what `add` was given, a handle, an address or a source's number
    #[arg(value_name = "REF", required = true, num_args = 1..)]
    pub(crate) references: Vec<String>,
    /// How long its posts are kept, such as 90d, or `keep`
    #[arg(value_name = "SPAN", required = true)]
    pub(crate) span: RetentionSpan,
    /// Accept less than a day
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// How long posts are kept; none where they are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RetentionSpan(pub(crate) Option<Span>);

impl FromStr for RetentionSpan {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "keep" {
            return Ok(Self(None));
        }
        let span = value::span(text);
        span.map(|span| Self(Some(span)))
            .map_err(|_| format!("`{text}` is no span such as 90d, and not `keep`"))
    }
}
