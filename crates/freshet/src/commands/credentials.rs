//! `freshet credentials`: secrets into the encrypted file, their names out of it.
//!
//! A secret is typed at a hidden prompt or comes on standard input; it is never an argument,
//! where every process of the machine could read it, and it is never printed.

use std::io::{BufRead as _, IsTerminal as _, Read as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use freshet_fetch::{Credential, CredentialInfo, CredentialKind, Vault};
use freshet_network::networks::Networks;
use freshet_types::{NetworkName, RobotKind};
use secrecy::SecretString;
use serde::Serialize;

use crate::args::{CredentialArgs, CredentialsCommand, ReportArgs};
use crate::config::Globals;
use crate::data::{self, Data, vault_path};
use crate::failure::Failure;
use crate::output::{self, Report};

/// Longest line that can hold a secret; the vault has the exact limit.
const SECRET_LINE_BYTES_MAX: u64 = 64 * 1024;

/// The file is opened with its passphrase when a crawl starts, and not again.
pub(crate) const RESTART: &str = "a crawl that runs sees it when it is started again";

#[derive(Serialize)]
struct CredentialsReport {
    credentials: Vec<CredentialInfo>,
    #[serde(skip)]
    headline: Option<String>,
}

/// Adds, lists or removes.
pub(crate) fn execute(globals: &Globals, command: &CredentialsCommand) -> anyhow::Result<ExitCode> {
    match command {
        CredentialsCommand::Add(args) => add(globals, args)?,
        CredentialsCommand::List(report) => {
            let vault = Data::look(globals)?.vault(globals)?;
            print(*report, vault.list(), None)?;
        }
        CredentialsCommand::Remove { name, report } => {
            let data = Data::look(globals)?;
            let passphrase = data::passphrase(globals, "Passphrase of the credentials file: ")?;
            let (removed, _) = discard(&vault_path(data.dir()), &passphrase, name)?;
            print(*report, vec![removed], Some(format!("removed; {RESTART}")))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A credential to keep, wherever it was typed.
pub(crate) struct Wanted<'a> {
    /// For this network or server.
    pub(crate) network: &'a str,
    /// What to call it; the network's name unless given.
    pub(crate) name: Option<&'a str>,
    /// What sort it is.
    pub(crate) kind: CredentialKind,
    /// The only robot that may use it.
    pub(crate) robot: Option<RobotKind>,
    /// The secret.
    pub(crate) secret: &'a SecretString,
}

/// Adds a credential to the file; gives what may be shown of it, and of all in the file.
pub(crate) fn keep(
    path: &Path,
    passphrase: &SecretString,
    networks: &Networks,
    wanted: &Wanted<'_>,
) -> anyhow::Result<(CredentialInfo, Vec<CredentialInfo>)> {
    let network = NetworkName::from(wanted.network);
    check_network(networks, &network)?;
    let mut vault = Vault::open(path, passphrase)?;
    let name = wanted.name.unwrap_or(wanted.network);
    let credential = Credential::new(name, &network, wanted.kind, wanted.robot, wanted.secret)?;
    let info = credential.info();
    vault.add(credential)?;
    vault.save()?;
    Ok((info, vault.list()))
}

/// Removes a credential from the file; gives what it was, and what is left.
pub(crate) fn discard(
    path: &Path,
    passphrase: &SecretString,
    name: &str,
) -> anyhow::Result<(CredentialInfo, Vec<CredentialInfo>)> {
    let mut vault = Vault::open(path, passphrase)?;
    let removed = vault.remove(name)?;
    vault.save()?;
    Ok((removed, vault.list()))
}

fn add(globals: &Globals, args: &CredentialArgs) -> anyhow::Result<()> {
    let network = NetworkName::from(args.network.as_str());
    let networks = data::networks(globals)?;
    check_network(&networks, &network)?;
    let data = Data::create(globals)?;
    let is_new = !vault_path(data.dir()).is_file();
    let prompt = if is_new { "New passphrase for the credentials file: " } else { "Passphrase: " };
    let passphrase = data::passphrase(globals, prompt)?;
    // A wrong one is told before the secret is typed.
    drop(Vault::open(&vault_path(data.dir()), &passphrase)?);
    let secret = read_secret(&args.network)?;
    let wanted = Wanted {
        network: &args.network,
        name: args.name.as_deref(),
        kind: args.kind,
        robot: args.robot,
        secret: &secret,
    };
    let (info, _) = keep(&vault_path(data.dir()), &passphrase, &networks, &wanted)?;
    let headline = format!("added to {}; {RESTART}", vault_path(data.dir()).display());
    print(args.report, vec![info], Some(headline))
}

fn check_network(networks: &Networks, network: &NetworkName) -> anyhow::Result<()> {
    if networks.connector_for(network).is_none() {
        let failure = Failure::misuse(format!("there is no network `{}`", network.definition()));
        return Err(failure.hint(format!("the networks are {}", networks.names().join(", "))).into());
    }
    if network.host().is_none() && super::networks::has_many_hosts(networks, network.definition()) {
        let name = network.definition();
        let failure =
            Failure::misuse(format!("`{name}` has many servers, and a secret is shown to one only"));
        return Err(failure.hint(format!("name it, as in `{name}:example.social`")).into());
    }
    Ok(())
}

fn read_secret(network: &str) -> anyhow::Result<SecretString> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let typed = rpassword::prompt_password(format!("Secret for {network}: "));
        return Ok(SecretString::from(typed.context("the secret cannot be read")?));
    }
    let mut line = String::new();
    let mut input = stdin.lock().take(SECRET_LINE_BYTES_MAX);
    input.read_line(&mut line).context("the secret cannot be read from standard input")?;
    let secret = line.trim_end_matches(['\r', '\n']);
    if secret.is_empty() {
        let failure = Failure::misuse("no secret was given on standard input");
        return Err(failure.hint("type it at the prompt, or give it as one line: `… < secret.txt`").into());
    }
    Ok(SecretString::from(secret))
}

fn print(args: ReportArgs, credentials: Vec<CredentialInfo>, headline: Option<String>) -> anyhow::Result<()> {
    output::print(args, &CredentialsReport { credentials, headline })
}

impl Report for CredentialsReport {
    fn text(&self) -> String {
        if self.credentials.is_empty() {
            return "no credentials; `freshet credentials add NETWORK` adds one".to_owned();
        }
        let none = || "-".to_owned();
        let row = |it: &CredentialInfo| {
            vec![
                it.name.to_string(),
                it.network.to_string(),
                it.kind.to_string(),
                it.robot.map_or_else(none, |robot| robot.to_string()),
                it.identifier.clone().unwrap_or_else(none),
                format!("{:?}", it.origin).to_lowercase(),
            ]
        };
        let header = ["name", "network", "kind", "robot", "identifier", "from"];
        let table = output::table(&header, self.credentials.iter().map(row));
        self.headline.iter().cloned().chain([table]).collect::<Vec<_>>().join("\n\n")
    }
}
