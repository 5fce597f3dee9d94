//! The arguments of `freshet dashboard`, and those by which `run` serves one too.
//!
//! That an address other than loopback needs a password is checked where it is served.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use freshet_types::Span;
use freshet_web::TlsFiles;

use super::value;

const DASHBOARD_EXAMPLES: &str = "\
On loopback nobody is asked for anything. On any other address everybody must log in: with the
password, or with the token in $FRESHET_DASHBOARD_TOKEN (as `Authorization: Bearer TOKEN`, too).

Examples:
  freshet dashboard                              http://127.0.0.1:8640/
  freshet dashboard password                     set the password; an empty one removes it
  freshet dashboard --listen 0.0.0.0:8640        for other computers, behind a password";

/// `freshet dashboard`.
#[derive(Debug, Default, ClapArgs)]
#[command(after_help = DASHBOARD_EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct DashboardArgs {
    /// Serve it there; anything but loopback needs a password or token
    /// [default: 127.0.0.1:8640, or the next free port]
    #[arg(long, value_name = "ADDR", value_parser = value::address)]
    pub(crate) listen: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    /// Stop after this long, such as 60s or 8h
    #[arg(long = "for", value_name = "SPAN", value_parser = value::span)]
    pub(crate) duration: Option<Span>,
    #[command(subcommand)]
    pub(crate) command: Option<DashboardCommand>,
}

/// `freshet dashboard …`.
#[derive(Debug, Subcommand)]
pub(crate) enum DashboardCommand {
    /// Set the password; it is asked for, or read from standard input
    Password,
}

/// How the dashboard is encrypted on its way.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct TlsArgs {
    /// Serve the dashboard over TLS with this certificate chain (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
}

impl TlsArgs {
    /// The files that are named.
    pub(crate) fn files(&self) -> TlsFiles {
        TlsFiles { tls_cert: self.tls_cert.clone(), tls_key: self.tls_key.clone() }
    }
}
