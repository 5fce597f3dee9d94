//! Checks and compiles pointers into other networks: `hints` lead to objects (sc-, sco-links), `splinks` state values of them.

use freshet_types::definition::{FieldRule, HintPlace, HintRule, Mapping, TimeFormat};
use freshet_types::{LinkType, PrimitiveKind, Schema};

use super::Checker;
use crate::definition::plan::{HintPlan, ValuePlan};

impl Checker<'_> {
    pub(super) fn hints(
        &mut self,
        key: &str,
        rule: &Mapping,
        object_type: &str,
        schema: &Schema,
    ) -> Vec<HintPlan> {
        let links = schema.types.get(object_type).map(|one| &one.links);
        let mut plans = Vec::new();
        let hints =
            rule.hints.iter().enumerate().map(|(at, hint)| (format!("{key}.hints[{at}]"), hint, false));
        let values =
            rule.splinks.iter().enumerate().map(|(at, hint)| (format!("{key}.splinks[{at}]"), hint, true));
        for (key, hint, is_value) in hints.chain(values) {
            let declared = links.and_then(|links| links.get(&hint.link));
            let kind = match (declared, is_value) {
                (Some(link @ LinkType::Sp(_)), true)
                | (Some(link @ (LinkType::Sc(..) | LinkType::Sco(..))), false) => link.kind(),
                (_, is_value) => {
                    let wanted = if is_value { "sp-link" } else { "sc- or sco-link" };
                    let what =
                        format!("`types.{object_type}` declares no {wanted} `{}`; add it there", hint.link);
                    self.problem(&format!("{key}.link"), what);
                    continue;
                }
            };
            if hint.to.splitn(3, '/').filter(|part| !part.is_empty()).count() < 3 {
                let what = format!("`{}` is not an address: `network/type/id`", hint.to);
                self.problem(&format!("{key}.to"), what);
            }
            let value = self.value(&key, hint, declared, rule.time);
            let rules = match &hint.within {
                HintPlace::Many(rules) => rules.as_slice(),
                HintPlace::One(rule) => std::slice::from_ref(rule),
            };
            let within = rules
                .iter()
                .map(|place| (name_of(place), self.field(&format!("{key}.in"), place, rule.time)));
            let within = within.collect();
            let Some(pattern) = self.regex(&format!("{key}.pattern"), &hint.pattern) else { continue };
            plans.push(HintPlan {
                link: hint.link.as_str().into(),
                kind,
                within,
                pattern,
                to: hint.to.clone(),
                value,
                confidence: hint.confidence.unwrap_or_default(),
            });
        }
        plans
    }

    /// How the value of an sp-link is made; a pointer to an object has none.
    fn value(
        &mut self,
        key: &str,
        hint: &HintRule,
        declared: Option<&LinkType>,
        time: TimeFormat,
    ) -> Option<(ValuePlan, PrimitiveKind)> {
        let kind = match declared {
            Some(LinkType::Sp(kind)) => Some(*kind),
            _ => None,
        };
        match (kind, &hint.value, &hint.value_in) {
            (Some(kind), Some(value), None) => Some((ValuePlan::Groups(value.clone()), kind)),
            (Some(kind), None, Some(field)) => {
                let field = self.field(&format!("{key}.value_in"), field, time);
                Some((ValuePlan::Field(Box::new(field)), kind))
            }
            (Some(_), Some(_), Some(_)) => {
                self.problem(
                    &format!("{key}.value_in"),
                    "the value stands in `value` already; take one away",
                );
                None
            }
            (Some(_), None, None) => {
                let what = "a value is needed, such as `$count`, or `value_in` with the field that holds it";
                self.problem(&format!("{key}.value"), what);
                None
            }
            (None, Some(_), _) | (None, _, Some(_)) => {
                self.problem(&format!("{key}.value"), "only `splinks` state values");
                None
            }
            (None, None, None) => None,
        }
    }
}

/// How the definition names a field, for whoever asks where a link was seen.
fn name_of(rule: &FieldRule) -> String {
    match rule {
        FieldRule::One(text) => text.clone(),
        FieldRule::Many(texts) => texts.join(", "),
        FieldRule::Table(table) => table.at.as_slice().join(", "),
    }
}
