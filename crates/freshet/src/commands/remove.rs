//! `freshet remove`: sources are no longer visited; what was collected stays.

use std::process::ExitCode;

use freshet_store::api::Store;
use freshet_types::{Source, SourceId, SourceState};
use serde::Serialize;
use serde_json::json;

use super::{no_source, sources_meant};
use crate::args::RemoveArgs;
use crate::config::Globals;
use crate::data::Data;
use crate::output::{self, Report, count};

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

/// Takes these off the list; a run that is under way hears it within a second.
pub(crate) fn remove(store: &mut dyn Store, sources: Vec<Source>) -> anyhow::Result<RemoveReport> {
    let watched = sources.into_iter().filter(|source| source.state != SourceState::Removed);
    let sources: Vec<_> = watched.map(|it| RemovedSource { source: it.id, label: it.label() }).collect();
    let ids: Vec<SourceId> = sources.iter().map(|it| it.source).collect();
    store.set_state(&ids, SourceState::Removed)?;
    store.push_control("sources", &json!({ "removed": ids }).to_string())?;
    Ok(RemoveReport { removed_count: ids.len(), sources })
}

impl Report for RemoveReport {
    fn text(&self) -> String {
        let mut lines = vec![format!("{} removed; what was collected stays", {
            count(self.removed_count as u64, "source")
        })];
        lines.extend(self.sources.iter().map(|it| format!("  {}  {}", it.source.0, it.label)));
        lines.join("\n")
    }
}
