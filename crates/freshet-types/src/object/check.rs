//! Whether a network's definition allows a link: the rules of [`crate::link`], asked of an object and a target.

use super::{LinkTarget, Primitive};
use crate::link::{LinkKind, LinkRefused, LinkType, PrimitiveKind, Schema};
use crate::{Address, NetworkName};

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

fn admit_value(wanted: PrimitiveKind, value: &Primitive) -> Result<(), String> {
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
