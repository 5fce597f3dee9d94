//! The constraints as the store remembers them: a list of types and texts, in one setting.
//!
//! A rule that cannot be read, or that a crawl can never judge by, is an error and never left out: a crawl
//! without it would collect what nobody wanted, and one with it would collect nothing.

use freshet_network::constraint::{Constraint, ConstraintError, Constraints, Purpose};
use freshet_network::effect::refusal;
use freshet_network::networks::Networks;
use freshet_store::api::{Store, StoreError};
use freshet_store::control::{ConstraintsChange, Control};
use freshet_store::setting::Setting;
use freshet_types::Span;
use serde::{Deserialize, Serialize};

/// Setting that holds the rules, as a JSON list.
pub const CONSTRAINTS: Setting<String> = Setting::new("constraints");
/// Setting that says how many days an object may wait for a property.
pub const PARKED_DAYS: Setting<u32> = Setting::new("parked_days");
/// How long it waits when nobody said.
pub(crate) const PARKED_DAYS_DEFAULT: u32 = 7;
/// Longest that can be set: ten years.
pub(crate) const PARKED_DAYS_MAX: u32 = 3650;

/// One constraint as it was typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// The type it speaks of: `post`, or `network/post`.
    #[serde(rename = "type")]
    pub type_name: String,
    pub text: String,
    /// What it decides; absent for storing.
    #[serde(rename = "for", default, skip_serializing_if = "is_usual")]
    pub purpose: Purpose,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_usual(purpose: &Purpose) -> bool {
    *purpose == Purpose::default()
}

impl Rule {
    /// A rule about what is stored.
    pub fn new(type_name: &str, text: &str) -> Self {
        Self { type_name: type_name.to_owned(), text: text.to_owned(), purpose: Purpose::Store }
    }
}

/// Why the constraints of a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The setting is no list of rules.
    #[error("the setting `constraints` cannot be read: {0}; `freshet constraints clear` removes all of them")]
    Unreadable(#[from] serde_json::Error),
    /// A rule is wrong.
    #[error("constraint {number}: {why}; `freshet constraints remove {number}` takes it away")]
    Rule {
        /// Its place in the list, from 1.
        number: usize,
        /// What is wrong.
        why: ConstraintError,
    },
    /// There are too many.
    #[error(transparent)]
    TooMany(ConstraintError),
}

/// The rules of this store.
pub fn rules(store: &dyn Store) -> Result<Vec<Rule>, SettingError> {
    parse_rules(CONSTRAINTS.get(store)?.as_deref())
}

fn parse_rules(text: Option<&str>) -> Result<Vec<Rule>, SettingError> {
    Ok(text.map(serde_json::from_str).transpose()?.unwrap_or_default())
}

/// Writes the rules and tells a running process.
pub fn set_rules(store: &mut dyn Store, rules: &[Rule]) -> Result<(), SettingError> {
    CONSTRAINTS.put(store, &serde_json::to_string(rules)?)?;
    store.push_control(&Control::Constraints(ConstraintsChange::Changed))?;
    Ok(())
}

/// The rules, ready to judge what pages of these networks show.
pub fn constraints(store: &dyn Store, networks: &Networks) -> Result<Constraints, SettingError> {
    parse(CONSTRAINTS.get(store)?.as_deref(), networks)
}

/// The same from the text of the setting; without one there are no rules.
pub fn parse(text: Option<&str>, networks: &Networks) -> Result<Constraints, SettingError> {
    let registry = networks.snapshot();
    let mut all = Vec::new();
    for (rule, number) in parse_rules(text)?.iter().zip(1..) {
        let wrong = |why| SettingError::Rule { number, why };
        let constraint = Constraint::parse(&rule.type_name, &rule.text).map_err(wrong)?;
        let constraint = constraint.with_purpose(rule.purpose);
        refusal(&registry, &constraint).map_or(Ok(()), |why| Err(wrong(why)))?;
        all.push(constraint);
    }
    Constraints::new(all).map_err(SettingError::TooMany)
}

/// How many days an object may wait for a property.
pub fn parked_days(store: &dyn Store) -> Result<u32, StoreError> {
    let set = PARKED_DAYS.find(store)?;
    Ok(set.unwrap_or(PARKED_DAYS_DEFAULT).clamp(1, PARKED_DAYS_MAX))
}

/// The same as a span.
pub(crate) fn parked_max(store: &dyn Store) -> Result<Span, StoreError> {
    Ok(Span::DAY * f64::from(parked_days(store)?))
}

#[cfg(test)]
mod tests {
    use freshet_store::testing;

    use super::*;

    #[test]
    fn rules_are_kept_and_a_wrong_one_is_named() {
        let mut store = testing::memory();
        let constraints = |store: &dyn Store| constraints(store, &Networks::shipped());
        assert!(constraints(&store).unwrap().is_empty());
        let rule = |text: &str| Rule::new("post", text);
        set_rules(&mut store, &[rule("depth <= 1")]).unwrap();
        assert_eq!(rules(&store).unwrap(), [rule("depth <= 1")]);
        assert_eq!(
            store.controls_above(0).unwrap()[0].control,
            Control::Constraints(ConstraintsChange::Changed)
        );
        set_rules(&mut store, &[rule("depth <= 1"), rule("depth <")]).unwrap();
        let error = constraints(&store).unwrap_err().to_string();
        assert!(error.contains("constraint 2") && error.contains("remove 2"), "{error}");
        set_rules(&mut store, &[Rule::new("mastodon/account", "size(account.tags) > 1")]).unwrap();
        let error = constraints(&store).unwrap_err().to_string();
        assert!(error.contains("wait in vain") && error.contains("remove 1"), "{error}");
        let mut follow = rule("depth <= 1");
        follow.purpose = Purpose::Follow;
        set_rules(&mut store, &[rule("true"), follow]).unwrap();
        let kept = CONSTRAINTS.get(&store).unwrap().unwrap();
        assert_eq!(
            kept,
            r#"[{"type":"post","text":"true"},{"type":"post","text":"depth <= 1","for":"follow"}]"#
        );
        let purposes: Vec<_> = constraints(&store).unwrap().iter().map(Constraint::purpose).collect();
        assert_eq!(purposes, [Purpose::Store, Purpose::Follow]);
        CONSTRAINTS.put(&mut store, &"nonsense".to_owned()).unwrap();
        assert!(constraints(&store).unwrap_err().to_string().contains("clear"));
    }

    #[test]
    fn days_have_a_default_and_limits() {
        let mut store = testing::memory();
        for (set, days) in [(None, 7), (Some("3"), 3), (Some("x"), 7), (Some("0"), 1), (Some("999999"), 3650)]
        {
            if let Some(set) = set {
                store.set_setting(PARKED_DAYS.key(), set).unwrap();
            }
            assert_eq!(parked_days(&store).unwrap(), days, "{set:?}");
        }
    }
}
