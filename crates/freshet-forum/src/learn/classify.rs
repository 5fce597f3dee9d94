//! The site-independent classifier: which pages list boards, threads and posts.
//!
//! Seed 004, section 3.2, names two features: the node of post-of-thread pages is the largest, and index-of-thread pages are
//! its parents. Both are relations between nodes of the sitemap, so nothing about any forum software enters. Here:
//!
//! - a node whose records each have a *title* (a link that leads elsewhere in every record) lists what the titles lead to;
//! - a node whose records have times and text and no such title is a node of posts, when another node lists it;
//! - what lists posts' nodes are indexes, when posts' pages link back to them outside their records (every thread names its
//!   board; nobody's thread names a page of search results);
//! - what links to several indexes beside the site's menu is a portal.

use freshet_types::{Map, Set};

use super::anchor::{self, Candidate};
use super::column::{Columns, is_person_address};
use super::site::Site;
use crate::definition::PageKind;
use crate::record::{self, Record};

/// Text of a post that is on no link, in characters, on average.
const POST_CHARS_MIN: f64 = 15.0;
/// Share of pages that link to an address before it counts as the site's menu.
const MENU_SHARE: f64 = 0.6;
/// Threads that pages without times link to, on average, before they are boards.
const THREADS_MIN: usize = 2;
/// Boards that a page lists before it is a portal.
const BOARDS_MIN: usize = 2;

/// Pages of one pattern.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) pattern: String,
    pub(crate) pages: Vec<usize>,
    pub(crate) anchors: Vec<Candidate>,
    pub(crate) columns: Columns,
    pub(crate) kind: PageKind,
    /// Whether its addresses are those of people.
    is_people: bool,
}

impl Node {
    fn of(site: &Site<'_>, pattern: &str, pages: Vec<usize>) -> Self {
        let anchors = anchor::candidates(site, &pages);
        let mut columns = Columns::default();
        if let Some(best) = anchors.first() {
            for &at in &pages {
                columns.add(site, at, &record::records(&site.pages[at], &best.anchor));
            }
        }
        let is_people = pages.iter().all(|&at| is_person_address(&site.pages[at].url));
        Self { pattern: pattern.to_owned(), pages, anchors, columns, kind: PageKind::Other, is_people }
    }

    /// The pattern that its titles lead to.
    pub(crate) fn lists(&self) -> Option<&str> {
        self.columns.title().and_then(|(_, column)| column.main_pattern()).filter(|it| *it != self.pattern)
    }

    /// Whether it may hold posts: times of day, text, and no titles.
    fn may_be_posts(&self) -> bool {
        let has_times = self.anchors.first().is_some_and(|best| best.clock_share > 0.3 && best.score > 0.1);
        !self.is_people
            && has_times
            && self.lists().is_none()
            && self.columns.text_chars_mean() >= POST_CHARS_MIN
    }
}

/// The nodes of a site, each with its kind; then the kind of every page.
pub(crate) fn classify(site: &Site<'_>) -> (Vec<Node>, Vec<PageKind>) {
    let mut by_pattern: Map<&str, Vec<usize>> = Map::default();
    for (at, pattern) in site.page_patterns.iter().enumerate() {
        by_pattern.entry(pattern).or_default().push(at);
    }
    let mut nodes: Vec<Node> =
        by_pattern.into_iter().map(|(pattern, pages)| Node::of(site, pattern, pages)).collect();
    nodes.sort_by(|a, b| b.pages.len().cmp(&a.pages.len()).then_with(|| a.pattern.cmp(&b.pattern)));
    let posts = posts(&nodes);
    for node in &mut nodes {
        if posts.contains(&node.pattern) {
            node.kind = PageKind::Post;
        }
    }
    indexes(site, &mut nodes, &posts);
    let kinds = pages(site, &nodes);
    (nodes, kinds)
}

/// The patterns of posts' pages.
fn posts(nodes: &[Node]) -> Set<String> {
    let listed: Set<&str> = nodes.iter().filter_map(Node::lists).collect();
    let may_be: Vec<&Node> = nodes.iter().filter(|node| node.may_be_posts()).collect();
    let chosen: Set<String> = may_be
        .iter()
        .filter(|node| listed.contains(node.pattern.as_str()))
        .map(|node| node.pattern.clone())
        .collect();
    if !chosen.is_empty() {
        return chosen;
    }
    if let Some(largest) = may_be.iter().max_by_key(|node| node.columns.record_count) {
        return Set::from_iter([largest.pattern.clone()]);
    }
    // Only indexes were sampled: what they list and what lists nothing are posts.
    let listing: Set<&str> =
        nodes.iter().filter(|node| node.lists().is_some()).map(|node| node.pattern.as_str()).collect();
    listed.into_iter().filter(|it| !listing.contains(it)).map(ToOwned::to_owned).collect()
}

fn indexes(site: &Site<'_>, nodes: &mut [Node], posts: &Set<String>) {
    let named = named_by_posts(site, nodes);
    let lists_posts =
        |node: &Node| node.lists().is_some_and(|it| posts.contains(it)) && node.kind == PageKind::Other;
    let has_named = nodes.iter().any(|node| lists_posts(node) && named.contains(path_of(&node.pattern)));
    for node in nodes.iter_mut() {
        if lists_posts(node) && (!has_named || named.contains(path_of(&node.pattern))) {
            node.kind = PageKind::Index;
        }
    }
    if nodes.iter().all(|node| node.kind != PageKind::Index) {
        timeless_indexes(site, nodes, posts, &named);
    }
}

