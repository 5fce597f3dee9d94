//! Sources: all that is watched, searched, filtered and sorted, page by page; and adding more.
//!
//! Adding is done in two steps: first what each line would become is shown, then it is added. Lines
//! that are not understood cost nothing else, as on the command line.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Form, Query, State};
use axum::response::Response;
use freshet_app::add;
use freshet_app::add::AddWish;
use freshet_app::data::Data;
use freshet_app::text::one_line;
use freshet_network::networks::Networks;
use freshet_policy::{ChangeModel as _, ChangeRate};
use freshet_report::add::{AddPreview, AddReport, FirstVisits, PreviewLine};
use freshet_report::sources::{SourceLine, SourcesReport};
use freshet_report::time::UnixNumber;
use freshet_store::browse::{Browse as _, COUNT_MAX, LOOKED_MAX, OFFSET_MAX, SourceOrder, SourceQuery};
use freshet_types::definition::{CredentialUse, QuotaDeclaration, RequestChoice};
use freshet_types::{NetworkName, Reference, RobotKind, Source, SourceState, Span, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::jobs::Wish;
use super::learn;
use super::names;
use super::render::Beside;
use super::site::Site;

/// Sources on a page.
const ROWS: usize = 50;
/// References taken from one form.
const REFERENCES_MAX: usize = 10_000;
/// Longest text that is searched for.
pub(super) const TEXT_CHARS_MAX: usize = 200;

/// What a person may ask of the list; empty means all.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Asked {
    #[serde(default)]
    q: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    network: String,
    #[serde(default)]
    robot: String,
    #[serde(default)]
    sort: String,
    #[serde(default)]
    page: String,
}

impl Asked {
    fn query(&self) -> Answer<(SourceQuery, usize)> {
        let page = page_number(&self.page)?;
        let state = chosen("state", &self.state, &SourceState::ALL, SourceState::name)?;
        let robot = chosen("robot", &self.robot, &RobotKind::ALL, RobotKind::name)?;
        let order = chosen("sort", &self.sort, &SourceOrder::ALL, SourceOrder::name)?;
        let query = SourceQuery {
            text: typed("q", &self.q)?,
            state,
            network: typed("network", &self.network)?,
            robot,
            order: order.unwrap_or_default(),
            offset: (page - 1) * ROWS,
            limit: ROWS + 1,
        };
        Ok((query, page))
    }
}

/// The number of a page, from 1.
pub(super) fn page_number(text: &str) -> Answer<usize> {
    let page = if text.is_empty() { Some(1) } else { text.parse().ok() };
    let page = page.filter(|page| (1..=OFFSET_MAX / ROWS).contains(page));
    page.ok_or_else(|| {
        Problem::bad(format!("`page` is a number from 1 to {}", OFFSET_MAX / ROWS))
            .hint("narrow the list by a filter to find what comes later")
    })
}

/// A text that a person typed; `None` when it is empty.
pub(super) fn typed(name: &str, text: &str) -> Answer<Option<String>> {
    let text = text.trim();
    if text.chars().count() > TEXT_CHARS_MAX {
        return Err(Problem::bad(format!("`{name}` is longer than {TEXT_CHARS_MAX} characters")));
    }
    Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
}

/// One of several; `None` when nothing is chosen.
fn chosen<T: Copy>(
    name: &str,
    text: &str,
    all: &[T],
    named: impl Fn(T) -> &'static str,
) -> Answer<Option<T>> {
    if text.is_empty() {
        return Ok(None);
    }
    let found = all.iter().copied().find(|it| named(*it) == text);
    let names = || all.iter().map(|it| named(*it)).collect::<Vec<_>>().join(", ");
    found.map(Some).ok_or_else(|| Problem::bad(format!("`{name}` is one of {}", names())))
}

/// The list.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Query(asked): Query<Asked>,
) -> Answer<Response> {
    let report = list(&site, asked.clone()).await?;
    let (states, robots) = (SourceState::ALL.map(SourceState::name), RobotKind::ALL.map(RobotKind::name));
    let shown = Beside { report, more: json!({ "asked": asked, "states": states, "all_robots": robots }) };
    Ok(site.page(Some(&identity), "sources", "Sources", &shown))
}

