//! Pausing and resuming: sources rest for a while, and go on where they were.
//!
//! A paused source stays on the list and keeps what is known of it; only a person ends the pause.

use freshet_store::api::Store;
use freshet_store::control::{Control, SourcesChange};
use freshet_types::{Source, SourceId, SourceState, Timestamp};

use crate::config::Globals;
use crate::data::Data;
use crate::sources::all_meant;

/// Pauses or resumes what a person names; all of it is known, or nothing changes. Gives what changed.
pub fn set_paused(
    globals: &Globals,
    references: &[String],
    is_paused: bool,
) -> anyhow::Result<Vec<SourceId>> {
    let mut data = Data::open(globals)?;
    let sources = all_meant(globals, &data.store, references)?;
    if is_paused { pause(&mut data.store, &sources) } else { resume(&mut data.store, sources) }
}

/// Those that are watched rest from now on; a run that is under way is told within a second.
pub fn pause(store: &mut dyn Store, sources: &[Source]) -> anyhow::Result<Vec<SourceId>> {
    let watched = sources.iter().filter(|source| source.state.is_watched());
    let ids: Vec<SourceId> = watched.map(|source| source.id).collect();
    store.set_state(&ids, SourceState::Paused)?;
    store.push_control(&Control::Sources(SourcesChange::Paused(ids.clone())))?;
    Ok(ids)
}

/// Those that rest or were removed are watched again, as if they were added anew: an owner may have
/// asked meanwhile not to be collected. Those that failed are visited at once; their server is probed where it is down.
pub fn resume(store: &mut dyn Store, sources: Vec<Source>) -> anyhow::Result<Vec<SourceId>> {
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
