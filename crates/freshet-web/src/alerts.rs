//! Alerts: what somebody should know, the rules, who is told, and a button that tries it.
//!
//! The button leaves a message in the store, as commands do; the crawl that runs has the secrets and sends.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use freshet_alert::config;
use freshet_alert::memory::ALERTS_MAX;
use freshet_alert::report;
use freshet_app::data::Data;
use freshet_store::control::Control;
use serde_json::{Value, json};

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem, Told};
use super::site::Site;

/// What a test that was asked for comes to; the crawl looks for it once a second.
const ASKED: &str =
    "The crawl was asked to send a test. Load the page again in a moment: below stands who took it.";

/// The page.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Query(just): Query<Told>,
) -> Answer<Response> {
    let mut shown = describe(&site).await?;
    shown["told"] = json!((just.told == "asked").then_some(ASKED));
    Ok(site.page(Some(&identity), "alerts", "Alerts", &shown))
}

/// The report of `freshet alerts`, as the API gives it.
pub(super) async fn describe(site: &Shared) -> Answer<Value> {
    site.read(view).await
}

/// The button was pressed.
pub(super) async fn test(State(site): State<Shared>, Path(name): Path<String>) -> Answer<Response> {
    site.write(move |_, data| {
        if data.runner().is_none() {
            return Err(
                Problem::bad("nothing runs that could send a test").hint("`freshet alerts test NAME` does")
            );
        }
        let config = config::read(data.dir())?;
        if !config.receivers.iter().any(|receiver| receiver.name == name) {
            return Err(Problem::not_found(format!("there is no receiver `{name}`")));
        }
        data.store.push_control(&Control::AlertTest(name))?;
        Ok(())
    })
    .await?;
    Ok(Redirect::to("/alerts?told=asked").into_response())
}

fn view(_: &Site, data: &Data) -> Answer<Value> {
    let config = config::read(data.dir())?;
    let mut shown = json!(report::report(data, &config, ALERTS_MAX)?);
    shown["is_running"] = json!(data.runner().is_some());
    Ok(shown)
}
