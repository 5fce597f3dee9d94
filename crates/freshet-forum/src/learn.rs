//! Step 10 of 10, learn: from some pages of a forum to its definition.
//!
//! The offline mining of seed 004 (its figure 2), without templates of any forum software:
//!
//! 1. [`site`]: where page numbers stand in addresses, patterns of addresses, order of day and month;
//! 2. [`classify`]: nodes of pages, what each lists, and from that their kinds;
//! 3. [`list`]: for lists of threads and of posts, where records, times, links and authors are (Algorithm 2);
//! 4. [`zone`]: the offset of its times, where pages state it or their fetches tell;
//! 5. [`crate::layout`], [`crate::sitemap`], [`crate::chain`]: groups of one layout, the graph of groups, pages joined into
//!    lists (Algorithm 1);
//! 6. a self-test: every page is read back with the definition, and [`crate::report`] says what came of it.
//!
//! What it does not do: fetch pages or choose which to sample.

mod anchor;
mod body;
mod classify;
pub(crate) mod column;
mod list;
mod numbers;
mod opening;
mod site;
mod zone;

use freshet_types::Set;

use crate::address;
use crate::chain::{self, ChainPage};
use crate::definition::{
    FORMAT, ForumDefinition, ListDefinition, PageKind, PagesDefinition, PolitenessDefinition, TimesDefinition,
};
use crate::inspect::{PageReading, inspect};
use crate::layout::{Regions, groups};
use crate::page::Page;
use crate::report::{self, Report};
use crate::sitemap::{self, SitePage};
use site::Site;

/// Regions kept in a definition to recognise pages with unknown addresses.
const REGIONS_MAX: usize = 12;

/// What was learned.
#[derive(Debug)]
pub struct Learned {
    /// How the site is read.
    pub definition: ForumDefinition,
    /// What was understood, how surely, with examples.
    pub report: Report,
}

/// Learns a site from some of its pages.
pub fn learn(pages: &[Page]) -> Learned {
    let site = Site::of(pages);
    let (nodes, kinds) = classify::classify(&site);
    let urls = |kind: PageKind| {
        let of_kind = (0..pages.len()).filter(|&at| kinds[at] == kind);
        let is_listed =
            |pattern: u32| nodes.iter().any(|it| it.kind != PageKind::Other && it.number == pattern);
        let patterns: Set<u32> = of_kind.map(|at| site.page_pattern_number(at)).collect();
        let patterns = patterns.into_iter().filter(|it| kind == PageKind::Portal || !is_listed(*it));
        let mut urls: Vec<String> = patterns.map(|it| site.patterns.names.text(it).to_owned()).collect();
        urls.sort_unstable();
        PagesDefinition { urls }
    };
    let regions = Regions::of(pages);
    let define = |kind: PageKind| {
        let of_kind: Vec<usize> = (0..pages.len()).filter(|&at| kinds[at] == kind).collect();
        let layout = regions.typical(&of_kind, REGIONS_MAX);
        list::define(&site, &nodes, &kinds, kind).map(|list| ListDefinition { layout, ..list })
    };
    let mut definition = ForumDefinition {
        format: FORMAT,
        host: pages.first().and_then(|page| page.url.host_str()).unwrap_or_default().to_owned(),
        front: None,
        page_count: pages.len(),
        politeness: PolitenessDefinition::default(),
        times: TimesDefinition::default(),
        portal: urls(PageKind::Portal),
        other: urls(PageKind::Other),
        index: define(PageKind::Index),
        post: define(PageKind::Post),
    };
    definition.times = zone::times(&site, &kinds, &definition);
    let readings: Vec<PageReading> = pages.iter().map(|page| inspect(page, &definition)).collect();
    // A thread with an opening post only has no record of the list; reading knows better than counting.
    let kinds: Vec<PageKind> = kinds
        .into_iter()
        .zip(&readings)
        .map(|(kind, reading)| if kind == PageKind::Other { reading.kind } else { kind })
        .collect();
    let lists = chain::join(&chain_pages(&site, &readings));
    if let Some(posts) = &mut definition.post {
        posts.has_local_ids = body::has_local_ids(&site, &readings);
    }
    let sitemap = draw(&site, &kinds, &groups(&regions));
    let report = report::write(pages, &kinds, &readings, &lists, sitemap, &definition);
    for (list, kind) in [(&mut definition.index, PageKind::Index), (&mut definition.post, PageKind::Post)] {
        if let Some(list) = list {
            list.confidence = report.confidence(kind);
        }
    }
    Learned { definition, report }
}

fn chain_pages(site: &Site<'_>, readings: &[PageReading]) -> Vec<ChainPage> {
    let key = |text: &Option<String>| {
        text.as_deref().and_then(|it| url::Url::parse(it).ok()).map(|it| address::key(&it))
    };
    let pages = readings.iter().enumerate();
    pages
        .map(|(at, reading)| {
            let next = key(&reading.next_url);
            let turns = [&reading.prev_url, &reading.last_url].into_iter().filter_map(key).collect();
            let own = site.keys.number(site.addresses.page(at));
            ChainPage { kind: reading.kind, key: site.keys.names.text(own).to_owned(), next, turns }
        })
        .collect()
}

fn draw(site: &Site<'_>, kinds: &[PageKind], groups: &[usize]) -> Vec<sitemap::SiteNode> {
    let links = |at: usize| 0..site.pages[at].links.len();
    let pages: Vec<SitePage<'_>> = (0..site.pages.len())
        .map(|at| SitePage {
            group: groups[at],
            kind: kinds[at],
            pattern: site.page_pattern(at),
            key: site.keys.number(site.addresses.page(at)),
            links: links(at).map(|link| site.keys.number(site.addresses.link(at, link))).collect(),
        })
        .collect();
    sitemap::draw(&pages)
}
