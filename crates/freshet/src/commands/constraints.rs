//! `freshet constraints`: which posts and accounts are wanted.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::constraints;
use freshet_app::data::{self, Data};
use freshet_report::constraints::{ConstraintLine, ConstraintsReport};

use crate::args::{ConstraintArgs, ConstraintsCommand};
use crate::output::{self, Report};

/// Changes the constraints where asked, and lists them.
pub(crate) fn execute(globals: &Globals, command: &ConstraintsCommand) -> anyhow::Result<ExitCode> {
    let mut data = match command {
        ConstraintsCommand::List(_) => Data::look(globals)?,
        _ => Data::open(globals)?,
    };
    let report = match command {
        ConstraintsCommand::List(report) => *report,
        ConstraintsCommand::Add(ConstraintArgs { type_name, expression, report }) => {
            constraints::add(&mut data, &data::networks(globals)?, type_name, expression)?;
            *report
        }
        ConstraintsCommand::Remove { number, report } => {
            constraints::remove(&mut data, *number, None)?;
            *report
        }
        ConstraintsCommand::Clear(report) => {
            constraints::clear(&mut data)?;
            *report
        }
        ConstraintsCommand::Wait { days, report } => {
            constraints::set_parked_days(&mut data, *days)?;
            *report
        }
    };
    output::print(report, &constraints::list(&data)?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for ConstraintsReport {
    fn text(&self) -> String {
        if self.constraints.is_empty() {
            return "no constraints: everything is wanted".to_owned();
        }
        let row =
            |line: &ConstraintLine| vec![line.number.to_string(), line.type_name.clone(), line.text.clone()];
        let table = output::table(&["#number", "type", "expression"], self.constraints.iter().map(row));
        let waits = output::count(self.parked_count, "object");
        format!("{table}\n\n{waits} waiting for a value, each for at most {} days", self.parked_days)
    }
}
