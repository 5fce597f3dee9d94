//! The world as seen from outside: Mastodon's dialect, or one of two others, with its limits.
//!
//! One request in, one response out, no sockets: [`serve`](crate::serve) puts it on HTTP and
//! [`WorldFetch`](crate::WorldFetch) behind the fetch seam. An answer depends on the request,
//! the instant and, for limits and faults, on what was asked before; nothing else. Endpoints
//! that change something do not exist here, since nothing here crawls by writing.

mod about;
mod accounts;
mod entity;
mod graph;
mod json;
mod page;
mod posts;
mod streaming;
mod tree;
mod videos;

#[cfg(test)]
mod tests;

use freshet_types::{Span, Timestamp};

use entity::Face;

use crate::World;
#[cfg(test)]
use crate::world::Counters;
pub use crate::world::WorldRequest;
use crate::world::{Dialect, Spoil};
pub(crate) use streaming::{Listener, Told};

/// What a world that was asked without a `Host` calls itself.
pub(crate) const DEFAULT_HOST: &str = "world.test";
const JSON: &str = "application/json; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";

/// What a world answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldResponse {
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// A slow answer: how long to wait on the wall before sending it.
    pub delay: Span,
    /// The connection is to break in the middle of the body.
    pub is_broken: bool,
}

/// An answer before limits and faults.
struct Reply {
    status: u16,
    content_type: &'static str,
    link: Option<String>,
    body: String,
    /// Posts that it shows.
    shown: Vec<u32>,
}

impl Reply {
    fn json(body: String) -> Self {
        Self { status: 200, content_type: JSON, link: None, body, shown: Vec::new() }
    }

    fn html(status: u16, body: String) -> Self {
        Self { status, content_type: HTML, link: None, body, shown: Vec::new() }
    }

    fn error(status: u16, message: &str) -> Self {
        let mut body = String::new();
        json::Object::open(&mut body).text("error", message).close();
        Self { status, ..Self::json(body) }
    }

    fn missing() -> Self {
        Self::error(404, "Record not found")
    }
}

impl World {
    /// Answers a request at an instant, to which the world advances first.
    pub fn answer(&mut self, request: &WorldRequest, now: Timestamp) -> WorldResponse {
        self.advance_to(now);
        let admission = self.desk.admit(request, &self.options.limits, now);
        let (reply, spoil) = if admission.is_refused {
            (Reply::error(429, "Too many requests"), None)
        } else {
            let spoil = self.desk.spoil(&self.options.faults);
            (route(&Ask::new(self, request)), spoil)
        };
        let mut headers = vec![("content-type".to_owned(), reply.content_type.to_owned())];
        headers.extend(admission.headers);
        headers.extend(reply.link.map(|link| ("link".to_owned(), link)));
        let mut response = WorldResponse {
            status: reply.status,
            headers,
            body: reply.body.into_bytes(),
            delay: Span::ZERO,
            is_broken: false,
        };
        match spoil {
            Some(spoil) => spoil_response(&mut response, spoil),
            None => self.note_shown(&reply.shown, now),
        }
        response
    }

    /// What was asked and refused so far.
    #[cfg(test)]
    pub(crate) fn counters(&self) -> Counters {
        self.desk.counters
    }
}

/// A request in front of the world it is put to.
struct Ask<'a> {
    world: &'a World,
    request: &'a WorldRequest,
    base: String,
}

impl<'a> Ask<'a> {
    fn new(world: &'a World, request: &'a WorldRequest) -> Self {
        // Whatever a client calls us goes into addresses unescaped, so only plain names are taken.
        let is_plain =
            |host: &&str| host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte));
        let host = request.header("host").filter(is_plain).unwrap_or(DEFAULT_HOST);
        let scheme = if request.header("x-forwarded-proto") == Some("https") { "https" } else { "http" };
        Self { world, request, base: format!("{scheme}://{host}") }
    }

    fn face(&self) -> Face<'a> {
        Face::new(self.world, &self.base)
    }

    fn host(&self) -> &str {
        self.base.split_once("://").map_or(DEFAULT_HOST, |(_, host)| host)
    }
}

