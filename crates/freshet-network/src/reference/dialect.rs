//! How people name things of one network: its patterns, compiled, and the servers it lives on.
//!
//! A text must match a pattern as a whole. What the groups `host` and `scheme` capture becomes an
//! [`Instance`]; `handle` and `id`, percent-decoded, say what is meant there.

use std::sync::OnceLock;

use freshet_types::definition::{Definition, Hosts};
use freshet_types::{Instance, NetworkName, Reference, ReferencePattern};
use regex::{Captures, Regex};
use url::Url;

/// Most memory one pattern of a definition may take when compiled.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// A pattern of a definition that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("definition `{network}`: key `references`: {what}")]
pub struct PatternError {
    pub network: String,
    /// What is wrong.
    pub what: String,
}

/// How people name things of one network.
#[derive(Clone, Debug)]
pub struct Dialect {
    pub(super) name: String,
    hosts: Hosts,
    base: String,
    host: Option<String>,
    pub(super) types: Vec<String>,
    pub(super) patterns: Vec<Pattern>,
    /// For texts that name the network: `bluesky-pds:https://host/REF`.
    inherited: Vec<Pattern>,
}

/// A pattern, compiled when a text is first held against it.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) rule: ReferencePattern,
    /// `None` for one that cannot be compiled; of definitions that were checked there is none.
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| build(&self.rule).ok()).as_ref()
    }
}

impl Dialect {
    /// What a network is called and where it lives, without patterns.
    pub(crate) fn outlined(
        name: &str,
        (hosts, base, host): (Hosts, &str, Option<&str>),
        types: &[String],
    ) -> Self {
        Self {
            name: name.to_owned(),
            hosts,
            base: base.trim_end_matches('/').to_owned(),
            host: host.map(str::to_owned),
            types: types.to_vec(),
            patterns: Vec::new(),
            inherited: Vec::new(),
        }
    }

    /// The same with patterns that nobody has looked at; those `inherited` from the file's first network serve where this one
    /// is named explicitly.
    pub(crate) fn with_patterns(mut self, own: &[ReferencePattern], inherited: &[ReferencePattern]) -> Self {
        let pattern = |rule: &ReferencePattern| Pattern { rule: rule.clone(), regex: OnceLock::new() };
        self.patterns = own.iter().map(pattern).collect();
        self.inherited = inherited.iter().filter(|rule| !own.contains(rule)).map(pattern).collect();
        self
    }

    /// All that it says, for comparing.
    #[cfg(test)]
    pub(crate) fn shape(&self) -> String {
        let rules = |patterns: &[Pattern]| patterns.iter().map(|it| it.rule.clone()).collect::<Vec<_>>();
        let Self { name, hosts, base, host, types, patterns, inherited } = self;
        format!("{name} {hosts:?} {base} {host:?} {types:?} {:?} {:?}", rules(patterns), rules(inherited))
    }

    /// Compiles the patterns of a definition.
    ///
    /// Those `inherited` from the file's first network serve where this one is named explicitly.
    pub fn new(definition: &Definition, inherited: &[ReferencePattern]) -> Result<Self, PatternError> {
        let types: Vec<String> = definition.types.keys().cloned().collect();
        let place = (definition.hosts, definition.base.as_str(), definition.host.as_deref());
        let dialect =
            Self::outlined(&definition.name, place, &types).with_patterns(&definition.references, inherited);
        for pattern in dialect.patterns.iter().chain(&dialect.inherited) {
            let regex = compile(&pattern.rule, &types);
            let regex = regex.map_err(|what| PatternError { network: definition.name.clone(), what })?;
            let _ = pattern.regex.set(Some(regex));
        }
        Ok(dialect)
    }

