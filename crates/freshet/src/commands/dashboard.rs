//! `freshet dashboard`: the pages over a data directory, without crawling; and their password.
//!
//! A crawl serves the same pages by itself; this is for looking at what was collected, and may stand
//! beside a crawl of another process. It steers as commands do, through the store.

use std::io::{BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use freshet_app::config::Globals;
use freshet_app::data::{self, Data, vault_path};
use freshet_app::failure::Failure;
use freshet_app::status;
use freshet_types::{Clock, Span, Timestamp};
use freshet_web::{self as web, Access, Parts};
use secrecy::{ExposeSecret as _, SecretString};

use crate::args::{DashboardArgs, DashboardCommand};
use crate::crawl::wait_for_signal;
use crate::output;

/// Longest password that is read.
const PASSWORD_BYTES_MAX: u64 = 4096;

/// Serves, or sets the password.
pub(crate) fn execute(globals: &Globals, args: &DashboardArgs) -> anyhow::Result<ExitCode> {
    let data = Data::open(globals)?;
    match args.command {
        Some(DashboardCommand::Password) => set_password(&data)?,
        None => super::run::runtime()?.block_on(serve(globals, &data, args))?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn serve(globals: &Globals, data: &Data, args: &DashboardArgs) -> anyhow::Result<()> {
    let clock: Arc<dyn Clock> = match data.clock().await {
        Ok(clock) => clock,
        // The simulated world is gone: what was collected is shown as of then.
        Err(_) => Arc::new(Stopped(status::live_report(&data.store)?.map(|run| run.now.0))),
    };
    // Nobody is asked for a passphrase only to look: without it the names stay unknown.
    let is_locked = vault_path(data.dir()).is_file() && globals.config.passphrase.is_none();
    let credentials = if is_locked { None } else { Some(data.vault(globals)?.list()) };
    let parts = Parts {
        dir: data.dir().to_owned(),
        networks: Arc::new(data::networks(globals)?),
        clock,
        credentials,
        passphrase: globals.config.passphrase.clone(),
        tls: web::tls_config(&args.tls.files())?,
        access: Access::new(data.dir(), globals.config.dashboard_token.clone())?,
        choices: Vec::new(),
    };
    let served = web::serve(web::bind(args.listen).await?, parts)?;
    output::line(format!("dashboard: {}", served.url))?;
    let lasts = args.duration.map_or(std::time::Duration::MAX, Span::to_std);
    // Either is a reason to stop.
    let _ = tokio::time::timeout(lasts, wait_for_signal()).await;
    Ok(())
}

/// A clock that stands still at the last instant that a run noted.
#[derive(Debug)]
struct Stopped(Option<Timestamp>);

impl Clock for Stopped {
    fn now(&self) -> Timestamp {
        self.0.unwrap_or_else(|| freshet_types::SystemClock.now())
    }
}

fn set_password(data: &Data) -> anyhow::Result<()> {
    let path = web::password_path(data.dir());
    let password = read_password()?;
    if password.expose_secret().is_empty() {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("`{}` cannot be removed", path.display()));
            }
            _ => return output::line("the dashboard has no password now"),
        }
    }
    let hash = web::hash(&password)?;
    let mut options = std::fs::OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::mode(options.write(true).create(true).truncate(true), 0o600);
    let written = options.open(&path).and_then(|mut file| writeln!(file, "{hash}"));
    written.with_context(|| format!("`{}` cannot be written", path.display()))?;
    output::line("the dashboard asks for this password from its next start on")
}

fn read_password() -> anyhow::Result<SecretString> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let typed = rpassword::prompt_password("New password of the dashboard (empty for none): ");
        return Ok(SecretString::from(typed.context("the password cannot be read")?));
    }
    let mut line = String::new();
    let mut input = stdin.lock().take(PASSWORD_BYTES_MAX);
    let read = input.read_line(&mut line).context("the password cannot be read from standard input")?;
    // An empty line takes the password away; no line at all is more likely a slip in a script.
    if read == 0 {
        let failure = Failure::misuse("standard input has no password");
        return Err(failure
            .hint("type it at the prompt, or write a line; an empty line takes it away")
            .into());
    }
    Ok(SecretString::from(line.trim_end_matches(['\r', '\n'])))
}
