//! What people type to name a thing, understood by the definitions' own patterns.
//!
//! In this order, and the first that fits wins:
//!
//! 1. `network/type/id`, the address of an object: `mastodon:example.social/account/7`;
//! 2. `NETWORK:REF` and `NETWORK:BASEURL/REF`, which name the network and perhaps a server of
//!    one's own: `bluesky:http://127.0.0.1:2583/ada.test`, `rss:https://example.org/news`;
//! 3. the patterns of all definitions, in the order of the registry, so that networks with a host
//!    of their own come before families that live anywhere. A missing `https://` is supplied.
//!
//! The invariant: a reference says where to ask and for what, and nothing was asked to find out.
//! Handles stay handles, and private addresses are never allowed here; that is for a person to say.
//! An unknown text gives an error that shows one example of everything that is understood.

mod dialect;
pub mod list;

use freshet_types::{Address, Instance, NetworkName, Reference};
use url::Url;

pub use dialect::{Dialect, PatternError};

/// Longest text that is looked at.
pub(crate) const TEXT_BYTES_MAX: usize = 8 << 10;

/// Hosts of networks whose profile pages look like another network's, and must not be taken for it.
const WELL_KNOWN: &[(&str, &str)] = &[
    ("facebook.com", "facebook"),
    ("github.com", "github"),
    ("instagram.com", "instagram"),
    ("medium.com", "medium"),
    ("reddit.com", "reddit"),
    ("threads.com", "threads"),
    ("threads.net", "threads"),
    ("tiktok.com", "tiktok"),
    ("tumblr.com", "tumblr"),
    ("twitter.com", "twitter"),
    ("weibo.com", "weibo"),
    ("x.com", "twitter"),
    ("youtu.be", "youtube"),
    ("youtube.com", "youtube"),
];

/// Why a text is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// There is nothing in it.
    #[error("the reference is empty; name a profile, a handle or a feed")]
    Empty,
    /// It is longer than [`TEXT_BYTES_MAX`], or has control characters.
    #[error("`{0}…` is not a reference: it is too long or holds control characters")]
    NotText(String),
    /// It holds a password.
    #[error("the address of `{0}` holds a user name or password; take it out, and use `freshet credentials`")]
    Secret(String),
    /// Its network has no definition.
    #[error("`{text}` belongs to the network `{network}`, which has no definition here; known are {known}")]
    NoNetwork {
        text: String,
        /// The network it seems to belong to.
        network: String,
        /// What is defined.
        known: String,
    },
    /// The network has no such type.
    #[error("`{text}`: `{network}` has no type `{kind}`, only {known}")]
    NoType {
        text: String,
        network: String,
        /// The type asked for.
        kind: String,
        /// What it has.
        known: String,
    },
    #[error("`{text}` is not understood{hint}\nunderstood are:\n{examples}")]
    Unknown {
        text: String,
        /// A guess, or nothing.
        hint: String,
        /// One example of each kind.
        examples: String,
    },
}

/// The patterns of all definitions, compiled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dialects {
    all: Vec<Dialect>,
}

impl Dialects {
    /// These, most specific first.
    pub(crate) fn new(all: Vec<Dialect>) -> Self {
        Self { all }
    }

    /// The dialect of this network.
    pub(crate) fn get(&self, name: &str) -> Option<&Dialect> {
        self.all.iter().find(|dialect| dialect.name == name)
    }

    /// The server that an address or a source lives on.
    pub(crate) fn instance_of(&self, network: &NetworkName) -> Option<Instance> {
        self.get(network.definition())?.instance(network.host(), None)
    }

