//! Learning a forum anew while it is crawled, after its layout has changed.
//!
//! The run hands out an [`Errand`] when nothing of a forum's pages can be read any more. A bounded number of pages is fetched
//! anew, each with the run's grant: some threads whose posts are stored, and a sample of the site as `forum learn` takes it. What
//! is learned from them takes the place of the old definition only if it proves itself ([`judge`]); the file in `networks/` is
//! replaced as a whole, the run takes it in like every change there, and the old one stays beside it under another name.
//!
//! Else nothing changes: the server rests on, and a person is told why. What it does not do: decide when to try.

mod judge;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use freshet_engine::relearn::Errand;
use freshet_fetch::Fetch;
use freshet_forum::connector::{ForumConnector, POSTS};
use freshet_forum::definition::{ForumDefinition, PageKind};
use freshet_forum::inspect::inspect;
use freshet_forum::learn::learn;
use freshet_forum::page::Page;
use freshet_forum::sample::Sampler;
use freshet_network::networks::Networks;
use freshet_store::browse::{Browse as _, SourceOrder, SourceQuery};
use freshet_store::{Access, Options};
use freshet_types::{Connector as _, Instance, Intent, NetworkName, Request, Response, RobotKind, Target};
use url::Url;

use crate::data::{self, Data};
use crate::forum::site;
use crate::mined;
use crate::place::StoreAddress;
use judge::{Evidence, verdict};

/// Pages that are sampled; half of what a person's `forum learn` takes, since much of the site is known.
const PAGES_MAX: usize = 60;
/// Threads whose stored posts must be found again.
const THREADS_MAX: usize = 8;
/// Threads looked at to find these.
const THREADS_LOOKED: usize = 64;
/// Threads on boards that are looked up.
const LEADS_MAX: usize = 500;
/// Requests in a row that fail before the server is left alone.
const FAILURES_MAX: usize = 5;
/// How far a time may differ from the stored one: layouts that show no seconds are no less right.
const TIME_MS_MAX: u64 = 60_000;
/// What is put behind the name of the definition that was replaced.
const BEFORE: &str = "before";

/// What learning anew takes.
#[derive(Clone, Debug)]
pub(crate) struct Relearner {
    networks: Arc<Networks>,
    networks_dir: PathBuf,
    store: StoreAddress,
    fetch: Arc<dyn Fetch>,
}

/// The forum as it was learned before.
struct Known {
    instance: Instance,
    front: Url,
    definition: ForumDefinition,
    /// Where its definition lies.
    file: PathBuf,
}

/// A thread whose posts are stored, as it looks now.
struct Thread {
    root: String,
    response: Response,
}

impl Relearner {
    /// For the forums of this data directory.
    pub(crate) fn new(data: &Data, networks: &Arc<Networks>, fetch: &Arc<dyn Fetch>) -> Self {
        Self {
            networks: Arc::clone(networks),
            networks_dir: data.networks_dir(),
            store: data.store_address(),
            fetch: Arc::clone(fetch),
        }
    }

    /// Sets out on an errand; it tells by itself what comes of it.
    pub(crate) fn begin(&self, errand: Errand) {
        let own = self.clone();
        tokio::spawn(async move {
            let outcome = own.carry_out(&errand).await;
            errand.end(outcome);
        });
    }

    async fn carry_out(&self, errand: &Errand) -> Result<String, String> {
        let known = self.known(errand.network())?;
        let own = self.clone();
        let network = errand.network().clone();
        let roots = blocking(move || own.threads(&network)).await?;
        let asker = Asker { errand, fetch: &*self.fetch, allow_private: known.instance.allow_private };
        let threads = asker.threads(&known.front, &roots).await?;
        let pages = asker.sample(&known.front).await?;
        let own = self.clone();
        let network = errand.network().clone();
        blocking(move || own.learn(&network, &known, &threads, pages)).await
    }

