//! `freshet remove`: sources are no longer visited; what was collected stays.

use std::ops::ControlFlow;
use std::process::ExitCode;

use freshet_forum::connector::PORTAL;
use freshet_store::api::Store;
use freshet_store::control::{Control, SourcesChange};
use freshet_types::{NetworkName, Set, Source, SourceId, SourceState};
use serde::Serialize;

use super::{no_source, sources_meant};
use crate::args::RemoveArgs;
use crate::config::Globals;
use crate::data::Data;
use crate::output::{self, Report, count};

/// Sources that are shown to people; a forum has thousands.
const SHOWN_MAX: usize = 50;

/// What is no longer visited.
#[derive(Serialize)]
pub(crate) struct RemoveReport {
    removed_count: usize,
    sources: Vec<RemovedSource>,
}

#[derive(Serialize)]
struct RemovedSource {
    source: SourceId,
    label: String,
}

/// Takes sources off the list; all of them are known, or none is removed.
pub(crate) fn execute(globals: &Globals, args: &RemoveArgs) -> anyhow::Result<ExitCode> {
    let mut data = Data::open(globals)?;
    let mut sources = Vec::new();
    for reference in &args.references {
        let found = sources_meant(globals, &data.store, reference)?;
        if found.is_empty() {
            return Err(no_source(reference));
        }
        sources.extend(found);
    }
    output::print(args.report, &remove(&mut data.store, sources)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Takes these off the list, a forum with all its lists; a run that is under way hears it within a second.
pub(crate) fn remove(store: &mut dyn Store, sources: Vec<Source>) -> anyhow::Result<RemoveReport> {
    let sources = with_lists(store, sources)?;
    let watched = sources.into_iter().filter(|source| source.state != SourceState::Removed);
    let sources: Vec<_> = watched.map(|it| RemovedSource { source: it.id, label: it.label() }).collect();
    let ids: Vec<SourceId> = sources.iter().map(|it| it.source).collect();
    store.set_state(&ids, SourceState::Removed)?;
    store.push_control(&Control::Sources(SourcesChange::Removed(ids.clone())))?;
    Ok(RemoveReport { removed_count: ids.len(), sources })
}

/// A forum's front page stands for all of it: the boards and threads that were found from it go with it.
fn with_lists(store: &dyn Store, found: Vec<Source>) -> anyhow::Result<Vec<Source>> {
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

impl Report for RemoveReport {
    fn text(&self) -> String {
        let mut lines = vec![format!("{} removed; what was collected stays", {
            count(self.removed_count as u64, "source")
        })];
        let shown = self.sources.iter().take(SHOWN_MAX);
        lines.extend(shown.map(|it| format!("  {}  {}", it.source.0, it.label)));
        if self.sources.len() > SHOWN_MAX {
            lines.push(format!("  … and {} more", self.sources.len() - SHOWN_MAX));
        }
        lines.join("\n")
    }
}
