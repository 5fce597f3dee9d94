//! `freshet constraints`: what is stored, followed, visited again and let in.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::constraints::{self, Wish};
use freshet_app::data::{self, Data};
use freshet_report::constraints::{ConstraintLine, ConstraintTest, ConstraintsReport};

use crate::args::{ConstraintArgs, ConstraintsCommand, WishArgs};
use crate::output::{self, Report};

/// Changes the constraints where asked, and lists them.
pub(crate) fn execute(globals: &Globals, command: &ConstraintsCommand) -> anyhow::Result<ExitCode> {
    let mut data = match command {
        ConstraintsCommand::List(_) | ConstraintsCommand::Test { .. } => Data::look(globals)?,
        _ => Data::open(globals)?,
    };
    let report = match command {
        ConstraintsCommand::List(report) => *report,
        ConstraintsCommand::Add(ConstraintArgs { wish, report }) => {
            constraints::add(&mut data, &data::networks(globals)?, wished(wish))?;
            *report
        }
        ConstraintsCommand::Test { wish, reference, report } => {
            let networks = data::networks(globals)?;
            let told = constraints::test(globals, &data, &networks, wished(wish), reference)?;
            output::print(*report, &told)?;
            return Ok(ExitCode::SUCCESS);
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

fn wished(wish: &WishArgs) -> Wish<'_> {
    Wish { type_name: &wish.type_name, expression: &wish.expression, purpose: &wish.purpose }
}

impl Report for ConstraintTest {
    fn text(&self) -> String {
        let stored = if self.is_stored { "stored" } else { "not stored: only its name is known" };
        let mut lines = vec![format!("{} ({stored})", self.address)];
        for it in &self.answers {
            let why = it.why.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
            lines.push(format!("for {}: {}{why}", it.purpose, it.answer));
        }
        lines.join("\n")
    }
}

impl Report for ConstraintsReport {
    fn text(&self) -> String {
        if self.constraints.is_empty() {
            return "no constraints: everything is wanted".to_owned();
        }
        let row = |line: &ConstraintLine| {
            vec![line.number.to_string(), line.purpose.clone(), line.type_name.clone(), line.text.clone()]
        };
        let table =
            output::table(&["#number", "for", "type", "expression"], self.constraints.iter().map(row));
        let waits = output::count(self.parked_count, "object");
        let held = match self.held_count {
            0 => String::new(),
            count => format!("; {} not followed for now", output::count(count, "object")),
        };
        format!("{table}\n\n{waits} waiting for a value, each for at most {} days{held}", self.parked_days)
    }
}
