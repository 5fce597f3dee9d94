//! Which object a person means: an address, a source by its handle or number, or what `add` understands.

use freshet_network::networks::Registry;
use freshet_store::api::Store;
use freshet_types::{Address, Reference};

use super::reader::Reader;

/// What a text names.
#[derive(Clone, Debug)]
pub(crate) enum Meant {
    Known(Address),
    /// Something on a network whose id nobody knows yet.
    Named(Reference),
    Unknown,
}

/// Finds it. A handle that is watched on several networks means the first that was added.
pub(crate) fn meant(store: &dyn Store, registry: &Registry, text: &str) -> anyhow::Result<Meant> {
    let text = text.trim();
    let address = text.parse::<Address>().ok();
    // Addresses of the web without their scheme look alike: what is stored or has a definition is meant.
    if let Some(address) = &address
        && (registry.get(address.network.definition()).is_some()
            || Reader::new(store, registry).number(address)?.is_some())
    {
        return Ok(Meant::Known(address.clone()));
    }
    let understood = registry.understand(text).ok();
    let here = |network: &freshet_types::NetworkName| {
        understood.as_ref().is_none_or(|reference| reference.instance.network == *network)
    };
    let handle = understood.as_ref().and_then(|reference| reference.handle.clone());
    for key in [Some(text.to_owned()), handle].into_iter().flatten() {
        let mut found = store.find_sources(&key)?.into_iter();
        if let Some(source) = found.find(|source| here(&source.network) && !source.root_id.is_empty()) {
            return Ok(Meant::Known(Address::new(&source.network, &source.root_kind, source.root_id)));
        }
    }
    Ok(match understood {
        Some(Reference { root_id: Some(id), instance, root_kind, .. }) => {
            Meant::Known(Address::new(&instance.network, &root_kind, id))
        }
        Some(reference) => Meant::Named(reference),
        None => address.map_or(Meant::Unknown, Meant::Known),
    })
}
