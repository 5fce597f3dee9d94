//! `freshet add` of any page of a site: the feed that the page offers.
//!
//! An address that no network understands is looked at once. It may be a feed itself; else the feeds that its head names are tried, then the
//! places where feeds usually are. The first that can be read as one is added. A page that links to threads and boards like a forum's front page is
//! tried as a forum first ([`super::forum`]), since that tells more than its feed does. Only what was typed is fetched, never a list;
//! with the politeness of every crawl: robots.txt is asked, private addresses are refused unless allowed, and there is a pause
//! between two requests.

use freshet_fetch::{Fetch as _, HttpFetch};
use freshet_forum::page::Page;
use freshet_network::networks::Networks;
use freshet_report::add::FoundFeed;
use freshet_types::{FaultKind, Instance, Intent, Map, NetworkName, Outcome, Request, Response, Set, Target};
use url::Url;

use super::{AddWish, may_be_forum};
use crate::config::Globals;
use crate::failure::Failure;
use crate::forum::{site, site_address};
use crate::{data, notice};

/// The definition of feeds, and its endpoint.
const NETWORK: &str = "rss";
const ENDPOINT: &str = "feed";

/// Feeds of one page that are tried; pages offer one for posts, one for comments, and some for parts of the site.
const OFFERED_MAX: usize = 5;
/// Where feeds usually are, the most usual first: no more are tried.
const USUAL: [&str; 5] = ["/feed", "/rss", "/atom.xml", "/index.xml", "/feed.xml"];

/// Words in addresses of boards and threads.
const FORUM_WORDS: [&str; 10] = [
    "viewtopic",
    "viewforum",
    "showthread",
    "forumdisplay",
    "topic",
    "thread",
    "forum",
    "board",
    "/t/",
    "/d/",
];
/// A page with so many links of that kind is the front page of a forum. Blogs link to their forum once or twice.
const FORUM_LINKS_MIN: usize = 5;

/// What was found of what was typed.
#[derive(Default)]
pub(super) struct Found {
    /// Feeds to be added.
    pub(super) feeds: Map<String, FoundFeed>,
    /// Feeds of what is tried as a forum first.
    pub(super) spare: Map<String, FoundFeed>,
    /// Why nothing was found.
    pub(super) vain: Map<String, String>,
}

/// Looks for the feeds of what was typed and is not known otherwise.
pub(super) fn find(globals: &Globals, networks: &Networks, args: &AddWish) -> anyhow::Result<Found> {
    let mut found = Found::default();
    if args.is_page || args.is_forum {
        return Ok(found);
    }
    for text in args.references.iter().filter(|text| may_be_forum(networks, text)) {
        let Some(address) = site_address(text) else { continue };
        notice::note(format!("`{text}` is of no network that is known; looking for its feed"));
        let scout = Scout { fetch: site::http(globals)?, networks, allow_private: args.allow_private };
        match data::block_on(scout.look(text, &address)) {
            Ok(Look::Feed(feed)) => drop(found.feeds.insert(text.clone(), feed)),
            Ok(Look::Forum(feed)) => found.spare.extend(feed.map(|feed| (text.clone(), feed))),
            Ok(Look::Nothing(why)) => drop(found.vain.insert(text.clone(), why)),
            // Whoever tries it as a forum meets the same, and says it.
            Err(error) => tracing::debug!("no feed of `{text}`: {error:#}"),
        }
    }
    Ok(found)
}

/// What a page turned out to be.
enum Look {
    /// A feed, or a page with one.
    Feed(FoundFeed),
    /// A forum, perhaps with a feed.
    Forum(Option<FoundFeed>),
    /// Neither, and what was tried.
    Nothing(String),
}

struct Scout<'a> {
    fetch: HttpFetch,
    networks: &'a Networks,
    allow_private: bool,
}