    /// What a person means by this text.
    pub(crate) fn understand(&self, text: &str) -> Result<Reference, ReferenceError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ReferenceError::Empty);
        }
        if text.len() > TEXT_BYTES_MAX || text.chars().any(char::is_control) {
            return Err(ReferenceError::NotText(text.chars().filter(|c| !c.is_control()).take(60).collect()));
        }
        let address = self.read_address(text);
        if let Ok(Some(reference)) = address {
            return Ok(reference);
        }
        if let Some(reference) = self.read_forced(text)? {
            return Ok(reference);
        }
        // `lemmy:host/c/name` looks like an address with a strange type, and is only wrong if nobody says so.
        address?;
        let normal = normalise(text)?;
        self.refuse_foreign(text, &normal)?;
        if let Some(reference) = self.all.iter().find_map(|dialect| dialect.read(&normal, None)) {
            return Ok(reference);
        }
        // `example.social/@ada`, `news.ycombinator.com/user?id=ada`: people leave the scheme out.
        if let Some((host, _)) = text.split_once('/')
            && host.contains('.')
            && !text.contains("://")
            && let Ok(normal) = normalise(&format!("https://{text}"))
        {
            self.refuse_foreign(text, &normal)?;
            if let Some(reference) = self.all.iter().find_map(|dialect| dialect.read(&normal, None)) {
                return Ok(reference);
            }
        }
        Err(ReferenceError::Unknown {
            text: text.chars().take(200).collect(),
            hint: self.hint(text),
            examples: self.examples(),
        })
    }

    /// One example of everything that is understood, one on a line.
    pub(crate) fn examples(&self) -> String {
        let mut lines = vec!["  network/type/id, NETWORK:REF, NETWORK:https://host/REF".to_owned()];
        for dialect in &self.all {
            let examples: Vec<_> =
                dialect.patterns.iter().map(|pattern| pattern.rule.example.as_str()).collect();
            if !examples.is_empty() {
                lines.push(format!("  {}: {}", dialect.name, examples.join(", ")));
            }
        }
        lines.join("\n")
    }

    fn known(&self) -> String {
        self.all.iter().map(|dialect| dialect.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// `network/type/id`.
    fn read_address(&self, text: &str) -> Result<Option<Reference>, ReferenceError> {
        let Ok(address) = text.parse::<Address>() else { return Ok(None) };
        let Some(dialect) = self.get(address.network.definition()) else { return Ok(None) };
        if address.network.host().is_some_and(|host| host.is_empty() || host == "http:" || host == "https:") {
            return Ok(None);
        }
        if !dialect.types.iter().any(|kind| **kind == *address.kind) {
            return Err(ReferenceError::NoType {
                text: text.chars().take(200).collect(),
                network: dialect.name.clone(),
                kind: address.kind.to_string(),
                known: dialect.types.join(", "),
            });
        }
        let Some(instance) = self.instance_of(&address.network) else { return Ok(None) };
        let Address { kind, id, .. } = address;
        Ok(Some(Reference { instance, root_kind: kind, root_id: Some(id), handle: None }))
    }

    /// `NETWORK:REF` and `NETWORK:BASEURL/REF`.
    fn read_forced(&self, text: &str) -> Result<Option<Reference>, ReferenceError> {
        let Some((name, rest)) = text.split_once(':') else { return Ok(None) };
        let Some(dialect) = self.get(name) else { return Ok(None) };
        let candidates = [text.to_owned(), normalise(rest)?, format!("@{rest}")];
        if let Some(reference) = candidates.iter().find_map(|candidate| dialect.read(candidate, None)) {
            return Ok(Some(reference));
        }
        let Some((scheme, after)) = rest.split_once("://") else { return Ok(None) };
        let Some((host, tail)) = after.split_once('/') else { return Ok(None) };
        let Some(instance) = dialect.instance(Some(host), Some(scheme)) else { return Ok(None) };
        let candidates = [tail.to_owned(), format!("@{tail}")];
        Ok(candidates.iter().find_map(|candidate| dialect.read(candidate, Some(&instance))))
    }

    /// Refuses pages of networks that would be taken for another one's.
    fn refuse_foreign(&self, text: &str, normal: &str) -> Result<(), ReferenceError> {
        let Ok(url) = Url::parse(normal) else { return Ok(()) };
        let host = url.host_str().unwrap_or_default();
        let is_at =
            |known: &str| host == known || host.strip_suffix(known).is_some_and(|rest| rest.ends_with('.'));
        let Some((_, network)) = WELL_KNOWN.iter().find(|(known, _)| is_at(known)) else { return Ok(()) };
        let is_defined = self.get(network).is_some();
        let is_feed = self.get("rss").is_some_and(|rss| rss.read(normal, None).is_some());
        if is_defined || is_feed {
            return Ok(());
        }
        Err(ReferenceError::NoNetwork {
            text: text.chars().take(200).collect(),
            network: (*network).to_owned(),
            known: self.known(),
        })
    }

    /// A guess at what was meant.
    fn hint(&self, text: &str) -> String {
        if let Some(handle) = text.strip_prefix('@')
            && !handle.contains(['@', '.', '/'])
        {
            return format!("; say on which server: `@{handle}@example.social`");
        }
        if text.starts_with("http://") || text.starts_with("https://") {
            let text: String = text.chars().take(200).collect();
            return format!("; if it is a feed, write `rss:{text}`, if it is a single page, `page:{text}`");
        }
        let name = text.split(['/', ':']).next().unwrap_or_default();
        let is_near = |dialect: &&Dialect| distance(name, &dialect.name) <= 2;
        match self.all.iter().find(is_near) {
            Some(dialect) if name.len() < text.len() && name != dialect.name => {
                format!("; there is no network `{name}`, did you mean `{}`?", dialect.name)
            }
            _ if text.contains('/') && !name.contains('.') && self.get(name).is_none() => {
                format!("; there is no network `{name}`, only {}", self.known())
            }
            _ => String::new(),
        }
    }
}

/// Scheme and host in lower case, no fragment, no default port; other texts stay as they are.
fn normalise(text: &str) -> Result<String, ReferenceError> {
    let has_scheme =
        |scheme: &str| text.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme));
    if !has_scheme("http://") && !has_scheme("https://") {
        return Ok(text.to_owned());
    }
    let Ok(mut url) = Url::parse(text) else { return Ok(text.to_owned()) };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ReferenceError::Secret(url.host_str().unwrap_or_default().to_owned()));
    }
    url.set_fragment(None);
    Ok(url.into())
}

/// Edits between two short names, for near misses.
fn distance(left: &str, right: &str) -> usize {
    if left.len() > 32 {
        return usize::MAX;
    }
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, here) in left.chars().enumerate() {
        let mut above_left = row[0];
        row[0] = at + 1;
        for (column, there) in right.iter().enumerate() {
            let above = row[column + 1];
            row[column + 1] = (above_left + usize::from(here != *there)).min(above + 1).min(row[column] + 1);
            above_left = above;
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests;
