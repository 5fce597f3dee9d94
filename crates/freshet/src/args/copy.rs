//! The arguments of `freshet copy`.

use clap::Args as ClapArgs;

use super::ReportArgs;

const EXAMPLES: &str = "\
Examples:
  freshet copy ~/.local/share/freshet postgres://freshet@db/freshet
                                                 a data directory's store goes to a server
  freshet copy postgres://freshet@db/freshet store.sqlite
                                                 and back, into a file

Stop what runs on it first. An interrupted copy goes on where it stood with the same command. Credentials and
definitions of your own stay where they are.";

/// `freshet copy`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CopyArgs {
    /// The store to read: a data directory, a SQLite file, or `postgres://USER@HOST/DATABASE`
    #[arg(value_name = "FROM")]
    pub(crate) from: String,
    /// The store to write, which must be new
    #[arg(value_name = "TO")]
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}
