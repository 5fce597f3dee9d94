//! Logging in and out.

use std::time::Duration;

use axum::Extension;
use axum::extract::{Form, Query, State};
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::json;

use super::Shared;
use super::access::{BROWSER_COOKIE_NAME, COOKIE_NAME, Opened, cookie};
use super::answer::{Answer, Problem};
use super::door::Guest;
use super::next::local;

/// How long a browser keeps the word it was given.
const BROWSER_FOR: Duration = Duration::from_hours(24 * 365);

#[derive(Deserialize)]
pub(super) struct Next {
    #[serde(default)]
    next: String,
}

#[derive(Deserialize)]
pub(super) struct Login {
    #[serde(default)]
    password: String,
    #[serde(default)]
    next: String,
}

/// Asks for the password.
pub(super) async fn login_page(State(site): State<Shared>, Query(next): Query<Next>) -> Response {
    site.page(None, "login", "Log in", &json!({ "next": local(&next.next) }))
}

/// Begins a session.
pub(super) async fn login(
    State(site): State<Shared>,
    Extension(guest): Extension<Guest>,
    headers: HeaderMap,
    Form(login): Form<Login>,
) -> Answer<Response> {
    let who = site.sessions.who(&headers, guest.peer);
    let may_try = site.sessions.passwords.begin(&who);
    may_try.map_err(|wait| Problem::too_many("too many wrong passwords", wait))?;
    let permit = site.sessions.judging.acquire().await;
    let permit = permit.map_err(|_| Problem::busy("the dashboard is closing"))?;
    let judge = std::sync::Arc::clone(&site);
    let judged = tokio::task::spawn_blocking(move || judge.parts.access.opened_by(&login.password)).await;
    drop(permit);
    let Some(opened) = judged.ok().flatten() else {
        let context = json!({ "next": local(&login.next), "is_wrong": true });
        let mut response = site.page(None, "login", "Log in", &context);
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        return Ok(response);
    };
    let viewer = if let Opened::As(viewer) = opened { Some(viewer) } else { None };
    site.sessions.passwords.was_right(&who);
    let (name, browser) = (site.sessions.begin(viewer), site.sessions.remember(who));
    let secure = if site.parts.tls.is_some() { "; Secure" } else { "" };
    let kept = BROWSER_FOR.as_secs();
    let cookies = [
        format!("{COOKIE_NAME}={name}; Path=/; HttpOnly; SameSite=Strict{secure}"),
        format!(
            "{BROWSER_COOKIE_NAME}={browser}; Path=/login; Max-Age={kept}; HttpOnly; SameSite=Strict{secure}"
        ),
    ];
    let led = [(LOCATION, local(&login.next).to_owned())];
    Ok((StatusCode::SEE_OTHER, led, AppendHeaders(cookies.map(|it| (SET_COOKIE, it)))).into_response())
}

/// Ends the session.
pub(super) async fn logout(State(site): State<Shared>, headers: HeaderMap) -> Response {
    if let Some(name) = cookie(&headers, COOKIE_NAME) {
        site.sessions.end(&name);
    }
    let gone = format!("{COOKIE_NAME}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    (StatusCode::SEE_OTHER, [(LOCATION, "/login".to_owned()), (SET_COOKIE, gone)]).into_response()
}
