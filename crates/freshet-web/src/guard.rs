//! The one door: every request passes here before any page, and every answer on its way out.
//!
//! In: the host must be ours (or a page elsewhere could point its name at this computer and ask with
//! the visitor's browser); whoever asks must be known where a password or token is set; whoever
//! changes something must show the token that only our own pages hold. Out: headers that forbid the
//! browser everything the pages do not need. What is open to all is listed in [`OPEN`], nothing else.

use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderValue, LOCATION, ORIGIN,
    REFERRER_POLICY, RETRY_AFTER, UPGRADE, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use freshet_report::dashboard::ProblemReport;

use super::Shared;
use super::access::{Caller, Identity};
use super::answer::Problem;
use super::door::Guest;
use super::hub;
use super::viewer::{self, Choice, SEEN_AS};

/// Paths that answer without a login: they say nothing about what was collected.
pub(super) const OPEN: [&str; 6] =
    ["/login", "/healthz", "/readyz", "/assets/icon.svg", "/assets/style.css", "/assets/script.js"];
/// Largest body of a request: some ten thousand references to add.
const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Longest until a body is there: a bad line needs this long for the largest.
const BODY_WITHIN: Duration = Duration::from_mins(1);
/// The header in which programs show the token of the session.
pub(super) const CSRF_HEADER: &str = "x-csrf-token";
/// The field in which forms show it.
pub(super) const CSRF_FIELD: &str = "csrf";

/// Scripts, styles, pictures and calls from here only; no frames, no plug-ins, nothing in the markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Lets a request pass, or answers it.
pub(super) async fn guard(
    State(site): State<Shared>,
    Extension(guest): Extension<Guest>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    let target = request.uri().path_and_query().map_or_else(|| path.clone(), ToString::to_string);
    let is_get = matches!(*request.method(), Method::GET | Method::HEAD);
    guest.asks();
    let caller = site.sessions.caller(&site.parts.access, request.headers(), guest.peer);
    let identity = caller.identity().cloned();
    let mut work = None;
    let is_open = OPEN.contains(&path.as_str());
    let chosen = viewer::choose(&site, identity.as_ref().filter(|_| !is_open), &request);
    let (choice, admitted) = match chosen {
        Ok(choice) => (choice, admit(&site, request, &caller).await),
        Err(problem) => (Choice::default(), Err(problem)),
    };
    let mut response = match admitted {
        Ok(mut request) => {
            // Until a request is whole, and for a stranger always, whoever comes next may have the connection.
            if let Some(identity) = &identity {
                work = Some(guest.works());
                request.extensions_mut().insert(identity.clone());
            }
            SEEN_AS.scope(choice.viewer.clone(), next.run(request)).await
        }
        Err(problem) if problem.status == StatusCode::UNAUTHORIZED && is_get && !is_for_programs(&path) => {
            to_login(&target)
        }
        Err(problem) => problem.into_response(),
    };
    show_problem(&site, &path, identity.as_ref(), &mut response);
    viewer::remember(&choice, &mut response);
    protect(response.headers_mut());
    if let Some(work) = work { work.until_sent(response) } else { response }
}

/// The request, when it may pass.
async fn admit(site: &Shared, request: Request, caller: &Caller) -> Result<Request, Problem> {
    // Hubs of feeds come by the name that they were told, and show no token but the address itself.
    let is_hub = hub::is_known(site, request.uri().path());
    if !is_hub {
        let is_get = matches!(*request.method(), Method::GET | Method::HEAD);
        hub::lost(site, request.uri().path(), is_get).map_or(Ok(()), Err)?;
        check_host(site, request.headers())?;
    }
    let identity = caller.identity().filter(|_| !is_hub);
    let is_open = is_hub || OPEN.contains(&request.uri().path());
    if let Caller::Guessing(wait) = caller
        && !is_open
    {
        return Err(Problem::too_many("too many wrong tokens", *wait));
    }
    if identity.is_none() && !is_open {
        return Err(Problem::new(StatusCode::UNAUTHORIZED, "log in first")
            .hint("open /login in a browser, or send the token as `Authorization: Bearer TOKEN`"));
    }
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        // A page elsewhere may open a WebSocket to any address, with the visitor's cookies.
        if request.headers().contains_key(UPGRADE) {
            check_origin(request.headers())?;
        }
        return Ok(request);
    }
    check_origin(request.headers())?;
    let (head, body) = request.into_parts();
    let body = tokio::time::timeout(BODY_WITHIN, to_bytes(body, BODY_BYTES_MAX)).await;
    let body =
        body.map_err(|_| Problem::new(StatusCode::REQUEST_TIMEOUT, "the request did not come whole"))?;
    let body = body.map_err(|_| {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "that is more than fits into one request (1 MiB)")
    })?;
    if let Some(identity) = identity.filter(|identity| !identity.is_token)
        && !identity.has_csrf(&shown_token(&head.headers, &body))
    {
        return Err(Problem::new(StatusCode::FORBIDDEN, "this form is too old, or is not from this page")
            .hint("load the page again and repeat it; programs show the token of /api/v1/session"));
    }
    Ok(Request::from_parts(head, Body::from(body)))
}

