//! The part of the API about what is watched: the sources, what they are told, and adding more.
//!
//! What a call does is in `sources.rs` and `source.rs`, which the pages use too; here stands how it is asked for.

use axum::Json;
use axum::extract::{Path, Query, State};
use freshet_report::add::{AddPreview, AddReport};
use freshet_report::sources::{PinReport, SourceReport, SourcesReport, SteerReport, WeightReport};
use serde::{Deserialize, Serialize};

use super::{get, post};
use crate::answer::Answer;
use crate::{Routes, Shared, source, sources};

/// How sources are asked for.
const SOURCES: &[(&str, &str)] = &[
    ("q", "part of the handle or id; under three letters, the beginning of the name"),
    ("state", "active, paused, failed, removed, …"),
    ("network", "a network, or all servers of a definition"),
    ("robot", "relation, user, status, comment or tag"),
    ("sort", "number, name, due or visited"),
    ("page", "from 1"),
];

/// What is watched.
pub(super) fn add(routes: Routes) -> Routes {
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
