//! Explaining: what is known of a source, and when and why it is visited next.
//!
//! An explanation is a list of facts ([`freshet_report::explain::Fact`]). Why a source is visited then is asked of the policy itself
//! (`explain/why.rs`), with the market that the last run left in the store; what is proven complete is asked of the
//! source. How the facts read, in a terminal or on a page, is said once (`explain/words.rs`).

mod page;
mod place;
mod publisher;
mod stream;
mod turn;
mod why;
mod words;

pub use place::Place;
pub use words::{Words, words};

use freshet_engine::calendar::{Calendars, Compiled};
use freshet_engine::importance::Importance;
use freshet_engine::price::Memory;
use freshet_policy::{ChangeModel as _, ChangeRate, Forecast};
use freshet_report::explain::{Counts, Covered, ExplainReport, ExplainedSource, Fact, NextVisit, When};
use freshet_report::hubs::HubLine;
use freshet_report::run::RunStatus;
use freshet_report::time::UnixNumber;
use freshet_store::api::Store;
use freshet_store::browse::Browse as _;
use freshet_types::{RobotKind, Source, SourceState, Span, Timestamp};

use crate::config::Globals;
use crate::data::{self, Data};
use crate::sources::{no_source, sources_meant};
use crate::{gaps, hubs, status};
use why::Decision;

/// Explains every source that is meant.
pub fn report(globals: &Globals, reference: &str) -> anyhow::Result<ExplainReport> {
    let data = Data::look(globals)?;
    let sources = sources_meant(globals, &data.store, reference)?;
    if sources.is_empty() {
        return Err(no_source(reference));
    }
    let now = data.now_for_report(None);
    let grounds = Grounds::read(&data.store, now)?;
    let networks = data::networks(globals)?;
    let explained = |source: &Source| -> anyhow::Result<ExplainedSource> {
        let title = data.store.title_of(source)?;
        let place = Place::read(&data.store, &networks, source, &grounds)?;
        Ok(explain(source, title, &grounds, place, now))
    };
    let sources = sources.iter().map(explained).collect::<anyhow::Result<_>>()?;
    Ok(ExplainReport { now: UnixNumber::of(now), sources })
}

/// What explanations stand on, for all sources.
#[derive(Debug, Default)]
pub struct Grounds {
    /// Prices, as the last run left them, and what all sources have in common.
    memory: Memory,
    /// The report of the run under way, or of the last one.
    live: Option<RunStatus>,
    /// What hubs of feeds tell the run under way.
    hubs: Vec<HubLine>,
    /// What people asked about.
    importance: Importance,
    /// Which days are not like others.
    calendars: Compiled,
    /// When this is asked.
    now: Timestamp,
}

impl Grounds {
    /// Reads it. Calendars that cannot be used are passed over, as a run does.
    pub fn read(store: &dyn Store, now: Timestamp) -> anyhow::Result<Self> {
        Ok(Self {
            memory: Memory::from_store(store)?,
            live: status::live_report(store)?,
            hubs: hubs::lines(store)?,
            importance: Importance::read(store, now)?,
            calendars: Calendars::from_store(store)?.compile().unwrap_or_default(),
            now,
        })
    }

    /// How much a source counts.
    fn counts(&self, source: &Source) -> Counts {
        let standing = self.importance.of_source(source);
        Counts {
            weight: source.weight,
            eir_per_day: standing.eir_per_day,
            importance: standing.importance,
            rank: standing.rank,
            factor: standing.factor,
            has_importance: self.importance.is_on(),
        }
    }
}

