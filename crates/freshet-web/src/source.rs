//! One source: its rhythm, what is expected and what came, why its next visit is when it is, what is
//! proven complete, and its last visits; pausing, watching again, pinning, weighing and removing it.
//!
//! Several people may have its page open. A button does what it says whoever pressed before, and tells
//! when there was nothing left to do; an interval that somebody else has changed meanwhile is not
//! overwritten unseen, nor is a weight.

use axum::Extension;
use axum::extract::{Form, Path, Query, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use freshet_app::data::Data;
use freshet_app::explain::{Grounds, Place, explain, words};
use freshet_app::text::one_line;
use freshet_app::{pause, remove, weight};
use freshet_report::sources::{
    CoveredInterval, ListMark, ObservedPosts, PinReport, SourceReport, SteerReport, VisitLine, WeightReport,
};
use freshet_report::time::UnixNumber;
use freshet_store::api::interest::Inquiry;
use freshet_store::browse::Browse as _;
use freshet_store::control::{Control, SourcesChange};
use freshet_types::{
    Interval, Mark, Source, SourceId, SourceState, Span, Timestamp, VisitSummary, Weight, WeightError,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem, Told};
use super::site::Site;
use super::{chart, interest, names};

/// Visits shown.
const VISITS_SHOWN: usize = 20;
/// Shortest and longest interval that a source can be pinned to.
const PIN_MIN: Span = Span::from_secs(30);
const PIN_MAX: Span = Span::from_secs(365 * 86_400);
/// Days over which posts are counted for comparison with the forecast.
const OBSERVED_DAYS: [i64; 3] = [1, 7, 28];

/// What was just done, as a word in the address and as a sentence.
const DONE: [(&str, &str); 8] = [
    ("pause", "It is paused; what was collected stays, and nothing is asked of it."),
    ("watch", "It is watched again."),
    ("remove", "It is removed: no longer visited; what was collected stays."),
    ("pin", "Its interval was changed."),
    ("weight", "Its weight was changed; its next visit is timed by it."),
    ("was-pause", "Nothing changed: it was paused already."),
    ("was-watch", "Nothing changed: it was watched already."),
    ("was-remove", "Nothing changed: it was removed already."),
];

/// The page.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Path(number): Path<String>,
    Query(just): Query<Told>,
) -> Answer<Response> {
    let id = number_of(&number)?;
    let shown = site
        .read(move |site, data| {
            let source = find(data, id)?;
            let (report, times) = about(site, data, &source)?;
            let told = report.explained.facts.iter().map(|fact| words(fact, site.now()));
            Ok(SourcePage {
                rhythm: chart::rhythm(&times),
                coverage_chart: chart::coverage(&source.coverage, site.now()),
                told: told.map(|it| FactRow { key: it.heading, value: it.text() }).collect(),
                weight_text: source.weight.to_string(),
                done: done(&just.told, source.state),
                report,
            })
        })
        .await?;
    let title = shown.report.name.clone();
    interest::note(&site, Inquiry { sources: vec![id], ..Inquiry::default() });
    Ok(site.page(Some(&identity), "source", &title, &shown))
}

/// What the page shows.
#[derive(Serialize)]
struct SourcePage {
    #[serde(flatten)]
    report: SourceReport,
    rhythm: Option<String>,
    coverage_chart: Option<String>,
    /// Why it is visited when it is, fact by fact.
    told: Vec<FactRow>,
    /// The weight that is in force, as it is typed.
    weight_text: String,
    /// What was just done.
    done: Option<&'static str>,
}

/// A fact: what it is about, and what it says.
#[derive(Serialize)]
struct FactRow {
    key: &'static str,
    value: String,
}

/// What was just done; nothing when it is no longer so, because the page was loaded again later.
fn done(told: &str, state: SourceState) -> Option<&'static str> {
    let is_so = match told.trim_start_matches("was-") {
        "pause" => state == SourceState::Paused,
        "remove" => state == SourceState::Removed,
        "watch" => state.is_watched(),
        _ => true,
    };
    DONE.iter().find(|(word, _)| is_so && *word == told).map(|(_, told)| *told)
}

/// What the API gives of a source.
pub(super) async fn describe(site: &Shared, number: &str) -> Answer<SourceReport> {
    let id = number_of(number)?;
    let report = site.read(move |site, data| Ok(about(site, data, &find(data, id)?)?.0)).await?;
    interest::note(site, Inquiry { sources: vec![id], ..Inquiry::default() });
    Ok(report)
}

