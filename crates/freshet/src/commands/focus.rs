//! `freshet focus`: which posts are wanted first, or alone.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::data::Data;
use freshet_app::focus;
use freshet_app::text::grouped;
use freshet_network::focus::Written;
use freshet_report::focus::FocusReport;

use crate::args::FocusCommand;
use crate::output::{self, Report};

/// Changes the focus where asked, and shows it.
pub(crate) fn execute(globals: &Globals, command: &FocusCommand) -> anyhow::Result<ExitCode> {
    let (data, report) = match command {
        FocusCommand::Show(report) => (Data::look(globals)?, *report),
        FocusCommand::Set(args) => {
            let mut data = Data::open(globals)?;
            let written = Written {
                words: args.words.clone(),
                tags: args.tags.clone(),
                langs: args.langs.clone(),
                places: args.places.clone(),
                explore: args.explore.clone(),
                is_only: args.only,
            };
            focus::set(&mut data, &written)?;
            (data, args.report)
        }
        FocusCommand::Clear(report) => {
            let mut data = Data::open(globals)?;
            focus::clear(&mut data)?;
            (data, *report)
        }
    };
    output::print(report, &focus::show(&data)?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for FocusReport {
    fn text(&self) -> String {
        let Some(focus) = &self.focus else {
            return "no focus: what is nearest to what was added is visited first".to_owned();
        };
        let found = match (self.looked_count, self.wanted_count) {
            (0, _) => {
                "nothing is collected yet: robots explore as without it until something fits".to_owned()
            }
            (_, 0) => {
                let looked = grouped(self.looked_count);
                format!("none of the newest {looked} posts fits: robots explore as without it until one does")
            }
            (looked, wanted) => format!("{} of the newest {} posts fit", grouped(wanted), grouped(looked)),
        };
        format!("{focus}\n{found}")
    }
}
