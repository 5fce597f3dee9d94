//! Subscriptions: who gets changes, how far behind each is, what it got, lost and refused; pause, resume, remove.
//!
//! Adding one is left to the command: a program or a file of this computer is nothing that a web page should name.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use freshet_app::subscriptions::{self, Verb};
use freshet_report::subscriptions::{SubscriptionLine, SubscriptionsReport};
use serde::Serialize;
use serde_json::json;

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};

/// What the page shows.
#[derive(Serialize)]
struct SubscriptionsPage {
    subscriptions: Vec<Shown>,
}

/// A line, and what the subscription can be told.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    line: SubscriptionLine,
    verbs: &'static [&'static str],
}

/// The page.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
) -> Answer<Response> {
    let shown = |line: SubscriptionLine| {
        let verbs: &[&str] =
            if line.state == "running" { &["pause", "remove"] } else { &["resume", "remove"] };
        Shown { line, verbs }
    };
    let subscriptions = list(&site).await?.subscriptions.into_iter().map(shown).collect();
    let shown = SubscriptionsPage { subscriptions };
    Ok(site.page(Some(&identity), "subscriptions", "Subscriptions", &shown))
}

/// A button was pressed.
pub(super) async fn steer(
    State(site): State<Shared>,
    Path((name, verb)): Path<(String, String)>,
) -> Answer<Response> {
    tell(&site, name, &verb).await?;
    Ok(Redirect::to("/subscriptions").into_response())
}

/// The report of `freshet subscriptions list`.
pub(super) async fn list(site: &Shared) -> Answer<SubscriptionsReport> {
    site.read(|_, data| Ok(subscriptions::list(data)?)).await
}

/// Tells a subscription; gives the same report.
pub(super) async fn tell(site: &Shared, name: String, verb: &str) -> Answer<SubscriptionsReport> {
    let verb: Verb = serde_json::from_value(json!(verb)).map_err(|_| {
        Problem::not_found(format!("a subscription cannot be told `{verb}`")).hint("pause, resume or remove")
    })?;
    site.write(move |_, data| {
        subscriptions::steer(data, verb, &name)?;
        Ok(subscriptions::list(data)?)
    })
    .await
}
