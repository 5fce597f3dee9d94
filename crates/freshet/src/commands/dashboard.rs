//! `freshet dashboard`: the pages over a data directory, without crawling; and their password.
//!
//! A crawl serves the same pages by itself; this is for looking at what was collected, and may stand
//! beside a crawl of another process. It steers as commands do, through the store.

use std::io::{BufRead as _, IsTerminal as _, Read as _};
use std::process::ExitCode;

use anyhow::Context as _;
use freshet_app::config::Globals;
use freshet_app::data::Data;
use freshet_app::failure::Failure;
use freshet_app::viewers;
use freshet_types::Span;
use freshet_web::{self as web, Parts};
use secrecy::SecretString;

use crate::args::{DashboardArgs, DashboardCommand};
use crate::crawl::wait_for_signal;
use crate::output;

/// Longest password that is read.
const PASSWORD_BYTES_MAX: u64 = 4096;

/// Serves, or sets the password.
pub(crate) fn execute(globals: &Globals, args: &DashboardArgs) -> anyhow::Result<ExitCode> {
    let data = Data::open(globals)?;
    if args.command.is_none() {
        let hint = "everybody's is served; its owner looks as a viewer with `?as=NAME`, others log in with a viewer's own password";
        viewers::refuse(globals, "no dashboard is served", hint)?;
    }
    match args.command {
        Some(DashboardCommand::Password) => set_password(&data)?,
        None => super::run::runtime()?.block_on(serve(globals, &data, args))?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn serve(globals: &Globals, data: &Data, args: &DashboardArgs) -> anyhow::Result<()> {
    let parts = Parts::of_directory(globals, data, &args.tls.files()).await?;
    let served = web::serve(web::bind(args.listen).await?, parts)?;
    output::line(format!("dashboard: {}", served.url))?;
    let lasts = args.duration.map_or(std::time::Duration::MAX, Span::to_std);
    // Either is a reason to stop.
    let _ = tokio::time::timeout(lasts, wait_for_signal()).await;
    Ok(())
}

fn set_password(data: &Data) -> anyhow::Result<()> {
    if let Some(viewer) = data.viewer() {
        let is_set = web::set_viewer_password(data.dir(), viewer, &read_password()?)?;
        return output::line(if is_set {
            format!("who logs in with this password looks as `{viewer}`, from now on")
        } else {
            format!("`{viewer}` has no password now")
        });
    }
    output::line(if web::set_password(data.dir(), &read_password()?)? {
        "the dashboard asks for this password from its next start on"
    } else {
        "the dashboard has no password now"
    })
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