    /// How the forum is read by now.
    fn known(&self, network: &NetworkName) -> Result<Known, String> {
        let registry = self.networks.snapshot();
        let found = registry.get(network.definition()).and_then(|it| it.front.clone());
        let front = found.ok_or_else(|| format!("`{network}` is no forum any more"))?;
        let definition = ForumDefinition::parse(&front.text).map_err(|error| error.to_string())?;
        let url = Url::parse(&front.url).map_err(|error| format!("`{}`: {error}", front.url))?;
        let store = freshet_store::open(&self.store, Access::Read, Options::default())
            .map_err(|error| error.to_string())?;
        let rows = store.instances().map_err(|error| error.to_string())?;
        let stored = rows.into_iter().map(|row| row.instance).find(|it| it.network == *network);
        let file = self.file_of(network).ok_or_else(|| {
            format!("no file in `{}` defines `{network}`; write one", self.networks_dir.display())
        })?;
        Ok(Known { instance: stored.unwrap_or(front.reference.instance), front: url, definition, file })
    }

    /// The file that defines this forum.
    fn file_of(&self, network: &NetworkName) -> Option<PathBuf> {
        let is_it = |path: &PathBuf| {
            let text = data::read_definition(path).unwrap_or_default();
            mined::is_forum(&text)
                && mined::network(path, &text).is_ok_and(|it| *it.name == *network.definition())
        };
        let usual = self.networks_dir.join(format!("{network}.toml"));
        let entries = std::fs::read_dir(&self.networks_dir).into_iter().flatten().flatten();
        let all = entries.map(|entry| entry.path());
        let mut files =
            std::iter::once(usual).chain(all.filter(|path| path.extension().is_some_and(|it| it == "toml")));
        files.find(is_it)
    }

    /// Threads that have posts in the store, those visited last first.
    fn threads(&self, network: &NetworkName) -> Result<Vec<String>, String> {
        let store = freshet_store::open(&self.store, Access::Read, Options::default())
            .map_err(|error| error.to_string())?;
        let query = SourceQuery {
            network: Some(network.to_string()),
            robot: Some(RobotKind::Comment),
            order: SourceOrder::Visited,
            limit: THREADS_LOOKED,
            ..SourceQuery::default()
        };
        let found = store.list_sources(&query).map_err(|error| error.to_string())?.sources;
        let read = found.into_iter().filter(|source| !source.coverage.intervals.is_empty());
        Ok(read.take(THREADS_MAX).map(|source| source.root_id).collect())
    }

    /// Learns, judges, and replaces the definition where the new one proves itself.
    fn learn(
        &self,
        network: &NetworkName,
        known: &Known,
        threads: &[Thread],
        mut pages: Vec<Page>,
    ) -> Result<String, String> {
        pages.extend(threads.iter().filter_map(|thread| site::read(&thread.response)));
        let mut definition = learn(&pages).definition;
        definition.front.clone_from(&known.definition.front);
        definition.politeness = known.definition.politeness;
        if let Some(lack) = site::lack(&definition) {
            return Err(format!("{lack} on {} fresh pages", pages.len()));
        }
        let store = freshet_store::open(&self.store, Access::Read, Options::default())
            .map_err(|error| error.to_string())?;
        let connector = ForumConnector::new(network.as_str(), definition.clone());
        let mut evidence = Evidence::of_pages(&known.definition, &definition, &pages);
        for thread in threads {
            let read = read(&connector, &known.instance, thread);
            let posts = &read.observation.posts;
            let names: Vec<_> = posts.iter().map(|post| (&*post.kind, post.id.as_str())).collect();
            let stored = store.posts_of(network, &names).map_err(|error| error.to_string())?;
            let found = posts.iter().zip(stored).map(|(post, stored)| {
                stored.map(|row| {
                    let times = row.post.created_at.zip(post.created_at);
                    row.post.kind == post.kind
                        && times.is_none_or(|(one, other)| one.ms().abs_diff(other.ms()) <= TIME_MS_MAX)
                })
            });
            evidence.add_thread(&found.collect::<Vec<_>>());
        }
        let roots = led_to(&definition, &pages);
        for is_known in store.have_roots(network, &roots).map_err(|error| error.to_string())? {
            evidence.add_lead(is_known);
        }
        let what = verdict(&evidence)?;
        replace(&known.file, &definition.to_toml())?;
        Ok(what)
    }
}

