//! Steps 4 and 6 of 10 for forums: from a learned definition to requests, and from pages to posts.
//!
//! A forum has three kinds of lists, hence three endpoints:
//!
//! | endpoint | root | page shows | order | robot |
//! |---|---|---|---|---|
//! | `boards` | `portal`: the front page | boards, and threads where it lists some | newest first | status |
//! | `threads` | `board` | threads with their last activity, and boards below | newest first | status |
//! | `posts` | `thread` | posts | as learned, mostly oldest first | comment |
//!
//! Ids of roots are addresses without scheme and host (`/topic/6/title/`), so that a person can read them. What a page
//! leads to becomes [`freshet_types::Lead`]s; posts are the same objects as those of every network.
//!
//! Invariants: a cursor never leads to another host; a page that answers under another address than asked is believed
//! only if it still has the page number that was asked for ([`trap`]); one bad record is one complaint. What it does not
//! do: remember. Whether records come again, and where a visit begins, is the walk's business.

mod lists;
mod posts;
mod trap;

use std::sync::Arc;

use freshet_types::{
    AskRefused, Complaint, Connector, Endpoint, IdOrder, Intent, LinkType, ListOrder, NetworkName,
    ObjectType, Outcome, Page, PageKind, Politeness, PrimitiveKind, Request, Response, RobotKind, Schema,
    Span, Target, Timestamp, Validators,
};
use url::Url;

use crate::address::Patterns;
use crate::charset;
use crate::definition::{self, ForumDefinition};
use crate::inspect::inspect;
use crate::page::{self, Source};

/// The endpoint of the front page.
pub const BOARDS: &str = "boards";
/// The endpoint of a board.
pub const THREADS: &str = "threads";
/// The endpoint of a thread.
pub const POSTS: &str = "posts";
/// The type of the front page.
pub const PORTAL: &str = "portal";
/// Records of a page, where a price must be put on it before it is seen.
const PAGE_SIZE: u32 = 20;
/// How long to stay away when a server asks for it and does not say how long.
const RETRY_S_MAX: i64 = 86_400;

/// Speaks for one forum.
#[derive(Debug)]
pub struct ForumConnector {
    name: String,
    definition: ForumDefinition,
    patterns: Patterns,
    endpoints: Vec<Endpoint>,
}

impl ForumConnector {
    /// The connector of a forum that is known under this name.
    pub fn new(name: &str, definition: ForumDefinition) -> Self {
        let lists = [&definition.index, &definition.post].into_iter().flatten();
        let slots: Vec<_> = lists.flat_map(|list| list.page_numbers.iter().cloned()).collect();
        let endpoints = endpoints(&definition);
        Self { name: name.to_owned(), patterns: Patterns::plain(&slots), endpoints, definition }
    }

    /// The definition by which it reads.
    pub fn definition(&self) -> &ForumDefinition {
        &self.definition
    }

    fn page(&self, target: &Target<'_>, intent: &Intent, response: &Response, now: Timestamp) -> Page {
        let validators = Validators {
            etag: response.header("etag").map(str::to_owned),
            last_modified: response.header("last-modified").map(str::to_owned),
        };
        let kind = if target.endpoint == POSTS { PageKind::Comments } else { PageKind::Lists };
        let empty = Page { kind, validators, ..Page::default() };
        let Ok(url) = Url::parse(&response.url) else {
            return Page { complaints: vec![Complaint::new("url", "the address cannot be read")], ..empty };
        };
        let html = charset::utf8(&response.body, response.header("content-type"));
        let source = Source { html: &html, url: &url, fetched_s: Some(now.ms().div_euclid(1000)) };
        let page = page::Page::read(&source);
        if let Intent::Next(cursor) = intent
            && let Some(found) = trap::lost_number(cursor, &page, self.slots(target))
        {
            return trap::answer(found, empty);
        }
        let reading = inspect(&page, &self.definition);
        let wanted =
            if target.endpoint == POSTS { definition::PageKind::Post } else { definition::PageKind::Index };
        let is_other = reading.kind != wanted && target.endpoint != BOARDS;
        if is_other && *intent == Intent::First && trap::is_led_away(target.root, &page) {
            let what = format!("the server leads to `{}` instead", page.url);
            return Page {
                outcome: Outcome::Private,
                complaints: vec![Complaint::new("url", what)],
                ..empty
            };
        }
        let mut read = match target.endpoint {
            POSTS => self.read_posts(target, &page, &reading, empty),
            _ => self.read_lists(target, &page, &reading, empty),
        };
        read.complaints.extend(reading.complaints.into_iter().map(|what| Complaint::new("page", what)));
        read.next = Self::next(target, &page, reading.next_url.as_deref(), &mut read.complaints);
        // A link that is not followed leads somewhere: the list does not end here.
        let is_refused = || reading.next_url.as_deref().is_some_and(|next| !is_here(target, next));
        read.is_broken_off = read.next.is_none() && (reading.is_broken_off || is_refused());
        read
    }

