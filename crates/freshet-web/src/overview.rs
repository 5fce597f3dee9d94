//! Overview: is it fresh, what does it cost, what is missing, what fails, what is it waiting for?

use std::fmt::Write as _;

use axum::Extension;
use axum::extract::{Query, State};
use axum::response::Response;
use freshet_app::data::Data;
use freshet_app::text::grouped;
use freshet_app::text::relative;
use freshet_engine::history::{History, Point};
use freshet_engine::price::POLITENESS;
use freshet_report::gaps::{GapsReport, SourceGaps};
use freshet_report::graph::LegendEntry;
use freshet_report::run::{FaultCount, Lag, PriceStatus, QuotaStatus, StreamStatus};
use freshet_report::status::{FailedSource, StatusReport};
use freshet_report::time::UnixFloat;
use freshet_store::browse::{Browse as _, SourceOrder, SourceQuery, VisitLine};
use freshet_types::{RobotKind, RobotState, Source, SourceId, SourceState, Span, Timestamp};
use serde::{Deserialize, Serialize};

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::chart::{self, Line};
use super::names;
use super::site::Site;
use super::trouble::{self, Wrong};

/// Holes shown; the others are in the API and in `freshet gaps`.
const HOLES_SHOWN: usize = 8;
/// Waits told at once.
const WAITS_SHOWN: usize = 6;
/// Visits that are looked at for calls that brought nothing.
const VISITS_JUDGED: usize = 1000;
/// Quotas shown, the dearest first.
const QUOTAS_SHOWN: usize = 40;

#[derive(Deserialize)]
pub(super) struct Over {
    #[serde(default)]
    over: String,
}

/// The whole page.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Query(over): Query<Over>,
) -> Answer<Response> {
    let shown = shown(&site, &over).await?;
    Ok(site.page(Some(&identity), "overview", "Overview", &shown))
}

/// What changes on it.
pub(super) async fn part(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Query(over): Query<Over>,
) -> Answer<Response> {
    let shown = shown(&site, &over).await?;
    Ok(site.page(Some(&identity), "overview_part", "Overview", &shown))
}

async fn shown(site: &Shared, over: &Over) -> Answer<Overview> {
    let is_week = over.over == "week";
    let coverage = site.coverage_soon().await;
    site.read(move |site, data| view(site, data, coverage.as_deref(), is_week)).await
}

/// What the page shows.
#[derive(Serialize)]
struct Overview {
    tiles: Vec<Tile>,
    wrong: Wrong,
    waits: Vec<String>,
    is_week: bool,
    lag_chart: String,
    posts_chart: String,
    posts_legend: Vec<LegendEntry>,
    quotas: Vec<QuotaRow>,
    streams: Vec<StreamStatus>,
    coverage: CoverageSums,
    holes: Vec<Named<SourceGaps>>,
    faults: Vec<FaultCount>,
    failed: Vec<Named<FailedSource>>,
    waste: Waste,
    rate_limited_count: u64,
    complaints_count: u64,
    is_running: bool,
}

/// A number on top: its key, its name, its value, and a note. The live values are the same, by key.
#[derive(Serialize)]
pub(super) struct Tile {
    pub(super) key: &'static str,
    name: &'static str,
    pub(super) value: String,
    pub(super) note: String,
}

/// The sums over all lists; nothing while they are counted for the first time.
#[derive(Default, Serialize)]
struct CoverageSums {
    sources_count: Option<u64>,
    complete_count: Option<u64>,
    unvisited_count: Option<u64>,
    holes_count: Option<u64>,
    uncloseable_count: Option<u64>,
    calls: Option<u64>,
}

/// A line about a source, with what people know the source by.
#[derive(Serialize)]
struct Named<T> {
    #[serde(flatten)]
    line: T,
    /// Through which endpoint the source is read, where it is still there.
    endpoint: Option<String>,
}

