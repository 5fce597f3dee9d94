//! The HTTP API, `/api/v1`: the reports of the commands, as JSON. The pages stand on the same
//! functions. Changes are POSTs, with the token as bearer or the session's word in a header.

use axum::Extension;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use freshet_app::credentials::line_of;
use freshet_engine::report::STATUS;
use freshet_report::add::{AddPreview, AddReport};
use freshet_report::alerts::AlertsView;
use freshet_report::budgets::BudgetsReport;
use freshet_report::complaints::ComplaintsReport;
use freshet_report::constraints::ConstraintsReport;
use freshet_report::credentials::{CredentialAdded, CredentialRemoved, CredentialsReport};
use freshet_report::dashboard::{LearningReport, SessionReport, SettingsReport};
use freshet_report::forums::{ForumReport, ForumsReport};
use freshet_report::gaps::GapsReport;
use freshet_report::graph::GraphReport;
use freshet_report::history::HistoryReport;
use freshet_report::networks::NetworksReport;
use freshet_report::object::ObjectReport;
use freshet_report::plan::PlanReport;
use freshet_report::posts::{PostReport, PostsReport};
use freshet_report::robots::RobotsReport;
use freshet_report::simulate::BacktestReport;
use freshet_report::sources::{PinReport, SourceReport, SourcesReport, SteerReport, WeightReport};
use freshet_report::status::StatusReport;
use freshet_report::subscriptions::SubscriptionsReport;
use freshet_types::definition::Definition;
use serde::{Deserialize, Serialize};

use super::access::Identity;
use super::answer::{Answer, Problem};
use super::site::{GAPS_MAX, Site};
use super::{
    Route, Routes, Shared, alerts, bench, budgets, complaints, constraints, experiments, forums, graph, jobs,
    learn, live, networks, objects, openapi, posts, robots, settings, source, sources, subscriptions,
};

/// How posts are asked for.
const POSTS: &[(&str, &str)] = &[
    ("q", "words, as `freshet search` takes them"),
    ("network", "a network, or all servers of a definition"),
    ("author", "handle or id"),
    ("since", "created at or after: a date, a time, or a span back such as 7d"),
    ("until", "created before"),
    ("page", "from 1"),
];
/// How an object is asked for.
const OBJECT: &[(&str, &str)] = &[
    ("links", "links or paths of links, with commas between: author.handle,replies"),
    ("limit", "members of a collection, at most 1000"),
    ("offset", "members that are passed over"),
];
/// How sources are asked for.
const SOURCES: &[(&str, &str)] = &[
    ("q", "part of the handle or id; under three letters, the beginning of the name"),
    ("state", "active, paused, failed, removed, …"),
    ("network", "a network, or all servers of a definition"),
    ("robot", "relation, user, status, comment or tag"),
    ("sort", "number, name, due or visited"),
    ("page", "from 1"),
];

/// Adds the routes of the API, each with what it says.
pub(super) fn add(routes: Routes) -> Routes {
    let routes = routes
        .add(
            get("/api/v1/status", "What is here, what happens, what fails", &[]).giving("StatusReport"),
            status,
        )
        .add(
            get("/api/v1/history", "Lag, new posts and calls over time", &[]).giving("HistoryReport"),
            history,
        )
        .add(
            get("/api/v1/gaps", "What is not proven complete", &[("limit", "sources, at most 1000")])
                .giving("GapsReport"),
            gaps,
        )
        .add(
            get(
                "/api/v1/complaints",
                "What could not be used of answers, with samples",
                &[("network", "a network, or all servers of a definition")],
            )
            .giving("ComplaintsReport"),
            list_complaints,
        )
        .add(
            get(
                "/api/v1/plan",
                "Calls an hour for a lag, or the lag of so many",
                &[("lag", "such as 10m"), ("calls_per_hour", "a number")],
            )
            .giving("PlanReport"),
            plan,
        );
    add_others(add_subscriptions(add_posts(add_sources(routes))))
}

/// What is watched.
fn add_sources(routes: Routes) -> Routes {
    routes
        .add(get("/api/v1/sources", "A page of sources", SOURCES).giving("SourcesReport"), list_sources)
        .add(post("/api/v1/sources", "Adds sources, or shows what would be added"), put_sources)
        .add(
            get("/api/v1/sources/{number}", "One source, and why it is visited when", &[])
                .giving("SourceReport"),
            one_source,
        )
        .add(
            post("/api/v1/sources/{number}/pin", "Visits a source `every` so often, or as the policy says")
                .giving("PinReport"),
            pin_source,
        )
        .add(
            post(
                "/api/v1/sources/{number}/weight",
                "Lets the waiting of its posts count `weight` times as much",
            )
            .giving("WeightReport"),
            weigh_source,
        )
        .add(
            post("/api/v1/sources/{number}/{verb}", "`pause`, `watch` or `remove` a source")
                .giving("SteerReport"),
            tell_source,
        )
}