    /// Where the list goes on, if that is on the same server and elsewhere.
    fn next(
        target: &Target<'_>,
        page: &page::Page,
        next: Option<&str>,
        complaints: &mut Vec<Complaint>,
    ) -> Option<String> {
        let url = Url::parse(next?).ok()?;
        if relative(target, &url).is_none() {
            complaints.push(Complaint::new("next", format!("`{url}` leads to another server")));
            return None;
        }
        (crate::address::key(&url) != crate::address::key(&page.url)).then(|| url.into())
    }

    fn slots(&self, target: &Target<'_>) -> &[crate::address::Slot] {
        let list = if target.endpoint == POSTS { &self.definition.post } else { &self.definition.index };
        list.as_ref().map_or(&[], |list| &list.page_numbers)
    }
}

/// An address of the forum without scheme, host and fragment: the id of a root.
fn relative(target: &Target<'_>, url: &Url) -> Option<String> {
    let base = Url::parse(&target.instance.base).ok()?;
    let is_here = url.host() == base.host() && url.port_or_known_default() == base.port_or_known_default();
    let query = url.query().map_or_else(String::new, |query| format!("?{query}"));
    is_here.then(|| format!("{}{query}", url.path()))
}

/// Whether an address is one of the forum's server.
fn is_here(target: &Target<'_>, address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| relative(target, &url).is_some())
}

impl Connector for ForumConnector {
    fn name(&self) -> &str {
        &self.name
    }

    fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    fn lookup(&self) -> Option<&Endpoint> {
        None
    }

    fn single(&self, _root_kind: &str) -> Option<&Endpoint> {
        None
    }

