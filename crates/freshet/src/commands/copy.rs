//! `freshet copy`: a whole store moves into another one, either way.

use std::process::ExitCode;

use freshet_app::copy::{CopyWish, copy};
use freshet_report::copy::CopyReport;

use crate::args::CopyArgs;
use crate::output::{self, Report};

/// Moves it.
pub(crate) fn execute(args: &CopyArgs) -> anyhow::Result<ExitCode> {
    let report = copy(&CopyWish { from: args.from.clone(), to: args.to.clone() })?;
    output::print(args.report, &report)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for CopyReport {
    fn text(&self) -> String {
        let rows = self.tables.iter().map(|table| table.rows_count).sum();
        let mut lines = vec![format!("{} is now in {} too", self.from, self.to)];
        lines.push(format!(
            "  {} in {}, counted and hashed alike in both; {} moved now{}",
            output::count(rows, "row"),
            output::count(self.tables.len() as u64, "table"),
            output::count(self.moved_count, "row"),
            if self.is_resumed { ", the others before" } else { "" },
        ));
        lines.join("\n")
    }
}
