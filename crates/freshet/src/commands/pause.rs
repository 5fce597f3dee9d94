//! `freshet pause`, `freshet resume`: sources rest for a while, and go on where they were.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::pause;
use freshet_report::sources::PauseReport;

use crate::args::RemoveArgs;
use crate::output::{self, Report, count};

/// Pauses or resumes.
pub(crate) fn execute(globals: &Globals, args: &RemoveArgs, is_paused: bool) -> anyhow::Result<ExitCode> {
    let sources = pause::set_paused(globals, &args.references, is_paused)?;
    output::print(args.report, &PauseReport { changed_count: sources.len(), sources, is_paused })?;
    Ok(ExitCode::SUCCESS)
}

impl Report for PauseReport {
    fn text(&self) -> String {
        let what = if self.is_paused { "paused; `freshet resume` watches again" } else { "watched again" };
        format!("{} {what}", count(self.changed_count as u64, "source"))
    }
}
