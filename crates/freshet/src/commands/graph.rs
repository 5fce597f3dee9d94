//! `freshet graph`: what stands around an object, drawn or exported.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::graph::{self, GraphWish};
use freshet_app::interest;
use freshet_report::graph::NeighbourhoodReport;

use crate::args::GraphArgs;
use crate::output::{self, Report, count, one_line};

/// Writes it.
pub(crate) fn execute(globals: &Globals, args: &GraphArgs) -> anyhow::Result<ExitCode> {
    let wish = GraphWish {
        reference: args.reference.clone(),
        file: args.output.clone(),
        depth: args.depth,
        limit: args.limit,
    };
    let report = graph::write(globals, &wish)?;
    output::print(args.report, &report)?;
    interest::count_object(globals, &report.middle);
    Ok(ExitCode::SUCCESS)
}

impl Report for NeighbourhoodReport {
    fn text(&self) -> String {
        let (nodes, edges) =
            (count(self.nodes_count as u64, "object"), count(self.edges_count as u64, "link"));
        let cut = if self.is_cut { "; more were left out, --limit and --depth take in more" } else { "" };
        format!("{}: {nodes} and {edges} around {}{cut}", self.file.display(), one_line(&self.middle))
    }
}
