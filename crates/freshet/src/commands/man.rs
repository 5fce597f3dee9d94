//! `freshet man`: the manual page on standard output, or one page per command into a directory.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Args, ManArgs};
use crate::output;

/// Prints or writes the pages.
pub(crate) fn execute(args: &ManArgs) -> anyhow::Result<ExitCode> {
    let mut command = Args::command();
    command.build();
    match &args.output {
        None => output::line(String::from_utf8_lossy(&render(command)?).trim_end())?,
        Some(dir) => {
            std::fs::create_dir_all(dir).with_context(|| format!("`{}` cannot be made", dir.display()))?;
            let page_count = write_all(dir, command, "freshet")?;
            output::line(format!("{} written to {}", output::count(page_count, "page"), dir.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn render(command: clap::Command) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).context("the manual page cannot be made")?;
    Ok(page)
}

/// Writes the page of a command and those of its own commands; gives how many.
fn write_all(dir: &Path, command: clap::Command, name: &str) -> anyhow::Result<u64> {
    let mut page_count = 1;
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        page_count += write_all(dir, inner.clone(), &format!("{name}-{}", inner.get_name()))?;
    }
    let path = dir.join(format!("{name}.1"));
    std::fs::write(&path, render(command)?)
        .with_context(|| format!("`{}` cannot be written", path.display()))?;
    Ok(page_count)
}
