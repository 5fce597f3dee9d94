//! What if: the lag that so many calls would bring, or the calls that a lag would need, as `freshet plan` says.
//!
//! It looks at every source, so it is made when somebody asks, and never refreshed by itself.

use axum::Extension;
use axum::extract::{Query, State};
use axum::response::Response;
use freshet_app::plan;
use freshet_app::plan::PlanWish;
use freshet_types::Span;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};

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
pub(super) async fn describe(site: &Shared, wish: &Wish) -> Answer<Value> {
    let args = wish.args()?;
    site.read(move |_, data| Ok(json!(plan::report(data, &args)?))).await
}

/// The page.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Query(wish): Query<Wish>,
) -> Answer<Response> {
    let mut shown = describe(&site, &wish).await?;
    // The longest lag of the table fills its bar.
    let lags = shown["table"].as_array().into_iter().flatten().filter_map(|it| it["lag_s"].as_f64());
    shown["lag_max_s"] = json!(lags.fold(1e-9, f64::max));
    shown["asked"] = json!(wish);
    Ok(site.page(Some(&identity), "plan", "What if", &shown))
}
