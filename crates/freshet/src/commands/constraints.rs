//! `freshet constraints`: which posts and accounts are wanted.
//!
//! The rules are one setting of the store; a run that is under way sees a change within a second.

use std::process::ExitCode;

use freshet_engine::constrain::setting::{self, PARKED_DAYS, Rule};
use freshet_network::constraint::{CONSTRAINTS_MAX, Constraint};
use freshet_network::networks::Networks;
use freshet_network::snapi::{check_constraint, never_told};
use serde::Serialize;

use crate::args::{ConstraintArgs, ConstraintsCommand};
use crate::config::Globals;
use crate::data::{self, Data};
use crate::failure::Failure;
use crate::output::{self, Report};

/// All constraints.
#[derive(Serialize)]
pub(crate) struct ConstraintsReport {
    constraints: Vec<Line>,
    parked_days: u32,
    parked_count: u64,
}

#[derive(Serialize)]
struct Line {
    number: usize,
    #[serde(flatten)]
    rule: Rule,
}

/// Changes the constraints where asked, and lists them.
pub(crate) fn execute(globals: &Globals, command: &ConstraintsCommand) -> anyhow::Result<ExitCode> {
    let mut data = match command {
        ConstraintsCommand::List(_) => Data::look(globals)?,
        _ => Data::open(globals)?,
    };
    let report = match command {
        ConstraintsCommand::List(report) => *report,
        ConstraintsCommand::Add(ConstraintArgs { type_name, expression, report }) => {
            add(&mut data, &data::networks(globals)?, type_name, expression)?;
            *report
        }
        ConstraintsCommand::Remove { number, report } => {
            remove(&mut data, *number, None)?;
            *report
        }
        ConstraintsCommand::Clear(report) => {
            setting::set_rules(&mut data.store, &[])?;
            *report
        }
        ConstraintsCommand::Wait { days, report } => {
            PARKED_DAYS.put(&mut data.store, days)?;
            *report
        }
    };
    output::print(report, &list(&data)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Adds one that makes sense for the networks there are.
pub(crate) fn add(
    data: &mut Data,
    networks: &Networks,
    type_name: &str,
    expression: &str,
) -> anyhow::Result<()> {
    let misuse = |error: String| {
        Failure::misuse(error)
            .hint("`freshet constraints --help` has examples; `freshet networks show NAME` has the links")
    };
    let constraint = Constraint::parse(type_name, expression).map_err(|error| misuse(error.to_string()))?;
    let registry = networks.snapshot();
    check_constraint(&registry, &constraint).map_err(|error| misuse(error.to_string()))?;
    if let Some(error) = never_told(&registry, &constraint) {
        return Err(misuse(error.to_string()).into());
    }
    let mut rules = setting::rules(&data.store)?;
    if rules.len() >= CONSTRAINTS_MAX {
        let failure = Failure::misuse(format!("there are {CONSTRAINTS_MAX} constraints already"));
        return Err(failure.hint("join some with `&&`, or remove one").into());
    }
    let rule = Rule { type_name: type_name.to_owned(), text: constraint.text().to_owned() };
    if !rules.contains(&rule) {
        rules.push(rule);
        setting::set_rules(&mut data.store, &rules)?;
    }
    Ok(())
}

/// Removes one; where its text is given, only if it still stands under this number.
pub(crate) fn remove(data: &mut Data, number: usize, text: Option<&str>) -> anyhow::Result<()> {
    let mut rules = setting::rules(&data.store)?;
    let found = number.checked_sub(1).and_then(|place| rules.get(place));
    if found.is_none_or(|rule| text.is_some_and(|text| rule.text != text)) {
        let failure = Failure::misuse(format!("there is no such constraint {number}"));
        return Err(failure.hint("`freshet constraints list` shows them with their numbers").into());
    }
    rules.remove(number - 1);
    setting::set_rules(&mut data.store, &rules)?;
    Ok(())
}

/// All constraints, and what waits for a value.
pub(crate) fn list(data: &Data) -> anyhow::Result<ConstraintsReport> {
    let rules = setting::rules(&data.store)?;
    let constraints = (1..).zip(rules).map(|(number, rule)| Line { number, rule }).collect();
    let parked_count = data.store.counts()?.parked;
    Ok(ConstraintsReport { constraints, parked_days: setting::parked_days(&data.store)?, parked_count })
}

impl Report for ConstraintsReport {
    fn text(&self) -> String {
        if self.constraints.is_empty() {
            return "no constraints: everything is wanted".to_owned();
        }
        let row =
            |line: &Line| vec![line.number.to_string(), line.rule.type_name.clone(), line.rule.text.clone()];
        let table = output::table(&["#number", "type", "expression"], self.constraints.iter().map(row));
        let waits = output::count(self.parked_count, "object");
        format!("{table}\n\n{waits} waiting for a value, each for at most {} days", self.parked_days)
    }
}