fn view(site: &Site, data: &Data, coverage: Option<&GapsReport>, is_week: bool) -> Answer<Overview> {
    let status = site.status(data)?;
    let history = Site::history(data)?;
    let due = SourceQuery {
        state: Some(SourceState::Active),
        order: SourceOrder::Due,
        limit: 1,
        ..SourceQuery::default()
    };
    // Whoever has sources waiting need not look for the next one.
    let is_idle = status.is_running && status.run.as_ref().is_some_and(|run| run.work.queues.due == 0);
    let next = if is_idle { data.store.list_sources(&due)?.sources.pop() } else { None };
    let points: Vec<&Point> = if is_week { history.coarse().collect() } else { history.fine().collect() };
    let holes = coverage.map_or(&[][..], |coverage| &coverage.sources);
    let holes = named(data, &holes[..holes.len().min(HOLES_SHOWN)], |it| (it.source, &mut it.label))?;
    let failed = named(data, &status.failed_sources, |it| (it.source, &mut it.label))?;
    let next =
        next.map(|source| Ok::<_, Problem>((source.due_at, names::name(data, &source)?))).transpose()?;
    Ok(Overview {
        tiles: tiles(&status, &history),
        wrong: trouble::shown(&status),
        waits: waits(&status, next.as_ref(), site.now()),
        is_week,
        lag_chart: lag_chart(&points),
        posts_chart: posts_chart(&points),
        posts_legend: legend(&posts_lines(&points)),
        quotas: quotas(&status),
        streams: status.work().streams.clone(),
        coverage: coverage.map(CoverageSums::of).unwrap_or_default(),
        holes,
        faults: status.work().faults.clone(),
        failed,
        waste: waste(&data.store.last_visits(VISITS_JUDGED)?),
        rate_limited_count: status.rate_limited_count,
        complaints_count: status.run.as_ref().map_or(0, |run| run.complaints_count),
        is_running: status.is_running,
    })
}

/// Lines about sources, each with what people know the source by; `of` says which source it is, and where its label is.
fn named<T: Clone>(
    data: &Data,
    lines: &[T],
    of: fn(&mut T) -> (SourceId, &mut String),
) -> Answer<Vec<Named<T>>> {
    let mut lines = lines.to_vec();
    let ids: Vec<SourceId> = lines.iter_mut().map(|line| of(line).0).collect();
    let sources: Vec<Source> = data.store.sources(&ids)?.into_iter().flatten().collect();
    let names = names::names(data, &sources)?;
    let named = |mut line: T| {
        let (id, label) = of(&mut line);
        let known = sources.iter().zip(&names).find(|(source, _)| source.id == id);
        if let Some((_, name)) = known {
            label.clone_from(name);
        }
        Named { line, endpoint: known.map(|(source, _)| source.endpoint.to_string()) }
    };
    Ok(lines.into_iter().map(named).collect())
}

impl CoverageSums {
    fn of(report: &GapsReport) -> Self {
        Self {
            sources_count: Some(report.sources_count),
            complete_count: Some(report.complete_count),
            unvisited_count: Some(report.unvisited_count),
            holes_count: Some(report.holes_count),
            uncloseable_count: Some(report.uncloseable_count),
            calls: Some(report.calls),
        }
    }
}

/// Calls of late to lists, which are made to find posts, and how many of them found none.
#[derive(Serialize)]
struct Waste {
    calls: u64,
    idle: u64,
    share: f64,
}

/// How many calls of late brought nothing: of visits to lists, which are made to find posts.
fn waste(visits: &[VisitLine]) -> Waste {
    let is_list = |it: &&VisitLine| matches!(it.robot, RobotKind::Status | RobotKind::Comment);
    let calls = |it: &VisitLine| u64::from(it.visit.fetch_count);
    let all: u64 = visits.iter().filter(is_list).map(calls).sum();
    let idle = visits.iter().filter(is_list).filter(|it| it.visit.new_post_count == 0);
    let idle: u64 = idle.map(calls).sum();
    Waste { calls: all, idle, share: if all > 0 { idle as f64 / all as f64 } else { 0.0 } }
}

