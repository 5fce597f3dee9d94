//! The status: what is here, what happens now, and what fails.
//!
//! Two witnesses are merged: the store counts what was collected over all runs, and the engine
//! leaves a live report about the run under way, or the last one. On top of the JSON stand the
//! store's numbers; the engine's follow under their own names (its `posts_count`, of this run
//! only, as `new_posts_count`). Whether a run is alive is asked of the lock, not of the report.

use freshet_engine::report::STATUS;
use freshet_store::api::{Store, StoreError};
use freshet_store::browse::{Browse, ForumState, SourceQuery};
use freshet_store::row::Counts;
use freshet_types::{Source, SourceState, Timestamp};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::data::{Data, Runner};
use crate::text::seconds;

/// Failed sources shown; the number of all of them stands in the list of states.
const FAILED_MAX: usize = 20;

/// When the engine reported last.
pub fn noted_at(live: &Value) -> Option<Timestamp> {
    live["now"].as_f64().map(|secs| Timestamp::from_ms((secs * 1000.0) as i64))
}

/// Both witnesses merged, with the lists of every forum, which costs a look at each of them.
pub fn whole(data: &Data, now: Timestamp) -> anyhow::Result<StatusReport> {
    let mut report = brief(data, now)?;
    report.set("forum_lists", forum_lists(&data.store)?);
    Ok(report)
}

/// Both witnesses merged: what costs the same however much was collected.
pub fn brief(data: &Data, now: Timestamp) -> anyhow::Result<StatusReport> {
    let live = live_report(&data.store)?;
    let mut report = StatusReport(Map::new());
    report.set("data", data.dir().display().to_string());
    report.set("clock", data.clock_url()?);
    report.set("now", seconds(now));
    report.add_runner(data.runner());
    let counts = data.store.counts()?;
    report.add_counts(&counts);
    report.set("failed_sources", failed_sources(&data.store)?);
    report.add_live(live);
    Ok(report)
}

/// What the engine reported last; null before the first run.
pub fn live_report(store: &dyn Store) -> Result<Value, StoreError> {
    Ok(STATUS.find(store)?.unwrap_or_default())
}

fn failed_sources(store: &dyn Browse) -> Result<Vec<Value>, StoreError> {
    let failed =
        SourceQuery { state: Some(SourceState::Failed), limit: FAILED_MAX, ..SourceQuery::default() };
    let sources = store.list_sources(&failed)?.sources;
    let titles = store.titles_of(&sources)?;
    let shown = |(it, title): (&Source, Option<String>)| {
        let label = it.label_with(title.as_deref());
        json!({ "source": it.id, "label": label, "why": it.failure })
    };
    Ok(sources.iter().zip(titles).map(shown).collect())
}

/// Every forum: what is known of it, and what is complete.
fn forum_lists(store: &dyn Browse) -> Result<Vec<Value>, StoreError> {
    let forum = |forum: ForumState| {
        let lacks: Map<_, _> =
            forum.lacks.iter().map(|(lack, count)| (lack.why().to_owned(), json!(count))).collect();
        json!({
            "network": forum.network,
            "boards_count": forum.boards_count,
            "complete_boards_count": forum.complete_boards_count,
            "threads_count": forum.threads_count,
            "complete_threads_count": forum.complete_threads_count,
            "pages_count": forum.pages_count,
            "posts_count": forum.posts_count,
            "lacks": lacks,
        })
    };
    Ok(store.forums()?.into_iter().map(forum).collect())
}

/// A JSON object, in the order in which it is filled.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct StatusReport(Map<String, Value>);

impl StatusReport {
    /// As JSON.
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }

    /// Its fields, in order.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0
    }

    fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    fn add_runner(&mut self, runner: Option<Runner>) {
        self.set("is_running", runner.is_some());
        self.set("pid", runner.and_then(|runner| runner.pid));
    }

    fn add_counts(&mut self, counts: &Counts) {
        let states = counts.sources.iter();
        self.set("sources_count", states.clone().map(|(_, count)| count).sum::<u64>());
        let by_state = states.map(|(state, count)| (state.name().to_owned(), json!(count)));
        self.set("sources", by_state.collect::<Map<_, _>>());
        self.set("posts_count", counts.posts);
        self.set("deleted_count", counts.deleted);
        self.set("accounts_count", counts.accounts);
        self.set("relations_count", counts.relations);
        self.set("changes_count", counts.changes);
        self.set("parked_count", counts.parked);
        self.set("visits_total_count", counts.visits);
    }

    /// The engine's own numbers, where the store has no better; zeros before the first run.
    fn add_live(&mut self, live: Value) {
        for key in ["visits_count", "fetches_count", "rate_limited_count"] {
            self.set(key, 0);
        }
        self.set("lag_s", Value::Null);
        let Value::Object(mut live) = live else { return };
        if let Some(count) = live.remove("posts_count") {
            self.set("new_posts_count", count);
        }
        let counted = ["now", "pid", "deleted_count", "accounts_count", "relations_count"];
        for (key, value) in live.into_iter().filter(|(key, _)| !counted.contains(&key.as_str())) {
            self.0.insert(key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(live: Value, runner: Option<Runner>) -> StatusReport {
        let mut report = StatusReport(Map::new());
        report.set("data", "d");
        report.set("now", 1000);
        report.add_runner(runner);
        report.add_counts(&Counts {
            posts: 12,
            sources: vec![(SourceState::Active, 2), (SourceState::Failed, 1)],
            ..Counts::default()
        });
        report.set("failed_sources", json!([{ "source": 3, "label": "x (posts)", "why": "no\nanswer" }]));
        report.add_live(live);
        report
    }

    #[test]
    fn the_store_and_the_engine_are_merged() {
        let live = json!({
            "pid": 1, "now": 5, "posts_count": 3, "fetches_count": 9, "rate_limited_count": 0,
            "lag_s": { "median": 1.5, "p90": 90 },
            "quotas": [{ "network": "n", "rule": "r", "holder": "ip", "limit": 300, "ready": 4.0 }],
        });
        let StatusReport(merged) = report(live, Some(Runner { pid: Some(77) }));
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
