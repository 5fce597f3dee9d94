//! The schema of a definition: declared links, and the values that every mapping may fill.

use freshet_types::definition::{self as data, MappingKind};
use freshet_types::{LinkType, ObjectType, PrimitiveKind, Schema};

use super::check::Checker;

/// Values of anything authored, by the names of the fields of `Post`.
const POST_VALUES: [(&str, PrimitiveKind); 8] = [
    ("text", PrimitiveKind::Text),
    ("url", PrimitiveKind::Text),
    ("uri", PrimitiveKind::Text),
    ("lang", PrimitiveKind::Text),
    ("tags", PrimitiveKind::Text),
    ("created_at", PrimitiveKind::Time),
    ("edited_at", PrimitiveKind::Time),
    ("is_deleted", PrimitiveKind::Bool),
];
/// Values of accounts, by the names of the fields of `Account`.
const ACCOUNT_VALUES: [(&str, PrimitiveKind); 12] = [
    ("handle", PrimitiveKind::Text),
    ("name", PrimitiveKind::Text),
    ("bio", PrimitiveKind::Text),
    ("url", PrimitiveKind::Text),
    ("uri", PrimitiveKind::Text),
    ("location", PrimitiveKind::Text),
    ("state", PrimitiveKind::Text),
    ("created_at", PrimitiveKind::Time),
    ("followers_count", PrimitiveKind::Int),
    ("following_count", PrimitiveKind::Int),
    ("posts_count", PrimitiveKind::Int),
    ("opts_out", PrimitiveKind::Bool),
];

/// Values of all other objects, by the names of the fields of `Thing`.
const THING_VALUES: [(&str, PrimitiveKind); 3] =
    [("name", PrimitiveKind::Text), ("url", PrimitiveKind::Text), ("created_at", PrimitiveKind::Time)];

/// Builds the schema, noting links that lead nowhere or stand twice.
pub(super) fn build(checker: &mut Checker<'_>, data: &data::Definition) -> Schema {
    let mut schema = Schema { network: data.name.clone(), types: std::collections::BTreeMap::new() };
    for (name, rule) in &data.types {
        let mut links = Links { checker, key: format!("types.{name}"), found: ObjectType::default() };
        for (link, kind) in &rule.plinks {
            links.add("plinks", link, LinkType::P(*kind));
        }
        for (link, to) in &rule.clinks {
            links.known("clinks", link, to, data);
            links.add("clinks", link, LinkType::C(to.clone()));
        }
        for (link, to) in &rule.colinks {
            links.known("colinks", link, to, data);
            links.add("colinks", link, LinkType::Co(to.clone()));
        }
        for (link, kind) in &rule.splinks {
            links.add("splinks", link, LinkType::Sp(*kind));
        }
        for (link, to) in &rule.sclinks {
            let (definition, kind) = links.elsewhere("sclinks", link, to);
            links.add("sclinks", link, LinkType::Sc(definition, kind));
        }
        for (link, to) in &rule.scolinks {
            let (definition, kind) = links.elsewhere("scolinks", link, to);
            links.add("scolinks", link, LinkType::Sco(definition, kind));
        }
        let found = ObjectType { ids: rule.ids.clone(), ..links.found };
        schema.types.insert(name.clone(), found);
    }
    add_common_values(data, &mut schema);
    schema
}

fn add_common_values(data: &data::Definition, schema: &mut Schema) {
    for mapping in data.mappings.values() {
        let (default, values) = match mapping.kind {
            MappingKind::Post => ("post", POST_VALUES.as_slice()),
            MappingKind::Account => ("account", ACCOUNT_VALUES.as_slice()),
            MappingKind::Object => ("object", THING_VALUES.as_slice()),
            MappingKind::Relation | MappingKind::Tag | MappingKind::Group => continue,
        };
        let name = mapping.object_type.as_deref().unwrap_or(default);
        let Some(object_type) = schema.types.get_mut(name) else { continue };
        for (value, kind) in values {
            object_type.links.entry((*value).to_owned()).or_insert(LinkType::P(*kind));
        }
    }
}

struct Links<'c, 'p> {
    checker: &'c mut Checker<'p>,
    key: String,
    found: ObjectType,
}

impl Links<'_, '_> {
    fn add(&mut self, family: &str, link: &str, kind: LinkType) {
        if self.found.links.insert(link.to_owned(), kind).is_some() {
            let key = format!("{}.{family}.{link}", self.key);
            self.checker.problem(&key, format!("`{link}` is declared twice for this type"));
        }
    }

    fn known(&mut self, family: &str, link: &str, to: &str, data: &data::Definition) {
        self.checker.known(&format!("{}.{family}.{link}", self.key), "type", to, data.types.keys());
    }

    /// `network/type`, or `*/type` for any network.
    fn elsewhere(&mut self, family: &str, link: &str, to: &str) -> (Option<String>, String) {
        match to.split_once('/') {
            Some(("*", kind)) if !kind.is_empty() => (None, kind.to_owned()),
            Some((definition, kind)) if !definition.is_empty() && !kind.is_empty() => {
                (Some(definition.to_owned()), kind.to_owned())
            }
            _ => {
                let key = format!("{}.{family}.{link}", self.key);
                self.checker.problem(&key, format!("`{to}` is not `network/type` or `*/type`"));
                (None, to.to_owned())
            }
        }
    }
}
