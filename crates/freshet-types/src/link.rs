//! Link kinds, and the schema that says which links a network allows [SocWeb, section 2].
//!
//! | kind | from → to | condition |
//! |---|---|---|
//! | p-link | composite → primitive | same network |
//! | c-link | composite → composite | same network |
//! | co-link | composite → collection of one association | same network |
//! | sp-, sc-, sco-link | as above | the target belongs to another network |
//!
//! Collections are formed by association, not by object type: an account is linked to posts it
//! wrote and, separately, to posts it liked.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The six kinds of link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LinkKind {
    /// p-link: to a value of the same network.
    P,
    /// c-link: to a composite object of the same network.
    C,
    /// co-link: to a collection in the same network.
    Co,
    /// sp-link: to a value of another network.
    Sp,
    /// sc-link: to a composite object of another network.
    Sc,
    /// sco-link: to a collection in another network.
    Sco,
}

impl LinkKind {
    /// Its letters: the name in stores, exports and definitions.
    pub fn name(self) -> &'static str {
        match self {
            Self::P => "p",
            Self::C => "c",
            Self::Co => "co",
            Self::Sp => "sp",
            Self::Sc => "sc",
            Self::Sco => "sco",
        }
    }
}

impl fmt::Display for LinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-link", self.name())
    }
}

/// The types of primitive vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PrimitiveKind {
    /// True or false.
    Bool,
    /// A whole number.
    Int,
    /// A number with a fraction.
    Float,
    /// A text.
    Text,
    /// An instant, kept as milliseconds since 1970.
    Time,
}

/// Where a link of one name may lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// p-link to a value of this kind.
    P(PrimitiveKind),
    /// c-link to an object of this type.
    C(String),
    /// co-link to objects of this type.
    Co(String),
    /// sp-link to a value of this kind in another network.
    Sp(PrimitiveKind),
    /// sc-link to an object of this definition and type; `None` allows any.
    Sc(Option<String>, String),
    /// sco-link to objects of this definition and type.
    Sco(Option<String>, String),
}

/// The links that objects of one type may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectType {
    /// By association name.
    pub links: BTreeMap<String, LinkType>,
    /// The space of ids that it shares with other types.
    pub ids: Option<String>,
}

/// The object and link types of one network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// Name of the definition.
    pub network: String,
    /// By type name.
    pub types: BTreeMap<String, ObjectType>,
}

/// A link that the network's definition does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{from}` may not have a link `{name}`: {why}")]
pub struct LinkRefused {
    /// The object that should have got the link.
    pub from: String,
    /// The association name.
    pub name: String,
    /// What the definition says instead.
    pub why: String,
}

impl LinkType {
    /// The kind of link this declares.
    pub fn kind(&self) -> LinkKind {
        match self {
            Self::P(_) => LinkKind::P,
            Self::C(_) => LinkKind::C,
            Self::Co(_) => LinkKind::Co,
            Self::Sp(_) => LinkKind::Sp,
            Self::Sc(..) => LinkKind::Sc,
            Self::Sco(..) => LinkKind::Sco,
        }
    }
}