/// What is known of a source, and of the list of this title that it is; `place` is its place among the others.
pub fn explain(
    source: &Source,
    title: Option<String>,
    grounds: &Grounds,
    place: Place,
    now: Timestamp,
) -> ExplainedSource {
    let label = source.label_with(title.as_deref());
    let is_priced = source.pinned.is_none() && source.state.is_watched() && !source.is_page();
    let mut weighed = source.clone();
    grounds.importance.weigh(&mut weighed);
    let decision = Decision::of(&weighed, grounds, now).filter(|_| is_priced);
    let forecast = ChangeRate::from_bytes(&source.model).forecast(now);
    let optional = |at: Option<Timestamp>| at.and_then(UnixNumber::of);
    let coverage = &source.coverage;
    let counts = grounds.counts(source);
    let page = page::facts(source, &grounds.memory);
    let hub = grounds.hubs.iter().find(|line| line.source == source.id);
    let publisher = publisher::fact(source, hub, grounds.memory.policy().pacing().ceiling, now);
    let known = Known { decision: decision.as_ref(), place, counts, page, publisher };
    let facts = facts(source, forecast, known, now);
    ExplainedSource {
        source: source.id,
        facts,
        label,
        title,
        network: source.network.clone(),
        endpoint: source.endpoint.to_string(),
        robot: source.robot,
        root_id: Some(source.root_id.clone()).filter(|id| !id.is_empty()),
        handle: source.handle.clone(),
        state: source.state,
        depth: source.depth,
        due_at: UnixNumber::of(source.due_at),
        visited_at: optional(source.visited_at),
        since: optional(source.since),
        pinned_s: source.pinned.map(Span::secs_f64),
        rate_per_day: forecast.rate_per_s * Span::DAY.secs_f64(),
        last_post_at: optional(forecast.last_at),
        rests_because: gaps::rest_of(source.state).map(str::to_owned),
        is_complete: coverage.is_complete() && source.state != SourceState::OptedOut,
        complete_until: optional(coverage.top().map(|top| top.until).or(coverage.empty_at)),
        holes_count: coverage.holes().len(),
        failure: source.failure.clone(),
        counts: Some(counts),
        why: decision.map(|decision| decision.why),
    }
}

/// What else an explanation tells.
struct Known<'a> {
    decision: Option<&'a Decision>,
    place: Place,
    counts: Counts,
    /// Of a single page, its plan.
    page: Vec<Fact>,
    /// Of a feed, when its publisher wants to be asked.
    publisher: Option<Fact>,
}

/// The explanation, fact by fact.
fn facts(source: &Source, forecast: Forecast, known: Known<'_>, now: Timestamp) -> Vec<Fact> {
    let Known { decision, place, counts, page, publisher } = known;
    let Place { turn, group, held, streamed, not_kept } = place;
    let next = match source.state {
        SourceState::Paused => NextVisit::Paused,
        SourceState::Removed => NextVisit::Removed,
        _ => NextVisit::Due(When::of(source.due_at, now)),
    };
    let visited_at = source.visited_at.and_then(UnixNumber::of);
    let mut facts = vec![Fact::Visits { visited_at, next, state: source.state }];
    facts.extend(held);
    facts.extend(not_kept);
    facts.extend(streamed);
    facts.extend(publisher);
    facts.extend(source.pinned.map(|every| Fact::Pinned { every_s: every.secs_f64() }));
    // Of profiles and relations, which have a pace of their own, a weight changes nothing.
    let is_weighed = matches!(source.robot, RobotKind::Status | RobotKind::Comment);
    facts.extend(is_weighed.then_some(Fact::Weight { counts }));
    let last_post_at = forecast.last_at.and_then(UnixNumber::of);
    if let Some(decision) = decision {
        facts.extend(turn);
        facts.extend(decision.facts(last_post_at, now));
        facts.extend(group);
    } else if source.is_page() {
        facts.extend(page);
    } else if forecast.rate_per_s > 0.0 {
        let per_day = forecast.rate_per_s * Span::DAY.secs_f64();
        facts.push(Fact::Pace { per_day, last_post_at });
    }
    facts.extend(gaps::rest_of(source.state).map(|because| Fact::Rests { because: because.to_owned() }));
    facts.push(Fact::Coverage { covered: covered(source) });
    facts.extend(source.failure.clone().map(|why| Fact::Failure { why }));
    facts
}

