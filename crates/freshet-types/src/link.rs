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

use crate::object::LinkTarget;
use crate::{Address, NetworkName};

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

impl fmt::Display for LinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::P => "p-link",
            Self::C => "c-link",
            Self::Co => "co-link",
            Self::Sp => "sp-link",
            Self::Sc => "sc-link",
            Self::Sco => "sco-link",
        })
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

impl Schema {
    /// The kind of the link `name` from `from` to `target`, or why it is refused.
    pub(crate) fn check_link(
        &self,
        from: &Address,
        name: &str,
        target: &LinkTarget,
    ) -> Result<LinkKind, LinkRefused> {
        let refuse = |why: String| LinkRefused { from: from.to_string(), name: name.to_owned(), why };
        let network = &self.network;
        if from.network.definition() != network {
            return Err(refuse(format!("it is not an object of `{network}`")));
        }
        let object_type = self.types.get(&*from.kind).ok_or_else(|| {
            let known: Vec<_> = self.types.keys().map(String::as_str).collect();
            refuse(format!("`{network}` has no type `{}`, only {}", from.kind, known.join(", ")))
        })?;
        let link_type = object_type.links.get(name).ok_or_else(|| {
            let known: Vec<_> = object_type.links.keys().map(String::as_str).collect();
            refuse(format!("`{network}` allows `{}` only {}", from.kind, known.join(", ")))
        })?;
        link_type.admit(from, target).map_err(refuse)
    }
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

    fn admit(&self, from: &Address, target: &LinkTarget) -> Result<LinkKind, String> {
        let kind = self.kind();
        match (self, target) {
            (Self::P(wanted), LinkTarget::Value(network, value)) => {
                same_network(kind, from, network)?;
                admit_value(*wanted, value)?;
            }
            (Self::Sp(wanted), LinkTarget::Value(network, value)) => {
                other_network(kind, from, network)?;
                admit_value(*wanted, value)?;
            }
            (Self::C(wanted), LinkTarget::One(object)) => admit_same(kind, from, &object.address, wanted)?,
            (Self::Co(wanted), LinkTarget::Many(objects)) => {
                objects.iter().try_for_each(|object| admit_same(kind, from, &object.address, wanted))?;
            }
            (Self::Sc(definition, wanted), LinkTarget::One(object)) => {
                admit_other(kind, from, &object.address, definition.as_deref(), wanted)?;
            }
            (Self::Sco(definition, wanted), LinkTarget::Many(objects)) => {
                objects.iter().try_for_each(|object| {
                    admit_other(kind, from, &object.address, definition.as_deref(), wanted)
                })?;
            }
            (_, LinkTarget::Value(..)) => return Err(format!("it is a {kind}, not a value")),
            (_, LinkTarget::One(_)) => return Err(format!("it is a {kind}, not one object")),
            (_, LinkTarget::Many(_)) => return Err(format!("it is a {kind}, not a collection")),
        }
        Ok(kind)
    }
}

fn admit_value(wanted: PrimitiveKind, value: &crate::Primitive) -> Result<(), String> {
    use PrimitiveKind::{Float, Int, Time};
    let got = value.kind();
    let fits = got == wanted || matches!((wanted, got), (Float | Time, Int));
    if fits { Ok(()) } else { Err(format!("it holds {wanted:?}, not {got:?}")) }
}

fn same_network(kind: LinkKind, from: &Address, to: &NetworkName) -> Result<(), String> {
    if from.network == *to {
        return Ok(());
    }
    Err(format!("a {kind} stays inside `{}`, and the target is in `{to}`", from.network))
}

fn other_network(kind: LinkKind, from: &Address, to: &NetworkName) -> Result<(), String> {
    if from.network != *to {
        return Ok(());
    }
    Err(format!("a {kind} leads to another network, and the target is in `{to}` too"))
}

fn admit_same(kind: LinkKind, from: &Address, to: &Address, wanted: &str) -> Result<(), String> {
    same_network(kind, from, &to.network)?;
    if &*to.kind == wanted { Ok(()) } else { Err(format!("it leads to `{wanted}`, not to `{}`", to.kind)) }
}

fn admit_other(
    kind: LinkKind,
    from: &Address,
    to: &Address,
    definition: Option<&str>,
    wanted: &str,
) -> Result<(), String> {
    other_network(kind, from, &to.network)?;
    if definition.is_some_and(|name| name != to.network.definition()) || &*to.kind != wanted {
        let network = definition.unwrap_or("any network");
        return Err(format!("it leads to `{wanted}` of {network}, not to `{to}`"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
