//! Experiments: policies compared on what was collected, as `freshet simulate --from-store` does.
//!
//! The page and its forms; the one backtest that runs in the background is at the [`super::bench`]. Choosing a policy
//! for the crawl stays a matter of `freshet run --policy`.

use axum::Extension;
use axum::extract::{RawForm, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use freshet_app::simulate::plots;
use freshet_policy::POLICY_NAMES;
use freshet_report::simulate::BacktestReport;
use serde_json::json;

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::bench::{DAYS_MAX, POLICIES_MAX, TIME_MAX, Wish};
use super::render::Beside;

/// The page.
pub(super) async fn page(State(site): State<Shared>, Extension(identity): Extension<Identity>) -> Response {
    site.page(Some(&identity), "experiments", "Experiments", &view(&site))
}

/// What changes on it.
pub(super) async fn part(State(site): State<Shared>, Extension(identity): Extension<Identity>) -> Response {
    site.page(Some(&identity), "experiments_part", "Experiments", &view(&site))
}

/// The form was sent.
pub(super) async fn start_form(State(site): State<Shared>, RawForm(form): RawForm) -> Answer<Response> {
    let mut wish = Wish { policies: Vec::new(), ..Wish::default() };
    let number = |name: &str, text: &str| {
        text.trim().parse::<f64>().map_err(|_| Problem::bad(format!("`{name}` is a number")))
    };
    for (name, text) in url::form_urlencoded::parse(&form) {
        match &*name {
            "policies" => wish.policies.push(text.into_owned()),
            "objective" => wish.objective = text.into_owned(),
            "from" => wish.from = text.into_owned(),
            "calls_per_hour" => wish.calls_per_hour = number(&name, &text)?,
            "warm_days" => wish.warm_days = number(&name, &text)? as u32,
            "eval_days" => wish.eval_days = number(&name, &text)? as u32,
            _ => {}
        }
    }
    start(&site, wish)?;
    Ok(Redirect::to("/experiments").into_response())
}

/// The button was pressed.
pub(super) async fn cancel_form(State(site): State<Shared>) -> Response {
    site.bench.cancel();
    Redirect::to("/experiments").into_response()
}

/// Begins a backtest; refused while another one runs.
pub(super) fn start(site: &Shared, wish: Wish) -> Answer<()> {
    site.bench.start(wish, site.parts.place.clone(), site.now())
}

/// What the page shows.
fn view(site: &Shared) -> Beside<BacktestReport> {
    let report = site.bench.describe();
    let (wish, outcomes) = site
        .bench
        .lock()
        .as_ref()
        .map_or_else(Default::default, |trial| (trial.wish.clone(), trial.outcomes.clone()));
    let best = report.policies.iter().filter_map(|it| it.mean_delay_s).fold(f64::INFINITY, f64::min);
    let plots: Vec<_> = plots::plots(&outcomes).iter().filter_map(|(_, plot)| plot.svg()).collect();
    let policy =
        |name: &&str| json!({ "name": name, "is_chosen": wish.policies.iter().any(|it| it == name) });
    let more = json!({
        "best_s": best.is_finite().then_some(best),
        "plots": plots,
        "choices": POLICY_NAMES.iter().map(policy).collect::<Vec<_>>(),
        "wish": {
            "calls_per_hour": wish.calls_per_hour.to_string(), "objective": wish.objective, "from": wish.from,
            "warm_days": wish.warm_days, "eval_days": wish.eval_days,
        },
        "limits": { "policies": POLICIES_MAX, "days": DAYS_MAX, "minutes": TIME_MAX.as_secs() / 60 },
        "was_run": report.progress.is_some(),
    });
    Beside { report, more }
}
