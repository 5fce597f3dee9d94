//! `freshet init`: makes a data directory, or says that there is one already.
//!
//! Harmless on a directory that is in use. The other commands that store something make the
//! directory too; `init` is for those who want to set its clock or contact first.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::data::{CONTACT, Data, private};
use serde::Serialize;

use crate::args::InitArgs;
use crate::output::{self, Report};

#[derive(Serialize)]
struct InitReport {
    data: String,
    is_new: bool,
    clock: Option<String>,
    contact: Option<String>,
}

/// Makes the directory.
pub(crate) fn execute(globals: &Globals, args: &InitArgs) -> anyhow::Result<ExitCode> {
    let is_new = !globals.data_dir.join("store.sqlite").is_file();
    let mut data = Data::create(globals)?;
    for dir in [data.rings_dir(), data.dir().join("networks")] {
        private::make_dir(&dir)?;
    }
    if let Some(contact) = &args.contact {
        CONTACT.put(&mut data.store, contact)?;
    }
    let report = InitReport {
        data: globals.data_dir.display().to_string(),
        is_new,
        clock: data.clock_url()?,
        contact: data.contact(globals)?,
    };
    output::print(args.report, &report)?;
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