/// A page of the list, as the API gives it.
pub(super) async fn list(site: &Shared, asked: Asked) -> Answer<SourcesReport> {
    let (query, page) = asked.query()?;
    let look = move |site: &Site, data: &Data| {
        let now = site.now();
        let found = data.store.list_sources(&query)?;
        let mut sources = found.sources;
        let has_more = sources.len() > ROWS;
        sources.truncate(ROWS);
        let networks = data.store.source_networks()?;
        let lines = sources.iter().zip(names::names(data, &sources)?);
        Ok(SourcesReport {
            count: found.count as u64,
            count_max: COUNT_MAX as u64,
            // Where more names match than are sorted, the page says what it shows.
            looked_max: found.is_partial.then_some(LOOKED_MAX as u64),
            page,
            has_more: has_more && page < OFFSET_MAX / ROWS,
            networks,
            sources: lines.map(|(source, name)| line(source, name, now)).collect(),
        })
    };
    // Names are looked up in an index that a writing connection brings up to date first.
    if asked.q.trim().is_empty() {
        site.read(look).await
    } else {
        site.write(move |site, data| look(site, data)).await
    }
}

/// A source in a line.
fn line(source: &Source, name: String, now: Timestamp) -> SourceLine {
    let forecast = ChangeRate::from_bytes(&source.model).forecast(now);
    // Profiles and relations have no rhythm of posts and nothing to be complete of.
    let is_list = matches!(source.robot, RobotKind::Status | RobotKind::Comment);
    SourceLine {
        source: source.id,
        name,
        network: source.network.clone(),
        endpoint: source.endpoint.to_string(),
        robot: source.robot,
        state: source.state,
        depth: source.depth,
        due_at: UnixNumber::of(source.due_at),
        visited_at: source.visited_at.and_then(UnixNumber::of),
        rate_per_day: is_list.then_some(forecast.rate_per_s * Span::DAY.secs_f64()),
        holes_count: source.coverage.holes().len(),
        is_complete: is_list.then_some(source.coverage.is_complete()),
        failure: source.failure.as_deref().map(one_line),
        weight: Some(source.weight),
    }
}

/// What is typed on the page for adding.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Typed {
    #[serde(default)]
    references: String,
    #[serde(default)]
    since: String,
    #[serde(default)]
    allow_private: Option<String>,
    #[serde(default)]
    step: String,
}

impl Typed {
    fn args(&self) -> Answer<AddWish> {
        let lines = self.references.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<String> = lines.map(str::to_owned).collect();
        arguments(lines, &self.since, self.allow_private.is_some())
    }
}

/// The arguments of `freshet add` that this is.
pub(super) fn arguments(references: Vec<String>, since: &str, allow_private: bool) -> Answer<AddWish> {
    if references.is_empty() {
        return Err(Problem::bad("there is nothing to add").hint("one reference a line"));
    }
    if references.len() > REFERENCES_MAX {
        return Err(Problem::bad(format!("that is more than {REFERENCES_MAX} references"))
            .hint("`freshet add -f FILE` takes lists of any length"));
    }
    let since = match since.trim() {
        "" => None,
        text => Some(text.parse().map_err(|error: String| Problem::bad(error))?),
    };
    Ok(AddWish { references, since, allow_private, ..AddWish::default() })
}

/// The form.
pub(super) async fn add_page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
) -> Response {
    let shown = Beside { report: learn::describe(&site), more: json!({ "examples": examples(&site) }) };
    site.page(Some(&identity), "add", "Add sources", &shown)
}

/// The preview, or the report of what was added.
pub(super) async fn add(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Form(typed): Form<Typed>,
) -> Answer<Response> {
    let args = typed.args()?;
    let (mut preview_shown, mut report) = (None, None);
    if typed.step == "add" {
        report = put_all(&site, &typed, args).await?;
    } else {
        preview_shown = Some(preview(&site.parts.networks, &args));
    }
    let more = json!({
        "report": report,
        "preview": preview_shown,
        "references": typed.references,
        "since": typed.since,
        "allow_private": typed.allow_private.is_some(),
        "examples": examples(&site),
    });
    let shown = Beside { report: learn::describe(&site), more };
    Ok(site.page(Some(&identity), "add", "Add sources", &shown))
}

