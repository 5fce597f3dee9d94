//! What the runner wants to read: questions to the store, as data, and the one function that answers them.
//!
//! The runner holds no store: it asks, and whoever moves it (tokio's shell, the simulator's) lets [`answer`] read and hands the
//! reply back. So a reading that fails is an input like any other, and reading can move to another thread or machine.

mod viewers;

use std::sync::Arc;

use freshet_network::collections::Collections;
use freshet_policy::mixture::evidence::Evidence;
use freshet_store::api::{Store, StoreError};
use freshet_store::control::ControlRow;
use freshet_store::row::{RobotRow, SourceSlot, StalePage, WatchedQuery};
use freshet_store::subscription::SubscriptionRow;
use freshet_store::viewers::Overlays;
use freshet_types::{Instance, NetworkName, Source, SourceId, Span, Timestamp};

use crate::budget::Budgets;
use crate::calendar::{Calendars, Compiled};
use crate::collections;
use crate::constrain::Judge;
use crate::constrain::revisit::HeldBack;
use crate::constrain::setting::CONSTRAINTS;
use crate::core::STALE_MAX;
use crate::forum::train::Lists;
use crate::importance::Importance;
use crate::profile;
use crate::stream::{StreamAsk, StreamFound};

/// Sources told to the core at once, so that a million of them never stand in memory twice.
const SLOTS_CHUNK: usize = 10_000;
/// Posts of so long are evidence for a fit: twice what a fit looks at, for the slow sums' sake.
const EVIDENCE_KEPT: Span = Span::from_ms(56 * 86_400_000);

/// One reading of the store.
#[derive(Clone, Debug)]
pub enum Question {
    /// The whole records of these sources, which the core is about to visit now.
    Sources(Vec<SourceId>, Timestamp),
    /// Whether these sources, which the core is about to visit now, are worth another visit.
    Revisit(Vec<Box<Source>>, Arc<Judge>, Timestamp),
    /// The source whose pace a person chose.
    Pinned(SourceId),
    /// Sources that a person gave another weight.
    Weighed(Vec<SourceId>),
    /// What people asked about in the days up to this instant.
    Importance(Timestamp),
    /// What people left for the running process above this number.
    Controls(u64),
    /// The constraints, as they are stored.
    Constraints,
    /// What a person allows.
    Budgets,
    /// Which days are not like others.
    Calendars,
    /// What the robots are to do.
    Robots,
    /// Who gets changes.
    Subscriptions,
    Instances,
    /// Sources above this number, slim, a chunk of them.
    Slots(SourceId),
    /// Pages of threads that are worth another look by now.
    Stale(NetworkName, Timestamp),
    /// The lists of a forum, to train its models with.
    Lists(NetworkName, Timestamp),
    /// What these sources posted, to fit the weights that all share.
    Evidence(Vec<SourceId>, Timestamp),
    /// For whom a stream is, and how far it has come.
    Stream(Box<StreamAsk>),
    /// The number of the newest change: whether the store can be read at all.
    Newest,
}

/// What was read.
#[derive(Debug)]
pub enum Reply {
    /// The records; `None` for a source that is gone.
    Sources(Vec<(SourceId, Option<Box<Source>>)>),
    /// The same sources, and why some are held back.
    Revisit(Vec<(Box<Source>, Option<HeldBack>)>),
    /// The source, where it is still there.
    Pinned(Option<Box<Source>>),
    /// Those that are still there.
    Weighed(Vec<Source>),
    Importance(Box<Importance>),
    /// In the order in which they were left.
    Controls(Vec<ControlRow>),
    /// The text of the setting.
    Constraints(Option<String>),
    /// The budgets, or why they cannot be read.
    Budgets(Result<Budgets, String>),
    /// The calendars as policies know them, or why they cannot be read.
    Calendars(Result<Compiled, String>),
    /// Their states, and what the robot `link` gathers.
    Robots(Vec<RobotRow>, Collections),
    Subscriptions(Vec<SubscriptionRow>),
    /// All of them.
    Instances(Vec<Instance>),
    /// In order of number; none at the end.
    Slots(Vec<SourceSlot>),
    /// The longest due first.
    Stale(NetworkName, Vec<StalePage>),
    /// Boards and threads.
    Lists(Box<Lists>),
    /// Of those sources that have a stretch without a hole.
    Evidence(Vec<Evidence>),
    /// What the store knows of it.
    Stream(Box<StreamFound>),
    /// It can be read.
    Newest(u64),
}

