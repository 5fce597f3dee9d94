//! The HTTP API, `/api/v1`: the reports of the commands, as JSON. The pages stand on the same
//! functions. Changes are POSTs, with the token as bearer or the session's word in a header.

use axum::Extension;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use freshet_engine::report::STATUS;
use serde::Deserialize;
use serde_json::{Value, json};

use super::access::Identity;
use super::answer::{Answer, Problem};
use super::site::{GAPS_MAX, Site};
use super::{
    Route, Routes, Shared, alerts, bench, constraints, experiments, forums, graph, jobs, learn, live,
    networks, openapi, posts, robots, settings, source, sources,
};

/// Adds the routes of the API, each with what it says.
pub(super) fn add(routes: Routes) -> Routes {
    const POSTS: &[(&str, &str)] = &[
        ("q", "words, as `freshet search` takes them"),
        ("network", "a network, or all servers of a definition"),
        ("author", "handle or id"),
        ("since", "created at or after: a date, a time, or a span back such as 7d"),
        ("until", "created before"),
        ("page", "from 1"),
    ];
    const SOURCES: &[(&str, &str)] = &[
        ("q", "part of the handle or id; under three letters, the beginning of the name"),
        ("state", "active, paused, failed, removed, …"),
        ("network", "a network, or all servers of a definition"),
        ("robot", "relation, user, status, comment or tag"),
        ("sort", "number, name, due or visited"),
        ("page", "from 1"),
    ];
    let routes = routes
        .add(get("/api/v1/status", "What is here, what happens, what fails", &[]), status)
        .add(get("/api/v1/history", "Lag, new posts and calls over time", &[]), history)
        .add(get("/api/v1/gaps", "What is not proven complete", &[("limit", "sources, at most 1000")]), gaps)
        .add(
            get(
                "/api/v1/plan",
                "Calls an hour for a lag, or the lag of so many",
                &[("lag", "such as 10m"), ("calls_per_hour", "a number")],
            ),
            plan,
        )
        .add(get("/api/v1/sources", "A page of sources", SOURCES), list_sources)
        .add(post("/api/v1/sources", "Adds sources, or shows what would be added"), add_sources)
        .add(get("/api/v1/sources/{number}", "One source, and why it is visited when", &[]), one_source)
        .add(
            post("/api/v1/sources/{number}/pin", "Visits a source `every` so often, or as the policy says"),
            pin_source,
        )
        .add(post("/api/v1/sources/{number}/{verb}", "`pause`, `watch` or `remove` a source"), tell_source)
        .add(get("/api/v1/posts", "A page of posts", POSTS), list_posts)
        .add(get("/api/v1/posts.jsonl", "All posts of a query as JSON lines", POSTS), posts::jsonl)
        .add(get("/api/v1/posts.csv", "All posts of a query as CSV", POSTS), posts::csv)
        .add(get("/api/v1/posts.parquet", "All posts of a query as Parquet", POSTS), posts::parquet)
        .add(get("/api/v1/posts/{number}", "One post and its changes", &[]), one_post)
        .add(
            get(
                "/api/v1/graph",
                "What stands around an account or post",
                &[("at", "a number, handle or address")],
            ),
            graph_at,
        )
        .add(get("/api/v1/forums", "The forums that were learned", &[]), list_forums)
        .add(get("/api/v1/forums/{name}", "One forum and its threads", &[("page", "from 1")]), one_forum)
        .add(get("/api/v1/robots", "The robots", &[]), list_robots)
        .add(post("/api/v1/robots/{robot}/{verb}", "`start`, `pause`, `resume` or `stop`"), tell_robot);
    add_others(routes)
}

fn get(path: &'static str, summary: &'static str, query: &'static [(&'static str, &'static str)]) -> Route {
    Route { method: "GET", path, summary: Some(summary), query }
}

fn post(path: &'static str, summary: &'static str) -> Route {
    Route { method: "POST", path, summary: Some(summary), query: &[] }
}

