//! Checks and compiles endpoints.

use freshet_types::definition::{self as data, EndpointRule, NewerStyle, Ordering, Paging};
use freshet_types::{
    Endpoint, GroupAsk, IdOrder, LinkType, ListOrder, Map, PageKind, Politeness, PrimitiveKind, RobotKind,
    Schema, Span,
};
use regex::Regex;

use super::{Checker, EndpointParts, ItemParts};
use crate::definition::plan::{EndpointPlan, GroupPlan, ItemPlan, MembersPlan, NewerPlan, PagingPlan, Shows};
use crate::template::{Part, Template, Variable};

/// Largest page that a definition may ask for.
const PAGE_SIZE_MAX: u32 = 10_000;
/// Most roots that a request may ask about.
const GROUP_MAX: u32 = 1000;

/// The collection whose members are stored, and cancelled when they are no more. Lists of posts need not be where the posts tell themselves:
/// by author, thread or tag; and who follows whom is a relation.
fn stored_link(rule: &EndpointRule) -> Option<&str> {
    let is_stored = matches!(rule.kind, PageKind::Accounts | PageKind::Objects | PageKind::Tags);
    let is_told = rule.relation.is_some() || !is_stored;
    rule.link.as_deref().filter(|_| !is_told || rule.robot == Some(RobotKind::Link))
}