/// The token that whoever asks shows, in a header or in a field of the form.
fn shown_token(headers: &HeaderMap, body: &Bytes) -> String {
    if let Some(token) = headers.get(CSRF_HEADER).and_then(|value| value.to_str().ok()) {
        return token.to_owned();
    }
    let is_form =
        headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/x-www-form"));
    let mut fields = url::form_urlencoded::parse(if is_form { body } else { &[] });
    fields.find(|(name, _)| name == CSRF_FIELD).map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// Beyond loopback the login protects, and the session belongs to one host name by itself.
fn check_host(site: &Shared, headers: &HeaderMap) -> Result<(), Problem> {
    let host = headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !site.is_local || is_loopback(host) {
        return Ok(());
    }
    Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, "this dashboard is not known by that name")
        .hint("ask for 127.0.0.1 or localhost"))
}

fn is_loopback(host: &str) -> bool {
    let url = url::Url::parse(&format!("http://{host}/"));
    match url.ok().as_ref().and_then(url::Url::host) {
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// A browser says which page sends a form; it must be one of ours.
fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(origin) = text(ORIGIN) else { return Ok(()) };
    let is_ours = origin.split_once("://").is_some_and(|(_, host)| Some(host) == text(HOST));
    if is_ours {
        return Ok(());
    }
    Err(Problem::new(StatusCode::FORBIDDEN, "this was sent by a page of another site"))
}

fn is_for_programs(path: &str) -> bool {
    path.starts_with("/api/") || path == "/metrics"
}

fn to_login(target: &str) -> Response {
    let next: String = url::form_urlencoded::byte_serialize(target.as_bytes()).collect();
    (StatusCode::SEE_OTHER, [(LOCATION, format!("/login?next={next}"))]).into_response()
}

/// Problems become a page for people and JSON for programs; so do refusals of the framework.
fn show_problem(site: &Shared, path: &str, identity: Option<&Identity>, response: &mut Response) {
    let status = response.status();
    let told = response.extensions_mut().remove::<Problem>();
    let is_bare = (status.is_client_error() || status.is_server_error())
        && response.headers().get(CONTENT_TYPE).is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    let problem = match told {
        Some(problem) => problem,
        None if is_bare => Problem::new(status, refusal(status)),
        None => return,
    };
    let allow = response.headers_mut().remove(ALLOW);
    let shown = if is_for_programs(path) {
        let body = ProblemReport { error: problem.message.clone(), hint: problem.hint.clone() };
        (problem.status, axum::Json(body)).into_response()
    } else {
        site.problem(identity, &problem)
    };
    *response = shown;
    if problem.status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = problem.wait_s {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    if let Some(allow) = allow {
        response.headers_mut().insert(ALLOW, allow);
    }
}

fn refusal(status: StatusCode) -> &'static str {
    match status {
        StatusCode::BAD_REQUEST => "what was asked for is not understood",
        StatusCode::UNPROCESSABLE_ENTITY => "what was sent lacks a field, or has one of the wrong kind",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "what was sent is of the wrong kind",
        _ => "this cannot be answered",
    }
}

fn protect(headers: &mut HeaderMap) {
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        // Nothing to other sites; to ourselves, so that browsers say which page sends a form.
        (REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_computer_are_loopback() {
        for (host, expected) in [
            ("127.0.0.1:8640", true),
            ("127.1.2.3", true),
            ("localhost:1", true),
            ("[::1]:8640", true),
            ("evil.example:8640", false),
            ("localhost.evil.example", false),
            ("192.168.1.2", false),
            ("", false),
            ("a b", false),
        ] {
            assert_eq!(is_loopback(host), expected, "{host}");
        }
    }
}
