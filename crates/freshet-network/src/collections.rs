//! Which collections the robot `link` gathers: all that definitions list, or those that a person named. Pure; part of step 3 (pick) of 10.
//!
//! A collection is a row of a definition (an endpoint with `robot = "link"`), and is named by the type of its root and its link:
//! `post.likers` in all networks that have it, `mastodon/post.likers` in one. What a person names is either all that is gathered, or left
//! out of it. Members that are stored stay, whatever is chosen.

use std::fmt;
use std::str::FromStr;

use freshet_types::{Connector, Endpoint, NetworkName, RobotKind};
use serde::{Deserialize, Serialize};

use crate::networks::Registry;

/// Collections that a person may name; all shipped definitions together have fewer.
const NAMES_MAX: usize = 64;

/// The name of a collection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CollectionName {
    /// A definition; without one, every network is meant.
    network: Option<String>,
    /// The type of the root.
    kind: String,
    link: String,
}

impl CollectionName {
    /// The name of what an endpoint of a network lists.
    pub fn of(network: &str, endpoint: &Endpoint) -> Self {
        let link = endpoint.link.as_ref().unwrap_or(&endpoint.name);
        Self {
            network: Some(network.to_owned()),
            kind: endpoint.root_kind.to_string(),
            link: link.to_string(),
        }
    }

    /// Whether this means what that name says, of one network.
    fn means(&self, one: &Self) -> bool {
        (&self.kind, &self.link) == (&one.kind, &one.link)
            && (self.network.is_none() || self.network == one.network)
    }
}

impl FromStr for CollectionName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (network, rest) = match text.split_once('/') {
            Some((network, rest)) => (Some(network), rest),
            None => (None, text),
        };
        let wrong = || {
            format!(
                "`{text}` names no collection; write `type.link` or `network/type.link`, such as `post.likers`"
            )
        };
        let (kind, link) = rest.split_once('.').ok_or_else(wrong)?;
        let is_name = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        };
        if ![network.unwrap_or("any"), kind, link].into_iter().all(is_name) {
            return Err(wrong());
        }
        Ok(Self { network: network.map(str::to_owned), kind: kind.to_owned(), link: link.to_owned() })
    }
}

impl fmt::Display for CollectionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(network) = &self.network {
            write!(f, "{network}/")?;
        }
        write!(f, "{}.{}", self.kind, self.link)
    }
}

impl TryFrom<String> for CollectionName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<CollectionName> for String {
    fn from(name: CollectionName) -> Self {
        name.to_string()
    }
}

/// What the robot `link` gathers; all that there is unless somebody says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collections {
    /// Only these; all, where none is named.
    only: Vec<CollectionName>,
    /// But for these.
    without: Vec<CollectionName>,
}

impl Collections {
    /// Only these, and nothing is left out of them; all, without any.
    pub fn only(names: &[CollectionName]) -> Result<Self, String> {
        Ok(Self { only: bounded(names.to_vec())?, without: Vec::new() })
    }

    /// The same without these; `None` where nothing would be left of those that were chosen.
    pub fn without(&self, names: &[CollectionName]) -> Result<Option<Self>, String> {
        let mut left = self.clone();
        left.only.retain(|one| !names.iter().any(|name| name.means(one)));
        if left.only.is_empty() && !self.only.is_empty() {
            return Ok(None);
        }
        left.without = bounded([left.without.as_slice(), names].concat())?;
        Ok(Some(left))
    }

    /// Whether everything is gathered.
    pub fn are_all(&self) -> bool {
        *self == Self::default()
    }

    /// Whether what an endpoint lists is gathered: that of any other robot always is.
    pub fn include(&self, network: &NetworkName, endpoint: &Endpoint) -> bool {
        endpoint.robot != Some(RobotKind::Link)
            || self.are_all()
            || self.include_named(&CollectionName::of(network.definition(), endpoint))
    }

    /// The same of a collection by its name.
    pub fn include_named(&self, name: &CollectionName) -> bool {
        let is_among = |names: &[CollectionName]| names.iter().any(|one| one.means(name));
        (self.only.is_empty() || is_among(&self.only)) && !is_among(&self.without)
    }

    /// Whether something may be gathered that was not `before`.
    pub fn widen(&self, before: &Self) -> bool {
        let is_no_more = before.only.is_empty()
            || !self.only.is_empty() && self.only.iter().all(|name| before.only.contains(name));
        !(is_no_more && before.without.iter().all(|name| self.without.contains(name)))
    }
}

/// Each name once, and not too many.
fn bounded(mut names: Vec<CollectionName>) -> Result<Vec<CollectionName>, String> {
    names.sort_unstable();
    names.dedup();
    if names.len() > NAMES_MAX {
        return Err(format!("at most {NAMES_MAX} collections can be named"));
    }
    Ok(names)
}