/// What of a source is proven complete.
fn covered(source: &Source) -> Covered {
    let coverage = &source.coverage;
    let holes = coverage.holes();
    let shut: Vec<&str> = holes.iter().filter_map(|hole| gaps::obstacle(source, hole)).collect();
    let is_list = matches!(source.robot, RobotKind::Status | RobotKind::Comment);
    match (coverage.is_complete(), coverage.top(), holes.len()) {
        _ if source.state == SourceState::OptedOut => Covered::OptedOut,
        // Of a profile there is nothing older that could be missing.
        (true, ..) if !is_list => Covered::Shown,
        (true, Some(top), _) => Covered::Until(UnixNumber(top.until)),
        (true, None, _) => Covered::Empty,
        (false, None, _) => Covered::Nothing,
        (false, Some(_), holes_count) => match shut.first() {
            Some(obstacle) if shut.len() == holes_count => {
                Covered::Shut { holes_count, obstacle: (*obstacle).to_owned() }
            }
            _ => Covered::Holes { holes_count },
        },
    }
}

#[cfg(test)]
mod tests {
    use freshet_types::{Interval, Mark, NetworkName, VisitId};

    use super::*;

    /// All facts as they read.
    fn told(source: &Source, at: Timestamp) -> String {
        let explained = explain(source, None, &Grounds::default(), Place::default(), at);
        explained.facts.iter().map(|fact| words(fact, at).sentence()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_rests_and_what_cannot_be_closed_is_told() {
        let at = Timestamp::from_secs(1000);
        let mark = Mark { id: "8".into(), at };
        let interval = |is_bottom| Interval {
            newest: mark.clone(),
            oldest: mark.clone(),
            until: at,
            below: None,
            is_bottom,
            visit: VisitId(1),
        };
        for (state, intervals, expected) in [
            (SourceState::OptedOut, vec![], "now and then: its owner asks not to be collected"),
            (SourceState::OptedOut, vec![interval(true)], "nothing of it is collected"),
            (SourceState::Suspended, vec![], "the network has suspended it"),
            (
                SourceState::Active,
                vec![interval(false), interval(true)],
                "1 hole that cannot be closed: the list",
            ),
            (SourceState::Active, vec![interval(true)], "complete up to"),
        ] {
            let mut source =
                Source::new(&NetworkName::from("rss:a.example"), "feed", RobotKind::Status, "feed", "f");
            (source.state, source.coverage.intervals) = (state, intervals);
            let text = told(&source, at);
            assert!(text.contains(expected), "{state:?}: {text}");
        }
        let mut feed =
            Source::new(&NetworkName::from("rss:a.example"), "feed", RobotKind::Status, "feed", "f");
        (feed.visited_at, feed.timetable.ttl_min) = (Some(at), Some(45));
        (feed.timetable.skip_hours, feed.timetable.skip_days) = (1 << 3, 1 << 6);
        feed.timetable.hub = Some("https://hub.example/".to_owned());
        let text = told(&feed, at);
        let expected = "publisher: it asks to be left alone for 45m 00s after a visit, is silent in the hours from 3:00 UTC, is silent on \
                        Sundays, has its news told by the hub https://hub.example/, which is not used; the next visit waits for that (in 45m";
        assert!(text.contains(expected), "{text}");
        let network = NetworkName::from("mastodon:a.example");
        let mut source = Source::new(&network, "posts", RobotKind::Status, "account", "7");
        source.coverage.intervals = vec![Interval { below: Some("c".to_owned()), ..interval(false) }];
        source.coverage.shut("c", freshet_types::Obstacle::Round, at);
        let text = told(&source, at);
        assert!(text.contains("1 hole that cannot be closed: the list goes round"), "{text}");
    }
}
