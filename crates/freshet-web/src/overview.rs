//! Overview: is it fresh, what does it cost, what is missing, what fails, what is it waiting for?

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, State};
use axum::response::Response;
use freshet_app::data::Data;
use freshet_app::text::grouped;
use freshet_app::text::relative;
use freshet_engine::history::{History, Point};
use freshet_engine::price::MANNERS;
use freshet_store::browse::{Browse as _, SourceOrder, SourceQuery, VisitLine};
use freshet_types::{RobotKind, SourceId, SourceState, Span, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::chart::{self, Line};
use super::names;
use super::site::Site;
use super::trouble;

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

async fn shown(site: &Shared, over: &Over) -> Answer<Value> {
    let is_week = over.over == "week";
    let coverage = site.coverage_soon().await;
    site.read(move |site, data| view(site, data, coverage, is_week)).await
}

fn view(site: &Site, data: &Data, coverage: Option<Arc<Value>>, is_week: bool) -> Answer<Value> {
    let status = site.status(data)?;
    let history = Site::history(data)?;
    let coverage = coverage.unwrap_or_default();
    let due = SourceQuery {
        state: Some(SourceState::Active),
        order: SourceOrder::Due,
        limit: 1,
        ..SourceQuery::default()
    };
    // Whoever has sources waiting need not look for the next one.
    let is_idle = status["is_running"] == true && status["queues"]["due"] == 0;
    let next = if is_idle { data.store.list_sources(&due)?.sources.pop() } else { None };
    let points: Vec<&Point> = if is_week { history.coarse().collect() } else { history.fine().collect() };
    let holes = coverage["sources"].as_array().map_or(&[][..], Vec::as_slice);
    let holes = named(data, &holes[..holes.len().min(HOLES_SHOWN)])?;
    let failed = named(data, status["failed_sources"].as_array().map_or(&[][..], Vec::as_slice))?;
    let next =
        next.map(|source| Ok::<_, Problem>((source.due_at, names::name(data, &source)?))).transpose()?;
    Ok(json!({
        "tiles": tiles(&status, &history),
        "wrong": trouble::shown(&status),
        "waits": waits(&status, next.as_ref(), site.now()),
        "is_week": is_week,
        "lag_chart": lag_chart(&points),
        "posts_chart": posts_chart(&points),
        "posts_legend": legend(&posts_lines(&points)),
        "quotas": quotas(&status),
        "coverage": {
            "sources_count": coverage["sources_count"], "complete_count": coverage["complete_count"],
            "unvisited_count": coverage["unvisited_count"], "holes_count": coverage["holes_count"],
            "uncloseable_count": coverage["uncloseable_count"], "calls": coverage["calls"],
        },
        "holes": holes,
        "faults": status["faults"],
        "failed": failed,
        "failures": status["failures"],
        "waste": waste(&data.store.last_visits(VISITS_JUDGED)?),
        "rate_limited_count": status["rate_limited_count"],
        "complaints_count": status["complaints_count"],
        "is_running": status["is_running"],
    }))
}

/// Lines about sources, each with what people know the source by.
fn named(data: &Data, lines: &[Value]) -> Answer<Vec<Value>> {
    let named = |line: &Value| {
        let mut line = line.clone();
        let id = line["source"].as_u64().and_then(|id| u32::try_from(id).ok()).map(SourceId);
        let source = id.map(|id| data.store.source(id)).transpose()?.flatten();
        if let Some(source) = source {
            line["label"] = json!(names::name(data, &source)?);
            line["endpoint"] = json!(&*source.endpoint);
        }
        Ok(line)
    };
    lines.iter().map(named).collect()
}

/// How many calls of late brought nothing: of visits to lists, which are made to find posts.
fn waste(visits: &[VisitLine]) -> Value {
    let is_list = |it: &&VisitLine| matches!(it.robot, RobotKind::Status | RobotKind::Comment);
    let calls = |it: &VisitLine| u64::from(it.visit.fetch_count);
    let all: u64 = visits.iter().filter(is_list).map(calls).sum();
    let idle = visits.iter().filter(is_list).filter(|it| it.visit.new_post_count == 0);
    let idle: u64 = idle.map(calls).sum();
    let share = if all > 0 { idle as f64 / all as f64 } else { 0.0 };
    json!({ "calls": all, "idle": idle, "share": share })
}

/// The numbers on top: key, name, value, note. The live values are the same, by key.
pub(super) fn tiles(status: &Value, history: &History) -> Vec<Value> {
    let number = |key: &str| status[key].as_u64().unwrap_or(0);
    let lag = |key: &str| status["lag_s"][key].as_f64().map(|secs| Span::from_secs_f64(secs).to_string());
    let queue = |key: &str| status["queues"][key].as_u64().unwrap_or(0);
    let tile = |key: &str, name: &str, value: String, note: String| json!({ "key": key, "name": name, "value": value, "note": note });
    let none = || "no news yet".to_owned();
    vec![
        tile("lag", "Lag, median", lag("median").unwrap_or_else(none), "from post to seen".to_owned()),
        tile("lag_p90", "Lag, nine in ten", lag("p90").unwrap_or_else(none), "are seen within".to_owned()),
        tile(
            "posts",
            "Posts",
            grouped(number("posts_count")),
            format!("{} new in this run", grouped(number("new_posts_count"))),
        ),
        tile("rate", "Posts a minute", format!("{:.1}", per_minute(history)), "now, all robots".to_owned()),
        tile(
            "sources",
            "Sources",
            grouped(number("sources_count")),
            format!("{} due, {} with history left", queue("due"), queue("backlog")),
        ),
        tile(
            "fetches",
            "Calls",
            grouped(number("fetches_count")),
            format!("{} visits in this run", grouped(number("visits_count"))),
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
fn waits(status: &Value, next: Option<&(Timestamp, String)>, now: Timestamp) -> Vec<String> {
    let mut told = Vec::new();
    if status["is_running"] != true {
        told.push("No run is under way; `freshet run` starts one.".to_owned());
    }
    for quota in status["quotas"].as_array().into_iter().flatten() {
        let Some(until) = quota["blocked_until"].as_f64() else { continue };
        let until = Timestamp::from_ms((until * 1000.0) as i64);
        let (network, rule) = (quota["network"].as_str(), quota["rule"].as_str());
        let (network, rule) = (network.unwrap_or("a network"), rule.unwrap_or("its quota"));
        told.push(format!(
            "{network} is not asked until {until} ({}), because `{rule}` is spent.",
            relative(until, now)
        ));
    }
    for (robot, state) in status["robots"].as_object().into_iter().flatten() {
        if state == "paused" {
            told.push(format!("The robot {robot} is paused; it goes on where it was when it is resumed."));
        }
    }
    // Those whose server is down are told of under "Trouble".
    let down = status["servers"].as_array().into_iter().flatten().filter(|server| server["is_down"] == true);
    let shut: u64 = down.filter_map(|server| server["sources_count"].as_u64()).sum();
    let due = status["queues"]["due"].as_u64().unwrap_or(0).saturating_sub(shut);
    if due > 0 {
        let noun = if due == 1 { "source waits for its turn" } else { "sources wait for their turn" };
        let mut line = format!("{} {noun}", grouped(due));
        let ready = |quota: &&Value| quota["ready"].as_f64().is_some_and(|ready| ready < 1.0);
        if let Some(quota) = status["quotas"].as_array().into_iter().flatten().find(ready) {
            let rule = quota["rule"].as_str().unwrap_or("a quota");
            let _ = write!(
                line,
                ", because {} has nothing left of `{rule}`",
                quota["network"].as_str().unwrap_or("a network")
            );
        } else {
            line += ", because no server is asked faster than its manners allow";
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

fn legend(lines: &[Line]) -> Vec<Value> {
    lines.iter().map(|line| json!({ "name": line.name, "colour": line.colour })).collect()
}

/// Quotas with their prices, those that are spent most first.
pub(super) fn quotas(status: &Value) -> Vec<Value> {
    let list = |key: &str| status[key].as_array().map_or(&[][..], Vec::as_slice);
    let is_same =
        |one: &Value, other: &Value| ["network", "rule", "holder"].iter().all(|key| one[key] == other[key]);
    let mut rows: Vec<Value> = list("quotas")
        .iter()
        .filter(|quota| quota["rule"] != MANNERS)
        .map(|quota| {
            let price = list("prices").iter().find(|price| is_same(price, quota));
            let number = |key: &str| price.and_then(|price| price[key].as_f64()).unwrap_or(0.0);
            let spent = number("news_per_h") + number("others_per_h");
            let mut row = quota.clone();
            row["spent_per_h"] = json!(spent);
            row["budget_per_h"] = json!(number("budget_per_h"));
            row["price_post_s"] = json!(price.and_then(|price| price["price_post_s"].as_f64()));
            row["share"] = json!((spent / number("budget_per_h").max(1e-9)).clamp(0.0, 1.0));
            row
        })
        .collect();
    let share = |row: &Value| row["share"].as_f64().unwrap_or(0.0);
    rows.sort_by(|one, other| share(other).total_cmp(&share(one)));
    rows.truncate(QUOTAS_SHOWN);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_waits_for_is_told_with_the_reason() {
        let now = Timestamp::from_secs(1000);
        let blocked = json!({ "is_running": true, "queues": { "due": 3 }, "robots": { "tag": "paused" },
            "quotas": [{ "network": "n", "rule": "api", "blocked_until": 1060.0, "ready": 0.0 }] });
        let told = waits(&blocked, None, now).join("\n");
        for words in
            ["n is not asked until", "in 1m 00s", "`api` is spent", "robot tag is paused", "3 sources wait"]
        {
            assert!(told.contains(words), "`{words}` is not in\n{told}");
        }
        assert!(waits(&json!({}), None, now)[0].contains("freshet run"));
        let rows = quotas(
            &json!({ "quotas": [{ "network": "n", "rule": "api", "holder": "ip" }, { "rule": MANNERS }],
            "prices": [{ "network": "n", "rule": "api", "holder": "ip", "news_per_h": 30.0, "budget_per_h": 60.0 }] }),
        );
        assert_eq!((rows.len(), rows[0]["share"].as_f64()), (1, Some(0.5)));
    }
}
