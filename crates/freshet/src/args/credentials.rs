//! The arguments of `freshet credentials`: secrets, their names, and whether several may be used in turn.
//!
//! A secret is never an argument, since others see those: it is asked for, or read from standard input.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use freshet_fetch::CredentialKind;
use freshet_types::RobotKind;

use super::ReportArgs;

/// `freshet credentials …`.
#[derive(Debug, Subcommand)]
pub(crate) enum CredentialsCommand {
    /// Add a secret; it is asked for, or read from standard input
    Add(CredentialArgs),
    /// Show which there are, never the secrets
    List(ReportArgs),
    /// Remove one
    Remove {
        /// Its name
        name: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Say whether a network's terms allow several tokens to be used in turn
    #[command(after_help = TERMS_EXAMPLES)]
    Terms {
        /// The network, or one server of it
        network: String,
        /// What its terms allow: you have to read them
        #[arg(value_enum)]
        terms: Terms,
        #[command(flatten)]
        report: ReportArgs,
    },
}

const TERMS_EXAMPLES: &str = "\
Some networks forbid more than one app or account for one purpose. Unless you say otherwise,
one token of a network is used, the first by name. With `allow-many` all of them are, in
turn: each keeps its own quota, tokens of one app share the app's and tokens of one user the
user's. A run that is under way obeys within seconds.

Examples:
  freshet credentials terms mastodon:example.social allow-many
  freshet credentials terms reddit one";

/// How many tokens of a network are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Terms {
    /// All, in turn.
    AllowMany,
    /// The first by name.
    One,
}

const CREDENTIAL_EXAMPLES: &str = "\
The file credentials.age in the data directory is encrypted with a passphrase, which is
asked for or taken from $FRESHET_PASSPHRASE. Secrets may also come from the environment:
FRESHET_CREDENTIAL_MASTODON=\"example.social TOKEN\" (the server first, where a network has
many), FRESHET_CREDENTIAL_BLUESKY_ALICE=identifier:password.

Examples:
  freshet credentials add mastodon:example.social
  freshet credentials add bluesky --kind app_password --name alice < secret.txt
  freshet credentials add mastodon:example.social --name follows --robot relation";

/// `freshet credentials add`.
#[derive(Debug, ClapArgs)]
#[command(after_help = CREDENTIAL_EXAMPLES)]
pub(crate) struct CredentialArgs {
    /// The network it is for: `bluesky`, or one server, `mastodon:example.social`
    pub(crate) network: String,
    /// What to call it [default: the network's name]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The robot that is to use it, rather than all
    #[arg(long)]
    pub(crate) robot: Option<RobotKind>,
    /// `bearer`, `app_password` (given as `identifier:password`), `api_key` or `oauth1` (given as
    /// `consumer_key:consumer_secret:token:token_secret`)
    #[arg(long, default_value = "bearer")]
    pub(crate) kind: CredentialKind,
    /// The app it belongs to: tokens of one app share the quotas of the app
    #[arg(long, value_name = "ID")]
    pub(crate) app: Option<String>,
    /// Whose it is: tokens of one user share the quotas of the user
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}
