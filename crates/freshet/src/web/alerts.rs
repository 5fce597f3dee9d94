//! Alerts: what somebody should know, the rules, who is told, and a button that tries it.
//!
//! The button leaves a message in the store, as commands do; the crawl that runs has the secrets and sends.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use freshet_store::api::Store as _;
use serde_json::{Value, json};

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::site::Site;
use crate::alert::config;
use crate::alert::memory::ALERTS_MAX;
use crate::alert::watch::TEST_VERB;
use crate::commands::alerts;
use crate::data::Data;

/// The page.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
) -> Answer<Response> {
    let shown = describe(&site).await?;
    Ok(site.pages.page(&site, Some(&identity), "alerts", "Alerts", &shown))
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
        data.store.push_control(TEST_VERB, &name)?;
        Ok(())
    })
    .await?;
    Ok(Redirect::to("/alerts").into_response())
}

fn view(_: &Site, data: &Data) -> Answer<Value> {
    let config = config::read(data.dir())?;
    let mut shown = json!(alerts::report(data, &config, ALERTS_MAX)?);
    shown["is_running"] = json!(data.runner().is_some());
    Ok(shown)
}
