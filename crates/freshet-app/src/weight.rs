//! Weights: how much the waiting of a source's posts counts, as a person sets it.
//!
//! A weight is stored with the source, and no visit changes it. A run that is under way is told within a second and times the source
//! anew; for the next run, its visit is brought forward here if the weight asks for that.

use freshet_engine::forum::list_kind;
use freshet_engine::importance::Importance;
use freshet_engine::price::Memory;
use freshet_engine::schedule;
use freshet_report::sources::WeightReport;
use freshet_store::api::Store;
use freshet_store::control::{Control, SourcesChange};
use freshet_types::{RobotKind, Source, SourceId, SourceState, Timestamp, Weight};

use crate::config::Globals;
use crate::data::Data;
use crate::remove::with_lists;
use crate::sources::all_meant;

/// Weighs what a person names, a forum with all its lists; all of it is known, or nothing changes.
pub fn set_weight(globals: &Globals, references: &[String], weight: Weight) -> anyhow::Result<WeightReport> {
    let mut data = Data::open(globals)?;
    let sources = all_meant(globals, &data.store, references)?;
    let now = data.now_for_report(None);
    weigh(&mut data.store, sources, weight, now)
}

/// These weigh so much from now on. Those that weighed so much before are left alone.
pub fn weigh(
    store: &mut dyn Store,
    sources: Vec<Source>,
    weight: Weight,
    now: Timestamp,
) -> anyhow::Result<WeightReport> {
    let mut sources = with_lists(store, sources)?;
    sources.retain(|source| source.weight.to_bits() != weight.value().to_bits());
    let memory = Memory::from_store(store)?;
    let importance = Importance::read(store, now)?;
    let timed = |source: &Source| {
        let mut weighed = Source { weight: weight.value(), ..source.clone() };
        importance.weigh(&mut weighed);
        (source.id, due_at(&weighed, &memory))
    };
    let timed: Vec<(SourceId, Timestamp)> = sources.iter().map(timed).collect();
    let ids: Vec<SourceId> = timed.iter().map(|(id, _)| *id).collect();
    if !ids.is_empty() {
        store.weigh(&timed, weight)?;
        store.push_control(&Control::Sources(SourcesChange::Weighed(ids.clone())))?;
    }
    Ok(WeightReport { weight: weight.value(), changed_count: ids.len(), sources: ids })
}

/// When a source of this weight is due, as the last run would have it; lists of forums have models that only a run knows.
fn due_at(source: &Source, memory: &Memory) -> Timestamp {
    let is_timed = source.robot == RobotKind::Status
        && source.state == SourceState::Active
        && source.pinned.is_none()
        && list_kind(&source.root_kind).is_none();
    let Some(visited_at) = source.visited_at.filter(|_| is_timed) else { return source.due_at };
    let market = memory.market(&source.network, source.robot);
    memory.policy().due_at(&source.model, &schedule::facts(source, visited_at), &market)
}

#[cfg(test)]
mod tests {
    use freshet_store::api::prelude::*;
    use freshet_store::testing;
    use freshet_types::NetworkName;

    use super::*;

    #[test]
    fn a_weight_is_stored_told_and_brings_the_visit_forward() {
        let mut store = testing::memory();
        let network = NetworkName::from("mastodon:a.example");
        let source = |id: &str| Source::new(&network, "posts", RobotKind::Status, "account", id);
        let ids = store.add_sources(&[source("1"), source("2")]).unwrap();
        let (visited, fresh) = (ids[0].0, ids[1].0);
        let now = Timestamp::from_secs(1_800_000_000);
        // What the last run planned lies far ahead; nothing stays unvisited that long.
        let planned = Source { visited_at: Some(now), due_at: Timestamp::MAX, ..load(&store, visited) };
        store.put_source(&planned).unwrap();
        let both = vec![load(&store, visited), load(&store, fresh)];
        let report = weigh(&mut store, both.clone(), "4".parse().unwrap(), now).unwrap();
        assert_eq!((report.changed_count, report.weight.to_string()), (2, "4".to_owned()));
        assert_eq!(load(&store, visited).weight.to_string(), "4");
        let (due_at, before) = (load(&store, visited).due_at, load(&store, fresh).due_at);
        assert!(due_at > now && due_at < Timestamp::MAX, "{due_at}");
        assert_eq!(before, Timestamp::MIN, "it is due at once as it was");
        let told = store.controls_above(0).unwrap();
        assert_eq!(told.last().unwrap().control, Control::Sources(SourcesChange::Weighed(report.sources)));
        let again = vec![load(&store, visited), load(&store, fresh)];
        let again = weigh(&mut store, again, "4".parse().unwrap(), now).unwrap();
        assert_eq!((again.changed_count, store.controls_above(0).unwrap().len()), (0, told.len()));
    }

    fn load(store: &dyn Store, id: SourceId) -> Source {
        store.source(id).unwrap().unwrap()
    }
}
