//! A forum in memory for the virtual clock: its pages as a fetcher gets them, and its definition, mined from a few of them.

use freshet_forum::learn::learn;
use freshet_forum::page::{self, Page};
use freshet_network::networks::Network;
use freshet_types::{Fault, Request, Response};
use futures::future::BoxFuture;
use url::Url;

use super::*;
use crate::forum::live::mined;
use crate::forum::{Address, History, Layout, PostOrder, Site};

/// Where it is.
pub(super) const FRONT: &str = "https://forum.test/";
const LAYOUT: Layout = Layout::Modern;
const PAGE_SIZE: u32 = 10;
const BOARDS: u32 = 3;
const THREADS: u32 = 9;

/// A forum that answers at the instants of a clock.
#[derive(Debug)]
pub(super) struct ForumSite {
    history: &'static History,
    site: Mutex<Site<'static>>,
    clock: Arc<dyn Clock>,
}

impl ForumSite {
    /// Threads that began before `began_at` and go on for a month after it, at distinct seconds.
    pub(super) fn new(began_at: Timestamp, clock: Arc<dyn Clock>) -> Self {
        let mut rows = Vec::new();
        for thread in 0..THREADS {
            let from_s = began_at.secs() - 20 * 86_400 + i64::from(thread) * 3_607;
            let gap_s = 40_009 + i64::from(thread) * 9_001;
            let count = 50 * 86_400 / gap_s;
            rows.extend((0..count).map(|post| {
                let author = (thread + u32::try_from(post).unwrap_or(0)) % 11;
                (thread % BOARDS, thread, from_s + post * gap_s, author)
            }));
        }
        let history: &'static History = Box::leak(Box::new(History::from_rows(rows)));
        let site = Mutex::new(Site::new(history, PAGE_SIZE, PostOrder::OldestFirst));
        Self { history, site, clock }
    }

    /// Unix seconds of every post before then.
    pub(super) fn posted_before(&self, at: Timestamp) -> Vec<i64> {
        self.history.posts.iter().map(|post| post.at_s).filter(|at_s| *at_s < at.secs()).collect()
    }

    fn html(&self, address: Address) -> Option<String> {
        let now_s = self.clock.now().secs_f64();
        let mut site = self.site.lock().unwrap();
        site.advance_to(now_s);
        let sheet = site.answer(address);
        (!sheet.is_missing()).then(|| LAYOUT.write(address, &sheet, now_s))
    }

    /// Its network, mined from some of its pages.
    pub(super) fn network(&self) -> Network {
        let boards = (0..BOARDS).map(|board| Address::Index { board, page: 1 });
        let threads = (0..THREADS).flat_map(|thread| [1, 2].map(|page| Address::Posts { thread, page }));
        let pages = std::iter::once(Address::Portal).chain(boards).chain(threads);
        let fetched_s = Some(self.clock.now().secs());
        let read = |address: Address| {
            let html = self.html(address)?;
            let url = Url::parse(FRONT).unwrap().join(&address.to_string()).unwrap();
            Some(Page::read(&page::Source { html: html.as_bytes(), url: &url, fetched_s }))
        };
        let definition = learn(&pages.filter_map(read).collect::<Vec<_>>()).definition;
        mined(definition, &Url::parse(FRONT).unwrap()).0
    }

    /// Adds the forum to a store, as a person does who names its front page.
    pub(super) fn furnish(&self, networks: &Networks, store: &mut dyn Store) -> NetworkName {
        let network = self.network();
        let reference = network.front.as_ref().unwrap().reference.clone();
        networks.add(vec![network]);
        let name = reference.instance.network.clone();
        let connector = networks.connector_for(&name).unwrap();
        let instance = reference.instance.clone();
        store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).unwrap();
        let id = reference.root_id.unwrap();
        let sources: Vec<Source> = RobotKind::ALL
            .into_iter()
            .flat_map(|kind| robot::sources_for(&*connector, &name, kind, &reference.root_kind, &id, 0))
            .collect();
        store.add_sources(&sources).unwrap();
        name
    }
}

impl Fetch for ForumSite {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let path = request.url.strip_prefix(FRONT).map(|path| format!("/{path}"));
        let html = path.and_then(|path| Address::parse(&path)).and_then(|address| self.html(address));
        let status = if html.is_some() { 200 } else { 404 };
        let body = html.unwrap_or_else(|| "<title>Not found</title>".to_owned()).into_bytes();
        let headers = vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())];
        let (url, received_at) = (request.url.clone(), self.clock.now());
        Box::pin(std::future::ready(Ok(Response { status, headers, body, url, received_at })))
    }
}
