//! Care: what is kept of whom and why, by which rules, and which exports still have to hear of what is not kept any more.
//!
//! The page looks at every account, so it is asked for by people only: nothing refreshes it. Forgetting and applying deletions are
//! left to the command: both cannot be undone.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use freshet_app::care;
use freshet_report::care::CareReport;

use super::Shared;
use super::access::Identity;
use super::answer::Answer;

/// The page.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
) -> Answer<Response> {
    let report = describe(&site).await?;
    Ok(site.page(Some(&identity), "care", "Care", &report))
}

/// The report of `freshet care`.
pub(super) async fn describe(site: &Shared) -> Answer<CareReport> {
    site.read(|site, data| Ok(care::report(data, site.now())?)).await
}
