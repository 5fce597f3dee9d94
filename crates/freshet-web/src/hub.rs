//! Where hubs of feeds come (`WebSub`): they ask whether we meant it, and bring what is new.
//!
//! The only pages that anybody may ask for from anywhere, by any name of ours: a proxy may stand before us. What protects them is that the last part of
//! the address cannot be guessed and was given to one hub for one feed; whoever does not know one is turned away before his body is read ([`super::guard`]).
//! What is answered is said by [`freshet_app::hubs`]; nothing that was collected is shown. Bodies are bounded as those of all requests.

use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse as _, Response};
use freshet_app::hubs::{PATH, Question, Taken};
use serde::Deserialize;

use super::answer::{Answer, Problem};
use super::site::Site;
use super::{Routes, Shared};

/// In which header a hub signs.
const SIGNATURE: HeaderName = HeaderName::from_static("x-hub-signature");
/// The path of both routes.
const ROUTE: &str = "/hub/{path}";

/// Adds the two routes.
pub(super) fn add(routes: Routes) -> Routes {
    routes.get(ROUTE, verify).post(ROUTE, receive)
}

/// Whether this is asked for at an address that was given to a hub.
pub(super) fn is_known(site: &Site, path: &str) -> bool {
    let hubs = site.parts.hubs.as_ref();
    hubs.zip(path.strip_prefix(PATH)).is_some_and(|(hubs, path)| hubs.knows(path))
}

/// Who comes to an address that was given to a hub once, and is not any more; `None` for all others.
pub(super) fn lost(site: &Site, path: &str, is_get: bool) -> Option<Problem> {
    site.parts.hubs.as_ref().filter(|_| path.starts_with(PATH) && !is_known(site, path))?;
    Some(if is_get { unknown() } else { gone() })
}

/// What a hub asks, as it stands in the address.
#[derive(Deserialize)]
struct Asked {
    #[serde(rename = "hub.mode", default)]
    mode: String,
    #[serde(rename = "hub.topic", default)]
    topic: String,
    #[serde(rename = "hub.challenge", default)]
    challenge: String,
    #[serde(rename = "hub.lease_seconds", default)]
    lease: String,
    #[serde(rename = "hub.reason", default)]
    reason: String,
}

fn unknown() -> Problem {
    Problem::not_found("nobody asked for this here")
}

fn gone() -> Problem {
    Problem::new(StatusCode::GONE, "nobody wants to be told of this any more")
}

async fn verify(
    State(site): State<Shared>,
    Path(path): Path<String>,
    Query(asked): Query<Asked>,
) -> Answer<Response> {
    let hubs = site.parts.hubs.as_ref().ok_or_else(unknown)?;
    if hubs.proves(&path) {
        return Ok(plain(path));
    }
    let Asked { mode, topic, challenge, lease, reason } = asked;
    let lease_s = lease.trim().parse().ok();
    let question = Question { mode, topic, challenge, lease_s, reason };
    hubs.verify(&path, &question).map(plain).ok_or_else(unknown)
}

/// A word given back as it came; no browser takes it for anything else.
fn plain(word: String) -> Response {
    ([(CONTENT_TYPE, "text/plain; charset=utf-8")], word).into_response()
}

async fn receive(
    State(site): State<Shared>,
    Path(path): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Answer<Response> {
    let hubs = site.parts.hubs.as_ref().ok_or_else(gone)?;
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let taken = hubs.receive(&path, text(CONTENT_TYPE).to_owned(), body.to_vec(), text(SIGNATURE));
    match taken {
        // Whoever signs wrongly is not told so: the standard wants it, and a stranger learns nothing.
        Taken::Yes | Taken::Unsigned => {
            let mut answer = Response::new(Body::empty());
            *answer.status_mut() = StatusCode::ACCEPTED;
            Ok(answer)
        }
        Taken::Unasked => Err(gone()),
        Taken::Busy => Err(Problem::busy("too much waits to be read; come again")),
    }
}