/// The numbers on top.
pub(super) fn tiles(status: &StatusReport, history: &History) -> Vec<Tile> {
    let lag = |of: fn(Lag) -> f64| {
        let known = status.lag_s.map(|lag| Span::from_secs_f64(of(lag)).to_string());
        known.unwrap_or_else(|| "no news yet".to_owned())
    };
    let tile = |key, name, value, note: String| Tile { key, name, value, note };
    let queues = status.work().queues;
    let new_posts_count = status.run.as_ref().map_or(0, |run| run.new_posts_count);
    vec![
        tile("lag", "Lag, median", lag(|lag| lag.median), "from post to seen".to_owned()),
        tile("lag_p90", "Lag, nine in ten", lag(|lag| lag.p90), "are seen within".to_owned()),
        tile(
            "posts",
            "Posts",
            grouped(status.posts_count),
            format!("{} new in this run", grouped(new_posts_count)),
        ),
        tile("rate", "Posts a minute", format!("{:.1}", per_minute(history)), "now, all robots".to_owned()),
        tile(
            "sources",
            "Sources",
            grouped(status.sources_count),
            format!("{} due, {} with history left", queues.due, queues.backlog),
        ),
        tile(
            "fetches",
            "Calls",
            grouped(status.fetches_count),
            format!("{} visits in this run", grouped(status.visits_count)),
        ),
    ]
}

/// New posts a minute over the last points.
fn per_minute(history: &History) -> f64 {
    /// About half a minute on the wall.
    const POINTS: usize = 6;
    let last = history.fine().rev_last(POINTS);
    let (posts, seconds) = last.iter().fold((0, 0.0), |(posts, seconds), point| {
        (posts + point.posts.iter().sum::<u64>(), seconds + point.lasted_s)
    });
    if seconds > 0.0 { posts as f64 * 60.0 / seconds } else { 0.0 }
}

/// The last few of something that can only be walked forwards.
trait RevLast<'a> {
    fn rev_last(self, count: usize) -> Vec<&'a Point>;
}

impl<'a, I: ExactSizeIterator<Item = &'a Point>> RevLast<'a> for I {
    fn rev_last(self, count: usize) -> Vec<&'a Point> {
        let skipped = self.len().saturating_sub(count);
        self.skip(skipped).collect()
    }
}

/// What it waits for, until when, and why.
fn waits(status: &StatusReport, next: Option<&(Timestamp, String)>, now: Timestamp) -> Vec<String> {
    let work = status.work();
    let mut told = Vec::new();
    if !status.is_running {
        told.push("No run is under way; `freshet run` starts one.".to_owned());
    }
    for quota in &work.quotas {
        let Some(UnixFloat(until)) = quota.blocked_until else { continue };
        told.push(format!(
            "{} is not asked until {until} ({}), because `{}` is spent.",
            quota.network,
            relative(until, now),
            quota.rule
        ));
    }
    for (robot, state) in work.robots.iter() {
        if *state == RobotState::Paused {
            told.push(format!("The robot {robot} is paused; it goes on where it was when it is resumed."));
        }
    }
    // Those whose server is down are told of under "Trouble".
    let down = work.servers.iter().filter(|server| server.is_down);
    let shut: u64 = down.map(|server| server.sources_count).sum();
    let due = work.queues.due.saturating_sub(shut);
    if due > 0 {
        let noun = if due == 1 { "source waits for its turn" } else { "sources wait for their turn" };
        let mut line = format!("{} {noun}", grouped(due));
        if let Some(quota) = work.quotas.iter().find(|quota| quota.ready < 1.0) {
            let _ = write!(line, ", because {} has nothing left of `{}`", quota.network, quota.rule);
        } else {
            line += ", because no server is asked faster than its politeness allows";
        }
        told.push(line + ".");
    } else if let Some((due_at, name)) = next.filter(|(due_at, _)| *due_at > now) {
        told.push(format!("Nothing is due. The next visit is {}: {name}.", relative(*due_at, now)));
    }
    told.truncate(WAITS_SHOWN);
    told
}

fn lag_chart(points: &[&Point]) -> String {
    let line = |name: &str, colour, value: fn(&Point) -> Option<f64>| Line {
        name: name.to_owned(),
        colour,
        points: points.iter().filter_map(|point| Some((point.at, value(point)?))).collect(),
    };
    let lines = [line("median", 0, |it| it.lag_median_s), line("nine in ten", 1, |it| it.lag_p90_s)];
    let last = lines.iter().filter_map(|line| Some((&line.name, line.points.last()?.1)));
    let last: Vec<_> = last.map(|(name, secs)| format!("{name} {}", Span::from_secs_f64(secs))).collect();
    chart::lines(
        &format!("lag over time, now {}", last.join(", ")),
        &lines,
        chart::round_span,
        chart::short_span,
    )
}

