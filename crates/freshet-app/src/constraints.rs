//! Constraints: what is stored, what robots follow, what is visited again, who is let in.
//!
//! The rules are one setting of the store; a run that is under way sees a change within a second.

use std::sync::Arc;

use freshet_engine::constrain::setting::{self, PARKED_DAYS, Rule};
use freshet_engine::constrain::{Judge, Told};
use freshet_network::constraint::{Answer, CONSTRAINTS_MAX, Constraint, Constraints, Purpose};
use freshet_network::effect::refusal;
use freshet_network::networks::Networks;
use freshet_network::snapi::check_constraint;
use freshet_report::constraints::{ConstraintAnswer, ConstraintLine, ConstraintTest, ConstraintsReport};
use freshet_store::api::Store;
use freshet_types::Address;

use crate::config::Globals;
use crate::data::Data;
use crate::failure::Failure;
use crate::sources::sources_meant;

/// A constraint as a person wishes it.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// `post`, `account` or another type, of one network only where it is named: `mastodon/post`.
    pub type_name: &'a str,
    /// What must be true.
    pub expression: &'a str,
    /// What it decides: a word, or nothing for `store`.
    pub purpose: &'a str,
}

/// Adds one that makes sense for the networks there are.
pub fn add(data: &mut Data, networks: &Networks, wish: Wish<'_>) -> anyhow::Result<()> {
    let constraint = checked(networks, wish)?;
    let mut rules = setting::rules(&data.store)?;
    if rules.len() >= CONSTRAINTS_MAX {
        let failure = Failure::misuse(format!("there are {CONSTRAINTS_MAX} constraints already"));
        return Err(failure.hint("join some with `&&`, or remove one").into());
    }
    let purpose = constraint.purpose();
    let rule = Rule { purpose, ..Rule::new(wish.type_name, constraint.text()) };
    if !rules.contains(&rule) {
        rules.push(rule);
        setting::set_rules(&mut data.store, &rules)?;
    }
    Ok(())
}

/// The constraint, if it makes sense and has an effect.
pub(crate) fn checked(networks: &Networks, wish: Wish<'_>) -> anyhow::Result<Constraint> {
    let misuse = |error: String| {
        Failure::misuse(error)
            .hint("`freshet constraints --help` has examples; `freshet networks show NAME` has the links")
    };
    let word = if wish.purpose.is_empty() { Purpose::default().name() } else { wish.purpose };
    let purpose = Purpose::named(word).ok_or_else(|| {
        let known = Purpose::ALL.map(Purpose::name).join("`, `");
        Failure::misuse(format!("`{word}` is nothing that a constraint can be for"))
            .hint(format!("it is for one of `{known}`"))
    })?;
    let constraint =
        Constraint::parse(wish.type_name, wish.expression).map_err(|error| misuse(error.to_string()))?;
    let constraint = constraint.with_purpose(purpose);
    let registry = networks.snapshot();
    check_constraint(&registry, &constraint).map_err(|error| misuse(error.to_string()))?;
    if let Some(error) = refusal(&registry, &constraint) {
        return Err(misuse(error.to_string()).into());
    }
    Ok(constraint)
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
    let line = |(number, Rule { type_name, text, purpose }): (usize, Rule)| ConstraintLine {
        number,
        type_name,
        text,
        purpose: purpose.name().to_owned(),
    };
    Ok(ConstraintsReport {
        constraints: (1..).zip(rules).map(line).collect(),
        parked_days: setting::parked_days(&data.store)?,
        parked_count: data.store.counts()?.parked,
        held_count: data.store.held_count()?,
    })
}

/// What a constraint would say of an object as it is stored now, and why. Nothing is changed.
pub fn test(
    globals: &Globals,
    data: &Data,
    networks: &Networks,
    wish: Wish<'_>,
    reference: &str,
) -> anyhow::Result<ConstraintTest> {
    let constraint = checked(networks, wish)?;
    let address = address_of(globals, data, constraint.type_name(), reference)?;
    let (number, depth) = number_and_depth(&data.store, &address)?;
    let purpose = constraint.purpose();
    let text = constraint.text().to_owned();
    let constraints = Constraints::new(vec![constraint])?;
    let judge = Judge::new(Arc::new(networks.copied()), constraints);
    let now = data.now_for_report(None);
    let told = judge.judge_stored(&data.store, purpose, &address, (depth, now))?;
    let (answer, why) = told_of(&told);
    let answer =
        ConstraintAnswer { purpose: purpose.name().to_owned(), text, answer: answer.to_owned(), why };
    Ok(ConstraintTest { address: address.to_string(), is_stored: number.is_some(), answers: vec![answer] })
}

fn told_of(told: &Told) -> (&'static str, Option<String>) {
    match &told.answer {
        Answer::Yes => ("yes", None),
        Answer::No if told.awaits_members => {
            ("no", Some("by the members that are known now; more of them may change it".to_owned()))
        }
        Answer::No => ("no", None),
        Answer::CannotTell { missing } => ("unknown", Some(format!("not known yet: {missing}"))),
    }
}

/// The object of this type that a person means: by its address, or as a source that belongs to it is named.
fn address_of(globals: &Globals, data: &Data, kind: &str, reference: &str) -> anyhow::Result<Address> {
    if let Ok(address) = reference.trim().parse::<Address>()
        && *address.kind == *kind
    {
        return Ok(address);
    }
    let sources = sources_meant(globals, &data.store, reference)?;
    let source = sources.iter().find(|source| *source.root_kind == *kind && !source.root_id.is_empty());
    let Some(source) = source else {
        let failure = Failure::misuse(format!("`{reference}` is no `{kind}` that is known here"));
        let hint = "it may not have been visited yet; or give an address";
        return Err(failure.hint(format!("{hint}, such as `mastodon:example.social/{kind}/1`")).into());
    };
    Ok(Address::new(&source.network, &source.root_kind, &source.root_id))
}

/// The number of an object that is stored, and how many steps from what a person added it is.
fn number_and_depth(store: &dyn Store, address: &Address) -> anyhow::Result<(Option<u64>, u16)> {
    let (network, kind, id) = (&address.network, &*address.kind, address.id.as_str());
    let number = if kind == "account" {
        store.account_of(network, id)?.map(|row| row.object)
    } else if let Some(row) = store.post_of(network, kind, id)? {
        Some(row.object)
    } else {
        store.things_of(network, &[(kind, id)])?.into_iter().flatten().next().map(|row| row.object)
    };
    let found = number.map(|number| store.object(number)).transpose()?.flatten();
    Ok((number, found.map_or(0, |row| row.depth)))
}
