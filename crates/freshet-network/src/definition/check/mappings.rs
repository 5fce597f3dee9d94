//! Checks and compiles mappings: every field must belong to the kind, every link to the type.

use freshet_types::definition::{self as data, FieldRule, Mapping, MappingKind};
use freshet_types::{LinkType, Map, PostKind, PrimitiveKind, Schema};

use super::{Checker, ItemParts};
use crate::definition::plan::{EmbedPlan, Fields, LinkPlan, MappingPlan};
use crate::expression::Field;

const POST: &[MappingKind] = &[MappingKind::Post];
const ACCOUNT: &[MappingKind] = &[MappingKind::Account];
const ALL: &[MappingKind] = &[MappingKind::Post, MappingKind::Account, MappingKind::Object];
const BOTH: &[MappingKind] = &[MappingKind::Post, MappingKind::Account];
const RELATION: &[MappingKind] = &[MappingKind::Relation];
const TAG: &[MappingKind] = &[MappingKind::Tag];
const NAMED: &[MappingKind] = &[MappingKind::Account, MappingKind::Object, MappingKind::Tag];

/// The type of every account.
const ACCOUNT_TYPE: &str = "account";
/// Links of posts that are fields of their own.
const FIELDS: [&str; 5] = ["author", "reply_to", "root", "repost_of", "quote_of"];

/// Most variants that one mapping may choose from; each is tried for every item.
const VARIANTS_MAX: usize = 32;

impl Checker<'_> {
    pub(in super::super) fn mappings(
        &mut self,
        data: &data::Definition,
        schema: &Schema,
        index: &Map<String, usize>,
    ) -> Vec<MappingPlan> {
        self.check_kinds(data);
        data.mappings
            .iter()
            .map(|(name, rule)| self.mapping(&format!("mappings.{name}"), rule, schema, index))
            .collect()
    }

    /// Whether each type is made by mappings of one kind. Posts, accounts and other things lie in different tables, so that a type of
    /// two kinds would be found in neither; and only `account` is an account, because rows of accounts have no other type.
    fn check_kinds(&mut self, data: &data::Definition) {
        let mut first: Map<&str, (&String, MappingKind)> = Map::default();
        for (name, rule) in data.mappings.iter().filter(|(_, rule)| ALL.contains(&rule.kind)) {
            let key = format!("mappings.{name}.{}", if rule.object_type.is_some() { "type" } else { "kind" });
            let made = rule.object_type.as_deref().unwrap_or(default_type(rule.kind));
            if (rule.kind == MappingKind::Account) != (made == ACCOUNT_TYPE) {
                let what = match rule.kind {
                    MappingKind::Account => {
                        "only `account` is made by `kind = \"account\"`; use `kind = \"object\"`"
                    }
                    _ => "an `account` is made by `kind = \"account\"`; give this type a name of its own",
                };
                self.problem(&key, what);
                continue;
            }
            let (other, kind) = *first.entry(made).or_insert((name, rule.kind));
            if kind != rule.kind {
                let what = format!(
                    "`mappings.{other}` makes `{made}` by `kind = \"{}\"`, this one by `{}`; use `kind = \"object\"` in both, \
                     or two types",
                    default_type(kind),
                    default_type(rule.kind),
                );
                self.problem(&key, what);
            }
        }
    }

    fn mapping(
        &mut self,
        key: &str,
        rule: &Mapping,
        schema: &Schema,
        index: &Map<String, usize>,
    ) -> MappingPlan {
        let object_type = rule.object_type.clone().unwrap_or_else(|| default_type(rule.kind).to_owned());
        if ALL.contains(&rule.kind) {
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
            links: self.links(key, rule, &object_type, schema),
            embeds: self.embeds(key, rule, (&object_type, schema), index),
            hints: self.hints(key, rule, &object_type, schema),
            variants: self.variants(key, rule, index),
            skip: self.conditions(&format!("{key}.skip"), &rule.skip),
            post_kind: post_kind(&object_type, schema),
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
            id: ALL, author: POST, created_at: ALL, edited_at: POST, text: POST, url: ALL, uri: BOTH,
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
            MappingKind::Post | MappingKind::Account | MappingKind::Object => &[("id", fields.id.is_some())],
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

    /// Links whose targets are given by their ids.
    fn links(&mut self, key: &str, rule: &Mapping, object_type: &str, schema: &Schema) -> Vec<LinkPlan> {
        let single = rule.clinks.iter().map(|(name, field)| ("clinks", name, field));
        let many = rule.colinks.iter().map(|(name, field)| ("colinks", name, field));
        let mut plans = Vec::new();
        for (family, name, field) in single.chain(many) {
            let key = format!("{key}.{family}.{name}");
            let field = self.field(&key, field, rule.time);
            if FIELDS.contains(&name.as_str()) {
                self.problem(&key, format!("`{name}` is a field of posts: map it as `{name}`"));
            }
            match link_to(schema, object_type, name) {
                Some(to) if to.1 == (family == "colinks") => plans.push(LinkPlan::new(name, to, field)),
                _ => self.problem(
                    &key,
                    format!("`types.{object_type}.{family}` does not declare `{name}`; add it there"),
                ),
            }
        }
        plans
    }

    fn embeds(
        &mut self,
        key: &str,
        rule: &Mapping,
        (object_type, schema): (&str, &Schema),
        index: &Map<String, usize>,
    ) -> Vec<EmbedPlan> {
        let embeds = rule.embeds.iter().enumerate().map(|(at, embed)| {
            let link = embed.link.as_ref().and_then(|name| {
                let to = link_to(schema, object_type, name);
                if to.is_none() {
                    let what =
                        format!("`types.{object_type}` declares no c- or co-link `{name}`; add it there");
                    self.problem(&format!("{key}.embeds[{at}].link"), what);
                }
                to.map(|(_, is_member)| (name.as_str().into(), is_member))
            });
            let parts = ItemParts {
                at: &embed.at,
                each: embed.each.as_deref(),
                mapping: &embed.mapping,
                is_listed: embed.is_listed,
                is_reversed: false,
                when: embed.when.as_ref(),
            };
            EmbedPlan { items: self.items(&format!("{key}.embeds[{at}]"), &parts, index), link }
        });
        embeds.collect()
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

/// The type that a c- or co-link of a type leads to, and whether it is a collection.
fn link_to<'s>(schema: &'s Schema, object_type: &str, name: &str) -> Option<(&'s str, bool)> {
    match schema.types.get(object_type)?.links.get(name)? {
        LinkType::C(to) => Some((to, false)),
        LinkType::Co(to) => Some((to, true)),
        _ => None,
    }
}

/// The type of posts, with what the definition says of its ids and of those of its links.
fn post_kind(object_type: &str, schema: &Schema) -> PostKind {
    let space =
        |kind: &str| schema.types.get(kind).and_then(|it| it.ids.clone()).unwrap_or_else(|| kind.to_owned());
    let own = space(object_type);
    let other = |name| link_to(schema, object_type, name).map(|(to, _)| to).filter(|to| space(to) != own);
    PostKind::new(object_type).in_space(Some(&own)).leading_to(other("reply_to"), other("root"))
}

fn default_type(kind: MappingKind) -> &'static str {
    match kind {
        MappingKind::Post => "post",
        MappingKind::Account => "account",
        MappingKind::Relation => "relation",
        MappingKind::Tag => "tag",
        MappingKind::Object => "object",
        MappingKind::Group => "group",
    }
}