fn route(ask: &Ask<'_>) -> Reply {
    if !matches!(ask.request.method.as_str(), "GET" | "HEAD") {
        return Reply::error(405, "Method not allowed");
    }
    let path: Vec<&str> = ask.request.path.split('/').filter(|part| !part.is_empty()).collect();
    match (ask.world.options.dialect, path.as_slice()) {
        (_, ["robots.txt"]) => about::exclusion(),
        (Dialect::Mastodon, path) => route_mastodon(ask, path),
        (Dialect::Graph, [version, path @ ..]) if version.starts_with('v') => graph::route(ask, path),
        (Dialect::Videos, ["youtube", "v3", path @ ..]) => videos::route(ask, path),
        (Dialect::Graph | Dialect::Videos, _) => Reply::missing(),
    }
}

fn route_mastodon(ask: &Ask<'_>, path: &[&str]) -> Reply {
    match path {
        ["api", "v1", "accounts"] => accounts::several(ask),
        ["api", "v1", "accounts", "lookup"] => accounts::lookup(ask),
        ["api", "v1", "accounts", id] => accounts::one(ask, id),
        ["api", "v1", "accounts", id, "statuses"] => accounts::timeline(ask, id),
        ["api", "v1", "accounts", id, "followers"] => {
            accounts::follows(ask, id, |account| &account.followers)
        }
        ["api", "v1", "accounts", id, "following"] => {
            accounts::follows(ask, id, |account| &account.following)
        }
        ["api", "v1", "accounts", id, "featured_tags"] => accounts::featured_tags(ask, id),
        ["api", "v1", "statuses"] => posts::several(ask),
        ["api", "v1", "statuses", id] => posts::one(ask, id),
        ["api", "v1", "statuses", id, "context"] => posts::context(ask, id),
        ["api", "v1", "statuses", id, "history"] => posts::history(ask, id),
        ["api", "v1", "statuses", id, "reblogged_by"] => posts::reposters(ask, id),
        ["api", "v1", "statuses", id, "favourited_by"] => posts::likers(ask, id),
        ["api", "v1", "timelines", "public"] => posts::public_timeline(ask),
        // Not Mastodon's: `crate::merged` says why.
        ["api", "v1", "timelines", "accounts"] => accounts::merged_timeline(ask),
        ["api", "v1", "timelines", "tag", tag] => posts::tag_timeline(ask, tag),
        ["api", "v2", "search"] => accounts::search(ask),
        ["api", "v2", "instance"] => about::instance(ask),
        ["api", "v1", "instance"] => about::instance_v1(ask),
        [".well-known", "nodeinfo"] => about::node_links(ask),
        ["nodeinfo", "2.0"] => about::node_info(ask),
        ["api", ..] => Reply::missing(),
        [] => about::front_page(ask),
        [profile] if profile.starts_with('@') => about::profile_page(ask, &profile[1..]),
        [profile, id] if profile.starts_with('@') => about::post_page(ask, id),
        _ => about::missing_page(),
    }
}

fn spoil_response(response: &mut WorldResponse, spoil: Spoil) {
    let mut replace = |status: u16, content_type: &str, body: &str| {
        response.status = status;
        response.headers.retain(|(name, _)| name != "link" && name != "content-type");
        response.headers.push(("content-type".to_owned(), content_type.to_owned()));
        response.body = body.as_bytes().to_vec();
    };
    match spoil {
        Spoil::ServerError => replace(500, JSON, r#"{"error":"We're sorry, but something went wrong"}"#),
        Spoil::BadGateway => {
            replace(
                502,
                HTML,
                "<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>",
            );
        }
        Spoil::Break => response.is_broken = true,
        Spoil::Cut => response.body.truncate(response.body.len() / 2),
        Spoil::Delay(delay) => response.delay = delay,
    }
}

/// A path as it is written in an address.
fn percent_encoded(path: &str) -> String {
    let parts = path.split('/').map(|part| url::form_urlencoded::byte_serialize(part.as_bytes()).collect());
    parts.collect::<Vec<String>>().join("/")
}
