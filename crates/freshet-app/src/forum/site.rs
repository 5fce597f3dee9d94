//! Learning a forum from its address: pages are sampled over HTTP, then learned from like saved ones.
//!
//! Which page is next is the sampler's business ([`freshet_forum::sample`]); here they are fetched, one after the other, with
//! the politeness of every crawl: robots.txt is asked, private addresses are refused unless allowed, and there is a pause
//! between two requests. A page that cannot be had is left out; only without the front page there is nothing to learn.

use std::sync::Arc;
use std::time::Duration;

use freshet_fetch::http::guard::is_forbidden;
use freshet_fetch::{Fetch as _, HttpFetch, HttpOptions, Vault};
use freshet_forum::charset;
use freshet_forum::connector::network_name;
use freshet_forum::definition::{ForumDefinition, PolitenessDefinition};
use freshet_forum::learn::{Learned, learn};
use freshet_forum::page::{Page, Source};
use freshet_forum::sample::Sampler;
use freshet_types::{FaultKind, Request, Response, Span, SystemClock};
use url::{Host, Url};

use crate::config::Globals;
use crate::data::{self, Data};
use crate::failure::Failure;
use crate::notice;
use crate::progress::{self, Progress};
use crate::text::count;

/// What feeds are declared to be.
const FEED_TYPES: [&str; 3] = ["rss+xml", "atom+xml", "feed+json"];
/// Requests in a row that fail before the server is left alone.
const FAILURES_MAX: usize = 10;

/// What is wanted of a site.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Pages to learn from, at most.
    pub pages_max: usize,
    /// Loopback and private addresses may be asked.
    pub allow_private: bool,
}

/// Samples and learns the forum whose front page this is; gives also a feed that the page offers.
pub fn learn_site(globals: &Globals, front: &Url, wanted: Wanted) -> anyhow::Result<(Learned, Option<Url>)> {
    let fetch = http(globals)?;
    let politeness = politeness(front);
    notice::note(format!("learning {front} from up to {}", count(wanted.pages_max as u64, "page")));
    notice::on_interrupt("stopped: nothing was learned, and nothing was stored");
    let (front, pages) = data::block_on(sample(&fetch, front, wanted))?;
    let mut learned = progress::during("learning from the pages", || learn(&pages));
    // What robots.txt asks for holds for the crawl as well.
    let asked_ms = fetch.exclusion_pause(front.as_str()).map_or(0, Span::ms);
    let asked_ms = u32::try_from(asked_ms).unwrap_or(u32::MAX);
    learned.definition.front = Some(front.into());
    learned.definition.politeness =
        PolitenessDefinition { pause_ms: politeness.pause_ms.max(asked_ms), ..politeness };
    Ok((learned, pages.first().and_then(|page| feeds_of(page).into_iter().next())))
}

/// Who asks, before there is a run: without credentials, and by the clock of this computer.
pub(crate) fn http(globals: &Globals) -> anyhow::Result<HttpFetch> {
    let contact = match &globals.config.contact {
        Some(contact) => Some(contact.clone()),
        None => Data::look(globals).ok().and_then(|data| data.contact(globals).ok().flatten()),
    };
    let contact = contact.unwrap_or_else(|| data::CONTACT_UNKNOWN.to_owned());
    let options = HttpOptions::new(contact, Arc::new(SystemClock), Arc::new(Vault::empty()));
    Ok(HttpFetch::new(options)?)
}

/// The feeds that a page offers in its head, in its order.
pub(crate) fn feeds_of(page: &Page) -> Vec<Url> {
    let is_feed = |kind: &str| FEED_TYPES.iter().any(|feed| kind.to_ascii_lowercase().contains(feed));
    let links = page.links.iter().filter(|link| link.is_head && page.is_relation(link, "alternate"));
    let feeds = links.filter(|link| page.tree.attribute(link.node, "type").is_some_and(is_feed));
    feeds.map(|link| link.url.clone()).collect()
}

/// Waits as long as there must be between two requests to a site.
pub(crate) async fn pause(fetch: &HttpFetch, url: &Url) {
    let asked_ms = fetch.exclusion_pause(url.as_str()).map_or(0, |pause| pause.ms().unsigned_abs());
    let own_ms = u64::from(politeness(url).pause_ms);
    tokio::time::sleep(Duration::from_millis(asked_ms.max(own_ms))).await;
}

