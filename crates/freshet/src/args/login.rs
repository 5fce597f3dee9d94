//! The arguments of `freshet login`.

use clap::{Args as ClapArgs, ValueEnum};
use freshet_types::definition::{GrantName, LoginKind};

use super::ReportArgs;

const LOGIN_EXAMPLES: &str = "\
Mastodon and its kin register an app by themselves. Elsewhere you register one, once, on the
network's site, with the address that the browser comes back to (http://127.0.0.1:PORT/), and
give its id; the app's secret is asked for, never an argument. The token, what renews it and
when it runs out are kept in credentials.age; a crawl renews it by itself.

On a machine without a browser: open the address elsewhere, say yes, and paste the address
where that browser ends (it shows an error there).

Examples:
  freshet login mastodon:example.social
  freshet login mastodon:example.social --grant client-credentials
  freshet login reddit --client-id ID --port 8914
  freshet login youtube --client-id ID --client-secret-from-stdin < secret.txt
  freshet login tumblr --kind oauth1 --client-id KEY --name archive";

/// `freshet login`.
#[derive(Debug, ClapArgs)]
#[command(after_help = LOGIN_EXAMPLES)]
pub(crate) struct LoginArgs {
    /// The network, or one server of it: `reddit`, `mastodon:example.social`
    pub(crate) network: String,
    /// The id of the app that you registered there (client id, consumer key)
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// Read the app's secret from the first line of standard input instead of asking for it
    #[arg(long, requires = "client_id")]
    pub(crate) client_secret_from_stdin: bool,
    /// What to call the credential [default: the network's name]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Whose it is, where the network does not say
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Whose consent: a person's, or the app's own [default: the network's usual one]
    #[arg(long, value_enum)]
    pub(crate) grant: Option<GrantArg>,
    /// Which protocol, where the network has two
    #[arg(long, value_enum)]
    pub(crate) kind: Option<KindArg>,
    /// Open no browser, only show the address
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// The port of this computer that the browser comes back to [default: a free one]
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,
    /// Allow loopback and private addresses; a server on this computer is asked by http
    #[arg(long)]
    pub(crate) allow_private: bool,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// Whose consent.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum GrantArg {
    /// A person's, in a browser.
    Code,
    /// The app's own.
    ClientCredentials,
}

impl From<GrantArg> for GrantName {
    fn from(grant: GrantArg) -> Self {
        match grant {
            GrantArg::Code => Self::Code,
            GrantArg::ClientCredentials => Self::ClientCredentials,
        }
    }
}

/// Which protocol.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum KindArg {
    /// OAuth 2.
    Oauth2,
    /// OAuth 1.0a.
    Oauth1,
}

impl From<KindArg> for LoginKind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::Oauth2 => Self::Oauth2,
            KindArg::Oauth1 => Self::Oauth1,
        }
    }
}
