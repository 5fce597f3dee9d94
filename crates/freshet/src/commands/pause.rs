//! `freshet pause`, `freshet resume`: sources rest for a while, and go on where they were.
//!
//! A paused source stays on the list and keeps what is known of it; only a person ends the pause.

use std::process::ExitCode;

use freshet_store::api::Store;
use freshet_store::control::{Control, SourcesChange};
use freshet_types::{Source, SourceId, SourceState, Timestamp};
use serde::Serialize;

use super::{no_source, sources_meant};
use crate::args::RemoveArgs;
use crate::config::Globals;
use crate::data::Data;
use crate::output::{self, Report, count};

/// What rests now, or is watched again.
#[derive(Serialize)]
struct PauseReport {
    changed_count: usize,
    sources: Vec<SourceId>,
    is_paused: bool,
}

/// Pauses or resumes; all references are known, or nothing changes.
pub(crate) fn execute(globals: &Globals, args: &RemoveArgs, is_paused: bool) -> anyhow::Result<ExitCode> {
    let mut data = Data::open(globals)?;
    let mut sources = Vec::new();
    for reference in &args.references {
        let found = sources_meant(globals, &data.store, reference)?;
        if found.is_empty() {
            return Err(no_source(reference));
        }
        sources.extend(found);
    }
    let changed =
        if is_paused { pause(&mut data.store, &sources)? } else { resume(&mut data.store, sources)? };
    output::print(args.report, &PauseReport { changed_count: changed.len(), sources: changed, is_paused })?;
    Ok(ExitCode::SUCCESS)
}

/// Those that are watched rest from now on; a run that is under way hears it within a second.
pub(crate) fn pause(store: &mut dyn Store, sources: &[Source]) -> anyhow::Result<Vec<SourceId>> {
    let watched = sources.iter().filter(|source| source.state.is_watched());
    let ids: Vec<SourceId> = watched.map(|source| source.id).collect();
    store.set_state(&ids, SourceState::Paused)?;
    store.push_control(&Control::Sources(SourcesChange::Paused(ids.clone())))?;
    Ok(ids)
}

/// Those that rest or were removed are watched again, as if they were added anew: an owner may have
/// asked meanwhile not to be collected. Those that failed are visited at once; their server is probed where it is down.
pub(crate) fn resume(store: &mut dyn Store, sources: Vec<Source>) -> anyhow::Result<Vec<SourceId>> {
    let (failed, others): (Vec<Source>, Vec<Source>) =
        sources.into_iter().partition(|source| source.state == SourceState::Failed);
    for source in &failed {
        let due_at = Timestamp::default();
        let fresh =
            Source { state: SourceState::Active, attempts: 0, failure: None, due_at, ..source.clone() };
        store.put_source(&fresh)?;
    }
    let resting = others.into_iter().filter(|source| !source.state.is_watched());
    let resting: Vec<Source> = resting.map(|it| Source { state: SourceState::Active, ..it }).collect();
    let mut ids: Vec<SourceId> = store.add_sources(&resting)?.into_iter().map(|(id, _)| id).collect();
    ids.extend(failed.iter().map(|source| source.id));
    store.push_control(&Control::Sources(SourcesChange::Watched(ids.clone())))?;
    Ok(ids)
}

impl Report for PauseReport {
    fn text(&self) -> String {
        let what = if self.is_paused { "paused; `freshet resume` watches again" } else { "watched again" };
        format!("{} {what}", count(self.changed_count as u64, "source"))
    }
}