/// The collections that a network lists for the robot `link`, by name.
pub fn of_network(network: &str, connector: &dyn Connector) -> Vec<CollectionName> {
    let listed = connector.endpoints().iter().filter(|endpoint| endpoint.robot == Some(RobotKind::Link));
    let mut names: Vec<_> = listed.map(|endpoint| CollectionName::of(network, endpoint)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Refuses a name that means nothing that any network lists, with those that there are.
pub fn check(registry: &Registry, name: &CollectionName) -> Result<(), String> {
    let mut known: Vec<CollectionName> =
        registry.iter().flat_map(|network| of_network(&network.name, &*network.connector)).collect();
    if known.iter().any(|one| name.means(one)) {
        return Ok(());
    }
    for one in &mut known {
        one.network = None;
    }
    known.sort_unstable();
    known.dedup();
    let names: Vec<String> = known.iter().map(|one| format!("`{one}`")).collect();
    Err(format!("no network lists `{name}`; the collections are {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::Networks;

    fn names(text: &str) -> Vec<CollectionName> {
        text.split_whitespace().map(|name| name.parse().unwrap()).collect()
    }

    fn taken(collections: &Collections) -> String {
        let all =
            names("mastodon/post.likers mastodon/post.reposters bluesky/post.likers github/repo.watchers");
        let taken: Vec<String> =
            all.iter().filter(|name| collections.include_named(name)).map(ToString::to_string).collect();
        taken.join(" ")
    }

    #[test]
    fn names_are_read_and_written() {
        for text in ["post.likers", "mastodon/post.likers", "bluesky-pds/post.x_y"] {
            assert_eq!(text.parse::<CollectionName>().unwrap().to_string(), text);
        }
        for text in
            ["", "likers", "post.", "/post.likers", "post.likers.all", "a/b/post.likers", "post likers"]
        {
            let error = text.parse::<CollectionName>().unwrap_err();
            assert!(error.contains("type.link"), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_named_is_gathered_or_left_out() {
        let all = Collections::default();
        assert_eq!(taken(&all).split(' ').count(), 4);
        for (only, without, expected) in [
            ("post.likers", "", "mastodon/post.likers bluesky/post.likers"),
            ("mastodon/post.likers", "", "mastodon/post.likers"),
            (
                "post.likers post.reposters",
                "bluesky/post.likers",
                "mastodon/post.likers mastodon/post.reposters",
            ),
            ("post.likers post.reposters", "post.likers", "mastodon/post.reposters"),
            ("", "post.likers", "mastodon/post.reposters github/repo.watchers"),
        ] {
            let chosen = Collections::only(&names(only)).unwrap();
            let left = chosen.without(&names(without)).unwrap().expect("something is left");
            assert_eq!(taken(&left), expected, "only {only}, without {without}");
            let stored = serde_json::to_string(&left).unwrap();
            assert_eq!(serde_json::from_str::<Collections>(&stored).unwrap(), left);
        }
        let one = Collections::only(&names("post.likers")).unwrap();
        assert_eq!(one.without(&names("post.likers")).unwrap(), None, "nothing is left");
        let many: Vec<_> = (0..=NAMES_MAX).map(|n| format!("post.l{n}").parse().unwrap()).collect();
        assert!(Collections::only(&many).unwrap_err().contains("64"));
    }

    #[test]
    fn whether_a_choice_is_wider_than_another_is_told() {
        let choice = |only: &str, without: &str| {
            let chosen = Collections::only(&names(only)).unwrap();
            chosen.without(&names(without)).unwrap().unwrap()
        };
        for (now, before, expected) in [
            (choice("", ""), choice("", ""), false),
            (choice("post.likers", ""), choice("", ""), false),
            (choice("", "post.likers"), choice("", ""), false),
            (choice("", ""), choice("", "post.likers"), true),
            (choice("", ""), choice("post.likers", ""), true),
            (choice("post.likers", ""), choice("post.likers post.quotes", ""), false),
            (choice("post.likers post.quotes", ""), choice("post.likers", ""), true),
        ] {
            assert_eq!(now.widen(&before), expected, "{now:?} after {before:?}");
        }
    }

    #[test]
    fn shipped_networks_list_collections_and_others_are_refused() {
        let registry = Networks::shipped().snapshot();
        for name in names("post.likers post.reposters bluesky/post.quotes github/repo.stargazers") {
            check(&registry, &name).unwrap_or_else(|error| panic!("{error}"));
        }
        let error = check(&registry, &names("mastodon/post.lickers")[0]).unwrap_err();
        assert!(error.contains("mastodon/post.lickers") && error.contains("`post.likers`"), "{error}");
    }
}
