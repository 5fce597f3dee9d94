//! Gaps: what is not proven complete, and the price of closing it, in calls.
//!
//! A hole costs the posts it may hide, divided by the posts of a page, and one call at least.
//! How many it may hide is expected from the source's rate over the length of the hole. A hole
//! without a lower end has no length, so its price is a lower bound. Some holes no call can close,
//! and then it says why ([`obstacle`]): the owner does not want it, the network does not show it,
//! or the list shows only its newest part.

mod streams;

use std::ops::ControlFlow;

use freshet_network::networks::Networks;
use freshet_policy::{ChangeModel as _, ChangeRate};
use freshet_report::gaps::{Gap, GapsReport, SourceGaps};
use freshet_report::time::UnixNumber;
use freshet_store::browse::Browse as _;
use freshet_types::{Endpoint, Hole, PageKind, Source, SourceState, Timestamp};

use crate::data::Data;

/// All holes in sums, and the dearest sources.
pub fn report(
    data: &Data,
    networks: &Networks,
    now: Timestamp,
    kept_max: usize,
) -> anyhow::Result<GapsReport> {
    let mut sum = GapsSum::keeping(kept_max);
    let mut streams = streams::StreamSum::of(data.store.streams()?, networks);
    data.store.each_source(&mut |source| {
        streams.add(&source);
        sum.add(networks, &source, now, &mut |_| {});
        ControlFlow::Continue(())
    })?;
    sum.keep_dearest();
    let titled = sum.kept.iter().filter(|it| it.has_title).map(|it| it.gaps.source);
    let sources = data.store.sources(&titled.collect::<Vec<_>>())?;
    let sources: Vec<Source> = sources.into_iter().flatten().collect();
    for (source, title) in sources.iter().zip(data.store.titles_of(&sources)?) {
        let shown = sum.kept.iter_mut().filter(|it| it.gaps.source == source.id && it.has_title);
        shown.for_each(|it| it.gaps.label = source.label_with(title.as_deref()));
    }
    Ok(GapsReport { streams: streams.into_gaps(), ..sum.into_report() })
}

/// A report while sources are taken into account one by one.
#[derive(Debug, Default)]
pub struct GapsSum {
    /// The sums; its sources are added at the end.
    report: GapsReport,
    kept: Vec<Kept>,
    /// Lists of which nothing can be closed.
    shut_count: u64,
    /// Sources that are kept; a million of them need not stay in memory for a sum.
    kept_max: usize,
}

/// A source that is not complete.
#[derive(Debug)]
struct Kept {
    gaps: SourceGaps,
    /// It is a list of a forum, which people know by its title.
    has_title: bool,
}

impl GapsSum {
    /// Nothing yet, with room for so many sources; with room for none, only sums are kept.
    pub fn keeping(kept_max: usize) -> Self {
        Self { kept_max, ..Self::default() }
    }

    /// How many lists there are, how many are complete, and how many no request can complete.
    pub fn lists(&self) -> (u64, u64, u64) {
        (self.report.sources_count, self.report.complete_count, self.shut_count)
    }

    /// The sums, and the sources that were kept.
    pub fn into_report(self) -> GapsReport {
        GapsReport { sources: self.kept.into_iter().map(|it| it.gaps).collect(), ..self.report }
    }

    fn keep_dearest(&mut self) {
        self.kept.sort_by_key(|it| (std::cmp::Reverse(it.gaps.calls), it.gaps.source));
        self.kept.truncate(self.kept_max);
    }

    /// Adds one source; `open` is told the endpoint of a list that is complete or can become so.
    pub fn add(
        &mut self,
        networks: &Networks,
        source: &Source,
        now: Timestamp,
        open: &mut dyn FnMut(&Endpoint),
    ) {
        let connector = networks.connector_for(&source.network);
        let endpoint = connector.as_ref().and_then(|it| it.endpoint(&source.endpoint));
        let Some(endpoint) = endpoint.filter(|endpoint| shows_list(endpoint)) else { return };
        if !source.state.is_watched() {
            return;
        }
        let report = &mut self.report;
        report.sources_count += 1;
        let coverage = &source.coverage;
        let resting = rest_of(source.state);
        // A list whose posts may not be collected looks empty, which proves nothing.
        if coverage.is_complete() && source.state != SourceState::OptedOut {
            report.complete_count += 1;
            return open(endpoint);
        }
        let holes: Vec<Gap> =
            coverage.holes().iter().map(|hole| price(hole, source, endpoint, now)).collect();
        let is_blank = coverage.intervals.is_empty();
        report.unvisited_count += u64::from(is_blank && resting.is_none());
        let calls = holes.iter().filter_map(|hole| hole.calls).sum::<u64>();
        // A source that was never visited is one hole from end to end: one call at least.
        let calls = if is_blank && resting.is_none() { 1 } else { calls };
        report.holes_count += holes.len() as u64;
        let uncloseable_count = holes.iter().filter(|hole| hole.obstacle.is_some()).count() as u64;
        report.uncloseable_count += uncloseable_count.max(u64::from(resting.is_some()));
        report.calls += calls;
        let is_shut = !holes.is_empty() && uncloseable_count == holes.len() as u64;
        let first = || holes.iter().find_map(|hole| hole.obstacle.clone()).filter(|_| is_shut);
        let obstacle = resting.map(str::to_owned).or_else(first);
        if obstacle.is_some() {
            self.shut_count += 1;
        } else {
            open(endpoint);
        }
        if self.kept_max == 0 {
            return;
        }
        let gaps = SourceGaps {
            source: source.id,
            label: source.label(),
            network: source.network.clone(),
            complete_until: coverage.top().and_then(|top| UnixNumber::of(top.until)),
            calls,
            obstacle,
            holes,
        };
        self.kept.push(Kept { gaps, has_title: freshet_types::list::is_list(&source.root_kind) });
        if self.kept.len() >= self.kept_max.saturating_mul(2) {
            self.keep_dearest();
        }
    }
}

