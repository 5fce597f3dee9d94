//! The part of the API about what is set up rather than collected, and the API's own affairs.
//!
//! Secrets come in and never go out: what is told of a credential is its name.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use freshet_app::credentials::line_of;
use freshet_report::alerts::AlertsView;
use freshet_report::budgets::BudgetsReport;
use freshet_report::constraints::ConstraintsReport;
use freshet_report::credentials::{CredentialAdded, CredentialRemoved, CredentialsReport};
use freshet_report::dashboard::{LearningReport, SessionReport, SettingsReport};
use freshet_report::networks::NetworksReport;
use freshet_report::simulate::BacktestReport;
use freshet_types::definition::Definition;

use super::{get, post};
use crate::access::Identity;
use crate::answer::{Answer, Problem};
use crate::{
    Routes, Shared, alerts, bench, budgets, constraints, experiments, jobs, learn, live, networks, openapi,
    settings,
};

/// What is set up rather than collected, and the API's own affairs.
pub(super) fn add(routes: Routes) -> Routes {
    routes
        .add(
            get("/api/v1/budgets", "What may be asked, beside what the networks allow", &[])
                .giving("BudgetsReport"),
            list_budgets,
        )
        .add(post("/api/v1/budgets", "Sets a budget: scope, rate").giving("BudgetsReport"), set_budget)
        .add(
            post("/api/v1/budgets/remove", "Takes the budget of a scope away").giving("BudgetsReport"),
            remove_budget,
        )
        .add(
            get("/api/v1/constraints", "Which posts and accounts are wanted", &[])
                .giving("ConstraintsReport"),
            list_constraints,
        )
        .add(post("/api/v1/constraints", "Adds a constraint").giving("ConstraintsReport"), add_constraint)
        .add(
            post("/api/v1/constraints/{number}/remove", "Removes a constraint").giving("ConstraintsReport"),
            remove_constraint,
        )
        .add(
            get("/api/v1/learning", "Forums that are learned, and what came of it", &[])
                .giving("LearningReport"),
            list_learning,
        )
        .add(
            post("/api/v1/learning", "Learns the forum of this front page, then adds it")
                .giving("LearningReport"),
            learn_forum,
        )
        .add(
            get("/api/v1/experiment", "The backtest that runs, or ran last", &[]).giving("BacktestReport"),
            show_experiment,
        )
        .add(
            post("/api/v1/experiment", "Begins a backtest of policies").giving("BacktestReport"),
            start_experiment,
        )
        .add(
            post("/api/v1/experiment/cancel", "Ends the backtest that runs").giving("BacktestReport"),
            cancel_experiment,
        )
        .add(get("/api/v1/networks", "The networks", &[]).giving("NetworksReport"), list_networks)
        .add(get("/api/v1/networks/{name}", "One definition", &[]), one_network)
        .add(
            get("/api/v1/credentials", "Names of the credentials, never secrets", &[])
                .giving("CredentialsReport"),
            credentials,
        )
        .add(
            post("/api/v1/credentials", "Adds a credential to the encrypted file").giving("CredentialAdded"),
            add_credential,
        )
        .add(
            post("/api/v1/credentials/{name}/remove", "Removes one from it").giving("CredentialRemoved"),
            remove_credential,
        )
        .add(
            get("/api/v1/alerts", "What somebody should know, and who is told", &[]).giving("AlertsView"),
            list_alerts,
        )
        .add(get("/api/v1/settings", "What runs here", &[]).giving("SettingsReport"), show_settings)
        .add(
            get("/api/v1/session", "The word that changes must show in `x-csrf-token`", &[])
                .giving("SessionReport"),
            session,
        )
        .add(get("/api/v1/live", "Live values as server-sent events", &[]), live::stream)
        .add(get("/api/v1/openapi.json", "This document", &[]), openapi::document)
}

