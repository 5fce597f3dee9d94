//! Removing: sources are no longer visited; what was collected stays.

use std::ops::ControlFlow;

use freshet_forum::connector::PORTAL;
use freshet_report::sources::{RemoveReport, RemovedSource};
use freshet_store::api::Store;
use freshet_store::control::{Control, SourcesChange};
use freshet_types::{NetworkName, Set, Source, SourceId, SourceState};

use crate::config::Globals;
use crate::data::Data;
use crate::sources::all_meant;

/// Takes what a person names off the list; all of it is known, or nothing is removed.
pub fn remove_named(globals: &Globals, references: &[String]) -> anyhow::Result<RemoveReport> {
    let mut data = Data::open(globals)?;
    let sources = all_meant(globals, &data.store, references)?;
    remove(&mut data.store, sources)
}

/// Takes these off the list, a forum with all its lists; a run that is under way is told within a second.
pub fn remove(store: &mut dyn Store, sources: Vec<Source>) -> anyhow::Result<RemoveReport> {
    let sources = with_lists(store, sources)?;
    let watched = sources.into_iter().filter(|source| source.state != SourceState::Removed);
    let sources: Vec<_> = watched.map(|it| RemovedSource { source: it.id, label: it.label() }).collect();
    let ids: Vec<SourceId> = sources.iter().map(|it| it.source).collect();
    store.set_state(&ids, SourceState::Removed)?;
    store.push_control(&Control::Sources(SourcesChange::Removed(ids.clone())))?;
    Ok(RemoveReport { removed_count: ids.len(), sources })
}

/// A forum's front page stands for all of it: the boards and threads that were found from it go with it, and weigh what it weighs.
pub(crate) fn with_lists(store: &dyn Store, found: Vec<Source>) -> anyhow::Result<Vec<Source>> {
    let forums: Vec<NetworkName> =
        found.iter().filter(|it| &*it.root_kind == PORTAL).map(|it| it.network.clone()).collect();
    if forums.is_empty() {
        return Ok(found);
    }
    let known: Set<SourceId> = found.iter().map(|it| it.id).collect();
    let mut all = found;
    store.each_source(&mut |source| {
        if forums.contains(&source.network) && !known.contains(&source.id) {
            all.push(source);
        }
        ControlFlow::Continue(())
    })?;
    Ok(all)
}
