//! Addresses: `network/type/id`, unique over all networks and servers.
//!
//! `network` is a definition's name, or `definition:host` where one definition serves many
//! servers (`mastodon:example.social/post/1129…`), because ids are unique per server. The id
//! is the network's own, kept as a string without exception, and may itself contain slashes.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Longest id that any network may give; longer ones are complained about and dropped.
pub const ID_BYTES_MAX: usize = 2048;

/// `definition` or `definition:host`; cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NetworkName(Arc<str>);

impl NetworkName {
    /// The name of a network; `host` where the definition serves many.
    pub fn new(definition: &str, host: Option<&str>) -> Self {
        match host {
            Some(host) => Self(format!("{definition}:{host}").into()),
            None => Self(definition.into()),
        }
    }

    /// The definition's name.
    pub fn definition(&self) -> &str {
        self.0.split_once(':').map_or(&self.0, |(definition, _)| definition)
    }

    /// The host, with its port where it has one, if the definition serves many hosts.
    pub fn host(&self) -> Option<&str> {
        self.0.split_once(':').map(|(_, host)| host)
    }

    /// The whole name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for NetworkName {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for NetworkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for NetworkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The address of a composite object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// Which network, and which server of it.
    pub network: NetworkName,
    /// The object type as the definition names it: `account`, `post`, `tag`, …
    pub kind: Arc<str>,
    /// The network's own id.
    pub id: String,
}

/// Why a text is not an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an address: {why}; an address is `network/type/id`")]
pub struct AddressError {
    text: String,
    why: &'static str,
}

impl Address {
    /// An address from its three parts.
    pub fn new(network: &NetworkName, kind: &str, id: impl Into<String>) -> Self {
        Self { network: network.clone(), kind: kind.into(), id: id.into() }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.network, self.kind, self.id)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let fail = |why| AddressError { text: text.chars().take(200).collect(), why };
        let mut parts = text.splitn(3, '/');
        let network = parts.next().filter(|part| !part.is_empty()).ok_or(fail("no network"))?;
        let kind = parts.next().filter(|part| !part.is_empty()).ok_or(fail("no type"))?;
        let id = parts.next().filter(|part| !part.is_empty()).ok_or(fail("no id"))?;
        if id.len() > ID_BYTES_MAX {
            return Err(fail("the id is too long"));
        }
        Ok(Self::new(&NetworkName::from(network), kind, id))
    }
}

impl Serialize for Address {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_back() {
        for text in [
            "hackernews/post/1",
            "mastodon:example.social/post/112",
            "mastodon:127.0.0.1:3000/account/7",
            "bluesky/post/at://did:plc:abc/app.bsky.feed.post/3k",
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
        let address: Address = "mastodon:127.0.0.1:3000/account/7".parse().unwrap();
        assert_eq!(address.network.definition(), "mastodon");
        assert_eq!(address.network.host(), Some("127.0.0.1:3000"));
    }

    #[test]
    fn what_is_no_address_says_why() {
        for (text, why) in [("", "no network"), ("x", "no type"), ("x/y", "no id"), ("x/y/", "no id")] {
            assert!(text.parse::<Address>().unwrap_err().to_string().contains(why), "{text}");
        }
    }
}