    fn ask(&self, target: &Target<'_>, intent: &Intent) -> Result<Request, AskRefused> {
        let base = Url::parse(&target.instance.base);
        let base = base.map_err(|error| AskRefused(format!("`{}`: {error}", target.instance.base)))?;
        let path = match intent {
            Intent::First => target.root,
            Intent::Next(cursor) => cursor.as_str(),
            Intent::Newer(_) | Intent::Members(_) | Intent::Group(_) => {
                return Err(AskRefused("a forum's page shows all of its records".to_owned()));
            }
        };
        let url = base.join(path).map_err(|error| AskRefused(format!("`{path}`: {error}")))?;
        if relative(target, &url).is_none() {
            return Err(AskRefused(format!("`{url}` is not on `{}`", target.instance.base)));
        }
        let mut request = Request::get(&target.instance.network, url);
        request.is_page = true;
        let validators = target.validators.cloned().unwrap_or_default();
        let headers = [("If-None-Match", validators.etag), ("If-Modified-Since", validators.last_modified)];
        request
            .headers
            .extend(headers.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        Ok(request)
    }

    fn read(&self, target: &Target<'_>, intent: &Intent, response: &Response, now: Timestamp) -> Page {
        let is_later = matches!(intent, Intent::Next(_));
        let outcome = match response.status {
            200..=299 => return self.page(target, intent, response, now),
            304 => return Page { is_unchanged: true, ..Page::default() },
            // The list has become shorter: what there is now is found from its first page.
            404 | 410 if is_later => return Page::default(),
            404 | 410 => Outcome::Gone,
            401 | 403 => Outcome::Private,
            429 | 503 if response.header("retry-after").is_some() => {
                Outcome::RateLimited { until: retry_at(response, now) }
            }
            429 => Outcome::RateLimited { until: None },
            408 | 425 | 500..=599 => Outcome::Transient,
            _ => Outcome::BadRequest,
        };
        Page { kind: PageKind::Error, outcome, ..Page::default() }
    }
}

/// The instant of a `Retry-After` in seconds; of a date, nothing is said.
fn retry_at(response: &Response, now: Timestamp) -> Option<Timestamp> {
    let seconds: i64 = response.header("retry-after")?.trim().parse().ok()?;
    Some(now + Span::from_secs(seconds.clamp(0, RETRY_S_MAX)))
}

fn endpoints(definition: &ForumDefinition) -> Vec<Endpoint> {
    let politeness = Politeness {
        pause: Span::from_ms(i64::from(definition.politeness.pause_ms)),
        in_flight_max: definition.politeness.in_flight_max.max(1),
    };
    let order = |list: &Option<definition::ListDefinition>| match list.as_ref().map(|list| list.order) {
        Some(definition::ListOrder::NewestFirst) => ListOrder::NewestFirst,
        Some(definition::ListOrder::OldestFirst) => ListOrder::OldestFirst,
        Some(definition::ListOrder::Mixed) | None => ListOrder::Mixed,
    };
    let endpoint = |name: &str, root_kind: &str, robot, kind, order| Endpoint {
        name: name.into(),
        robot: Some(robot),
        root_kind: root_kind.into(),
        kind,
        page_size: PAGE_SIZE,
        id_order: IdOrder::None,
        order,
        is_window: false,
        relation: None,
        link: None,
        counted_by: None,
        members_max: 0,
        group: freshet_types::GroupAsk::default(),
        politeness,
    };
    // A board whose threads run otherwise is read from end to end: only news at the top can be found from the top.
    let index = if order(&definition.index) == ListOrder::NewestFirst {
        ListOrder::NewestFirst
    } else {
        ListOrder::Mixed
    };
    // Posts without any order still come page after page, and new ones at the end.
    let posts = match order(&definition.post) {
        ListOrder::Mixed => ListOrder::OldestFirst,
        known => known,
    };
    vec![
        endpoint(BOARDS, PORTAL, RobotKind::Status, PageKind::Lists, index),
        endpoint(THREADS, "board", RobotKind::Status, PageKind::Lists, index),
        endpoint(POSTS, "thread", RobotKind::Comment, PageKind::Comments, posts),
    ]
}

/// The object and link types of a forum.
pub fn schema(name: &str) -> Schema {
    let text = || LinkType::P(PrimitiveKind::Text);
    let links = |pairs: Vec<(&str, LinkType)>| ObjectType {
        links: pairs.into_iter().map(|(name, link)| (name.to_owned(), link)).collect(),
        ids: None,
    };
    let post = links(vec![
        ("text", text()),
        ("url", text()),
        ("created_at", LinkType::P(PrimitiveKind::Time)),
        ("author", LinkType::C("account".to_owned())),
        ("thread", text()),
        ("thread_title", text()),
    ]);
    let account =
        links(vec![("handle", text()), ("name", text()), ("posts", LinkType::Co("post".to_owned()))]);
    let list = |contained: Vec<(&str, &str)>| {
        let values = vec![("title", text()), ("active_at", LinkType::P(PrimitiveKind::Time))];
        let collections = contained.into_iter().map(|(name, of)| (name, LinkType::Co(of.to_owned())));
        links(values.into_iter().chain(collections).collect())
    };
    let board = list(vec![("threads", "thread"), ("boards", "board")]);
    let thread = list(vec![("posts", "post")]);
    let portal = list(vec![("boards", "board"), ("threads", "thread")]);
    let types =
        [("post", post), ("account", account), ("board", board), ("thread", thread), (PORTAL, portal)];
    Schema {
        network: name.to_owned(),
        types: types.into_iter().map(|(name, it)| (name.to_owned(), it)).collect(),
    }
}

/// The network's name for a forum whose front page this is: host, port and path, so that every forum has its own.
pub fn network_name(front: &Url) -> NetworkName {
    let mut name = format!("forum-{}", front.host_str().unwrap_or_default());
    name.extend(front.port().map(|port| format!("-{port}")));
    for segment in front.path().split('/').filter(|segment| !segment.is_empty()) {
        name.push('-');
        name.push_str(segment);
    }
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' })
        .collect();
    NetworkName::new(&plain, None)
}

/// The connector of a learned forum, with its types.
pub fn shared(name: &str, definition: ForumDefinition) -> (Arc<dyn Connector>, Schema) {
    (Arc::new(ForumConnector::new(name, definition)), schema(name))
}

#[cfg(test)]
mod tests;
