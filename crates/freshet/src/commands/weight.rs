//! `freshet weight`: how much a source counts.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::weight;
use freshet_report::sources::WeightReport;

use crate::args::WeightArgs;
use crate::output::{self, Report, count};

/// Weighs.
pub(crate) fn execute(globals: &Globals, args: &WeightArgs) -> anyhow::Result<ExitCode> {
    output::print(args.report, &weight::set_weight(globals, &args.references, args.weight)?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for WeightReport {
    fn text(&self) -> String {
        let weight = self.weight;
        match self.changed_count {
            0 => format!("nothing changed: it weighs {weight} already"),
            changed => format!("{} of weight {weight} now", count(changed as u64, "source")),
        }
    }
}