/// What is known of a source, and its posting times.
fn about(site: &Site, data: &Data, source: &Source) -> Answer<(SourceReport, Vec<Timestamp>)> {
    let now = site.now();
    let grounds = Grounds::read(&data.store, now)?;
    let title = data.store.title_of(source)?;
    let place = Place::read(&data.store, &site.parts.networks, source, &grounds)?;
    let times = data.store.posting_times(source)?;
    let object = match &*source.root_kind {
        "account" => data.store.account_of(&source.network, &source.root_id)?.map(|row| row.object),
        kind => data.store.post_of(&source.network, kind, &source.root_id)?.map(|row| row.object),
    };
    let mark = |mark: &Mark| ListMark { id: mark.id.clone(), at: UnixNumber::of(mark.at) };
    let interval = |it: &Interval| CoveredInterval {
        newest: mark(&it.newest),
        oldest: mark(&it.oldest),
        until: UnixNumber::of(it.until),
    };
    let report = SourceReport {
        explained: explain(source, title, &grounds, place, now),
        pinned_text: source.pinned.map(typeable),
        object,
        root_kind: source.root_kind.to_string(),
        name: names::name(data, source)?,
        observed: OBSERVED_DAYS.iter().map(|days| observed(&times, *days, now)).collect(),
        visits: data.store.visits_of(source.id, VISITS_SHOWN)?.iter().map(visit).collect(),
        intervals: source.coverage.intervals.iter().map(interval).collect(),
    };
    Ok((report, times))
}

/// A span as a person types it.
fn typeable(span: Span) -> String {
    match span.ms() {
        ms if ms % 3_600_000 == 0 => format!("{}h", ms / 3_600_000),
        ms if ms % 60_000 == 0 => format!("{}m", ms / 60_000),
        ms => format!("{}s", ms / 1000),
    }
}

fn observed(times: &[Timestamp], days: i64, now: Timestamp) -> ObservedPosts {
    let since = now - Span::from_secs(days * 86_400);
    let count = times.iter().filter(|at| **at >= since && **at <= now).count();
    ObservedPosts { days, count, per_day: count as f64 / days as f64 }
}

fn visit(visit: &VisitSummary) -> VisitLine {
    VisitLine {
        visit: visit.id.0,
        started_at: UnixNumber::of(visit.started_at),
        lasted_s: (visit.ended_at - visit.started_at).secs_f64(),
        calls: visit.fetch_count,
        new_posts: visit.new_post_count,
        outcome: visit.outcome.clone(),
    }
}

fn number_of(text: &str) -> Answer<SourceId> {
    text.parse().map(SourceId).map_err(|_| no_source(text))
}

fn no_source(text: &str) -> Problem {
    Problem::not_found(format!("there is no source `{}`", one_line(text)))
        .hint("it may have been forgotten; the list of sources has a search")
}

fn find(data: &Data, id: SourceId) -> Answer<Source> {
    data.store.source(id)?.ok_or_else(|| no_source(&id.0.to_string()))
}

/// A button was pressed.
pub(super) async fn steer(
    State(site): State<Shared>,
    Path((number, verb)): Path<(String, String)>,
) -> Answer<Response> {
    let told = tell(&site, &number, &verb).await?;
    let was = if told.is_changed { "" } else { "was-" };
    Ok(to_page(&number, &format!("{was}{verb}")))
}

/// Back to the page of the source, which tells what was done.
fn to_page(number: &str, told: &str) -> Response {
    Redirect::to(&format!("/sources/{number}?told={told}")).into_response()
}

/// What is typed to pin a source.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pin {
    /// A span; empty: as the policy says.
    #[serde(default)]
    every: Option<String>,
    /// The interval that whoever asks believes to be in force; without it nothing is compared.
    #[serde(default)]
    was: Option<String>,
}

/// The form was sent; it shows its word beside what is typed.
#[derive(Deserialize)]
pub(super) struct PinForm {
    #[serde(default)]
    every: String,
    #[serde(default)]
    was: Option<String>,
}

/// An interval was typed.
pub(super) async fn pin_form(
    State(site): State<Shared>,
    Path(number): Path<String>,
    Form(typed): Form<PinForm>,
) -> Answer<Response> {
    pin(&site, &number, Pin { every: Some(typed.every), was: typed.was }).await?;
    Ok(to_page(&number, "pin"))
}

