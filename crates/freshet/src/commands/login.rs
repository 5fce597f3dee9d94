//! `freshet login`: shows where to say yes, waits for the answer, and says what is kept.
//!
//! The answer comes by the browser of this computer, or is pasted where there is none. No secret is an argument or printed.

use std::io::{BufRead as _, IsTerminal as _, Read as _};
use std::process::{Command, ExitCode, Stdio};

use anyhow::Context as _;
use freshet_app::config::{Globals, own_variables};
use freshet_app::credentials::{self, SEEN};
use freshet_app::data::{self, Data, block_on, vault_path};
use freshet_app::login::{self, LoggingIn, Wish};
use freshet_fetch::oauth::App;
use freshet_report::credentials::CredentialsReport;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::oneshot;

use crate::args::LoginArgs;
use crate::output;

/// Longest line that is pasted: an address with a code.
const LINE_BYTES_MAX: u64 = 16 * 1024;
/// What opens a browser, the first that is there.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

/// Logs in.
pub(crate) fn execute(globals: &Globals, args: &LoginArgs) -> anyhow::Result<ExitCode> {
    let networks = data::networks(globals)?;
    credentials::check_network(&networks, &args.network)?;
    let mut data = Data::create(globals)?;
    let mut wish = Wish {
        network: &args.network,
        kind: args.kind.map(Into::into),
        grant: args.grant.map(Into::into),
        app: None,
        name: args.name.as_deref(),
        user: args.user.as_deref(),
        port: args.port,
        allow_private: args.allow_private,
    };
    login::check(&data, &networks, &wish)?;
    let is_new = !vault_path(data.dir()).is_file();
    let prompt = if is_new { "New passphrase for the credentials file: " } else { "Passphrase: " };
    let passphrase = data::passphrase(globals, prompt)?;
    wish.app = app(args)?;
    let info = block_on(async {
        let login = LoggingIn::begin(globals, &data, &networks, passphrase, wish).await?;
        let answer = answer(&login, args).await?;
        login.finish(&answer).await
    })?;
    credentials::wake_unless_running(&mut data, &info.network)?;
    let headline = format!("logged in, and kept in {}; {SEEN}", vault_path(data.dir()).display());
    let report =
        CredentialsReport { credentials: vec![credentials::line_of(&info)], headline: Some(headline) };
    output::print(args.report, &report)?;
    Ok(ExitCode::SUCCESS)
}

/// What the browser came back with, or what was pasted, whichever is first.
async fn answer(login: &LoggingIn, args: &LoginArgs) -> anyhow::Result<String> {
    let Some(address) = login.address() else { return Ok(String::new()) };
    output::aside(format!(
        "Open this address in a browser and say yes:\n\n  {address}\n\nIf that browser is on another computer, it ends at an \
         address it cannot reach: paste that address here."
    ));
    if !args.no_browser && std::io::stdout().is_terminal() {
        open(address);
    }
    tokio::select! {
        answer = login.answer() => answer,
        Ok(line) = pasted() => Ok(line),
    }
}

/// Tries to show the address; who has no browser opens it elsewhere.
fn open(address: &str) {
    for opener in OPENERS {
        let mut command = Command::new(opener);
        command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        for name in own_variables() {
            command.env_remove(name);
        }
        if command.spawn().is_ok() {
            return;
        }
    }
}

/// The first line of standard input that is not empty; never, where there is none.
fn pasted() -> oneshot::Receiver<String> {
    let (paste, pasted) = oneshot::channel();
    // A thread that waits for a person does not hold up the end of the process.
    std::thread::spawn(move || {
        let mut lines = std::io::stdin().lock().take(LINE_BYTES_MAX).lines();
        if let Some(Ok(line)) = lines.find(|line| line.as_ref().is_ok_and(|line| !line.trim().is_empty())) {
            drop(paste.send(line));
        }
    });
    pasted
}

/// The app that a person registered, with its secret from standard input or a hidden prompt.
fn app(args: &LoginArgs) -> anyhow::Result<Option<App>> {
    let Some(id) = &args.client_id else { return Ok(None) };
    let secret = if args.client_secret_from_stdin {
        let mut line = String::new();
        std::io::stdin().lock().take(LINE_BYTES_MAX).read_line(&mut line).context("no secret can be read")?;
        Some(SecretString::from(line.trim()))
    } else if std::io::stdin().is_terminal() {
        let typed = rpassword::prompt_password("Secret of the app (empty if it has none): ");
        Some(SecretString::from(typed.context("the secret cannot be read")?))
    } else {
        None
    };
    Ok(Some(App { id: id.clone(), secret: secret.filter(|secret| !secret.expose_secret().is_empty()) }))
}