    /// The instance on this host; without one, the network's own.
    ///
    /// `None` where the network lives on many hosts and none is named, or the host is no host.
    pub fn instance(&self, host: Option<&str>, scheme: Option<&str>) -> Option<Instance> {
        let scheme = scheme.or_else(|| host.filter(|host| is_loopback(host)).map(|_| "http"));
        let host = match (host, &self.host) {
            (Some(host), _) => Some(authority(host, scheme.unwrap_or("https"))?),
            (None, Some(host)) => Some(host.clone()),
            (None, None) if self.base.contains("{{") => return None,
            (None, None) => None,
        };
        let mut base = self.base.clone();
        if let (Some(host), Some((start, _)), Some((_, end))) =
            (&host, base.split_once("{{"), base.split_once("}}"))
        {
            base = format!("{start}{host}{end}");
        }
        if scheme == Some("http")
            && let Some(rest) = base.strip_prefix("https:")
        {
            base = format!("http:{rest}");
        }
        let named =
            host.as_deref().filter(|&host| self.hosts == Hosts::Many && Some(host) != self.host.as_deref());
        Some(Instance { network: NetworkName::new(&self.name, named), base, allow_private: false })
    }

    /// Reads a text by the patterns of this network alone; `instance` overrides the server it names.
    pub(super) fn read(&self, text: &str, instance: Option<&Instance>) -> Option<Reference> {
        let read = |pattern: &Pattern| {
            self.read_captures(&pattern.regex()?.captures(text)?, &pattern.rule, instance)
        };
        let inherited = self.inherited.iter().filter(|_| instance.is_some());
        self.patterns.iter().chain(inherited).find_map(read)
    }

    fn read_captures(
        &self,
        captures: &Captures<'_>,
        pattern: &ReferencePattern,
        instance: Option<&Instance>,
    ) -> Option<Reference> {
        let group = |name: &str| captures.name(name).map(|found| found.as_str());
        let part = |template: Option<&String>, name: &str| match template {
            Some(template) => Some(fill(template, captures)),
            None => group(name).map(decode),
        };
        Some(Reference {
            instance: instance.cloned().or_else(|| self.instance(group("host"), group("scheme")))?,
            root_kind: pattern.root.as_str().into(),
            root_id: part(pattern.id.as_ref(), "id"),
            handle: part(pattern.handle.as_ref(), "handle"),
        })
    }
}

fn build(pattern: &ReferencePattern) -> Result<Regex, String> {
    let built =
        regex::RegexBuilder::new(&format!("^(?:{})$", pattern.pattern)).size_limit(PATTERN_BYTES_MAX).build();
    built.map_err(|error| format!("pattern `{}`: {error}", pattern.pattern))
}

/// The pattern, if it is sound: its type exists, and its example matches.
fn compile(pattern: &ReferencePattern, types: &[String]) -> Result<Regex, String> {
    let regex = build(pattern)?;
    if !types.contains(&pattern.root) {
        return Err(format!("there is no type `{}`, only {}", pattern.root, types.join(", ")));
    }
    if !regex.is_match(&pattern.example) {
        return Err(format!("`{}` does not match its example `{}`", pattern.pattern, pattern.example));
    }
    Ok(regex)
}

/// Host and port in normal form; `None` if this is no host.
fn authority(host: &str, scheme: &str) -> Option<String> {
    let url = Url::parse(&format!("{scheme}://{host}/")).ok()?;
    let is_plain = url.path() == "/" && url.username().is_empty() && url.password().is_none();
    let name = url.host_str().filter(|name| is_plain && !name.is_empty())?;
    Some(match url.port() {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    })
}

/// Servers on this computer speak plain HTTP, where nothing says otherwise.
fn is_loopback(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name == "localhost" || name == "[::1]" || name.starts_with("127.")
}

/// Percent-decoding for what stands in a path; whole URLs stay as they are.
fn decode(text: &str) -> String {
    if !text.contains('%') || text.contains("://") {
        return text.to_owned();
    }
    let pair = format!("v={}", text.replace('+', "%2B"));
    url::form_urlencoded::parse(pair.as_bytes())
        .next()
        .map_or_else(|| text.to_owned(), |(_, value)| value.into_owned())
}

/// Puts the captured groups into `{name}` places.
fn fill(template: &str, captures: &Captures<'_>) -> String {
    let mut filled = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            filled.push('{');
            rest = after;
            continue;
        };
        filled.push_str(&captures.name(name).map(|found| decode(found.as_str())).unwrap_or_default());
        rest = tail;
    }
    filled + rest
}
