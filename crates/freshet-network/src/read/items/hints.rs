//! Pointers into other networks: what a text of an item says about objects elsewhere, with the evidence.
//!
//! Of several places that show the same link the surest counts. A look says which links it would have shown: those whose every pattern
//! had a text to look at. So a link that a whole profile no longer has is no more, and a short form takes nothing away.

use std::sync::Arc;

use freshet_types::definition::TimeFormat;
use freshet_types::{CrossLink, Evidence, Primitive, PrimitiveKind};

use super::Reader;
use crate::definition::plan::{HintPlan, MappingPlan, ValuePlan};
use crate::format::Tree;
use crate::times;

/// Pointers kept of one text, and texts of one field that are looked at for them.
const HINTS_MAX: usize = 16;
/// Longest text that is kept as a value of another network's object: a title, a name.
const VALUE_BYTES_MAX: usize = 1000;

impl Reader<'_> {
    /// The links across of an item, and the names of those that it would have shown.
    pub(super) fn hints(&self, mapping: &MappingPlan, item: &Tree<'_>) -> (Vec<CrossLink>, Vec<Arc<str>>) {
        let mut found: Vec<CrossLink> = Vec::new();
        let mut seen: Vec<Arc<str>> = Vec::new();
        let mut unseen: Vec<&str> = Vec::new();
        for hint in &mapping.hints {
            if hint.within.iter().any(|(_, field)| field.is_shown(item)) {
                if !seen.contains(&hint.link) {
                    seen.push(Arc::clone(&hint.link));
                }
            } else {
                unseen.push(&*hint.link);
            }
            for (place, field) in &hint.within {
                for text in field.texts(item, self.scope).into_iter().take(HINTS_MAX) {
                    self.matches(hint, item, (place, &text), &mut found);
                }
            }
        }
        seen.retain(|name| !unseen.contains(&&**name));
        (found, seen)
    }

    fn matches(
        &self,
        hint: &HintPlan,
        item: &Tree<'_>,
        (place, text): (&str, &str),
        found: &mut Vec<CrossLink>,
    ) {
        for captures in hint.pattern.captures_iter(text).take(HINTS_MAX) {
            let mut to = String::new();
            captures.expand(&hint.to, &mut to);
            let Ok(target) = to.parse::<freshet_types::Address>() else { continue };
            if target.network == self.target.instance.network {
                continue;
            }
            let value = match &hint.value {
                None => None,
                Some((value, kind)) => {
                    let stated = match value {
                        ValuePlan::Groups(groups) => {
                            let mut stated = String::new();
                            captures.expand(groups, &mut stated);
                            Some(stated)
                        }
                        ValuePlan::Field(field) => field.texts(item, self.scope).into_iter().next(),
                    };
                    let Some(value) = stated.and_then(|stated| primitive(*kind, &stated)) else { continue };
                    Some(value)
                }
            };
            let evidence = Evidence::new(place, captures.get(0).map_or("", |all| all.as_str()));
            let (name, kind, confidence) = (Arc::clone(&hint.link), hint.kind, hint.confidence);
            let link = CrossLink { name, kind, target, value, evidence, confidence };
            match found.iter_mut().find(|it| it.name == link.name && it.target == link.target) {
                Some(known) if known.confidence < link.confidence => *known = link,
                Some(_) => {}
                None => found.push(link),
            }
        }
    }
}

/// A text as the value that the schema wants; whole numbers may be grouped (`12,345`).
fn primitive(kind: PrimitiveKind, text: &str) -> Option<Primitive> {
    let text = text.trim();
    Some(match kind {
        PrimitiveKind::Text if text.is_empty() => return None,
        PrimitiveKind::Text => Primitive::Text(text[..text.floor_char_boundary(VALUE_BYTES_MAX)].to_owned()),
        PrimitiveKind::Bool => Primitive::Bool(!matches!(text, "" | "0" | "false")),
        PrimitiveKind::Int => {
            let digits: String = text.chars().filter(|letter| !matches!(letter, ',' | '\'' | ' ')).collect();
            Primitive::Int(digits.parse().ok()?)
        }
        PrimitiveKind::Float => Primitive::Float(text.parse().ok().filter(|it: &f64| it.is_finite())?),
        PrimitiveKind::Time => Primitive::Int(times::read_text(text, TimeFormat::Auto)?.ms()),
    })
}
