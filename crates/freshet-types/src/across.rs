//! Links into other networks, with what speaks for them [SocWeb, section 2].
//!
//! An s-link is a claim: a page of one network says something about an object of another. Each carries its evidence (where it was
//! read, and the text that matched) and a confidence, so that a link whose owner proved it outranks a mention. Nothing here decides
//! whether two accounts are one person.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Address, LinkKind, Primitive};

/// A link from an object to one of another network (sc-, sco-link), or to a value of it (sp-link).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossLink {
    /// Association name, as the type of the object declares it.
    pub name: Arc<str>,
    /// Sp, sc or sco.
    pub kind: LinkKind,
    /// The object that it leads to, or whose value it states.
    pub target: Address,
    /// Sp-link: the value.
    pub value: Option<Primitive>,
    /// What speaks for it.
    pub evidence: Evidence,
    pub confidence: Confidence,
}

/// What speaks for a link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The place in the item that showed it, as the definition names it.
    pub place: String,
    /// The text that matched, at most [`Evidence::TEXT_BYTES_MAX`] of it.
    pub text: String,
}

impl Evidence {
    /// Longest text that is kept.
    pub const TEXT_BYTES_MAX: usize = 300;

    /// This text at this place.
    pub fn new(place: &str, text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(Self::TEXT_BYTES_MAX)];
        Self { place: place.to_owned(), text: text.to_owned() }
    }
}

impl CrossLink {
    /// An sc-link of which nothing more is known.
    pub fn new(name: &str, target: Address) -> Self {
        Self {
            name: name.into(),
            kind: LinkKind::Sc,
            target,
            value: None,
            evidence: Evidence::default(),
            confidence: Confidence::default(),
        }
    }
}

/// How sure a link is, from 0 to 1, to a thousandth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence(u16);

impl Confidence {
    const ONE: u16 = 1000;

    /// This share; `None` where it is none.
    pub fn new(share: f64) -> Option<Self> {
        let is_share = (0.0..=1.0).contains(&share);
        is_share.then(|| Self((share * f64::from(Self::ONE)).round() as u16))
    }

    /// As a share of one.
    pub fn share(self) -> f64 {
        f64::from(self.0) / f64::from(Self::ONE)
    }
}

/// A link that somebody wrote into a text: as likely as not it is about themselves.
impl Default for Confidence {
    fn default() -> Self {
        Self(Self::ONE / 2)
    }
}

impl fmt::Debug for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.share())
    }
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.share())
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let share = f64::deserialize(deserializer)?;
        Self::new(share).ok_or_else(|| serde::de::Error::custom("a confidence is a number from 0 to 1"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_is_a_share() {
        for (share, known) in
            [(0.0, Some(0.0)), (0.95, Some(0.95)), (1.0, Some(1.0)), (1.1, None), (f64::NAN, None)]
        {
            assert_eq!(Confidence::new(share).map(Confidence::share), known, "{share}");
        }
        assert!(serde_json::from_str::<Confidence>("-0.1").is_err());
        assert_eq!(serde_json::to_string(&Confidence::default()).unwrap(), "0.5");
    }

    #[test]
    fn evidence_is_bounded_whatever_letters_it_has() {
        assert_eq!(Evidence::new("/bio", &"ä".repeat(500)).text.len(), Evidence::TEXT_BYTES_MAX);
    }
}
