//! The status: what is here, what happens now, and what fails.
//!
//! Two witnesses are merged: the store counts what was collected over all runs, and the engine
//! leaves a live report about the run under way, or the last one. On top of the JSON stand the
//! store's numbers; the engine's follow under their own names (its `posts_count`, of this run
//! only, as `new_posts_count`). Whether a run is alive is asked of the lock, not of the report.

use freshet_engine::report::STATUS;
use freshet_report::run::RunStatus;
use freshet_report::status::{FailedSource, ForumLists, StatusReport};
use freshet_report::time::UnixNumber;
use freshet_store::api::{Store, StoreError};
use freshet_store::browse::{Browse, ForumState, SourceQuery};
use freshet_store::row::Counts;
use freshet_store::setting::Json;
use freshet_types::{Source, SourceState, Timestamp};

use crate::data::{Data, Runner};
use crate::{focus, hubs, storing, subscriptions};

/// Failed sources shown; the number of all of them stands in the list of states.
const FAILED_MAX: usize = 20;

/// Both witnesses merged, with the lists of every forum, which costs a look at each of them.
pub fn whole(data: &Data, now: Timestamp) -> anyhow::Result<StatusReport> {
    let forum_lists = Some(forum_lists(&data.store)?);
    Ok(StatusReport { forum_lists, ..brief(data, now)? })
}

/// Both witnesses merged: what costs the same however much was collected.
pub fn brief(data: &Data, now: Timestamp) -> anyhow::Result<StatusReport> {
    let mut report = StatusReport {
        data: data.dir().display().to_string(),
        clock: data.clock_url()?,
        now: UnixNumber::of(now),
        failed_sources: failed_sources(&data.store)?,
        subscriptions: subscriptions::lines(&data.store)?,
        hubs: hubs::status(data)?,
        not_kept: storing::status(&data.store)?,
        focus: focus::named(&data.store)?,
        ..counted(&data.store.counts()?, data.runner())
    };
    if let Some(run) = live_report(&data.store)? {
        report.add_run(run);
    }
    Ok(report)
}

/// What the engine reported last; nothing before the first run.
pub fn live_report(store: &dyn Store) -> Result<Option<RunStatus>, StoreError> {
    Ok(STATUS.find(store)?.map(|Json(run)| run))
}

/// What the store counts, and whether a run is under way.
fn counted(counts: &Counts, runner: Option<Runner>) -> StatusReport {
    StatusReport {
        is_running: runner.is_some(),
        pid: runner.and_then(|runner| runner.pid),
        sources_count: counts.sources.iter().map(|(_, count)| count).sum(),
        sources: counts.sources.iter().copied().collect(),
        posts_count: counts.posts,
        deleted_count: counts.deleted,
        accounts_count: counts.accounts,
        relations_count: counts.relations,
        changes_count: counts.changes,
        parked_count: counts.parked,
        visits_total_count: counts.visits,
        ..StatusReport::default()
    }
}

fn failed_sources(store: &dyn Browse) -> Result<Vec<FailedSource>, StoreError> {
    let failed =
        SourceQuery { state: Some(SourceState::Failed), limit: FAILED_MAX, ..SourceQuery::default() };
    let sources = store.list_sources(&failed)?.sources;
    let titles = store.titles_of(&sources)?;
    let shown = |(it, title): (&Source, Option<String>)| {
        let label = it.label_with(title.as_deref());
        FailedSource { source: it.id, label, why: it.failure.clone() }
    };
    Ok(sources.iter().zip(titles).map(shown).collect())
}

/// Every forum: what is known of it, and what is complete.
fn forum_lists(store: &dyn Browse) -> Result<Vec<ForumLists>, StoreError> {
    let forum = |forum: ForumState| ForumLists {
        network: forum.network,
        boards_count: forum.boards_count as u64,
        complete_boards_count: forum.complete_boards_count as u64,
        threads_count: forum.threads_count as u64,
        complete_threads_count: forum.complete_threads_count as u64,
        pages_count: forum.pages_count as u64,
        posts_count: forum.posts_count as u64,
        lacks: forum.lacks.iter().map(|(lack, count)| (lack.why().to_owned(), *count as u64)).collect(),
    };
    Ok(store.forums()?.into_iter().map(forum).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn report(live: Value, runner: Option<Runner>) -> StatusReport {
        let counts = Counts {
            posts: 12,
            sources: vec![(SourceState::Active, 2), (SourceState::Failed, 1)],
            ..Counts::default()
        };
        let now = UnixNumber::of(Timestamp::from_secs(1000));
        let mut report = StatusReport { data: "d".to_owned(), now, ..counted(&counts, runner) };
        report.add_run(serde_json::from_value(live).unwrap());
        report
    }

    #[test]
    fn the_store_and_the_engine_are_merged() {
        let live = json!({
            "pid": 1, "now": 5, "posts_count": 3, "fetches_count": 9, "rate_limited_count": 0,
            "lag_s": { "median": 1.5, "p90": 90 },
            "quotas": [{ "network": "n", "rule": "r", "holder": "ip", "limit": 300, "ready": 4.0 }],
        });
        let merged = serde_json::to_value(report(live, Some(Runner { pid: Some(77) }))).unwrap();
        for (key, value) in [
            ("posts_count", json!(12)),
            ("new_posts_count", json!(3)),
            ("pid", json!(77)),
            ("now", json!(1000)),
            ("fetches_count", json!(9)),
            ("visits_count", json!(0)),
            ("sources_count", json!(3)),
            ("is_running", json!(true)),
        ] {
            assert_eq!(merged[key], value, "{key}");
        }
    }
}