/// Reads what is asked for.
pub fn answer(store: &dyn Store, question: &Question) -> Result<Reply, StoreError> {
    Ok(match question {
        Question::Sources(ids, now) => {
            let mut sources = store.sources(ids)?;
            keep_for_networks(store, &mut sources)?;
            profile::recall(store, &mut sources, *now)?;
            let sources = sources.into_iter().map(|source| source.map(Box::new));
            Reply::Sources(ids.iter().copied().zip(sources).collect())
        }
        Question::Revisit(sources, judge, now) => {
            let mut judged = Vec::with_capacity(sources.len());
            for source in sources {
                judged.push((source.clone(), judge.held_back(store, source, *now)?));
            }
            Reply::Revisit(judged)
        }
        Question::Pinned(id) => Reply::Pinned(store.source(*id)?.map(Box::new)),
        Question::Weighed(ids) => Reply::Weighed(store.sources(ids)?.into_iter().flatten().collect()),
        Question::Importance(now) => Reply::Importance(Box::new(Importance::read(store, *now)?)),
        Question::Controls(above) => Reply::Controls(store.controls_above(*above)?),
        Question::Constraints => Reply::Constraints(CONSTRAINTS.get(store)?),
        Question::Budgets => Reply::Budgets(match Budgets::from_store(store) {
            Ok(budgets) => Ok(budgets),
            Err(StoreError::Setting { why, .. }) => Err(why),
            Err(error) => return Err(error),
        }),
        Question::Calendars => Reply::Calendars(match Calendars::from_store(store) {
            Ok(calendars) => calendars.compile(),
            Err(StoreError::Setting { why, .. }) => Err(why),
            Err(error) => return Err(error),
        }),
        Question::Robots => Reply::Robots(store.robots()?, collections::chosen(store)?),
        Question::Subscriptions => Reply::Subscriptions(store.subscriptions()?),
        Question::Instances => {
            Reply::Instances(store.instances()?.into_iter().map(|row| row.instance).collect())
        }
        Question::Slots(above) => Reply::Slots(store.slots_above(*above, SLOTS_CHUNK)?),
        Question::Stale(network, now) => {
            Reply::Stale(network.clone(), store.stale_pages(network, *now, STALE_MAX)?)
        }
        Question::Lists(network, now) => Reply::Lists(Box::new(Lists::read(store, network, *now)?)),
        Question::Evidence(ids, now) => {
            let sources: Vec<Source> = store.sources(ids)?.into_iter().flatten().collect();
            let times = store.posting_times_of(&sources)?;
            let seen = sources.into_iter().zip(times);
            Reply::Evidence(seen.filter_map(|(source, posts)| evidence(source, posts, *now)).collect())
        }
        Question::Stream(ask) => Reply::Stream(Box::new(stream_found(store, ask)?)),
        Question::Newest => Reply::Newest(store.last_change()?),
    })
}

/// The same where sources may be stored for viewers, each in a store of its own.
pub(crate) fn answer_with(
    store: &dyn Store,
    overlays: &mut Overlays,
    question: &Question,
) -> Result<Reply, StoreError> {
    if matches!(question, Question::Instances | Question::Subscriptions | Question::Slots(SourceId(0))) {
        overlays.refresh()?;
    }
    if overlays.is_empty() { answer(store, question) } else { viewers::answer(store, overlays, question) }
}

/// What a network's own rule would drop at once is not walked to: the shorter of both spans is the source's.
fn keep_for_networks(store: &dyn Store, sources: &mut [Option<Source>]) -> Result<(), StoreError> {
    for rule in store.network_retentions()? {
        for source in sources.iter_mut().flatten().filter(|source| source.network == rule.network) {
            source.retention = Some(source.retention.map_or(rule.span, |span| span.min(rule.span)));
        }
    }
    Ok(())
}

/// For whom a stream is: as many roots as it may name, or one where it need not be told.
fn stream_found(store: &dyn Store, ask: &StreamAsk) -> Result<StreamFound, StoreError> {
    let network = &ask.stream.network;
    let mut rows = store.streams()?.into_iter();
    let row = rows.find(|row| row.network == *network && *row.name == *ask.stream.name);
    let mut roots: Vec<String> = Vec::new();
    for endpoint in &ask.endpoints {
        let limit = ask.named_max.max(1) - roots.len();
        let query = WatchedQuery { network, endpoint, roots: None, limit };
        roots.extend(store.watched(&query)?.into_iter().map(|row| row.root_id));
        if roots.len() >= ask.named_max.max(1) {
            break;
        }
    }
    if ask.named_max > 0 {
        // One whose id is not known yet is named when it is.
        roots.retain(|root| !root.is_empty());
    }
    Ok(StreamFound { stream: ask.stream.clone(), row, roots })
}

/// What the newest stretch of a source that is proven complete shows; nothing where there is none.
fn evidence(source: Source, mut posts: Vec<Timestamp>, now: Timestamp) -> Option<Evidence> {
    let newest = source.coverage.intervals.iter().max_by_key(|interval| interval.until)?;
    let since = newest.oldest.at.max(now - EVIDENCE_KEPT);
    let until = newest.until;
    posts.retain(|at| (since..=until).contains(at));
    posts.reverse();
    Some(Evidence { model: source.model, posts, since, until })
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshet_types::{Interval, Mark, NetworkName, RobotKind, VisitId};

    #[test]
    fn only_the_newest_stretch_without_a_hole_is_evidence() {
        let at = |day: i64| Timestamp::from_secs(day * 86_400);
        let mark = |day: i64| Mark { id: day.to_string(), at: at(day) };
        let interval = |oldest: i64, newest: i64| Interval {
            newest: mark(newest),
            oldest: mark(oldest),
            until: at(newest + 1),
            below: None,
            is_bottom: false,
            visit: VisitId(1),
        };
        let mut source = Source::new(&NetworkName::from("net"), "list", RobotKind::Status, "account", "7");
        assert_eq!(evidence(source.clone(), vec![at(3)], at(90)), None);
        source.coverage.intervals = vec![interval(80, 88), interval(2, 60)];
        let found = evidence(source, vec![at(88), at(84), at(80), at(59), at(2)], at(90)).unwrap();
        assert_eq!((found.since, found.until), (at(80), at(89)));
        assert_eq!(found.posts, [at(80), at(84), at(88)]);
    }
}