/// A server on this computer or in this house is one's own: it needs no pause.
fn politeness(front: &Url) -> PolitenessDefinition {
    let is_own = match front.host() {
        Some(Host::Ipv4(ip)) => is_forbidden(ip.into()),
        Some(Host::Ipv6(ip)) => is_forbidden(ip.into()),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    if is_own {
        PolitenessDefinition { pause_ms: 0, in_flight_max: 4 }
    } else {
        PolitenessDefinition::default()
    }
}

async fn sample(fetch: &HttpFetch, front: &Url, wanted: Wanted) -> anyhow::Result<(Url, Vec<Page>)> {
    let mut front = front.clone();
    let mut sampler = Sampler::new(&front, wanted.pages_max);
    let (mut pages, mut failure_count) = (Vec::new(), 0);
    let mut progress = Progress::new("pages", 0, wanted.pages_max as u64);
    while let Some(url) = sampler.next_url() {
        if !pages.is_empty() {
            pause(fetch, &url).await;
        }
        match page(fetch, &url, wanted.allow_private).await {
            Ok(Some(page)) => {
                if pages.is_empty() && page.url.origin() != front.origin() {
                    // The site lives under another name; nothing was sampled of the old one.
                    front = page.url.clone();
                    sampler = Sampler::new(&front, wanted.pages_max);
                }
                tracing::debug!("sampled `{url}`");
                if sampler.add_page(&url, &page) {
                    pages.push(page);
                    progress.step();
                }
                failure_count = 0;
            }
            Ok(None) if pages.is_empty() => {
                let failure = Failure::new(format!(
                    "`{url}` is no page of a forum: it is not HTML, or not shown; if it is a feed, `freshet add rss:{url}` follows it"
                ));
                return Err(failure.hint("give the address of the forum's front page").into());
            }
            Err(why) if pages.is_empty() => return Err(why),
            Ok(None) => {}
            Err(why) => {
                tracing::debug!("left out: {why:#}");
                failure_count += 1;
                if failure_count >= FAILURES_MAX {
                    notice::note(format!(
                        "warning: {failure_count} pages in a row could not be had; the last: {why:#}"
                    ));
                    break;
                }
            }
        }
    }
    Ok((front, pages))
}

/// One page; `None` where the answer is none, or excluded.
async fn page(fetch: &HttpFetch, url: &Url, allow_private: bool) -> anyhow::Result<Option<Page>> {
    let mut request = Request::get(&network_name(url), url.as_str());
    (request.is_page, request.allow_private) = (true, allow_private);
    let response = match fetch.fetch(&request).await {
        Ok(response) => response,
        Err(fault) if fault.kind == FaultKind::ForbiddenAddress => {
            return Err(Failure::new(fault.to_string()).hint("--allow-private allows it").into());
        }
        Err(fault) if fault.kind == FaultKind::Excluded => {
            tracing::debug!("robots.txt excludes `{url}`");
            return Ok(None);
        }
        Err(fault) => return Err(fault.into()),
    };
    match response.status {
        200..=299 => Ok(read(&response)),
        429 | 500..=599 => Err(Failure::new(format!("`{url}` answers with status {}", response.status))
            .hint("the server is busy or broken: try again later")
            .into()),
        _ => Ok(None),
    }
}

/// The page of an answer; `None` where it is none.
pub fn read(response: &Response) -> Option<Page> {
    let kind = response.header("content-type");
    if kind.is_some_and(|kind| !kind.contains("html")) {
        return None;
    }
    let url = Url::parse(&response.url).ok()?;
    let html = charset::utf8(&response.body, kind);
    let fetched_s = Some(response.received_at.ms().div_euclid(1000));
    Some(Page::read(&Source { html: &html, url: &url, fetched_s }))
}

/// Why a definition does not do for a crawl.
pub fn lack(definition: &ForumDefinition) -> Option<&'static str> {
    match (&definition.index, &definition.post) {
        (None, None) => Some("no lists of threads and of posts were found"),
        (None, _) => Some("no list of threads was found"),
        (_, None) => Some("no list of posts was found"),
        _ => None,
    }
}
