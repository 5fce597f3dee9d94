//! `freshet explain`: what is known of a source, and when and why it is visited next.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::explain::{self, ExplainReport};

use crate::args::ExplainArgs;
use crate::output::{self, Report};

/// Explains every source that is meant.
pub(crate) fn execute(globals: &Globals, args: &ExplainArgs) -> anyhow::Result<ExitCode> {
    output::print(args.report, &explain::report(globals, &args.source)?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for ExplainReport {
    fn text(&self) -> String {
        self.sources.iter().map(|it| it.text.clone()).collect::<Vec<_>>().join("\n\n")
    }
}
