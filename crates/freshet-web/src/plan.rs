//! What if: the lag that so many calls would bring, or the calls that a lag would need, as `freshet plan` says.
//!
//! It looks at every source, so it is made when somebody asks, and never refreshed by itself.

use axum::Extension;
use axum::extract::{Query, State};
use axum::response::Response;
use freshet_app::plan;
use freshet_app::plan::PlanWish;
use freshet_report::plan::PlanReport;
use freshet_types::Span;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::render::Beside;

/// What is asked; with neither, what the last run spent.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Wish {
    #[serde(default)]
    lag: String,
    #[serde(default)]
    calls_per_hour: String,
}

impl Wish {
    fn args(&self) -> Answer<PlanWish> {
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let lag = given(&self.lag).map(|text| Span::parse(&text).filter(|span| *span > Span::ZERO));
        let lag =
            lag.map(|lag| lag.ok_or_else(|| Problem::bad("`lag` is a span such as 10m"))).transpose()?;
        let calls = given(&self.calls_per_hour).map(|text| {
            let calls: Option<f64> = text.parse().ok();
            calls.filter(|calls| calls.is_finite() && *calls > 0.0)
        });
        let calls_per_hour = calls
            .map(|calls| calls.ok_or_else(|| Problem::bad("`calls_per_hour` is a number above 0")))
            .transpose()?;
        Ok(PlanWish { lag, calls_per_hour })
    }
}

/// The plan, as the API gives it.
pub(super) async fn describe(site: &Shared, wish: &Wish) -> Answer<PlanReport> {
    let args = wish.args()?;
    site.read(move |_, data| Ok(plan::report(data, &args)?)).await
}

/// The page.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Query(wish): Query<Wish>,
) -> Answer<Response> {
    let report = describe(&site, &wish).await?;
    // The longest lag of the table fills its bar.
    let lag_max_s = report.table.iter().map(|it| it.lag_s).fold(1e-9, f64::max);
    let shown = Beside { report, more: json!({ "lag_max_s": lag_max_s, "asked": wish }) };
    Ok(site.page(Some(&identity), "plan", "What if", &shown))
}