impl Scout<'_> {
    async fn look(&self, text: &str, address: &Url) -> anyhow::Result<Look> {
        let Some(response) = self.ask(address).await? else { return Ok(Look::Forum(None)) };
        let found = |feed: &str, others: Vec<String>| FoundFeed {
            reference: text.to_owned(),
            feed: feed.to_owned(),
            others,
        };
        if self.is_feed(&response) {
            return Ok(Look::Feed(found(address.as_str(), Vec::new())));
        }
        let Some(page) = site::read(&response) else { return Ok(Look::Forum(None)) };
        let offered = site::feeds_of(&page);
        let is_forum = is_forum(&page);
        if let Some(feed) = self.first_of(offered.iter().take(OFFERED_MAX)).await {
            let others = offered.iter().filter(|other| **other != feed).map(Url::to_string).collect();
            let feed = found(feed.as_str(), others);
            return Ok(if is_forum { Look::Forum(Some(feed)) } else { Look::Feed(feed) });
        }
        if is_forum {
            return Ok(Look::Forum(None));
        }
        let usual: Vec<Url> = USUAL.iter().filter_map(|path| page.url.join(path).ok()).collect();
        if let Some(feed) = self.first_of(usual.iter()).await {
            return Ok(Look::Feed(found(feed.as_str(), Vec::new())));
        }
        let offer = if offered.is_empty() {
            "its page offers no feed"
        } else {
            "what its page offers as feeds is none"
        };
        Ok(Look::Nothing(format!("{offer}, and there is none at {}", USUAL.join(", "))))
    }

    /// The first of these that is a feed; what cannot be had is none.
    async fn first_of(&self, addresses: impl Iterator<Item = &Url>) -> Option<Url> {
        for address in addresses {
            site::pause(&self.fetch, address).await;
            match self.ask(address).await {
                Ok(Some(response)) if self.is_feed(&response) => return Some(address.clone()),
                Ok(_) => {}
                Err(error) => tracing::debug!("no feed at `{address}`: {error:#}"),
            }
        }
        None
    }

    /// An answer with something in it; `None` where the server or its robots.txt says no.
    async fn ask(&self, address: &Url) -> anyhow::Result<Option<Response>> {
        let mut request = Request::get(&network_of(address), address.as_str());
        (request.is_page, request.allow_private) = (true, self.allow_private);
        match self.fetch.fetch(&request).await {
            Ok(response) => Ok(Some(response).filter(|response| (200..300).contains(&response.status))),
            Err(fault) if fault.kind == FaultKind::Excluded => Ok(None),
            Err(fault) if fault.kind == FaultKind::ForbiddenAddress => {
                Err(Failure::new(fault.to_string()).hint("--allow-private allows it").into())
            }
            Err(fault) => Err(fault.into()),
        }
    }

    /// Whether an answer can be read as a feed: the same reading as at every visit.
    fn is_feed(&self, response: &Response) -> bool {
        let Some(connector) = self.networks.connector(NETWORK) else { return false };
        let Ok(url) = Url::parse(&response.url) else { return false };
        let instance = Instance {
            network: network_of(&url),
            base: url.origin().ascii_serialization(),
            allow_private: self.allow_private,
        };
        let target = Target {
            instance: &instance,
            endpoint: ENDPOINT,
            root: &response.url,
            credential: None,
            validators: None,
        };
        let page = connector.read(&target, &Intent::First, response, response.received_at);
        page.outcome == Outcome::Ok && !page.observation.accounts.is_empty()
    }
}

fn network_of(url: &Url) -> NetworkName {
    NetworkName::new(NETWORK, url.host_str())
}

/// Whether a page links to threads and boards.
fn is_forum(page: &Page) -> bool {
    let is_own = |url: &&Url| url.origin() == page.url.origin();
    let is_of_forum = |url: &&Url| {
        let place = url[url::Position::BeforePath..].to_ascii_lowercase();
        FORUM_WORDS.iter().any(|word| place.contains(word))
    };
    let links = page.links.iter().filter(|link| !link.is_head).map(|link| &link.url);
    let distinct: Set<&str> = links.filter(is_own).filter(is_of_forum).map(Url::as_str).collect();
    distinct.len() >= FORUM_LINKS_MIN
}

#[cfg(test)]
mod tests;
