//! The forum as the engine meets it: HTML for an address at the instants of a clock, a definition mined from some of its pages, and
//! a count of what its answers showed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use freshet_fetch::Fetch;
use freshet_forum::connector::{PORTAL, network_name, shared};
use freshet_forum::definition::ForumDefinition;
use freshet_forum::learn::learn;
use freshet_forum::page::{self, Page};
use freshet_network::networks::{Front, Network};
use freshet_types::{Clock, Fault, Instance, Reference, Request, Response};
use futures::future::BoxFuture;
use url::Url;

use super::super::measure::{Figures, Tally};
use super::super::setup::Setup;
use super::super::site::{PostOrder, Rows, Site};
use super::super::{Address, History, Layout};
use super::NAME;

/// Where it is.
const FRONT: &str = "https://forum.test/";
const LAYOUT: Layout = Layout::Modern;
/// Boards and threads of each that a definition is mined from, some 120 pages as `add` looks at; the longest threads of so many pages, so
/// that some of them have page links.
const BOARDS_MINED: usize = 6;
const THREADS_MINED: usize = 8;
const PAGES_MINED: u32 = 5;
const NOT_FOUND: &str = "<!DOCTYPE html><title>Not found</title><p>There is no such page.</p>";

/// A page that was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answered {
    /// When, in unix seconds.
    pub at_s: f64,
    /// `None` for what the forum does not have.
    pub address: Option<Address>,
}

#[derive(Debug)]
pub(super) struct LiveSite {
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug)]
struct State {
    site: Site<'static>,
    tally: Tally<'static>,
    answers: Vec<Answered>,
}

impl LiveSite {
    pub(super) fn new(history: &'static History, setup: Setup, clock: Arc<dyn Clock>) -> Self {
        let site = Site::new(history, setup.page_size, PostOrder::OldestFirst);
        let state = State { site, tally: Tally::new(history, setup), answers: Vec::new() };
        Self { state: Mutex::new(state), clock }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it showed.
    pub(super) fn figures(&self) -> Figures {
        self.state().tally.figures(NAME)
    }

    pub(super) fn answers(&self) -> Vec<Answered> {
        self.state().answers.clone()
    }

    /// Its network and how a person names it, mined from some of its pages; `None` where they show nothing.
    pub(super) fn network(&self) -> Option<(Network, Reference)> {
        let front = Url::parse(FRONT).ok()?;
        let mut state = self.state();
        state.site.advance_to(self.clock.now().secs_f64());
        let fetched_s = Some(self.clock.now().secs());
        let read = |address: Address| {
            let sheet = state.site.answer(address);
            let html = LAYOUT.write(address, &sheet, self.clock.now().secs_f64());
            let url = front.join(&address.to_string()).ok()?;
            (!sheet.is_missing())
                .then(|| Page::read(&page::Source { html: html.as_bytes(), url: &url, fetched_s }))
        };
        let pages: Vec<Page> = sample(&state.site).into_iter().filter_map(read).collect();
        let definition = learn(&pages).definition;
        let is_learned = definition.index.is_some() && definition.post.is_some();
        is_learned.then(|| mined(definition, &front))
    }

    fn answer(&self, path: Option<&str>) -> Option<String> {
        let now_s = self.clock.now().secs_f64();
        let address = path.and_then(Address::parse);
        let mut state = self.state();
        state.answers.push(Answered { at_s: now_s, address });
        let address = address?;
        state.site.advance_to(now_s);
        let sheet = state.site.answer(address);
        state.tally.fetched(now_s, &sheet);
        (!sheet.is_missing()).then(|| LAYOUT.write(address, &sheet, now_s))
    }
}

/// The portal, the largest boards and long threads of them, each with its second page.
fn sample(site: &Site<'_>) -> Vec<Address> {
    let mut addresses = vec![Address::Portal];
    let Rows::Boards(mut boards) = site.answer(Address::Portal).rows else { return addresses };
    boards.sort_by_key(|row| (std::cmp::Reverse(row.thread_count), row.board));
    for row in boards.iter().take(BOARDS_MINED) {
        let index = Address::Index { board: row.board, page: 1 };
        addresses.extend([index, index.turned_to(2)]);
        let pages = (1..=PAGES_MINED).map(|page| site.answer(index.turned_to(page)).rows);
        let mut threads: Vec<_> = pages
            .flat_map(|rows| if let Rows::Threads(rows) = rows { rows } else { Vec::new() })
            .map(|row| (row.post_count, row.thread))
            .collect();
        threads.sort_by_key(|&(post_count, thread)| (std::cmp::Reverse(post_count), thread));
        addresses.extend(threads.iter().take(THREADS_MINED).flat_map(|(_, thread)| {
            let posts = Address::Posts { thread: *thread, page: 1 };
            [posts, posts.turned_to(2)]
        }));
    }
    addresses
}

/// The network of a definition that was mined from a forum with this front page, and how a person names the forum.
pub(crate) fn mined(mut definition: ForumDefinition, front: &Url) -> (Network, Reference) {
    definition.front = Some(front.to_string());
    let (name, text) = (network_name(front), definition.to_toml());
    let base = front.origin().ascii_serialization();
    let reference = Reference {
        instance: Instance { network: name.clone(), base, allow_private: false },
        root_kind: PORTAL.into(),
        root_id: Some("/".to_owned()),
        handle: None,
    };
    let (connector, schema) = shared(name.as_str(), definition);
    let front = Front { url: front.to_string(), reference: reference.clone(), text };
    (Network::mined(connector, schema).with_front(front), reference)
}

impl Fetch for LiveSite {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let path = request.url.strip_prefix(FRONT).map(|path| format!("/{path}"));
        let html = self.answer(path.as_deref());
        let status = if html.is_some() { 200 } else { 404 };
        let body = html.unwrap_or_else(|| NOT_FOUND.to_owned()).into_bytes();
        let headers = vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())];
        let (url, received_at) = (request.url.clone(), self.clock.now());
        Box::pin(std::future::ready(Ok(Response { status, headers, body, url, received_at })))
    }
}