/// What was collected, and who collects it.
fn add_posts(routes: Routes) -> Routes {
    routes
        .add(get("/api/v1/posts", "A page of posts", POSTS).giving("PostsReport"), list_posts)
        .add(get("/api/v1/posts.jsonl", "All posts of a query as JSON lines", POSTS), posts::jsonl)
        .add(get("/api/v1/posts.csv", "All posts of a query as CSV", POSTS), posts::csv)
        .add(get("/api/v1/posts.parquet", "All posts of a query as Parquet", POSTS), posts::parquet)
        .add(get("/api/v1/posts/{number}", "One post and its changes", &[]).giving("PostReport"), one_post)
        .add(
            get(
                "/api/v1/graph",
                "What stands around an account or post",
                &[("at", "a number, handle or address")],
            )
            .giving("GraphReport"),
            graph_at,
        )
        .add(
            get("/api/v1/objects/{*address}", "One object, its values and links, by its address", OBJECT)
                .giving("ObjectReport"),
            one_object,
        )
        .add(get("/api/v1/forums", "The forums that were learned", &[]).giving("ForumsReport"), list_forums)
        .add(
            get("/api/v1/forums/{name}", "One forum and its threads", &[("page", "from 1")])
                .giving("ForumReport"),
            one_forum,
        )
        .add(get("/api/v1/robots", "The robots", &[]).giving("RobotsReport"), list_robots)
        .add(
            post("/api/v1/robots/{robot}/{verb}", "`start`, `pause`, `resume` or `stop`")
                .giving("RobotsReport"),
            tell_robot,
        )
}

/// Who gets what was collected.
fn add_subscriptions(routes: Routes) -> Routes {
    routes
        .add(
            get("/api/v1/subscriptions", "Who gets changes, and how far each has got", &[])
                .giving("SubscriptionsReport"),
            list_subscriptions,
        )
        .add(
            post("/api/v1/subscriptions/{name}/{verb}", "`pause`, `resume` or `remove` a subscription")
                .giving("SubscriptionsReport"),
            tell_subscription,
        )
}

fn get(path: &'static str, summary: &'static str, query: &'static [(&'static str, &'static str)]) -> Route {
    Route { method: "GET", path, summary: Some(summary), query, report: None }
}

fn post(path: &'static str, summary: &'static str) -> Route {
    Route { method: "POST", path, summary: Some(summary), query: &[], report: None }
}

