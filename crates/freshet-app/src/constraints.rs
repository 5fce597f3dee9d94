//! Constraints: which posts and accounts are wanted.
//!
//! The rules are one setting of the store; a run that is under way sees a change within a second.

use freshet_engine::constrain::setting::{self, PARKED_DAYS, Rule};
use freshet_network::constraint::{CONSTRAINTS_MAX, Constraint};
use freshet_network::networks::Networks;
use freshet_network::snapi::{check_constraint, never_told};
use freshet_report::constraints::{ConstraintLine, ConstraintsReport};

use crate::data::Data;
use crate::failure::Failure;

/// Adds one that makes sense for the networks there are.
pub fn add(data: &mut Data, networks: &Networks, type_name: &str, expression: &str) -> anyhow::Result<()> {
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
pub fn remove(data: &mut Data, number: usize, text: Option<&str>) -> anyhow::Result<()> {
    let mut rules = setting::rules(&data.store)?;
    let found = number.checked_sub(1).and_then(|index| rules.get(index));
    if found.is_none_or(|rule| text.is_some_and(|text| rule.text != text)) {
        let failure = Failure::misuse(format!("there is no such constraint {number}"));
        return Err(failure.hint("`freshet constraints list` shows them with their numbers").into());
    }
    rules.remove(number - 1);
    setting::set_rules(&mut data.store, &rules)?;
    Ok(())
}

/// Removes all of them.
pub fn clear(data: &mut Data) -> anyhow::Result<()> {
    Ok(setting::set_rules(&mut data.store, &[])?)
}

/// How many days an object waits for a value that a constraint needs.
pub fn set_parked_days(data: &mut Data, days: u32) -> anyhow::Result<()> {
    Ok(PARKED_DAYS.put(&mut data.store, &days)?)
}

/// All constraints, and what waits for a value.
pub fn list(data: &Data) -> anyhow::Result<ConstraintsReport> {
    let rules = setting::rules(&data.store)?;
    let line = |(number, Rule { type_name, text })| ConstraintLine { number, type_name, text };
    let constraints = (1..).zip(rules).map(line).collect();
    let parked_count = data.store.counts()?.parked;
    Ok(ConstraintsReport { constraints, parked_days: setting::parked_days(&data.store)?, parked_count })
}
