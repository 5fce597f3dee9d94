//! Which sources a person means by what they type.

use freshet_network::networks::Networks;
use freshet_store::api::Store;
use freshet_types::{Reference, Source, SourceId};

use crate::config::Globals;
use crate::data;
use crate::failure::Failure;

/// The sources a person means: by number, handle, id or address, else by what `add` understands.
///
/// They all belong to one thing: a handle that is known on two networks is refused.
pub(crate) fn sources_meant(globals: &Globals, store: &dyn Store, text: &str) -> anyhow::Result<Vec<Source>> {
    let number = text.trim().parse().ok().map(SourceId);
    if let Some(source) = number.map(|number| store.source(number)).transpose()?.flatten() {
        return Ok(vec![source]);
    }
    let mut found = store.find_sources(text)?;
    if found.is_empty()
        && let Some(reference) = understood(&data::networks(globals)?, text)
    {
        let key = reference.root_id.as_deref().or(reference.handle.as_deref()).unwrap_or_default();
        found = store.find_sources(key)?;
        found.retain(|source| source.network == reference.instance.network);
    }
    add_kin(store, &mut found)?;
    if found.iter().any(|source| !is_about_the_same(&found[0], source)) {
        let labels: Vec<_> = found.iter().map(|it| format!("{}  {}", it.id.0, it.label())).collect();
        let failure = Failure::misuse(format!("`{text}` may mean several\n  {}", labels.join("\n  ")));
        return Err(failure.hint("give the number of the source, or an address (network/type/id)").into());
    }
    Ok(found)
}

/// The sources of several references; each must lead to some.
pub(crate) fn all_meant(
    globals: &Globals,
    store: &dyn Store,
    references: &[String],
) -> anyhow::Result<Vec<Source>> {
    let mut sources = Vec::new();
    for reference in references {
        let found = sources_meant(globals, store, reference)?;
        if found.is_empty() {
            return Err(no_source(reference));
        }
        sources.extend(found);
    }
    Ok(sources)
}

/// Adds the sources that robots made of the same things: those know the id and not the handle.
fn add_kin(store: &dyn Store, found: &mut Vec<Source>) -> anyhow::Result<()> {
    for at in 0..found.len() {
        let source = found[at].clone();
        let kin = if source.root_id.is_empty() { Vec::new() } else { store.find_sources(&source.root_id)? };
        let is_new = |other: &Source| found.iter().all(|known| known.id != other.id);
        let kin: Vec<Source> =
            kin.into_iter().filter(|other| is_about_the_same(&source, other) && is_new(other)).collect();
        found.extend(kin);
    }
    Ok(())
}

/// Whether two sources show the same thing through different endpoints. One that was added by its
/// handle has no id before its first visit.
fn is_about_the_same(one: &Source, other: &Source) -> bool {
    let is_alike = (&one.network, &one.root_kind) == (&other.network, &other.root_kind);
    let has_ids = !one.root_id.is_empty() && !other.root_id.is_empty();
    is_alike && if has_ids { one.root_id == other.root_id } else { one.handle == other.handle }
}

/// What `add` would understand by it.
pub(crate) fn understood(networks: &Networks, text: &str) -> Option<Reference> {
    networks.understand(text).ok()
}

/// For a reference that leads to no source.
pub(crate) fn no_source(text: &str) -> anyhow::Error {
    let failure = Failure::misuse(format!("no source is known as `{text}`"));
    failure.hint("give what `add` was given, a handle, an address, or the number of a source").into()
}
