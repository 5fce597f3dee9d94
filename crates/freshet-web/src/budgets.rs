//! Budgets on the settings page: what may be asked, as `freshet budget` has them. A crawl that runs sees a change within a second.

use axum::extract::{Form, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use freshet_app::budgets;
use freshet_app::data::Data;
use freshet_report::budgets::BudgetsReport;
use serde::Deserialize;

use super::Shared;
use super::answer::Answer;

/// What is allowed.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Allowed {
    /// `all`, a network, a server, or an address of one.
    scope: String,
    /// As in `600/h`.
    rate: String,
}

/// Which one is taken away.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Named {
    scope: String,
}

/// All of them, as the API gives them.
pub(super) async fn list(site: &Shared) -> Answer<BudgetsReport> {
    site.read(|site, data| Ok(budgets::list(data, &site.parts.networks)?)).await
}

/// Sets one; gives all of them.
pub(super) async fn set(site: &Shared, allowed: Allowed) -> Answer<BudgetsReport> {
    site.write(move |site, data: &mut Data| {
        budgets::set(data, &site.parts.networks, &allowed.scope, &allowed.rate)?;
        Ok(budgets::list(data, &site.parts.networks)?)
    })
    .await
}

/// Takes one away; gives the others.
pub(super) async fn remove(site: &Shared, named: Named) -> Answer<BudgetsReport> {
    site.write(move |site, data: &mut Data| {
        budgets::remove(data, &site.parts.networks, &named.scope)?;
        Ok(budgets::list(data, &site.parts.networks)?)
    })
    .await
}

/// The form was sent.
pub(super) async fn set_form(State(site): State<Shared>, Form(allowed): Form<Allowed>) -> Answer<Response> {
    set(&site, allowed).await?;
    Ok(Redirect::to("/settings#budgets").into_response())
}

/// A button was pressed.
pub(super) async fn remove_form(State(site): State<Shared>, Form(named): Form<Named>) -> Answer<Response> {
    remove(&site, named).await?;
    Ok(Redirect::to("/settings#budgets").into_response())
}
