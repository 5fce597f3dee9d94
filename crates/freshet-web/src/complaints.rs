//! Complaints: what could not be used of answers, by network and kind, with samples.

use axum::Extension;
use axum::extract::{Query, State};
use axum::response::Response;
use freshet_app::complaints::{self, KINDS_MAX, SAMPLES_MAX, Wish};
use freshet_report::complaints::ComplaintsReport;
use serde::Deserialize;
use serde_json::json;

use super::Shared;
use super::access::Identity;
use super::answer::Answer;
use super::render::Beside;

/// Kinds on the page; the API has all.
const SHOWN_MAX: usize = 100;
/// Samples of each on the page.
const SAMPLES_SHOWN: usize = 5;

/// Which are asked for.
#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    network: String,
}

/// The page.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Query(asked): Query<Asked>,
) -> Answer<Response> {
    let more = json!({ "network": asked.network });
    let report = list(&site, asked, (SHOWN_MAX, SAMPLES_SHOWN)).await?;
    Ok(site.page(Some(&identity), "complaints", "Complaints", &Beside { report, more }))
}

/// The report of `freshet complaints`, as the API gives it.
pub(super) async fn describe(site: &Shared, asked: Asked) -> Answer<ComplaintsReport> {
    list(site, asked, (KINDS_MAX, SAMPLES_MAX)).await
}

async fn list(
    site: &Shared,
    asked: Asked,
    (kinds_max, samples_max): (usize, usize),
) -> Answer<ComplaintsReport> {
    let wish = Wish { network: Some(asked.network), kinds_max, samples_max };
    site.read(move |_, data| Ok(complaints::report(data, &wish)?)).await
}
