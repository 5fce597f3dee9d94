//! `freshet remove`: sources are no longer visited; what was collected stays.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::remove;
use freshet_report::sources::RemoveReport;

use crate::args::RemoveArgs;
use crate::output::{self, Report, count};

/// Sources that are shown to people; a forum has thousands.
const SHOWN_MAX: usize = 50;

/// Takes sources off the list.
pub(crate) fn execute(globals: &Globals, args: &RemoveArgs) -> anyhow::Result<ExitCode> {
    output::print(args.report, &remove::remove_named(globals, &args.references)?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for RemoveReport {
    fn text(&self) -> String {
        let mut lines = vec![format!("{} removed; what was collected stays", {
            count(self.removed_count as u64, "source")
        })];
        let shown = self.sources.iter().take(SHOWN_MAX);
        lines.extend(shown.map(|it| format!("  {}  {}", it.source.0, it.label)));
        if self.sources.len() > SHOWN_MAX {
            lines.push(format!("  … and {} more", self.sources.len() - SHOWN_MAX));
        }
        lines.join("\n")
    }
}