/// A source is visited at an interval that a person chose, or as the policy says again.
pub(super) async fn pin(site: &Shared, number: &str, pin: Pin) -> Answer<PinReport> {
    let id = number_of(number)?;
    let typed = pin.every.unwrap_or_default();
    let every = match typed.trim() {
        "" => None,
        text => {
            Some(Span::parse(text).filter(|span| (PIN_MIN..=PIN_MAX).contains(span)).ok_or_else(|| {
                Problem::bad(format!("an interval is a span from {PIN_MIN} to {PIN_MAX}"))
                    .hint("such as 10m or 6h")
            })?)
        }
    };
    site.write(move |site, data| {
        let source = find(data, id)?;
        let is_seen = pin.was.is_none_or(|was| was == source.pinned.map(typeable).unwrap_or_default());
        if !is_seen && every != source.pinned {
            return Err(overtaken(source.pinned, every));
        }
        let due_at = every.map(|every| source.visited_at.map_or_else(|| site.now(), |at| at + every));
        data.store.pin(id, every, due_at.unwrap_or(Timestamp::MAX))?;
        data.store.push_control(&Control::Sources(SourcesChange::Pinned(id)))?;
        Ok(PinReport { source: id, pinned_s: every.map(Span::secs_f64) })
    })
    .await
}

/// What is typed to weigh a source.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Weigh {
    /// The weight, as a number or as it is typed.
    weight: Value,
    /// The weight that whoever asks believes to be in force; without it nothing is compared.
    #[serde(default)]
    was: Option<String>,
}

/// The form was sent; it shows its word beside what is typed.
#[derive(Deserialize)]
pub(super) struct WeighForm {
    #[serde(default)]
    weight: String,
    #[serde(default)]
    was: Option<String>,
}

/// A weight was typed.
pub(super) async fn weigh_form(
    State(site): State<Shared>,
    Path(number): Path<String>,
    Form(typed): Form<WeighForm>,
) -> Answer<Response> {
    weigh(&site, &number, Weigh { weight: Value::String(typed.weight), was: typed.was }).await?;
    Ok(to_page(&number, "weight"))
}

/// The waiting of a source's posts counts so much from now on; a forum's front page stands for all its lists.
pub(super) async fn weigh(site: &Shared, number: &str, wish: Weigh) -> Answer<WeightReport> {
    let id = number_of(number)?;
    let typed = wish.weight.as_str().map_or_else(|| wish.weight.to_string(), str::to_owned);
    let wanted: Weight = typed.parse().map_err(|error: WeightError| Problem::bad(error.to_string()))?;
    site.write(move |site, data| {
        let source = find(data, id)?;
        let now = source.weight.to_string();
        if wish.was.is_some_and(|was| was != now) && now != wanted.to_string() {
            let message = format!("somebody has changed the weight meanwhile, to `{now}`");
            let hint = format!("it stays so; load the page again and repeat it if it shall be `{wanted}`");
            return Err(Problem::conflict(message).hint(hint));
        }
        Ok(weight::weigh(&mut data.store, vec![source], wanted, site.now())?)
    })
    .await
}

/// Somebody else changed the interval since the page was loaded.
fn overtaken(now: Option<Span>, wanted: Option<Span>) -> Problem {
    let said = |span: Option<Span>| span.map_or_else(|| "as the policy says".to_owned(), typeable);
    let message = format!("somebody has changed the interval meanwhile, to `{}`", said(now));
    Problem::conflict(message)
        .hint(format!("it stays so; load the page again and repeat it if it shall be `{}`", said(wanted)))
}

/// What a source can be told.
#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Verb {
    /// It is not visited until it is watched again.
    Pause,
    /// It is visited again.
    Watch,
    /// It is off the list; what was collected stays.
    Remove,
}

/// Pauses a source, watches it again, or takes it off the list.
pub(super) async fn tell(site: &Shared, number: &str, verb: &str) -> Answer<SteerReport> {
    let id = number_of(number)?;
    let verb: Verb = serde_json::from_value(json!(verb)).map_err(|_| {
        let problem = Problem::not_found(format!("a source cannot be told `{}`", one_line(verb)));
        problem.hint("pause, watch or remove")
    })?;
    site.write(move |_, data| {
        let source = find(data, id)?;
        let before = source.state;
        match verb {
            Verb::Watch => drop(pause::resume(&mut data.store, vec![source])?),
            Verb::Remove => drop(remove::remove(&mut data.store, vec![source])?),
            // Who removed it wants it off the list, not resting on it.
            Verb::Pause if before == SourceState::Removed => {
                return Err(Problem::conflict("it cannot be paused: it was removed meanwhile")
                    .hint("watch it again first, on its page"));
            }
            Verb::Pause => drop(pause::pause(&mut data.store, &[source])?),
        }
        let state = find(data, id)?.state;
        let is_changed = if verb == Verb::Watch { !before.is_watched() } else { before != state };
        Ok(SteerReport { source: id, state, is_changed })
    })
    .await
}