/// Boards that show no times: what posts name, has many addresses, and links to several threads a page.
fn timeless_indexes(site: &Site<'_>, nodes: &mut [Node], posts: &Set<String>, named: &Set<String>) {
    let posts: Set<&str> = posts.iter().map(String::as_str).collect();
    for node in nodes.iter_mut().filter(|node| node.kind == PageKind::Other) {
        let threads: usize = node.pages.iter().map(|&at| linked_lists(site, at, &posts)).sum();
        let is_named = named.contains(path_of(&node.pattern)) && node.pattern.contains('*');
        if is_named && threads >= THREADS_MIN * node.pages.len() {
            node.kind = PageKind::Index;
            node.anchors.clear();
        }
    }
}

/// A pattern without its parameters, unless they are all that it has.
fn path_of(pattern: &str) -> &str {
    let path = pattern.split('?').next().unwrap_or(pattern);
    if path.contains('*') { path } else { pattern }
}

/// Patterns that pages of posts link to outside their records.
fn named_by_posts(site: &Site<'_>, nodes: &[Node]) -> Set<String> {
    let mut named: Set<String> = Set::default();
    for node in nodes.iter().filter(|node| node.kind == PageKind::Post) {
        for &at in &node.pages {
            let page = &site.pages[at];
            let records: Vec<Record> =
                node.anchors.first().map(|it| record::records(page, &it.anchor)).unwrap_or_default();
            let is_inside = |link: usize| {
                let after = records.partition_point(|record| record.range.start <= link);
                after > 0 && records[after - 1].range.contains(&link)
            };
            for link in page.links.iter().filter(|link| !link.is_head && !is_inside(link.node)) {
                // A board in another order is named by its board.
                named.insert(path_of(&site.patterns.pattern(&link.url)).to_owned());
            }
        }
    }
    named
}

/// The kind of every page: that of its node, unless the page itself says otherwise.
fn pages(site: &Site<'_>, nodes: &[Node]) -> Vec<PageKind> {
    let mut kinds = vec![PageKind::Other; site.pages.len()];
    let index_patterns: Set<&str> =
        nodes.iter().filter(|node| node.kind == PageKind::Index).map(|node| node.pattern.as_str()).collect();
    let boards = boards(site, &index_patterns);
    for node in nodes {
        for &at in &node.pages {
            let records =
                node.anchors.first().map_or(0, |it| record::records(&site.pages[at], &it.anchor).len());
            kinds[at] = match node.kind {
                PageKind::Post if records == 0 => PageKind::Other,
                PageKind::Index if records == 0 && boards[at] > 0 && !node.anchors.is_empty() => {
                    PageKind::Portal
                }
                kind => kind,
            };
        }
    }
    let posts: Set<&str> =
        nodes.iter().filter(|node| node.kind == PageKind::Post).map(|node| node.pattern.as_str()).collect();
    let threads: Set<&str> = nodes
        .iter()
        .filter(|node| node.lists().is_some_and(|it| posts.contains(it)))
        .map(|node| node.pattern.as_str())
        .collect();
    let may_be =
        |at: usize| kinds[at] == PageKind::Other && !threads.contains(site.page_patterns[at].as_str());
    let most = (0..kinds.len()).filter(|&at| may_be(at)).map(|at| boards[at]).max().unwrap_or(0);
    let portals: Vec<usize> = (0..kinds.len()).filter(|&at| may_be(at)).collect();
    for at in portals {
        // Beside each board stands at most its last thread; a page with more threads than boards lists threads.
        let threads = linked_lists(site, at, &posts);
        if boards[at] >= BOARDS_MIN && boards[at] * 2 >= most && boards[at] * 5 >= threads * 4 {
            kinds[at] = PageKind::Portal;
        }
    }
    kinds
}

/// How many lists of some patterns a page links to.
fn linked_lists(site: &Site<'_>, at: usize, patterns: &Set<&str>) -> usize {
    let page = &site.pages[at];
    let lists = page.links.iter().filter(|link| patterns.contains(site.patterns.pattern(&link.url).as_str()));
    lists.map(|link| crate::address::list_key(&link.url, &site.slots)).collect::<Set<_>>().len()
}

/// How many boards each page links to, beside the site's menu and itself.
fn boards(site: &Site<'_>, index_patterns: &Set<&str>) -> Vec<usize> {
    let linked: Vec<Set<(String, String)>> = site
        .pages
        .iter()
        .enumerate()
        .map(|(at, page)| {
            let boards = page.links.iter().filter(|link| {
                !link.is_head && index_patterns.contains(site.patterns.pattern(&link.url).as_str())
            });
            let keys =
                boards.map(|link| (link.path.clone(), crate::address::list_key(&link.url, &site.slots)));
            keys.filter(|(_, key)| *key != site.list_keys[at]).collect()
        })
        .collect();
    let mut counts: Map<&(String, String), usize> = Map::default();
    for key in linked.iter().flatten() {
        *counts.entry(key).or_default() += 1;
    }
    let limit = (site.pages.len() as f64 * MENU_SHARE).max(2.0);
    let is_menu = |key: &(String, String)| counts[key] as f64 > limit;
    linked
        .iter()
        .map(|keys| keys.iter().filter(|key| !is_menu(key)).map(|(_, key)| key).collect::<Set<_>>().len())
        .collect()
}
