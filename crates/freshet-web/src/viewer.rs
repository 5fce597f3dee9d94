//! As whom somebody looks: as everybody, unless a login is bound to a viewer, or whoever owns the dashboard asks for one with `?as=NAME`.
//!
//! Invariant: who is named by nobody sees what everybody sees. The viewer is a value of the task that answers a request, so what goes on by
//! itself (counting, pages that listen, forums that are learned) sees nothing of any viewer. As a viewer nothing is changed.

use axum::extract::Request;
use axum::http::header::{SET_COOKIE, UPGRADE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use freshet_store::viewers::Viewers;

use super::Shared;
use super::access::{Identity, cookie};
use super::answer::Problem;

/// The cookie of a browser in which its owner looks as a viewer.
const COOKIE_NAME: &str = "freshet_as";
/// The name in a query.
const QUERY: &str = "as";
/// Where a login ends, whoever looks.
const END: &str = "/logout";

tokio::task_local! {
    /// As whom the request of this task is answered.
    pub(super) static SEEN_AS: Option<String>;
}

/// As whom the request of this task is answered; `None`: as everybody.
pub(super) fn seen_as() -> Option<String> {
    SEEN_AS.try_with(Clone::clone).ok().flatten()
}

/// What was chosen.
#[derive(Debug, Default)]
pub(super) struct Choice {
    pub(super) viewer: Option<String>,
    /// The browser is to remember it, or that there is none.
    is_new: bool,
}

/// As whom this request is to be answered.
pub(super) fn choose(
    site: &Shared,
    identity: Option<&Identity>,
    request: &Request,
) -> Result<Choice, Problem> {
    let Some(identity) = identity.filter(|_| request.uri().path() != END) else {
        return Ok(Choice::default());
    };
    let asked = url::form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes())
        .find(|(name, _)| name == QUERY)
        .map(|(_, value)| value.into_owned());
    let viewers = Viewers::of(site.parts.place.dir());
    let choice = match (&identity.viewer, asked) {
        (Some(bound), Some(asked)) if *bound != asked => {
            let problem = Problem::new(StatusCode::FORBIDDEN, format!("this login looks as `{bound}` only"));
            return Err(problem.hint("log in with the password of the dashboard to look as somebody else"));
        }
        (Some(bound), _) => Choice { viewer: Some(bound.clone()), is_new: false },
        (None, Some(asked)) => Choice { viewer: Some(asked).filter(|it| !it.is_empty()), is_new: true },
        (None, None) => {
            let kept = cookie(request.headers(), COOKIE_NAME).filter(|_| !identity.is_token);
            let kept = kept.map(|it| percent_decoded(&it)).filter(|it| viewers.has(it));
            Choice { viewer: kept, is_new: false }
        }
    };
    if let Some(viewer) = choice.viewer.as_ref().filter(|viewer| !viewers.has(viewer)) {
        let problem = Problem::new(StatusCode::NOT_FOUND, format!("nothing was read as `{viewer}`"));
        return Err(problem.hint("`freshet add REF --as NAME` watches something with a credential"));
    }
    // Whoever reads a subscription over a WebSocket moves its place in the log, for all.
    let is_socket = request.headers().contains_key(UPGRADE);
    let is_change = is_socket || !matches!(*request.method(), Method::GET | Method::HEAD);
    if choice.viewer.is_some() && is_change {
        let problem = Problem::new(StatusCode::FORBIDDEN, "as a viewer nothing is changed");
        return Err(problem.hint("look as everybody again (`?as=`), or use the command with `--as`"));
    }
    Ok(choice)
}

/// Lets the browser remember what was chosen.
pub(super) fn remember(choice: &Choice, response: &mut Response) {
    if !choice.is_new {
        return;
    }
    let name: String =
        choice.viewer.iter().flat_map(|name| url::form_urlencoded::byte_serialize(name.as_bytes())).collect();
    let age = if name.is_empty() { "; Max-Age=0" } else { "" };
    let text = format!("{COOKIE_NAME}={name}; Path=/; HttpOnly; SameSite=Strict{age}");
    if let Ok(value) = HeaderValue::from_str(&text) {
        response.headers_mut().append(SET_COOKIE, value);
    }
}

fn percent_decoded(text: &str) -> String {
    let mut pairs = url::form_urlencoded::parse(text.as_bytes());
    pairs.next().map(|(name, _)| name.into_owned()).unwrap_or_default()
}