/// Threads that boards lead to, by the new definition: addresses as the store has them.
fn led_to(definition: &ForumDefinition, pages: &[Page]) -> Vec<String> {
    let boards = pages.iter().map(|page| inspect(page, definition));
    let boards = boards.filter(|reading| reading.kind == PageKind::Index);
    let links = boards.flat_map(|reading| reading.records).filter_map(|record| record.link);
    let urls = links.filter_map(|link| Url::parse(&link).ok());
    let root = |url: Url| {
        let query = url.query().map_or_else(String::new, |query| format!("?{query}"));
        format!("{}{query}", url.path())
    };
    urls.map(root).take(LEADS_MAX).collect()
}

/// A thread's page, by the new definition.
fn read(connector: &ForumConnector, instance: &Instance, thread: &Thread) -> freshet_types::Page {
    let target = Target { instance, endpoint: POSTS, root: &thread.root, credential: None, validators: None };
    connector.read(&target, &Intent::First, &thread.response, thread.response.received_at)
}

/// Puts a text in the place of a file, which stays beside it; nobody ever sees half of one.
fn replace(file: &Path, text: &str) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("`{}` cannot be replaced: {error}", file.display());
    let fresh = file.with_extension("toml.new");
    std::fs::copy(file, file.with_extension(format!("toml.{BEFORE}"))).map_err(cannot)?;
    std::fs::write(&fresh, text).map_err(cannot)?;
    std::fs::rename(&fresh, file).map_err(cannot)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())?
}

/// Asks for pages, one after the other, each with a grant.
struct Asker<'a> {
    errand: &'a Errand,
    fetch: &'a dyn Fetch,
    allow_private: bool,
}

impl Asker<'_> {
    /// One answer; `None` where there is none to learn from.
    async fn ask(&self, url: &Url) -> Result<Option<Response>, String> {
        let mut request = Request::get(self.errand.network(), url.as_str());
        (request.is_page, request.allow_private) = (true, self.allow_private);
        if !self.errand.may_ask(&request).await {
            return Err("the run ended before it was learned".to_owned());
        }
        match self.fetch.fetch(&request).await {
            Ok(response) if response.status == 429 || response.status == 503 => {
                Err(format!("the server asks to be left alone (status {})", response.status))
            }
            Ok(response) => Ok(Some(response).filter(|it| (200..300).contains(&it.status))),
            Err(fault) => {
                tracing::debug!("left out: {fault}");
                Ok(None)
            }
        }
    }

    /// The first pages of these threads.
    async fn threads(&self, front: &Url, roots: &[String]) -> Result<Vec<Thread>, String> {
        let mut threads = Vec::new();
        for root in roots {
            let Ok(url) = front.join(root) else { continue };
            let response = self.ask(&url).await?;
            threads.extend(response.map(|response| Thread { root: root.clone(), response }));
        }
        Ok(threads)
    }

    /// A sample of the site.
    async fn sample(&self, front: &Url) -> Result<Vec<Page>, String> {
        let mut sampler = Sampler::new(front, PAGES_MAX);
        let (mut pages, mut failure_count) = (Vec::new(), 0);
        while let Some(url) = sampler.next_url() {
            let page = self.ask(&url).await?.as_ref().and_then(site::read);
            let Some(page) = page else {
                failure_count += 1;
                if failure_count >= FAILURES_MAX {
                    return Err(format!("{failure_count} pages in a row could not be had"));
                }
                continue;
            };
            failure_count = 0;
            if sampler.add_page(&url, &page) {
                pages.push(page);
            }
        }
        Ok(pages)
    }
}