/// What is set up rather than collected, and the API's own affairs.
fn add_others(routes: Routes) -> Routes {
    routes
        .add(
            get("/api/v1/budgets", "What may be asked, beside what the networks allow", &[])
                .giving("BudgetsReport"),
            list_budgets,
        )
        .add(post("/api/v1/budgets", "Sets a budget: scope, rate").giving("BudgetsReport"), set_budget)
        .add(
            post("/api/v1/budgets/remove", "Takes the budget of a scope away").giving("BudgetsReport"),
            remove_budget,
        )
        .add(
            get("/api/v1/constraints", "Which posts and accounts are wanted", &[])
                .giving("ConstraintsReport"),
            list_constraints,
        )
        .add(post("/api/v1/constraints", "Adds a constraint").giving("ConstraintsReport"), add_constraint)
        .add(
            post("/api/v1/constraints/{number}/remove", "Removes a constraint").giving("ConstraintsReport"),
            remove_constraint,
        )
        .add(
            get("/api/v1/learning", "Forums that are learned, and what came of it", &[])
                .giving("LearningReport"),
            list_learning,
        )
        .add(
            post("/api/v1/learning", "Learns the forum of this front page, then adds it")
                .giving("LearningReport"),
            learn_forum,
        )
        .add(
            get("/api/v1/experiment", "The backtest that runs, or ran last", &[]).giving("BacktestReport"),
            show_experiment,
        )
        .add(
            post("/api/v1/experiment", "Begins a backtest of policies").giving("BacktestReport"),
            start_experiment,
        )
        .add(
            post("/api/v1/experiment/cancel", "Ends the backtest that runs").giving("BacktestReport"),
            cancel_experiment,
        )
        .add(get("/api/v1/networks", "The networks", &[]).giving("NetworksReport"), list_networks)
        .add(get("/api/v1/networks/{name}", "One definition", &[]), one_network)
        .add(
            get("/api/v1/credentials", "Names of the credentials, never secrets", &[])
                .giving("CredentialsReport"),
            credentials,
        )
        .add(
            post("/api/v1/credentials", "Adds a credential to the encrypted file").giving("CredentialAdded"),
            add_credential,
        )
        .add(
            post("/api/v1/credentials/{name}/remove", "Removes one from it").giving("CredentialRemoved"),
            remove_credential,
        )
        .add(
            get("/api/v1/alerts", "What somebody should know, and who is told", &[]).giving("AlertsView"),
            list_alerts,
        )
        .add(get("/api/v1/settings", "What runs here", &[]).giving("SettingsReport"), show_settings)
        .add(
            get("/api/v1/session", "The word that changes must show in `x-csrf-token`", &[])
                .giving("SessionReport"),
            session,
        )
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

async fn status(State(site): State<Shared>) -> Answer<Json<StatusReport>> {
    site.read(Site::whole_status).await.map(Json)
}

async fn history(State(site): State<Shared>) -> Answer<Json<HistoryReport>> {
    let history = site.read(|_, data| Site::history(data)).await?;
    let (fine, coarse) = (history.fine().cloned().collect(), history.coarse().cloned().collect());
    Ok(Json(HistoryReport { fine, coarse }))
}

#[derive(Deserialize)]
struct Limit {
    #[serde(default)]
    limit: String,
}

async fn gaps(State(site): State<Shared>, Query(asked): Query<Limit>) -> Answer<Json<GapsReport>> {
    let limit = if asked.limit.is_empty() { Some(GAPS_MAX) } else { asked.limit.parse().ok() };
    let limit = limit.filter(|limit| *limit <= GAPS_MAX);
    let limit = limit.ok_or_else(|| Problem::bad(format!("`limit` is a number up to {GAPS_MAX}")))?;
    let mut report = GapsReport::clone(&*site.read(Site::coverage).await?);
    report.sources.truncate(limit);
    Ok(Json(report))
}

async fn list_complaints(
    State(site): State<Shared>,
    Query(asked): Query<complaints::Asked>,
) -> Answer<Json<ComplaintsReport>> {
    complaints::describe(&site, asked).await.map(Json)
}

async fn plan(State(site): State<Shared>, Query(wish): Query<super::plan::Wish>) -> Answer<Json<PlanReport>> {
    super::plan::describe(&site, &wish).await.map(Json)
}

async fn list_sources(
    State(site): State<Shared>,
    Query(asked): Query<sources::Asked>,
) -> Answer<Json<SourcesReport>> {
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

/// What adding came to, or would come to.
#[derive(Serialize)]
#[serde(untagged)]
enum Added {
    Done(AddReport),
    Preview(AddPreview),
}

async fn put_sources(State(site): State<Shared>, Json(wish): Json<Addition>) -> Answer<Json<Added>> {
    let args =
        sources::arguments(wish.references, wish.since.as_deref().unwrap_or_default(), wish.allow_private)?;
    if wish.is_preview {
        return Ok(Json(Added::Preview(sources::preview(&site.parts.networks, &args))));
    }
    sources::put(&site, args).await.map(|report| Json(Added::Done(report)))
}

async fn one_source(State(site): State<Shared>, Path(number): Path<String>) -> Answer<Json<SourceReport>> {
    source::describe(&site, &number).await.map(Json)
}

async fn tell_source(
    State(site): State<Shared>,
    Path((number, verb)): Path<(String, String)>,
) -> Answer<Json<SteerReport>> {
    source::tell(&site, &number, &verb).await.map(Json)
}

async fn list_posts(
    State(site): State<Shared>,
    Query(asked): Query<posts::Asked>,
) -> Answer<Json<PostsReport>> {
    posts::list(&site, &asked).await.map(Json)
}

async fn one_post(State(site): State<Shared>, Path(number): Path<String>) -> Answer<Json<PostReport>> {
    posts::describe(&site, &number).await.map(Json)
}

async fn list_robots(State(site): State<Shared>) -> Answer<Json<RobotsReport>> {
    site.read(|_, data| Ok(freshet_app::robots::list(data)?)).await.map(Json)
}

async fn tell_robot(
    State(site): State<Shared>,
    Path((robot, verb)): Path<(String, String)>,
) -> Answer<Json<RobotsReport>> {
    robots::tell(&site, &robot, &verb).await.map(Json)
}

async fn list_networks(State(site): State<Shared>) -> Json<NetworksReport> {
    Json(freshet_app::networks::list_report(&site.parts.networks))
}

async fn one_network(State(site): State<Shared>, Path(name): Path<String>) -> Answer<Json<Definition>> {
    networks::describe(&site, &name).map(Json)
}

async fn credentials(State(site): State<Shared>) -> Answer<Json<CredentialsReport>> {
    let known = super::credentials::known(&site).ok_or_else(|| {
        Problem::new(StatusCode::CONFLICT, "the credentials file is locked")
            .hint("give its passphrase in FRESHET_PASSPHRASE when the dashboard is started")
    })?;
    Ok(Json(CredentialsReport { credentials: known.iter().map(line_of).collect(), headline: None }))
}

async fn add_credential(
    State(site): State<Shared>,
    Json(typed): Json<super::credentials::Typed>,
) -> Answer<Json<CredentialAdded>> {
    super::credentials::add(&site, typed).await.map(Json)
}

async fn remove_credential(
    State(site): State<Shared>,
    Path(name): Path<String>,
    unlocking: Option<Json<super::credentials::Unlocking>>,
) -> Answer<Json<CredentialRemoved>> {
    let Json(unlocking) = unlocking.unwrap_or_default();
    super::credentials::remove(&site, name, unlocking).await.map(Json)
}

async fn pin_source(
    State(site): State<Shared>,
    Path(number): Path<String>,
    Json(pin): Json<source::Pin>,
) -> Answer<Json<PinReport>> {
    source::pin(&site, &number, pin).await.map(Json)
}

async fn weigh_source(
    State(site): State<Shared>,
    Path(number): Path<String>,
    Json(wish): Json<source::Weigh>,
) -> Answer<Json<WeightReport>> {
    source::weigh(&site, &number, wish).await.map(Json)
}

async fn graph_at(
    State(site): State<Shared>,
    Query(asked): Query<graph::Asked>,
) -> Answer<Json<GraphReport>> {
    graph::describe(&site, &asked).await.map(Json)
}

async fn one_object(
    State(site): State<Shared>,
    Path(address): Path<String>,
    Query(asked): Query<objects::Asked>,
) -> Answer<Json<ObjectReport>> {
    objects::describe(&site, address, &asked).await.map(Json)
}

async fn list_forums(State(site): State<Shared>) -> Answer<Json<ForumsReport>> {
    forums::list(&site).await.map(Json)
}

async fn one_forum(
    State(site): State<Shared>,
    Path(name): Path<String>,
    Query(asked): Query<forums::Asked>,
) -> Answer<Json<ForumReport>> {
    forums::describe(&site, &name, &asked).await.map(Json)
}

async fn list_budgets(State(site): State<Shared>) -> Answer<Json<BudgetsReport>> {
    budgets::list(&site).await.map(Json)
}

async fn set_budget(
    State(site): State<Shared>,
    Json(allowed): Json<budgets::Allowed>,
) -> Answer<Json<BudgetsReport>> {
    budgets::set(&site, allowed).await.map(Json)
}

async fn remove_budget(
    State(site): State<Shared>,
    Json(named): Json<budgets::Named>,
) -> Answer<Json<BudgetsReport>> {
    budgets::remove(&site, named).await.map(Json)
}

async fn list_constraints(State(site): State<Shared>) -> Answer<Json<ConstraintsReport>> {
    constraints::list(&site).await.map(Json)
}

async fn add_constraint(
    State(site): State<Shared>,
    Json(wish): Json<constraints::Wish>,
) -> Answer<Json<ConstraintsReport>> {
    constraints::add(&site, wish).await.map(Json)
}

async fn remove_constraint(
    State(site): State<Shared>,
    Path(number): Path<String>,
    Json(named): Json<constraints::Named>,
) -> Answer<Json<ConstraintsReport>> {
    constraints::remove(&site, &number, named).await.map(Json)
}

async fn list_subscriptions(State(site): State<Shared>) -> Answer<Json<SubscriptionsReport>> {
    subscriptions::list(&site).await.map(Json)
}

async fn tell_subscription(
    State(site): State<Shared>,
    Path((name, verb)): Path<(String, String)>,
) -> Answer<Json<SubscriptionsReport>> {
    subscriptions::tell(&site, name, &verb).await.map(Json)
}

async fn list_learning(State(site): State<Shared>) -> Json<LearningReport> {
    Json(learn::describe(&site))
}

async fn learn_forum(
    State(site): State<Shared>,
    Json(wish): Json<jobs::Wish>,
) -> Answer<Json<LearningReport>> {
    learn::start(&site, wish)?;
    Ok(Json(learn::describe(&site)))
}

async fn show_experiment(State(site): State<Shared>) -> Json<BacktestReport> {
    Json(site.bench.describe())
}

async fn start_experiment(
    State(site): State<Shared>,
    Json(wish): Json<bench::Wish>,
) -> Answer<Json<BacktestReport>> {
    experiments::start(&site, wish)?;
    Ok(Json(site.bench.describe()))
}

async fn cancel_experiment(State(site): State<Shared>) -> Json<BacktestReport> {
    site.bench.cancel();
    Json(site.bench.describe())
}

async fn list_alerts(State(site): State<Shared>) -> Answer<Json<AlertsView>> {
    alerts::describe(&site).await.map(Json)
}

async fn show_settings(State(site): State<Shared>) -> Answer<Json<SettingsReport>> {
    settings::describe(&site).await.map(Json)
}

async fn session(Extension(identity): Extension<Identity>) -> Json<SessionReport> {
    Json(SessionReport { csrf: identity.csrf, is_token: identity.is_token })
}
