//! `freshet retention`: how long posts of a source are kept.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::retention;
use freshet_report::care::RetentionReport;
use freshet_types::Span;

use crate::args::RetentionArgs;
use crate::output::{self, Report, count};

/// Sets it.
pub(crate) fn execute(globals: &Globals, args: &RetentionArgs) -> anyhow::Result<ExitCode> {
    let report = retention::keep_sources(globals, &args.references, args.span.0, args.yes)?;
    output::print(args.report, &report)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for RetentionReport {
    fn text(&self) -> String {
        let whose = if self.networks.is_empty() {
            count(self.sources.len() as u64, "source")
        } else {
            self.networks.join(", ")
        };
        let mut text = match self.retention_s.map(Span::from_secs_f64) {
            Some(span) => format!("posts of {whose} are kept for {span} from now on"),
            None => format!("posts of {whose} are kept from now on"),
        };
        if self.erased_count > 0 {
            text = format!("{text}\n{} erased that were older", count(self.erased_count, "post"));
        }
        text
    }
}
