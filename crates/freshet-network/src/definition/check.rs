//! Checks the parts of a definition and compiles them, collecting every problem with its key.
//!
//! After a problem, something harmless stands in for the part, so that one run finds them all
//! (`definition/compile.rs`).

mod endpoints;
mod hints;
mod login;
mod mappings;
mod streams;

use freshet_types::definition::{self as data, Condition, FieldRule};
use freshet_types::{Map, Span};
use regex::Regex;

use super::Problem;
use super::nearest::nearest;
use super::plan::{AnswerPart, ItemPlan};
use super::positions::KeyPositions;
use crate::expression::{Beside, ConditionPlan, Expression, Field, Pointer, Test};
use crate::format::{Keys, owned};
use crate::template::{Template, Templates, Variables};

/// Collects problems while parts are compiled.
pub(super) struct Checker<'a> {
    pub(super) positions: &'a KeyPositions,
    pub(super) problems: Vec<Problem>,
    pub(super) templates: Templates,
    pub(super) keys: Keys,
}

impl Checker<'_> {
    /// Notes a problem.
    pub(super) fn problem(&mut self, key: &str, what: impl Into<String>) {
        self.problems.push(Problem {
            line: self.positions.line_of(key),
            key: key.to_owned(),
            what: what.into(),
        });
    }

    /// The value, or a problem noted.
    pub(super) fn checked<T>(&mut self, key: &str, result: Result<T, String>) -> Option<T> {
        result.map_err(|what| self.problem(key, what)).ok()
    }

    pub(super) fn check_names(&mut self, data: &data::Definition) {
        let is_name = |name: &str| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
        };
        if !is_name(&data.name) {
            self.problem("name", "a name is made of lower-case letters, digits, `-` and `_`");
        }
        self.check_base("base", data.hosts, &data.base);
        for (name, variant) in &data.variants {
            if !is_name(name) || *name == data.name {
                self.problem(&format!("variants.{name}"), "a variant needs a name of its own, in lower case");
            }
            self.check_base(&format!("variants.{name}.base"), variant.hosts, &variant.base);
        }
        let own = data.references.iter().enumerate().map(|(at, one)| (format!("references[{at}]"), one));
        let of_variants = data.variants.iter().flat_map(|(name, variant)| {
            let key = move |at| format!("variants.{name}.references[{at}]");
            variant.references.iter().enumerate().map(move |(at, one)| (key(at), one))
        });
        for (key, reference) in own.chain(of_variants) {
            self.regex(&format!("{key}.pattern"), &reference.pattern);
            self.known(&format!("{key}.root"), "type", &reference.root, data.types.keys());
        }
        if data.in_flight_max == 0 {
            self.problem("in_flight_max", "at least one request must be allowed");
        }
    }

    fn check_base(&mut self, key: &str, hosts: data::Hosts, base: &str) {
        let has_host = base.contains("{{ host }}") || base.contains("{{host}}");
        match hosts {
            data::Hosts::One if base.contains("{{") => {
                self.problem(
                    key,
                    "a definition with one host has a plain URL; say `hosts = \"many\"` to use `{{ host }}`",
                );
            }
            data::Hosts::Many if !has_host => {
                self.problem(key, "a definition with many hosts needs `{{ host }}` in its base");
            }
            _ => {}
        }
        let plain = base.replace("{{ host }}", "example.org").replace("{{host}}", "example.org");
        let is_http = url::Url::parse(&plain).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if !is_http || plain.ends_with('/') {
            self.problem(key, format!("`{base}` is not an http(s) URL without a final slash"));
        }
    }

    pub(super) fn encoding(&mut self, label: Option<&str>) -> Option<&'static encoding_rs::Encoding> {
        let label = label?;
        let found = encoding_rs::Encoding::for_label(label.as_bytes());
        if found.is_none() {
            self.problem("encoding", format!("there is no text encoding `{label}`"));
        }
        found
    }

    /// Whether `name` is among `known`; if not, a problem with the nearest one.
    pub(super) fn known<'n>(
        &mut self,
        key: &str,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'n String> + Clone,
    ) -> bool {
        if known.clone().any(|one| one == name) {
            return true;
        }
        let near = nearest(name, known.clone().map(String::as_str));
        let hint = near.map_or_else(|| list_of(known), |near| format!("; did you mean `{near}`?"));
        self.problem(key, format!("there is no {what} `{name}`{hint}"));
        false
    }

    /// A length of time.
    pub(super) fn span(&mut self, key: &str, text: &str) -> Span {
        Span::parse(text).unwrap_or_else(|| {
            self.problem(key, format!("`{text}` is not a length of time; write `90s`, `5m`, `1h30m`, `1d`"));
            Span::SECOND
        })
    }

    /// A template.
    pub(super) fn template(&mut self, key: &str, text: &str) -> Template {
        let result = self.templates.compile(key, text);
        self.checked(key, result).unwrap_or(Template::Parts(Vec::new()))
    }

    /// What a template gives, for a closer look at it.
    pub(super) fn sample(&self, template: &Template) -> String {
        let variables = Variables {
            root: "root",
            host: "example.org",
            base: "https://example.org",
            ..Variables::default()
        };
        self.templates.render(template, &variables).unwrap_or_default()
    }

    /// A regular expression.
    pub(super) fn regex(&mut self, key: &str, text: &str) -> Option<Regex> {
        let result = Regex::new(text).map_err(|error| {
            let why = error.to_string();
            let last = why.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            format!("`{text}` is not a regular expression: {last}")
        });
        self.checked(key, result)
    }

    /// A JSON pointer.
    pub(super) fn pointer(&mut self, key: &str, text: &str) -> Pointer {
        let pointer = self.checked(key, Pointer::compile(text)).unwrap_or_default();
        pointer.name_keys(&mut self.keys);
        pointer
    }

    /// An optional JSON pointer.
    pub(super) fn maybe_pointer(&mut self, key: &str, text: Option<&str>) -> Option<Pointer> {
        text.map(|text| self.pointer(key, text))
    }

    /// An expression.
    pub(super) fn expression(&mut self, key: &str, text: &str) -> Expression {
        let expression = self.checked(key, Expression::compile(text)).unwrap_or(Expression::Root);
        expression.name_keys(&mut self.keys);
        expression
    }

    /// A part of an answer: `header:NAME` or `body:/pointer`.
    pub(super) fn answer_part(&mut self, key: &str, text: Option<&str>) -> Option<AnswerPart> {
        let text = text?;
        if let Some(name) = text.strip_prefix("header:") {
            return Some(AnswerPart::Header(name.trim().to_ascii_lowercase()));
        }
        if let Some(pointer) = text.strip_prefix("body:") {
            return Some(AnswerPart::Body(self.pointer(key, pointer)));
        }
        self.problem(key, format!("`{text}` is no place; write `header:NAME` or `body:/json/pointer`"));
        None
    }

    /// A field.
    pub(super) fn field(&mut self, key: &str, rule: &FieldRule, time: data::TimeFormat) -> Field {
        let mut field = Field {
            expressions: Vec::new(),
            each: None,
            only_where: None,
            time,
            prefix: String::new(),
            suffix: String::new(),
            pattern: None,
            to: None,
            beside: None,
            known: Vec::new(),
        };
        let texts = match rule {
            FieldRule::One(text) => std::slice::from_ref(text),
            FieldRule::Many(texts) => texts,
            FieldRule::Table(table) => {
                field.each = self.maybe_pointer(&format!("{key}.each"), table.each.as_deref());
                field.only_where = self.maybe_pointer(&format!("{key}.where"), table.only_where.as_deref());
                field.time = table.time.unwrap_or(time);
                field.prefix = table.prefix.clone().unwrap_or_default();
                field.suffix = table.suffix.clone().unwrap_or_default();
                field.pattern =
                    table.pattern.as_ref().and_then(|text| self.regex(&format!("{key}.match"), text));
                field.to.clone_from(&table.to);
                field.known.clone_from(&table.known);
                field.beside = table.beside.as_ref().map(|rule| self.beside(&format!("{key}.beside"), rule));
                if table.to.is_some() && table.pattern.is_none() {
                    self.problem(&format!("{key}.to"), "it needs `match`, whose groups it uses");
                }
                table.at.as_slice()
            }
        };
        if texts.is_empty() {
            self.problem(key, "at least one expression is needed");
        }
        field.expressions = texts.iter().map(|text| self.expression(key, text)).collect();
        field
    }

    /// A list beside the items.
    fn beside(&mut self, key: &str, rule: &data::BesideRule) -> Beside {
        Beside {
            at: self.pointer(&format!("{key}.at"), &rule.at),
            id: self.pointer(&format!("{key}.id"), &rule.id),
            value: self.pointer(&format!("{key}.value"), &rule.value),
            when: rule.when.as_ref().map(|when| self.condition(&format!("{key}.when"), when)),
        }
    }

    /// A condition on an item or a body.
    pub(super) fn condition(&mut self, key: &str, condition: &Condition) -> ConditionPlan {
        ConditionPlan {
            at: self.expression(&format!("{key}.at"), &condition.at),
            test: self.test(key, condition),
        }
    }

    /// All conditions of a list.
    pub(super) fn conditions(&mut self, key: &str, list: &[Condition]) -> Vec<ConditionPlan> {
        list.iter().enumerate().map(|(at, one)| self.condition(&format!("{key}[{at}]"), one)).collect()
    }

    /// The test of a condition.
    pub(super) fn test(&mut self, key: &str, condition: &Condition) -> Test {
        let matches = condition.matches.as_ref().and_then(|text| self.regex(&format!("{key}.matches"), text));
        let equals = condition.equals.clone().map(|one| vec![one]);
        let each = self.maybe_pointer(&format!("{key}.each"), condition.each.as_deref());
        if equals.iter().chain(&condition.one_of).flatten().any(|one| one.is_object() || one.is_array()) {
            self.keys.keep_all();
        }
        Test {
            each,
            one_of: equals
                .or_else(|| condition.one_of.clone())
                .map(|list| list.into_iter().map(owned).collect()),
            is_present: condition.is_present,
            contains: condition.contains.clone(),
            matches,
        }
    }

    /// A group of items with the mapping it names.
    pub(super) fn items(
        &mut self,
        key: &str,
        item: &ItemParts<'_>,
        mappings: &Map<String, usize>,
    ) -> ItemPlan {
        let mut names: Vec<&String> = mappings.keys().collect();
        names.sort();
        self.known(&format!("{key}.mapping"), "mapping", item.mapping, names.into_iter());
        ItemPlan {
            at: self.expression(&format!("{key}.at"), item.at),
            path: if item.at.starts_with("jq:") || item.at.starts_with("css:") {
                "/".to_owned()
            } else {
                item.at.to_owned()
            },
            each: self.maybe_pointer(&format!("{key}.each"), item.each),
            mapping: mappings.get(item.mapping).copied().unwrap_or_default(),
            is_listed: item.is_listed,
            is_reversed: item.is_reversed,
            when: item.when.map(|when| self.condition(&format!("{key}.when"), when)),
        }
    }
}

/// "; there are …", or nothing where there are none.
fn list_of<'n>(known: impl Iterator<Item = &'n String>) -> String {
    let all: Vec<_> = known.map(|one| format!("`{one}`")).collect();
    if all.is_empty() { String::new() } else { format!("; there are {}", all.join(", ")) }
}

/// Where the mappings and the endpoints of a file stand, by name.
pub(super) type EndpointParts<'a> = (&'a Map<String, usize>, &'a Map<String, usize>);

/// What an item rule and an embed rule have in common.
pub(super) struct ItemParts<'r> {
    pub(super) at: &'r str,
    pub(super) each: Option<&'r str>,
    pub(super) mapping: &'r str,
    pub(super) is_listed: bool,
    pub(super) is_reversed: bool,
    pub(super) when: Option<&'r Condition>,
}
