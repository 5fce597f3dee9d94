//! The HTTP API, `/api/v1`: the reports of the commands, as JSON. The pages stand on the same
//! functions. Changes are POSTs, with the token as bearer or the session's word in a header.
//!
//! Here are the calls about the crawl as a whole; the others are in `api/`, by what they are about, each route in the file of
//! what answers it. The order in which the parts are added is the order of the API's document.

mod collected;
mod delivered;
mod setup;
mod watched;

use axum::Json;
use axum::extract::{Query, State};
use freshet_engine::report::STATUS;
use freshet_report::complaints::ComplaintsReport;
use freshet_report::gaps::GapsReport;
use freshet_report::history::HistoryReport;
use freshet_report::plan::PlanReport;
use freshet_report::status::StatusReport;
use serde::Deserialize;

use super::answer::{Answer, Problem};
use super::site::{GAPS_MAX, Site};
use super::{Route, Routes, Shared, complaints};

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
    setup::add(delivered::add(collected::add(watched::add(routes))))
}

fn get(path: &'static str, summary: &'static str, query: &'static [(&'static str, &'static str)]) -> Route {
    Route { method: "GET", path, summary: Some(summary), query, report: None }
}

fn post(path: &'static str, summary: &'static str) -> Route {
    Route { method: "POST", path, summary: Some(summary), query: &[], report: None }
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
