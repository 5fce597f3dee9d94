//! `freshet credentials`: secrets into the encrypted file, their names out of it.
//!
//! A secret is typed at a hidden prompt or comes on standard input; it is never an argument,
//! where every process of the machine could read it, and it is never printed.

use std::io::{BufRead as _, IsTerminal as _, Read as _};
use std::process::ExitCode;

use anyhow::Context as _;
use freshet_app::config::Globals;
use freshet_app::credentials::{self, SEEN, Wanted};
use freshet_app::data::{self, Data, vault_path};
use freshet_app::failure::Failure;
use freshet_fetch::{CredentialInfo, CredentialState, Vault};
use freshet_report::credentials::{CredentialLine, CredentialsReport, TermsReport};
use secrecy::SecretString;

use crate::args::{CredentialArgs, CredentialsCommand, ReportArgs, Terms};
use crate::output::{self, Report};

/// Longest line that can hold a secret; the vault has the exact limit.
const SECRET_LINE_BYTES_MAX: u64 = 64 * 1024;

/// Adds, lists, removes, or says how many may be used.
pub(crate) fn execute(globals: &Globals, command: &CredentialsCommand) -> anyhow::Result<ExitCode> {
    match command {
        CredentialsCommand::Add(args) => add(globals, args)?,
        CredentialsCommand::List(report) => {
            let vault = Data::look(globals)?.vault(globals)?;
            print(*report, &vault.list(), None)?;
        }
        CredentialsCommand::Remove { name, report } => {
            let mut data = Data::open(globals)?;
            let passphrase = data::passphrase(globals, "Passphrase of the credentials file: ")?;
            let (removed, _) = credentials::discard(&mut data, &passphrase, name)?;
            print(*report, &[removed], Some(format!("removed; {SEEN}")))?;
        }
        CredentialsCommand::Terms { network, terms, report } => {
            let mut data = Data::create(globals)?;
            let networks = data::networks(globals)?;
            let is_allowed = *terms == Terms::AllowMany;
            let many = credentials::set_many_tokens(&mut data, &networks, network, is_allowed)?;
            output::print(*report, &TermsReport { many_tokens: many })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn add(globals: &Globals, args: &CredentialArgs) -> anyhow::Result<()> {
    let networks = data::networks(globals)?;
    credentials::check_network(&networks, &args.network)?;
    let mut data = Data::create(globals)?;
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
        app: args.app.as_deref(),
        user: args.user.as_deref(),
        secret: &secret,
    };
    let (info, _) = credentials::keep(&vault_path(data.dir()), &passphrase, &networks, &wanted)?;
    credentials::wake_unless_running(&mut data, &info.network)?;
    let headline = format!("added to {}; {SEEN}", vault_path(data.dir()).display());
    print(args.report, &[info], Some(headline))
}

/// A secret that is typed at a hidden prompt, or comes on standard input.
pub(crate) fn read_secret(network: &str) -> anyhow::Result<SecretString> {
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

fn print(args: ReportArgs, known: &[CredentialInfo], headline: Option<String>) -> anyhow::Result<()> {
    let credentials = known.iter().map(credentials::line_of).collect();
    output::print(args, &CredentialsReport { credentials, headline })
}

impl Report for CredentialsReport {
    fn text(&self) -> String {
        if self.credentials.is_empty() {
            return "no credentials; `freshet credentials add NETWORK` adds one".to_owned();
        }
        let none = || "-".to_owned();
        let row = |it: &CredentialLine| {
            vec![
                it.name.clone(),
                it.network.to_string(),
                it.kind.clone(),
                it.robot.map_or_else(none, |robot| robot.to_string()),
                it.app.clone().unwrap_or_else(none),
                it.identifier.clone().unwrap_or_else(none),
                it.origin.clone(),
                it.expires_at.map_or_else(none, |at| at.0.to_string()),
                state(it),
            ]
        };
        let header = ["name", "network", "kind", "robot", "app", "user", "from", "expires", "state"];
        let table = output::table(&header, self.credentials.iter().map(row));
        self.headline.iter().cloned().chain([table]).collect::<Vec<_>>().join("\n\n")
    }
}

/// What is known of its use, with what to do.
fn state(it: &CredentialLine) -> String {
    if it.state == CredentialState::Ready.name() {
        return it.state.clone();
    }
    format!("needs `freshet login {} --name {}` again", it.network, it.name)
}

impl Report for TermsReport {
    fn text(&self) -> String {
        if self.many_tokens.is_empty() {
            return "one token is used on every network".to_owned();
        }
        format!(
            "several tokens are used in turn on {}; one on every other network",
            self.many_tokens.join(", ")
        )
    }
}