/// What is set up rather than collected, and the API's own affairs.
fn add_others(routes: Routes) -> Routes {
    routes
        .add(get("/api/v1/constraints", "Which posts and accounts are wanted", &[]), list_constraints)
        .add(post("/api/v1/constraints", "Adds a constraint"), add_constraint)
        .add(post("/api/v1/constraints/{number}/remove", "Removes a constraint"), remove_constraint)
        .add(get("/api/v1/learning", "Forums that are learned, and what came of it", &[]), list_learning)
        .add(post("/api/v1/learning", "Learns the forum of this front page, then adds it"), learn_forum)
        .add(get("/api/v1/experiment", "The backtest that runs, or ran last", &[]), show_experiment)
        .add(post("/api/v1/experiment", "Begins a backtest of policies"), start_experiment)
        .add(post("/api/v1/experiment/cancel", "Ends the backtest that runs"), cancel_experiment)
        .add(get("/api/v1/networks", "The networks", &[]), list_networks)
        .add(get("/api/v1/networks/{name}", "One definition", &[]), one_network)
        .add(get("/api/v1/credentials", "Names of the credentials, never secrets", &[]), credentials)
        .add(post("/api/v1/credentials", "Adds a credential to the encrypted file"), add_credential)
        .add(post("/api/v1/credentials/{name}/remove", "Removes one from it"), remove_credential)
        .add(get("/api/v1/alerts", "What somebody should know, and who is told", &[]), list_alerts)
        .add(get("/api/v1/settings", "What runs here", &[]), show_settings)
        .add(get("/api/v1/session", "The word that changes must show in `x-csrf-token`", &[]), session)
        .add(get("/api/v1/live", "Live values as server-sent events", &[]), live::stream)
        .add(get("/api/v1/openapi.json", "This document", &[]), openapi::document)
}

/// The process answers.
pub(super) async fn health() -> &'static str {
    "ok\n"
}

/// The store can be read.
pub(super) async fn ready(State(site): State<Shared>) -> Answer<&'static str> {
    let looked = site.read(|_, data| Ok(STATUS.find(&data.store)?.is_some())).await;
    looked.map(|_| "ready\n").map_err(|_| Problem::busy("the store cannot be read"))
}

async fn status(State(site): State<Shared>) -> Answer<Json<Value>> {
    site.read(Site::whole_status).await.map(Json)
}

async fn history(State(site): State<Shared>) -> Answer<Json<Value>> {
    let history = site.read(|_, data| Site::history(data)).await?;
    let (fine, coarse): (Vec<_>, Vec<_>) = (history.fine().collect(), history.coarse().collect());
    Ok(Json(json!({ "fine": fine, "coarse": coarse })))
}

#[derive(Deserialize)]
struct Limit {
    #[serde(default)]
    limit: String,
}

async fn gaps(State(site): State<Shared>, Query(asked): Query<Limit>) -> Answer<Json<Value>> {
    let limit = if asked.limit.is_empty() { Some(GAPS_MAX) } else { asked.limit.parse().ok() };
    let limit = limit.filter(|limit| *limit <= GAPS_MAX);
    let limit = limit.ok_or_else(|| Problem::bad(format!("`limit` is a number up to {GAPS_MAX}")))?;
    let mut report = Value::clone(&*site.read(Site::coverage).await?);
    if let Some(sources) = report["sources"].as_array_mut() {
        sources.truncate(limit);
    }
    Ok(Json(report))
}

async fn plan(State(site): State<Shared>, Query(wish): Query<super::plan::Wish>) -> Answer<Json<Value>> {
    super::plan::describe(&site, &wish).await.map(Json)
}

