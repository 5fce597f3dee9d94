//! The part of the API about who gets what was collected, and what is kept of whom.
//!
//! The WebSocket of a subscription is `socket.rs`; here is only its route.

use axum::Json;
use axum::extract::{Path, State};
use freshet_report::care::CareReport;
use freshet_report::subscriptions::SubscriptionsReport;

use super::{get, post};
use crate::answer::Answer;
use crate::{Routes, Shared, care, socket, subscriptions};

/// Who gets what was collected, and what is kept.
pub(super) fn add(routes: Routes) -> Routes {
    routes
        .add(
            get(
                "/api/v1/care",
                "What is kept of whom and why, and which exports have to hear of what is not",
                &[],
            )
            .giving("CareReport"),
            show_care,
        )
        .add(
            get("/api/v1/subscriptions", "Who gets changes, and how far each has got", &[])
                .giving("SubscriptionsReport"),
            list_subscriptions,
        )
        .add(
            post("/api/v1/subscriptions/{name}/{verb}", "`pause`, `resume` or `remove` a subscription")
                .giving("SubscriptionsReport"),
            tell_subscription,
        )
        .add(
            get(
                "/api/v1/subscriptions/{name}/socket",
                "A WebSocket: text frames `{\"cursor\": 9, \"records\": […]}`, each taken by `{\"ack\": 9}`",
                &[],
            ),
            socket::connect,
        )
}

async fn show_care(State(site): State<Shared>) -> Answer<Json<CareReport>> {
    care::describe(&site).await.map(Json)
}

async fn list_subscriptions(State(site): State<Shared>) -> Answer<Json<SubscriptionsReport>> {
    subscriptions::list(&site).await.map(Json)
}

async fn tell_subscription(
    State(site): State<Shared>,
    Path((name, verb)): Path<(String, String)>,
) -> Answer<Json<SubscriptionsReport>> {
    subscriptions::tell(&site, name, &verb).await.map(Json)
}