fn posts_lines(points: &[&Point]) -> Vec<Line> {
    let line = |(at, robot): (usize, RobotKind)| Line {
        name: robot.name().to_owned(),
        colour: at,
        points: points
            .iter()
            .filter(|point| point.lasted_s > 0.0)
            .map(|point| (point.at, point.posts[at] as f64 * 60.0 / point.lasted_s))
            .collect(),
    };
    let has_posts = |line: &Line| line.points.iter().any(|(_, value)| *value > 0.0);
    RobotKind::ALL.into_iter().enumerate().map(line).filter(has_posts).collect()
}

fn posts_chart(points: &[&Point]) -> String {
    chart::lines("new posts a minute by robot", &posts_lines(points), chart::round_number, |value| {
        if value > 0.0 && value < 10.0 { format!("{value:.1}") } else { grouped(value as u64) }
    })
}

fn legend(lines: &[Line]) -> Vec<LegendEntry> {
    lines.iter().map(|line| LegendEntry { name: line.name.clone(), colour: line.colour }).collect()
}

/// A quota with its price.
#[derive(Serialize)]
pub(super) struct QuotaRow {
    #[serde(flatten)]
    pub(super) quota: QuotaStatus,
    spent_per_h: f64,
    budget_per_h: f64,
    price_post_s: Option<f64>,
    share: f64,
}

impl QuotaRow {
    fn new(quota: &QuotaStatus, price: Option<&PriceStatus>) -> Self {
        let number = |of: fn(&PriceStatus) -> f64| price.map(of).filter(|it| it.is_finite());
        let spent_per_h =
            number(|it| it.news_per_h).unwrap_or(0.0) + number(|it| it.others_per_h).unwrap_or(0.0);
        let budget_per_h = number(|it| it.budget_per_h).unwrap_or(0.0);
        Self {
            quota: quota.clone(),
            spent_per_h,
            budget_per_h,
            price_post_s: number(|it| it.price_post_s),
            share: (spent_per_h / budget_per_h.max(1e-9)).clamp(0.0, 1.0),
        }
    }
}

/// Quotas with their prices, those that are spent most first.
pub(super) fn quotas(status: &StatusReport) -> Vec<QuotaRow> {
    let work = status.work();
    let is_same = |quota: &QuotaStatus, price: &PriceStatus| {
        (&quota.network, &quota.rule, &quota.holder) == (&price.network, &price.rule, &price.holder)
    };
    let row =
        |quota: &QuotaStatus| QuotaRow::new(quota, work.prices.iter().find(|price| is_same(quota, price)));
    let mut rows: Vec<QuotaRow> =
        work.quotas.iter().filter(|quota| quota.rule != POLITENESS).map(row).collect();
    rows.sort_by(|one, other| other.share.total_cmp(&one.share));
    rows.truncate(QUOTAS_SHOWN);
    rows
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn status(live: Value) -> StatusReport {
        let mut status = StatusReport { is_running: true, ..StatusReport::default() };
        status.add_run(serde_json::from_value(live).unwrap());
        status
    }

    #[test]
    fn what_it_waits_for_is_told_with_the_reason() {
        let now = Timestamp::from_secs(1000);
        let blocked = status(json!({ "queues": { "due": 3 }, "robots": { "tag": "paused" },
            "quotas": [{ "network": "n", "rule": "api", "blocked_until": 1060.0, "ready": 0.0 }] }));
        let told = waits(&blocked, None, now).join("\n");
        for words in
            ["n is not asked until", "in 1m 00s", "`api` is spent", "robot tag is paused", "3 sources wait"]
        {
            assert!(told.contains(words), "`{words}` is not in\n{told}");
        }
        assert!(waits(&StatusReport::default(), None, now)[0].contains("freshet run"));
        let rows = quotas(&status(
            json!({ "quotas": [{ "network": "n", "rule": "api", "holder": "ip" }, { "rule": POLITENESS }],
            "prices": [{ "network": "n", "rule": "api", "holder": "ip", "news_per_h": 30.0, "budget_per_h": 60.0 }] }),
        ));
        assert_eq!((rows.len(), rows[0].share), (1, 0.5));
    }
}
