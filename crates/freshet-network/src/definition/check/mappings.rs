//! Checks and compiles mappings: every field must belong to the kind, every link to the type.

use freshet_types::definition::{self as data, FieldRule, Mapping, MappingKind};
use freshet_types::{LinkType, Map, PrimitiveKind, Schema};

use super::{Checker, ItemParts};
use crate::definition::plan::{Fields, HintPlan, MappingPlan};
use crate::expression::Field;

const POST: &[MappingKind] = &[MappingKind::Post];
const ACCOUNT: &[MappingKind] = &[MappingKind::Account];
const BOTH: &[MappingKind] = &[MappingKind::Post, MappingKind::Account];
const RELATION: &[MappingKind] = &[MappingKind::Relation];
const TAG: &[MappingKind] = &[MappingKind::Tag];
const NAMED: &[MappingKind] = &[MappingKind::Account, MappingKind::Tag];

/// Most variants that one mapping may choose from; each is tried for every item.
const VARIANTS_MAX: usize = 32;

impl Checker<'_> {
    pub(in super::super) fn mappings(
        &mut self,
        data: &data::Definition,
        schema: &Schema,
        index: &Map<String, usize>,
    ) -> Vec<MappingPlan> {
        data.mappings
            .iter()
            .map(|(name, rule)| self.mapping(&format!("mappings.{name}"), rule, schema, index))
            .collect()
    }

    fn mapping(
        &mut self,
        key: &str,
        rule: &Mapping,
        schema: &Schema,
        index: &Map<String, usize>,
    ) -> MappingPlan {
        let object_type = rule.object_type.clone().unwrap_or_else(|| default_type(rule.kind).to_owned());
        if matches!(rule.kind, MappingKind::Post | MappingKind::Account) {
            self.known(&format!("{key}.type"), "type", &object_type, schema.types.keys());
        }
        let fields = self.fields(key, rule);
        self.check_required(key, rule, &fields);
        self.check_clinks(key, rule, &object_type, schema);
        let states = rule
            .states
            .iter()
            .enumerate()
            .map(|(at, one)| (one.state, self.condition(&format!("{key}.states[{at}].when"), &one.when)));
        let states = states.collect();
        if rule.variants.len() > VARIANTS_MAX {
            self.problem(&format!("{key}.variants"), format!("at most {VARIANTS_MAX} variants are possible"));
        }
        MappingPlan {
            kind: rule.kind,
            fields,
            deleted: self.conditions(&format!("{key}.deleted"), &rule.deleted),
            states,
            opts_out: self.conditions(&format!("{key}.opts_out"), &rule.opts_out),
            plinks: self.plinks(key, rule, &object_type, schema),
            embeds: self.embeds(key, rule, index),
            hints: self.hints(key, rule, &object_type, schema),
            variants: self.variants(key, rule, index),
            skip: self.conditions(&format!("{key}.skip"), &rule.skip),
            object_type: object_type.into(),
        }
    }

    fn fields(&mut self, key: &str, rule: &Mapping) -> Fields {
        macro_rules! fields {
            ($($name:ident: $kinds:expr),* $(,)?) => {
                Fields { $($name: self.named(&format!("{key}.{}", stringify!($name)), rule.$name.as_ref(), $kinds, rule)),* }
            };
        }
        fields! {
            id: BOTH, author: POST, created_at: BOTH, edited_at: POST, text: POST, url: BOTH, uri: BOTH,
            reply_to: POST, root: POST, repost_of: POST, quote_of: POST, lang: POST, tags: POST,
            handle: ACCOUNT, name: NAMED, bio: ACCOUNT, location: ACCOUNT, followers_count: ACCOUNT,
            following_count: ACCOUNT, posts_count: ACCOUNT, source: RELATION, target: RELATION, account: TAG,
        }
    }

    fn named(
        &mut self,
        key: &str,
        field: Option<&FieldRule>,
        kinds: &[MappingKind],
        rule: &Mapping,
    ) -> Option<Field> {
        let field = field?;
        if !kinds.contains(&rule.kind) {
            self.problem(key, format!("a mapping of kind `{}` has no such field", default_type(rule.kind)));
        }
        Some(self.field(key, field, rule.time))
    }

    fn check_required(&mut self, key: &str, rule: &Mapping, fields: &Fields) {
        let required: &[(&str, bool)] = match rule.kind {
            MappingKind::Post | MappingKind::Account => &[("id", fields.id.is_some())],
            MappingKind::Relation => {
                &[("source", fields.source.is_some()), ("target", fields.target.is_some())]
            }
            MappingKind::Tag => &[("account", fields.account.is_some()), ("name", fields.name.is_some())],
            MappingKind::Group => &[("embeds", !rule.embeds.is_empty())],
        };
        for (name, is_there) in required {
            if !is_there {
                let kind = default_type(rule.kind);
                self.problem(key, format!("a mapping of kind `{kind}` needs `{name}`"));
            }
        }
    }

    fn check_clinks(&mut self, key: &str, rule: &Mapping, object_type: &str, schema: &Schema) {
        let Some(declared) = schema.types.get(object_type) else { return };
        let fields = [
            ("author", rule.author.is_some()),
            ("reply_to", rule.reply_to.is_some()),
            ("root", rule.root.is_some()),
            ("repost_of", rule.repost_of.is_some()),
            ("quote_of", rule.quote_of.is_some()),
        ];
        for (name, is_mapped) in fields {
            if is_mapped && !matches!(declared.links.get(name), Some(LinkType::C(_))) {
                let what = format!(
                    "`types.{object_type}.clinks` does not declare `{name}`; say which type it leads to"
                );
                self.problem(&format!("{key}.{name}"), what);
            }
        }
    }

    fn plinks(
        &mut self,
        key: &str,
        rule: &Mapping,
        object_type: &str,
        schema: &Schema,
    ) -> Vec<(std::sync::Arc<str>, PrimitiveKind, Field)> {
        let mut plans = Vec::new();
        for (name, field) in &rule.plinks {
            let key = format!("{key}.plinks.{name}");
            let declared = schema.types.get(object_type).and_then(|one| one.links.get(name));
            let field = self.field(&key, field, rule.time);
            match declared {
                Some(LinkType::P(kind)) => plans.push((name.as_str().into(), *kind, field)),
                _ => self.problem(
                    &key,
                    format!("`types.{object_type}.plinks` does not declare `{name}`; add it there"),
                ),
            }
        }
        plans
    }

    fn embeds(
        &mut self,
        key: &str,
        rule: &Mapping,
        index: &Map<String, usize>,
    ) -> Vec<crate::definition::plan::ItemPlan> {
        let embeds = rule.embeds.iter().enumerate().map(|(at, embed)| {
            let parts = ItemParts {
                at: &embed.at,
                each: embed.each.as_deref(),
                mapping: &embed.mapping,
                is_listed: embed.is_listed,
                when: embed.when.as_ref(),
            };
            self.items(&format!("{key}.embeds[{at}]"), &parts, index)
        });
        embeds.collect()
    }

    fn hints(&mut self, key: &str, rule: &Mapping, object_type: &str, schema: &Schema) -> Vec<HintPlan> {
        let mut plans = Vec::new();
        for (at, hint) in rule.hints.iter().enumerate() {
            let key = format!("{key}.hints[{at}]");
            let declared = schema.types.get(object_type).and_then(|one| one.links.get(&hint.link));
            if !matches!(declared, Some(LinkType::Sc(..) | LinkType::Sco(..))) {
                let what = format!(
                    "`types.{object_type}` declares no sc- or sco-link `{}`; add it there",
                    hint.link
                );
                self.problem(&format!("{key}.link"), what);
            }
            if hint.to.splitn(3, '/').filter(|part| !part.is_empty()).count() < 3 {
                self.problem(
                    &format!("{key}.to"),
                    format!("`{}` is not an address: `network/type/id`", hint.to),
                );
            }
            let rules = match &hint.within {
                data::HintPlace::Many(rules) => rules.as_slice(),
                data::HintPlace::One(rule) => std::slice::from_ref(rule),
            };
            let within =
                rules.iter().map(|place| self.field(&format!("{key}.in"), place, rule.time)).collect();
            let Some(pattern) = self.regex(&format!("{key}.pattern"), &hint.pattern) else { continue };
            plans.push(HintPlan { link: hint.link.as_str().into(), within, pattern, to: hint.to.clone() });
        }
        plans
    }

    fn variants(
        &mut self,
        key: &str,
        rule: &Mapping,
        index: &Map<String, usize>,
    ) -> Vec<(crate::expression::ConditionPlan, usize)> {
        let mut names: Vec<&String> = index.keys().collect();
        names.sort();
        let mut plans = Vec::new();
        for (at, variant) in rule.variants.iter().enumerate() {
            let key = format!("{key}.variants[{at}]");
            self.known(&format!("{key}.mapping"), "mapping", &variant.mapping, names.iter().copied());
            let when = self.condition(&format!("{key}.when"), &variant.when);
            plans.push((when, index.get(&variant.mapping).copied().unwrap_or_default()));
        }
        plans
    }
}

fn default_type(kind: MappingKind) -> &'static str {
    match kind {
        MappingKind::Post => "post",
        MappingKind::Account => "account",
        MappingKind::Relation => "relation",
        MappingKind::Tag => "tag",
        MappingKind::Group => "group",
    }
}
