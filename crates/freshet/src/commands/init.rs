//! `freshet init`: makes a data directory, or says that there is one already.
//!
//! The other commands that store something make the directory too; `init` is for those who want to set its clock or
//! contact first.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::init;
use freshet_report::init::InitReport;

use crate::args::InitArgs;
use crate::output::{self, Report};

/// Makes the directory.
pub(crate) fn execute(globals: &Globals, args: &InitArgs) -> anyhow::Result<ExitCode> {
    output::print(args.report, &init::init(globals, args.contact.as_deref())?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for InitReport {
    fn text(&self) -> String {
        let what = if self.is_new { "made" } else { "there already:" };
        let mut lines = vec![format!("{what} {}", self.data)];
        lines.extend(self.clock.as_ref().map(|clock| format!("the time comes from {clock}")));
        if self.contact.is_none() {
            lines
                .push("servers cannot reach you; `freshet init --contact ADDRESS` tells them how".to_owned());
        }
        lines.push("next: `freshet add REF...`, then `freshet run`".to_owned());
        lines.join("\n")
    }
}
