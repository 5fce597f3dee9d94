//! The place of a source among the others: in turn (`explain/turn.rs`), in calls that are for several sources, and behind a constraint.
//!
//! A visit that is written down as answered without a request of its own went with the request of another source. The source whose request
//! it was has a visit like any other, and one whose news a call told of has none before they are read: neither is counted.

use std::sync::Arc;

use freshet_engine::collections;
use freshet_engine::constrain::{Judge, setting};
use freshet_network::collections::CollectionName;
use freshet_network::networks::Networks;
use freshet_report::explain::Fact;
use freshet_report::time::UnixNumber;
use freshet_store::api::{Store, StoreError};
use freshet_types::{GroupAsk, Source, VisitSummary};

use super::turn::turn_of;
use super::{Grounds, stream};
use crate::storing;

/// Visits that are looked back on.
const LOOKS_MAX: usize = 20;
/// Outcome of a visit that was answered.
const ANSWERED: &str = "ok";

/// What the store tells of a source beside its own record, as facts.
#[derive(Debug, Default)]
pub struct Place {
    /// Where sources are visited in turn.
    pub(super) turn: Option<Fact>,
    /// Where one call is for several.
    pub(super) group: Option<Fact>,
    /// Where a constraint says that it is not visited again, or nobody wants what it lists.
    pub(super) held: Option<Fact>,
    /// Where its server sends posts by itself.
    pub(super) streamed: Option<Fact>,
    /// Where what it shows is not kept.
    pub(super) not_kept: Option<Fact>,
}

impl Place {
    /// Reads it.
    pub fn read(
        store: &dyn Store,
        networks: &Networks,
        source: &Source,
        grounds: &Grounds,
    ) -> Result<Self, StoreError> {
        let connector = networks.connector_for(&source.network);
        let endpoint = connector.as_deref().and_then(|connector| connector.endpoint(&source.endpoint));
        let ask = endpoint.map(|endpoint| endpoint.group).filter(|ask| ask.roots_max > 1);
        let visits = if ask.is_some() { store.visits_of(source.id, LOOKS_MAX)? } else { Vec::new() };
        let group = ask.and_then(|ask| group(ask, &visits));
        let held = match endpoint {
            Some(endpoint) if !collections::chosen(store)?.include(&source.network, endpoint) => {
                let name = CollectionName::of(source.network.definition(), endpoint);
                Some(Fact::Unchosen { collection: name.to_string() })
            }
            _ => held_back(store, networks, source, grounds)?,
        };
        let base = networks.instance_of(&source.network).map(|instance| instance.base).unwrap_or_default();
        let streams = connector.as_deref().map_or(&[][..], |connector| connector.streams());
        let streamed = stream::fact(streams, &base, source, grounds);
        let not_kept = storing::fact(store, source)?;
        Ok(Self { turn: turn_of(store, source, grounds)?, group, held, streamed, not_kept })
    }
}

/// The constraint that holds a source back. Those that cannot be used are passed over: `freshet run` says which.
fn held_back(
    store: &dyn Store,
    networks: &Networks,
    source: &Source,
    grounds: &Grounds,
) -> Result<Option<Fact>, StoreError> {
    let Ok(constraints) = setting::constraints(store, networks) else { return Ok(None) };
    let judge = Judge::new(Arc::new(networks.copied()), constraints);
    let held = judge.held_back(store, source, grounds.now)?;
    Ok(held.map(|held| Fact::HeldBack { constraint: held.by }))
}

/// What calls for several did for a source with these visits, the newest first; nothing where none was for it.
fn group(ask: GroupAsk, visits: &[VisitSummary]) -> Option<Fact> {
    let is_shared = |visit: &&VisitSummary| visit.fetch_count == 0 && visit.outcome == ANSWERED;
    let last = visits.iter().find(is_shared)?;
    Some(Fact::Grouped {
        roots_max: ask.roots_max,
        shows_posts: ask.posts_max > 0,
        shared_count: visits.iter().filter(is_shared).count(),
        looks_count: visits.len(),
        last_at: UnixNumber::of(last.ended_at),
    })
}

#[cfg(test)]
mod tests {
    use freshet_types::{SourceId, Timestamp, VisitId};

    use super::*;

    /// Visits with so many requests and such an outcome, the newest first: how many were shared, and when the last was.
    fn check(visits: &[(u32, &str)], expected: Option<(usize, i64)>) {
        let summary = |(number, (fetch_count, outcome)): (usize, &(u32, &str))| VisitSummary {
            id: VisitId(number as u64),
            source: SourceId(1),
            started_at: Timestamp::from_secs(0),
            ended_at: Timestamp::from_secs(100 - number as i64),
            fetch_count: *fetch_count,
            new_post_count: 0,
            outcome: (*outcome).to_owned(),
            attempt: 1,
        };
        let summaries: Vec<VisitSummary> = visits.iter().enumerate().map(summary).collect();
        let told = group(GroupAsk { roots_max: 40, posts_max: 0 }, &summaries);
        let expected = expected.map(|(shared_count, last_s)| Fact::Grouped {
            roots_max: 40,
            shows_posts: false,
            shared_count,
            looks_count: visits.len(),
            last_at: UnixNumber::of(Timestamp::from_secs(last_s)),
        });
        assert_eq!(told, expected, "{visits:?}");
    }

    #[test]
    fn a_look_without_a_request_came_with_the_call_of_another() {
        check(&[], None);
        check(&[(1, "ok"), (2, "ok")], None);
        check(&[(0, "failed"), (0, "postponed")], None);
        check(&[(1, "ok"), (0, "ok"), (1, "gone"), (0, "ok")], Some((2, 99)));
    }
}