impl Checker<'_> {
    pub(in super::super) fn endpoints(
        &mut self,
        data: &data::Definition,
        schema: &Schema,
        pause: Span,
        mappings: &Map<String, usize>,
        index: &Map<String, usize>,
    ) -> Vec<EndpointPlan> {
        let plans = data.endpoints.iter().map(|(name, rule)| {
            let key = format!("endpoints.{name}");
            self.check_endpoint(&key, rule, data, schema);
            let public = self.public(&key, name, rule, data, pause);
            self.endpoint(name, rule, public, data, (mappings, index))
        });
        plans.collect()
    }

    fn check_endpoint(&mut self, key: &str, rule: &EndpointRule, data: &data::Definition, schema: &Schema) {
        if self.known(&format!("{key}.root"), "type", &rule.root, data.types.keys())
            && let Some(link) = &rule.link
            && !matches!(schema.types[&rule.root].links.get(link), Some(LinkType::Co(_)))
        {
            self.problem(
                &format!("{key}.link"),
                format!("`types.{}.colinks` does not declare `{link}`", rule.root),
            );
        }
        self.check_count(key, rule, schema);
        let public_name =
            |(key, rule): (&String, &EndpointRule)| rule.name.clone().unwrap_or_else(|| key.clone());
        let namesakes =
            data.endpoints.iter().filter(|(_, other)| other.variant == rule.variant).map(public_name);
        if let Some(name) = &rule.name
            && namesakes.filter(|other| other == name).count() > 1
        {
            self.problem(&format!("{key}.name"), format!("there is another endpoint `{name}`"));
        }
        if let Some(variant) = &rule.variant {
            self.known(&format!("{key}.variant"), "variant", variant, data.variants.keys());
        }
        if !(1..=PAGE_SIZE_MAX).contains(&rule.page_size) {
            self.problem(&format!("{key}.page_size"), format!("a page has 1 to {PAGE_SIZE_MAX} items"));
        }
        if rule.robot == Some(RobotKind::Across) {
            self.problem(
                &format!("{key}.robot"),
                "the robot `across` asks the endpoints with `role = \"single\"`, and those of `comment`",
            );
        }
        if rule.robot == Some(RobotKind::Link) && rule.link.is_none() {
            self.problem(
                key,
                "`link` is missing: the robot `link` collects the members of a collection; which?",
            );
        }
        if rule.items.is_empty() && rule.members.is_none() && rule.kind != PageKind::Other {
            self.problem(
                key,
                "`items` (or `members`) is missing: where do the items stand, and which mapping reads them?",
            );
        }
        if rule.body.is_some() && rule.method == freshet_types::Method::Get {
            self.problem(&format!("{key}.body"), "a body needs `method = \"POST\"`");
        }
        if matches!(rule.paging, Paging::Enumerate { .. }) && rule.members.is_none() {
            self.problem(
                &format!("{key}.paging"),
                "ids are counted, so `members` must say how they are fetched",
            );
        }
    }

    /// What counts the members of a list is a number of its root.
    fn check_count(&mut self, key: &str, rule: &EndpointRule, schema: &Schema) {
        let (Some(name), Some(root)) = (&rule.counted_by, schema.types.get(&rule.root)) else { return };
        if !matches!(root.links.get(name), Some(LinkType::P(PrimitiveKind::Int))) {
            let why = format!("`types.{}.plinks` does not declare `{name}` as `int`", rule.root);
            self.problem(&format!("{key}.counted_by"), why);
        }
    }

    fn public(
        &mut self,
        key: &str,
        name: &str,
        rule: &EndpointRule,
        data: &data::Definition,
        pause: Span,
    ) -> Endpoint {
        let pause = rule.pause.as_ref().map_or(pause, |text| self.span(&format!("{key}.pause"), text));
        Endpoint {
            name: rule.name.as_deref().unwrap_or(name).into(),
            robot: rule.robot,
            root_kind: rule.root.as_str().into(),
            kind: rule.kind,
            page_size: rule.page_size,
            id_order: rule.id_order.unwrap_or(match rule.order {
                Ordering::ClaimedTime => IdOrder::None,
                _ => data.id_order,
            }),
            // APIs that list from old to new hand out no address of their last page: they are swept.
            order: match rule.order {
                Ordering::Insertion | Ordering::ClaimedTime => ListOrder::NewestFirst,
                _ => ListOrder::Mixed,
            },
            is_window: rule.is_window,
            link: stored_link(rule).map(Into::into),
            counted_by: rule.counted_by.as_deref().map(Into::into),
            relation: rule.relation,
            members_max: rule.members.as_ref().map_or(0, |members| members.batch.max(1) as usize),
            group: group_ask(rule, data),
            politeness: Politeness {
                pause,
                in_flight_max: rule.in_flight_max.unwrap_or(data.in_flight_max).max(1),
            },
        }
    }

    /// An endpoint that nobody visits: it stands at this key, and serves something else of the definition.
    pub(super) fn hidden_endpoint(
        &mut self,
        key: &str,
        name: &str,
        rule: &EndpointRule,
        data: &data::Definition,
        parts: EndpointParts<'_>,
    ) -> EndpointPlan {
        let public = self.public(key, name, rule, data, Span::ZERO);
        self.endpoint_at(key, name, rule, public, (data, parts))
    }

    fn endpoint(
        &mut self,
        name: &str,
        rule: &EndpointRule,
        public: Endpoint,
        data: &data::Definition,
        parts: EndpointParts<'_>,
    ) -> EndpointPlan {
        self.endpoint_at(&format!("endpoints.{name}"), name, rule, public, (data, parts))
    }

    fn endpoint_at(
        &mut self,
        key: &str,
        name: &str,
        rule: &EndpointRule,
        public: Endpoint,
        (data, (mappings, index)): (&data::Definition, EndpointParts<'_>),
    ) -> EndpointPlan {
        let url = self.template(&format!("{key}.url"), &rule.url);
        let sample = self.sample(&url);
        let is_whole = matches!(&url, Template::Parts(parts) if matches!(parts.first(), Some(Part::Variable { variable: Variable::Root | Variable::Base, .. })));
        if !is_whole && !sample.starts_with('/') && !sample.starts_with("http") {
            self.problem(&format!("{key}.url"), "it begins with `/` (below the base), or is a whole URL");
        }
        let query = rule.query.iter().map(|(name, values)| {
            let key = format!("{key}.query.{name}");
            (name.clone(), values.as_slice().iter().map(|text| self.template(&key, text)).collect())
        });
        let query = query.collect();
        let headers = rule.headers.iter().map(|(name, text)| {
            (name.to_ascii_lowercase(), self.template(&format!("{key}.headers.{name}"), text))
        });
        let headers = headers.collect();
        EndpointPlan {
            key: name.to_owned(),
            path: self.path(key, &url, rule),
            query,
            headers,
            body: rule.body.as_ref().map(|text| self.template(&format!("{key}.body"), text)),
            items: self.endpoint_items(key, rule, mappings),
            paging: self.paging(key, &rule.paging),
            newer: rule.newer.as_ref().map(|newer| self.newer(key, newer)),
            members: self.members(key, rule, index),
            group: self.group(key, rule, (data, index)),
            format: rule.format.unwrap_or(data.format),
            is_page: rule.is_page.unwrap_or(data.is_page),
            url,
            public,
            rule: rule.clone(),
        }
    }

    fn endpoint_items(
        &mut self,
        key: &str,
        rule: &EndpointRule,
        mappings: &Map<String, usize>,
    ) -> Vec<ItemPlan> {
        let items = rule.items.iter().enumerate().map(|(at, item)| {
            let parts = ItemParts {
                at: &item.at,
                each: item.each.as_deref(),
                mapping: &item.mapping,
                is_listed: !item.is_embedded,
                is_reversed: item.is_reversed,
                when: None,
            };
            self.items(&format!("{key}.items[{at}]"), &parts, mappings)
        });
        items.collect()
    }

    /// A pattern for the paths of its URLs, with the ids of its roots where they are described.
    fn path(&mut self, key: &str, url: &Template, rule: &EndpointRule) -> Regex {
        let roots = rule.roots.as_ref().and_then(|text| self.regex(&format!("{key}.roots"), text));
        let has_root = |part: &Part| matches!(part, Part::Variable { variable: Variable::Root, .. });
        if rule.roots.is_some() && !matches!(url, Template::Parts(parts) if parts.iter().any(has_root)) {
            self.problem(&format!("{key}.roots"), "`url` has no plain `{{ root }}` that it could describe");
        }
        path_pattern(url, &rule.url, roots.as_ref().map(Regex::as_str))
    }

    fn paging(&mut self, key: &str, paging: &Paging) -> PagingPlan {
        let mut plan = PagingPlan::default();
        match paging {
            Paging::Cursor { at, .. } | Paging::Url { at } | Paging::Enumerate { at } => {
                plan.at = self.expression(&format!("{key}.paging.at"), at);
            }
            Paging::Page { more, count, .. } => {
                plan.more = self.maybe_pointer(&format!("{key}.paging.more"), more.as_deref());
                plan.count = self.maybe_pointer(&format!("{key}.paging.count"), count.as_deref());
            }
            _ => {}
        }
        plan
    }

    fn newer(&mut self, key: &str, rule: &data::NewerRule) -> NewerPlan {
        let key = format!("{key}.newer");
        let default = match (rule.style, rule.format) {
            (NewerStyle::Time, data::TimeWriting::EpochS) => "{{ newer.at_s }}",
            (NewerStyle::Time, data::TimeWriting::EpochMs) => "{{ newer.at_ms }}",
            (NewerStyle::Time, data::TimeWriting::Iso8601) => "{{ newer.at_iso }}",
            (NewerStyle::Time, data::TimeWriting::Date) => "{{ newer.at_date }}",
            _ => "{{ newer.id }}",
        };
        let value = self.template(&format!("{key}.value"), rule.value.as_deref().unwrap_or(default));
        let query = rule
            .query
            .iter()
            .map(|(name, text)| (name.clone(), self.template(&format!("{key}.query.{name}"), text)));
        NewerPlan { query: query.collect(), value, rule: rule.clone() }
    }

    /// How one request asks about many roots: a probe, or a merged list.
    fn group(
        &mut self,
        key: &str,
        rule: &EndpointRule,
        (data, index): (&data::Definition, &Map<String, usize>),
    ) -> Option<GroupPlan> {
        let (key, endpoint, roots_max, param) = match (&rule.probe, &rule.merged) {
            (Some(_), Some(_)) => {
                self.problem(key, "a list has a `probe` or is `merged`, not both");
                return None;
            }
            (Some(it), None) => (format!("{key}.probe"), &it.endpoint, it.group, it.param.clone()),
            (None, Some(it)) => (format!("{key}.merged"), &it.endpoint, it.group, it.param.clone()),
            (None, None) => return None,
        };
        let names: Vec<String> = index.keys().cloned().collect();
        self.known(&format!("{key}.endpoint"), "endpoint", endpoint, names.iter());
        if !(2..=GROUP_MAX).contains(&roots_max) {
            self.problem(&format!("{key}.group"), format!("a request names 2 to {GROUP_MAX} roots at once"));
        }
        let is_asked = match rule.robot {
            Some(RobotKind::Status) => true,
            Some(RobotKind::Comment) => rule.probe.is_some(),
            _ => false,
        };
        if !is_asked {
            let why = "only lists that the robot `status` visits are asked about in groups, and those of `comment` by a `probe`";
            self.problem(&key, why);
        }
        self.group_endpoint(&key, endpoint, rule, data);
        let shows = match (&rule.probe, &rule.merged) {
            (Some(it), _) => Shows::Pulses {
                id: self.expression(&format!("{key}.id"), &it.id),
                pulse: self.expression(&format!("{key}.pulse"), &it.pulse),
                seen: it.seen.as_ref().map(|seen| self.expression(&format!("{key}.seen"), seen)),
            },
            (None, it) => {
                let it = it.as_ref()?;
                Shows::Posts {
                    id: self.expression(&format!("{key}.id"), &it.id),
                    root: self.expression(&format!("{key}.root"), &it.root),
                }
            }
        };
        let endpoint = index.get(endpoint).copied().unwrap_or_default();
        Some(GroupPlan { endpoint, roots_max: roots_max as usize, param, shows })
    }

    /// Whether the endpoint that answers for many roots can.
    fn group_endpoint(&mut self, key: &str, name: &str, rule: &EndpointRule, data: &data::Definition) {
        let Some(shown) = data.endpoints.get(name) else { return };
        let key = format!("{key}.endpoint");
        if shown.items.is_empty() {
            self.problem(&key, format!("`{name}` has no `items`, so nothing can be read of its roots"));
        }
        let falls = matches!(shown.order, Ordering::Insertion | Ordering::ClaimedTime);
        if rule.merged.is_some() && (shown.kind != PageKind::Posts || !falls) {
            self.problem(&key, format!("`{name}` does not list posts, the newest first"));
        }
    }

    fn members(&mut self, key: &str, rule: &EndpointRule, index: &Map<String, usize>) -> Option<MembersPlan> {
        let members = rule.members.as_ref()?;
        let key = format!("{key}.members");
        let mut names: Vec<&String> = index.keys().collect();
        names.sort();
        self.known(&format!("{key}.endpoint"), "endpoint", &members.endpoint, names.into_iter());
        Some(MembersPlan {
            at: self.expression(&format!("{key}.at"), &members.at),
            endpoint: index.get(&members.endpoint).copied().unwrap_or_default(),
            batch: members.batch.max(1) as usize,
            param: members.param.clone(),
        })
    }
}