fn shows_list(endpoint: &Endpoint) -> bool {
    matches!(endpoint.kind, PageKind::Posts | PageKind::Comments | PageKind::Lists)
}

/// Whether a source is a list of posts, of which completeness can be proven.
pub fn is_list(networks: &Networks, source: &Source) -> bool {
    let connector = networks.connector_for(&source.network);
    connector.is_some_and(|it| it.endpoint(&source.endpoint).is_some_and(shows_list))
}

/// Why this hole of this source cannot be closed, whatever is spent.
pub fn obstacle(source: &Source, hole: &Hole) -> Option<&'static str> {
    let scrolled = "the list shows only its newest part, and what is missing had scrolled out of it";
    // A page of a forum shows no newest part of its list: it is one of several, and nobody said where the next one is.
    let is_paged = freshet_types::list::is_list(&source.root_kind);
    let cut = if is_paged { freshet_types::Obstacle::Unlinked.reason() } else { scrolled };
    let shut = hole.obstacle.map(freshet_types::Obstacle::reason);
    rest_of(source.state).or(shut).or(hole.cursor.is_none().then_some(cut))
}

/// Why nothing more can be read of a source in this state.
pub fn rest_of(state: SourceState) -> Option<&'static str> {
    match state {
        SourceState::Active | SourceState::Failed | SourceState::Removed | SourceState::Paused => None,
        SourceState::Gone => Some("the network says that it does not exist"),
        SourceState::Suspended => Some("the network has suspended it and shows nothing of it"),
        SourceState::Private => Some("the network does not show it to us"),
        SourceState::AuthRequired => Some("the network shows it only with a credential"),
        SourceState::OptedOut => Some("its owner asks not to be collected"),
    }
}

fn price(hole: &Hole, source: &Source, endpoint: &Endpoint, now: Timestamp) -> Gap {
    let lower_at = hole.below.as_ref().map(|mark| mark.at).or(source.since);
    let rate_per_s = ChangeRate::from_bytes(&source.model).forecast(now).rate_per_s;
    let length_s = lower_at.map_or(0.0, |lower_at| (hole.above.at - lower_at).secs_f64().max(0.0));
    let pages = (rate_per_s * length_s / f64::from(endpoint.page_size.max(1))).ceil();
    let obstacle = obstacle(source, hole);
    Gap {
        above_id: hole.above.id.clone(),
        above_at: UnixNumber::of(hole.above.at),
        below_id: hole.below.as_ref().map(|mark| mark.id.clone()),
        below_at: hole.below.as_ref().and_then(|mark| UnixNumber::of(mark.at)),
        calls: obstacle.is_none().then_some((pages as u64).max(1)),
        obstacle: obstacle.map(str::to_owned),
        is_lower_bound: lower_at.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use freshet_policy::{Look, Pool};
    use freshet_types::{IdOrder, ListOrder, Mark, NetworkName, Politeness, RobotKind, Span};

    use super::*;

    /// Posts once an hour for a hundred hours.
    fn source(since: Option<Timestamp>) -> Source {
        let mut model = ChangeRate::default();
        let news: Vec<_> = (0..=100).map(|hour| Timestamp::from_secs(hour * 3600)).collect();
        let look = Look { since: None, at: Timestamp::from_secs(360_000), news: &news, is_full: false };
        model.learn(&look, &Pool::default());
        let network = NetworkName::from("social");
        let source = Source::new(&network, "posts", RobotKind::Status, "account", "1");
        Source { model: model.to_bytes(), since, ..source }
    }

    fn check(above_h: i64, below_h: Option<i64>, since_h: Option<i64>, cursor: bool, expected: &str) {
        let endpoint = Endpoint {
            name: "posts".into(),
            robot: Some(RobotKind::Status),
            root_kind: "account".into(),
            kind: PageKind::Posts,
            page_size: 40,
            id_order: IdOrder::Numeric,
            order: ListOrder::NewestFirst,
            is_window: false,
            relation: None,
            link: None,
            counted_by: None,
            members_max: 0,
            group: freshet_types::GroupAsk::default(),
            politeness: Politeness { pause: Span::SECOND, in_flight_max: 1 },
        };
        let at = |hour: i64| Timestamp::from_secs(hour * 3600);
        let hole = Hole {
            above: Mark { id: "9".into(), at: at(above_h) },
            below: below_h.map(|hour| Mark { id: "1".into(), at: at(hour) }),
            cursor: cursor.then(|| "c".to_owned()),
            obstacle: None,
        };
        let gap = price(&hole, &source(since_h.map(at)), &endpoint, at(101));
        let bound = if gap.is_lower_bound { "+" } else { "" };
        let calls = gap.calls.map_or("none".to_owned(), |calls| calls.to_string());
        assert_eq!(format!("{calls}{bound}"), expected);
    }

    #[test]
    fn holes_have_a_price() {
        check(100, Some(99), None, true, "1");
        check(100, Some(0), None, true, "3");
        check(100, None, Some(25), true, "2");
        check(100, None, None, true, "1+");
        check(100, Some(0), None, false, "none");
    }
}