async fn list_sources(
    State(site): State<Shared>,
    Query(asked): Query<sources::Asked>,
) -> Answer<Json<Value>> {
    sources::list(&site, asked).await.map(Json)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Addition {
    references: Vec<String>,
    #[serde(default)]
    since: Option<String>,
    #[serde(default)]
    allow_private: bool,
    #[serde(default)]
    is_preview: bool,
}

async fn add_sources(State(site): State<Shared>, Json(wish): Json<Addition>) -> Answer<Json<Value>> {
    let args =
        sources::arguments(wish.references, wish.since.as_deref().unwrap_or_default(), wish.allow_private)?;
    if wish.is_preview {
        return Ok(Json(sources::preview(&site.parts.networks, &args)));
    }
    sources::put(&site, args).await.map(Json)
}

async fn one_source(State(site): State<Shared>, Path(number): Path<String>) -> Answer<Json<Value>> {
    source::describe(&site, &number).await.map(Json)
}

async fn tell_source(
    State(site): State<Shared>,
    Path((number, verb)): Path<(String, String)>,
) -> Answer<Json<Value>> {
    source::tell(&site, &number, &verb).await.map(Json)
}

async fn list_posts(State(site): State<Shared>, Query(asked): Query<posts::Asked>) -> Answer<Json<Value>> {
    posts::list(&site, &asked).await.map(Json)
}

async fn one_post(State(site): State<Shared>, Path(number): Path<String>) -> Answer<Json<Value>> {
    posts::describe(&site, &number).await.map(Json)
}

async fn list_robots(State(site): State<Shared>) -> Answer<Json<Value>> {
    site.read(|_, data| Ok(json!(freshet_app::robots::list(data)?))).await.map(Json)
}

async fn tell_robot(
    State(site): State<Shared>,
    Path((robot, verb)): Path<(String, String)>,
) -> Answer<Json<Value>> {
    robots::tell(&site, &robot, &verb).await.map(Json)
}

async fn list_networks(State(site): State<Shared>) -> Json<Value> {
    Json(json!(freshet_app::networks::list_report(&site.parts.networks)))
}

async fn one_network(State(site): State<Shared>, Path(name): Path<String>) -> Answer<Json<Value>> {
    networks::describe(&site, &name).map(Json)
}

async fn credentials(State(site): State<Shared>) -> Answer<Json<Value>> {
    let known = super::credentials::known(&site).ok_or_else(|| {
        Problem::new(StatusCode::CONFLICT, "the credentials file is locked")
            .hint("give its passphrase in FRESHET_PASSPHRASE when the dashboard is started")
    })?;
    Ok(Json(json!({ "credentials": known })))
}

async fn add_credential(
    State(site): State<Shared>,
    Json(typed): Json<super::credentials::Typed>,
) -> Answer<Json<Value>> {
    super::credentials::add(&site, typed).await.map(Json)
}

async fn remove_credential(
    State(site): State<Shared>,
    Path(name): Path<String>,
    unlocking: Option<Json<super::credentials::Unlocking>>,
) -> Answer<Json<Value>> {
    let Json(unlocking) = unlocking.unwrap_or_default();
    super::credentials::remove(&site, name, unlocking).await.map(Json)
}

async fn pin_source(
    State(site): State<Shared>,
    Path(number): Path<String>,
    Json(pin): Json<source::Pin>,
) -> Answer<Json<Value>> {
    source::pin(&site, &number, pin).await.map(Json)
}

async fn graph_at(State(site): State<Shared>, Query(asked): Query<graph::Asked>) -> Answer<Json<Value>> {
    graph::describe(&site, &asked).await.map(Json)
}

async fn list_forums(State(site): State<Shared>) -> Answer<Json<Value>> {
    forums::list(&site).await.map(Json)
}

async fn one_forum(
    State(site): State<Shared>,
    Path(name): Path<String>,
    Query(asked): Query<forums::Asked>,
) -> Answer<Json<Value>> {
    let mut shown = forums::describe(&site, &name, &asked).await?;
    if let Some(shown) = shown.as_object_mut() {
        shown.remove("picture");
    }
    Ok(Json(shown))
}

async fn list_constraints(State(site): State<Shared>) -> Answer<Json<Value>> {
    constraints::list(&site).await.map(Json)
}

async fn add_constraint(
    State(site): State<Shared>,
    Json(wish): Json<constraints::Wish>,
) -> Answer<Json<Value>> {
    constraints::add(&site, wish).await.map(Json)
}

async fn remove_constraint(
    State(site): State<Shared>,
    Path(number): Path<String>,
    Json(named): Json<constraints::Named>,
) -> Answer<Json<Value>> {
    constraints::remove(&site, &number, named).await.map(Json)
}

async fn list_learning(State(site): State<Shared>) -> Json<Value> {
    Json(learn::describe(&site))
}

async fn learn_forum(State(site): State<Shared>, Json(wish): Json<jobs::Wish>) -> Answer<Json<Value>> {
    learn::start(&site, wish)?;
    Ok(Json(learn::describe(&site)))
}

async fn show_experiment(State(site): State<Shared>) -> Json<Value> {
    Json(site.bench.describe())
}

async fn start_experiment(State(site): State<Shared>, Json(wish): Json<bench::Wish>) -> Answer<Json<Value>> {
    experiments::start(&site, wish)?;
    Ok(Json(site.bench.describe()))
}

async fn cancel_experiment(State(site): State<Shared>) -> Json<Value> {
    site.bench.cancel();
    Json(site.bench.describe())
}

async fn list_alerts(State(site): State<Shared>) -> Answer<Json<Value>> {
    alerts::describe(&site).await.map(Json)
}

async fn show_settings(State(site): State<Shared>) -> Answer<Json<Value>> {
    settings::describe(&site).await.map(Json)
}

async fn session(Extension(identity): Extension<Identity>) -> Json<Value> {
    Json(json!({ "csrf": identity.csrf, "is_token": identity.is_token }))
}