/// What one request can do for several roots.
fn group_ask(rule: &EndpointRule, data: &data::Definition) -> GroupAsk {
    match (&rule.probe, &rule.merged) {
        (Some(probe), _) => GroupAsk { roots_max: probe.group as usize, posts_max: 0 },
        (None, Some(merged)) => {
            let page_size = data.endpoints.get(&merged.endpoint).map_or(0, |shown| shown.page_size);
            GroupAsk { roots_max: merged.group as usize, posts_max: page_size as usize }
        }
        (None, None) => GroupAsk::default(),
    }
}

/// A pattern for the paths that a URL template can give.
fn path_pattern(template: &Template, text: &str, roots: Option<&str>) -> Regex {
    let mut pattern = String::from("^");
    match template {
        Template::Parts(parts) if parts.len() == 1 && !matches!(parts[0], Part::Text(_)) => {
            pattern.push_str(".*");
        }
        Template::Parts(parts) => {
            for part in parts {
                match part {
                    Part::Text(text) => pattern.push_str(&regex::escape(path_of(text))),
                    Part::Variable { variable: Variable::Base, .. } => {}
                    Part::Variable { variable: Variable::Root, is_encoded }
                        if !pattern.contains("(?<root>") =>
                    {
                        // What is put in as it is may be a path itself: `owner/name`.
                        let usual = if *is_encoded { "[^/?#]+" } else { "[^?#]+" };
                        pattern.extend(["(?<root>", roots.unwrap_or(usual), ")"]);
                    }
                    Part::Variable { .. } => pattern.push_str("[^/?#]+"),
                }
            }
        }
        // What the engine makes of it is anybody's guess, so only the texts around it are held fast.
        Template::Engine(_) => {
            for (at, piece) in text.split("{{").enumerate() {
                let piece = if at == 0 { path_of(piece) } else { piece };
                let after =
                    if at == 0 { piece } else { piece.split_once("}}").map_or("", |(_, after)| after) };
                // Ids of several roots stand in one part of a path.
                let is_part = piece.trim_start().starts_with("members");
                pattern.push_str(match at {
                    0 => "",
                    _ if is_part => "[^/?#]*",
                    _ => "[^?#]*",
                });
                pattern.push_str(&regex::escape(after.split("{%").next().unwrap_or_default()));
            }
        }
    }
    pattern.push_str("/?$");
    Regex::new(&pattern).unwrap_or_else(|_| Regex::new("$^").expect("this pattern is sound"))
}

/// The path of a text that may begin with a host, without its query.
fn path_of(text: &str) -> &str {
    let text = text.split('?').next().unwrap_or_default();
    match text.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
        None => text,
    }
}