async fn list_budgets(State(site): State<Shared>) -> Answer<Json<BudgetsReport>> {
    budgets::list(&site).await.map(Json)
}

async fn set_budget(
    State(site): State<Shared>,
    Json(allowed): Json<budgets::Allowed>,
) -> Answer<Json<BudgetsReport>> {
    budgets::set(&site, allowed).await.map(Json)
}

async fn remove_budget(
    State(site): State<Shared>,
    Json(named): Json<budgets::Named>,
) -> Answer<Json<BudgetsReport>> {
    budgets::remove(&site, named).await.map(Json)
}

async fn list_constraints(State(site): State<Shared>) -> Answer<Json<ConstraintsReport>> {
    constraints::list(&site).await.map(Json)
}

async fn add_constraint(
    State(site): State<Shared>,
    Json(wish): Json<constraints::Wish>,
) -> Answer<Json<ConstraintsReport>> {
    constraints::add(&site, wish).await.map(Json)
}

async fn remove_constraint(
    State(site): State<Shared>,
    Path(number): Path<String>,
    Json(named): Json<constraints::Named>,
) -> Answer<Json<ConstraintsReport>> {
    constraints::remove(&site, &number, named).await.map(Json)
}

async fn list_learning(State(site): State<Shared>) -> Json<LearningReport> {
    Json(learn::describe(&site))
}

async fn learn_forum(
    State(site): State<Shared>,
    Json(wish): Json<jobs::Wish>,
) -> Answer<Json<LearningReport>> {
    learn::start(&site, wish)?;
    Ok(Json(learn::describe(&site)))
}

async fn show_experiment(State(site): State<Shared>) -> Json<BacktestReport> {
    Json(site.bench.describe())
}

async fn start_experiment(
    State(site): State<Shared>,
    Json(wish): Json<bench::Wish>,
) -> Answer<Json<BacktestReport>> {
    experiments::start(&site, wish)?;
    Ok(Json(site.bench.describe()))
}

async fn cancel_experiment(State(site): State<Shared>) -> Json<BacktestReport> {
    site.bench.cancel();
    Json(site.bench.describe())
}

async fn list_networks(State(site): State<Shared>) -> Json<NetworksReport> {
    Json(freshet_app::networks::list_report(&site.parts.networks))
}

async fn one_network(State(site): State<Shared>, Path(name): Path<String>) -> Answer<Json<Definition>> {
    networks::describe(&site, &name).map(Json)
}

async fn credentials(State(site): State<Shared>) -> Answer<Json<CredentialsReport>> {
    let known = crate::credentials::known(&site).ok_or_else(|| {
        Problem::new(StatusCode::CONFLICT, "the credentials file is locked")
            .hint("give its passphrase in FRESHET_PASSPHRASE when the dashboard is started")
    })?;
    Ok(Json(CredentialsReport { credentials: known.iter().map(line_of).collect(), headline: None }))
}

async fn add_credential(
    State(site): State<Shared>,
    Json(typed): Json<crate::credentials::Typed>,
) -> Answer<Json<CredentialAdded>> {
    crate::credentials::add(&site, typed).await.map(Json)
}

async fn remove_credential(
    State(site): State<Shared>,
    Path(name): Path<String>,
    unlocking: Option<Json<crate::credentials::Unlocking>>,
) -> Answer<Json<CredentialRemoved>> {
    let Json(unlocking) = unlocking.unwrap_or_default();
    crate::credentials::remove(&site, name, unlocking).await.map(Json)
}

async fn list_alerts(State(site): State<Shared>) -> Answer<Json<AlertsView>> {
    alerts::describe(&site).await.map(Json)
}

async fn show_settings(State(site): State<Shared>) -> Answer<Json<SettingsReport>> {
    settings::describe(&site).await.map(Json)
}

async fn session(Extension(identity): Extension<Identity>) -> Json<SessionReport> {
    Json(SessionReport { csrf: identity.csrf, is_token: identity.is_token })
}
