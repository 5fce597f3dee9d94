//! `freshet completions`: what a shell needs to complete our commands.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Args, CompletionsArgs};

/// Prints them.
pub(crate) fn execute(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    // Into memory first: the generator would panic on a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "freshet", &mut script);
    crate::output::line(String::from_utf8(script).context("the completions are not text")?.trim_end())?;
    Ok(ExitCode::SUCCESS)
}
