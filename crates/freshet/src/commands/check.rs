//! `freshet check`: is what is stored whole, and may nobody else read it? Exit code 1 when there is a finding.

use std::process::ExitCode;

use freshet_app::check;
use freshet_app::config::Globals;
use freshet_report::check::{CheckFinding, CheckReport};

use crate::args::ReportArgs;
use crate::failure;
use crate::output::{self, Report};

/// Looks at everything.
pub(crate) fn execute(globals: &Globals, args: ReportArgs) -> anyhow::Result<ExitCode> {
    let report = check::check(globals)?;
    output::print(args, &report)?;
    Ok(if report.is_whole { ExitCode::SUCCESS } else { failure::partly() })
}

impl Report for CheckReport {
    fn text(&self) -> String {
        if self.is_whole {
            return format!("{} is whole, and nobody else may read it", self.data);
        }
        let mut lines =
            vec![format!("{} in {}", output::count(self.findings.len() as u64, "finding"), self.data)];
        for CheckFinding { subject, what, remedy } in &self.findings {
            lines.push(format!("  {subject}: {}", output::one_line(what)));
            lines.push(format!("    to do: {remedy}"));
        }
        lines.join("\n")
    }
}