/// Adds what is understood, and has addresses that no network knows learned as forums.
async fn put_all(site: &Shared, typed: &Typed, mut args: AddWish) -> Answer<Option<AddReport>> {
    let networks = Arc::clone(&site.parts.networks);
    let forums: Vec<String> =
        args.references.extract_if(.., |text| add::may_be_forum(&networks, text)).collect();
    for address in forums {
        let allow_private = typed.allow_private.is_some();
        learn::start(site, Wish { address, allow_private, since: typed.since.clone() })?;
    }
    if args.references.is_empty() {
        return Ok(None);
    }
    put(site, args).await.map(Some)
}

fn examples(site: &Site) -> Vec<String> {
    let networks = &site.parts.networks;
    let example = |name: String| networks.definition(&name)?.references.first().map(|it| it.example.clone());
    networks.names().into_iter().filter_map(example).collect()
}

/// Adds; gives the report of `freshet add`.
pub(super) async fn put(site: &Shared, args: AddWish) -> Answer<AddReport> {
    site.write(move |site, data: &mut Data| Ok(add::add_typed(data, &site.parts.networks, &args)?)).await
}

/// What each reference would become, and what its first visits cost.
pub(super) fn preview(networks: &Networks, args: &AddWish) -> AddPreview {
    let understood = add::preview(networks, args);
    let line = |(text, understood): (&String, &Result<(Reference, Vec<Source>), String>)| {
        let reference = text.clone();
        match understood {
            Ok((meant, sources)) => PreviewLine::Understood {
                reference,
                means: meant.to_string(),
                network: meant.instance.network.clone(),
                endpoints: sources.iter().map(|source| source.endpoint.to_string()).collect(),
            },
            Err(_) if add::may_be_forum(networks, text) => PreviewLine::Forum { reference, is_forum: true },
            Err(why) => PreviewLine::Refused { reference, why: why.clone() },
        }
    };
    let sources_count = understood.iter().flatten().map(|(_, sources)| sources.len()).sum();
    AddPreview {
        lines: args.references.iter().zip(&understood).map(line).collect(),
        sources_count,
        understood_count: understood.iter().flatten().count(),
        forums_count: args.references.iter().filter(|text| add::may_be_forum(networks, text)).count(),
        // One call for each list, and one more for its history at the least.
        calls_min: sources_count,
        costs: costs(networks, understood.iter().flatten().flat_map(|(_, sources)| sources)),
    }
}

/// First visits server by server, and how long its tightest quota makes them last.
fn costs<'a>(networks: &Networks, sources: impl Iterator<Item = &'a Source>) -> Vec<FirstVisits> {
    let mut servers: Vec<(&NetworkName, u32)> = Vec::new();
    for source in sources {
        match servers.iter_mut().find(|(network, _)| *network == &source.network) {
            Some((_, count)) => *count += 1,
            None => servers.push((&source.network, 1)),
        }
    }
    let cost = |(network, calls): &(&NetworkName, u32)| {
        let definition = networks.definition(network.definition());
        let declared = definition.iter().flat_map(|definition| &definition.quotas);
        let is_common = |it: &&QuotaDeclaration| {
            it.requests == RequestChoice::default() && it.applies != CredentialUse::Authenticated
        };
        let paces =
            declared.filter(is_common).filter_map(|it| Some((it, Span::parse(&it.window)?.secs_f64())));
        let tightest = paces.min_by(|(one, one_s), (other, other_s)| {
            (f64::from(one.limit) / one_s).total_cmp(&(f64::from(other.limit) / other_s))
        });
        let lasts_s = |(quota, window_s): (&QuotaDeclaration, f64)| {
            f64::from(*calls) * window_s / f64::from(quota.limit.max(1))
        };
        FirstVisits {
            network: (*network).clone(),
            calls: *calls,
            limit: tightest.map(|(quota, _)| quota.limit),
            window_s: tightest.map(|(_, window_s)| window_s),
            lasts_s: tightest.map(lasts_s),
        }
    };
    servers.iter().map(cost).collect()
}
