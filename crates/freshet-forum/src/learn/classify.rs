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
use super::column::Columns;
use super::site::Site;
use crate::definition::PageKind;
use crate::people::is_person_address;
use crate::record::{self, Record};

/// Text of a post that is on no link, in characters, on average.
const POST_CHARS_MIN: f64 = 15.0;
/// Text of a post that quotes, in characters, on average: rows of boards have less.
const PROSE_CHARS_MIN: f64 = 120.0;
/// Share of pages that link to an address before it counts as the site's menu.
const MENU_SHARE: f64 = 0.6;
/// Threads that pages without times link to, on average, before they are boards.
const THREADS_MIN: usize = 2;
/// Boards that a page lists before it is a portal.
const BOARDS_MIN: usize = 2;

/// Pages of one pattern.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    /// The pattern's number, and its text.
    pub(crate) number: u32,
    pub(crate) pattern: &'a str,
    pub(crate) pages: Vec<usize>,
    pub(crate) anchors: Vec<Candidate>,
    /// The records of each page by the best anchor.
    records: Vec<Vec<Record>>,
    pub(crate) kind: PageKind,
    /// The pattern that its titles lead to.
    pub(crate) lists: Option<u32>,
    record_count: usize,
    text_chars_mean: f64,
    /// Whether its addresses are those of people.
    is_people: bool,
}

impl<'a> Node<'a> {
    fn of(site: &'a Site<'a>, number: u32, pages: Vec<usize>) -> Self {
        let anchors = anchor::candidates(site, &pages);
        let of_page = |&at: &usize| {
            anchors.first().map(|best| record::records(&site.pages[at], &best.anchor)).unwrap_or_default()
        };
        let records: Vec<Vec<Record>> = pages.iter().map(of_page).collect();
        let mut columns = Columns::default();
        for (&at, records) in pages.iter().zip(&records) {
            columns.add(site, at, records);
        }
        let main = columns.title(site).and_then(|(_, column)| column.main_pattern(site));
        Self {
            number,
            pattern: site.patterns.names.text(number),
            anchors,
            records,
            kind: PageKind::Other,
            lists: main.filter(|it| *it != number),
            record_count: columns.record_count,
            text_chars_mean: columns.text_chars_mean(),
            is_people: pages.iter().all(|&at| is_person_address(&site.pages[at].url)),
            pages,
        }
    }

    /// Whether it may hold posts: times of day, text, and no titles.
    fn may_be_posts(&self) -> bool {
        self.has_times() && self.lists.is_none() && self.text_chars_mean >= POST_CHARS_MIN
    }

    /// Whether it holds posts though a link of each leads elsewhere, to the post that it quotes for instance: much text, and no page
    /// of what the links lead to was seen.
    fn may_be_quoting(&self, nodes: &[Node<'_>]) -> bool {
        let is_seen = |number: u32| nodes.iter().any(|node| node.number == number);
        self.has_times() && self.text_chars_mean >= PROSE_CHARS_MIN && !self.lists.is_some_and(is_seen)
    }

    /// Whether links of this pattern lead to its pages: they say what these say, but for options.
    fn is_linked_as(&self, site: &Site<'_>, pattern: u32) -> bool {
        let link = site.patterns.names.text(pattern).split_once('?');
        let (Some((path, said)), Some((own, all))) = (link, self.pattern.split_once('?')) else {
            return false;
        };
        let is_said = |part: &str| said.split('&').any(|it| it == part);
        let is_option = |part: &str| {
            let name = part.split('=').next().unwrap_or_default();
            let pairs = self.pages.iter().flat_map(|&at| site.pages[at].url.query_pairs());
            pairs.filter(|(key, _)| key == name).all(|(_, value)| is_option(&value))
        };
        path == own
            && said.contains('*')
            && said.split('&').all(|part| all.split('&').any(|it| it == part))
            && all.split('&').all(|part| is_said(part) || is_option(part))
    }

    fn has_times(&self) -> bool {
        let best = self.anchors.first();
        !self.is_people && best.is_some_and(|best| best.clock_share > 0.3 && best.score > 0.1)
    }
}

/// Whether a parameter says how something is shown, not what: a word, or yes or no. Whatever has a name has a number.
fn is_option(value: &str) -> bool {
    matches!(value, "0" | "1") || value.chars().all(|it| it.is_ascii_lowercase())
}

/// The nodes of a site, each with its kind; then the kind of every page.
pub(crate) fn classify<'a>(site: &'a Site<'a>) -> (Vec<Node<'a>>, Vec<PageKind>) {
    let mut by_pattern: Map<u32, Vec<usize>> = Map::default();
    for at in 0..site.pages.len() {
        by_pattern.entry(site.page_pattern_number(at)).or_default().push(at);
    }
    let mut nodes: Vec<Node<'_>> =
        by_pattern.into_iter().map(|(number, pages)| Node::of(site, number, pages)).collect();
    nodes.sort_by(|a, b| b.pages.len().cmp(&a.pages.len()).then_with(|| a.pattern.cmp(b.pattern)));
    let posts = with_links(site, &nodes, posts(site, &nodes));
    for node in &mut nodes {
        if posts.contains(&node.number) {
            node.kind = PageKind::Post;
        }
    }
    indexes(site, &mut nodes, &posts);
    let kinds = pages(site, &nodes);
    (nodes, kinds)
}

/// The patterns of threads: of their pages, and of links to them.
pub(crate) fn threads(site: &Site<'_>, nodes: &[Node<'_>]) -> Set<u32> {
    let posts = nodes.iter().filter(|node| node.kind == PageKind::Post).map(|node| node.number);
    with_links(site, nodes, posts.collect())
}

/// The patterns of some nodes, and those by which lists link to their pages and leave out options: a board links to `view?t=*`, and the
/// pages of that thread after the first are `view?order=asc&t=*`.
fn with_links(site: &Site<'_>, nodes: &[Node<'_>], mut patterns: Set<u32>) -> Set<u32> {
    let is_own = |number: u32| nodes.iter().any(|node| node.number == number);
    let of: Vec<&Node<'_>> = nodes.iter().filter(|node| patterns.contains(&node.number)).collect();
    let linked = nodes.iter().filter_map(|node| node.lists).filter(|it| !is_own(*it));
    let linked = linked.filter(|it| of.iter().any(|node| node.is_linked_as(site, *it)));
    patterns.extend(linked.collect::<Vec<_>>());
    patterns
}

/// The patterns of posts' pages.
fn posts(site: &Site<'_>, nodes: &[Node<'_>]) -> Set<u32> {
    let listed: Set<u32> = nodes.iter().filter_map(|node| node.lists).collect();
    let may_be: Vec<&Node<'_>> = nodes.iter().filter(|node| node.may_be_posts()).collect();
    let is_listed = |node: &&Node<'_>| {
        listed.contains(&node.number) || listed.iter().any(|link| node.is_linked_as(site, *link))
    };
    let chosen: Set<u32> = may_be.iter().copied().filter(is_listed).map(|node| node.number).collect();
    if !chosen.is_empty() {
        return chosen;
    }
    let quoting = nodes.iter().filter(is_listed).filter(|node| node.may_be_quoting(nodes));
    let quoting: Set<u32> = quoting.map(|node| node.number).collect();
    if !quoting.is_empty() {
        return quoting;
    }
    if let Some(largest) = may_be.iter().max_by_key(|node| node.record_count) {
        return Set::from_iter([largest.number]);
    }
    // Only indexes were sampled: what they list and what lists nothing are posts.
    let listing: Set<u32> =
        nodes.iter().filter(|node| node.lists.is_some()).map(|node| node.number).collect();
    listed.into_iter().filter(|it| !listing.contains(it)).collect()
}

fn indexes(site: &Site<'_>, nodes: &mut [Node<'_>], posts: &Set<u32>) {
    let named = named_by_posts(site, nodes);
    let lists_posts =
        |node: &Node<'_>| node.lists.is_some_and(|it| posts.contains(&it)) && node.kind == PageKind::Other;
    let has_named = nodes.iter().any(|node| lists_posts(node) && named.contains(path_of(node.pattern)));
    for node in nodes.iter_mut() {
        if lists_posts(node) && (!has_named || named.contains(path_of(node.pattern))) {
            node.kind = PageKind::Index;
        }
    }
    if nodes.iter().all(|node| node.kind != PageKind::Index) {
        timeless_indexes(site, nodes, posts, &named);
    }
}

/// Boards that show no times: what posts name, has many addresses, and links to several threads a page.
fn timeless_indexes(site: &Site<'_>, nodes: &mut [Node<'_>], posts: &Set<u32>, named: &Set<&str>) {
    for node in nodes.iter_mut().filter(|node| node.kind == PageKind::Other) {
        let threads: usize = node.pages.iter().map(|&at| linked_lists(site, at, posts)).sum();
        let is_named = named.contains(path_of(node.pattern)) && node.pattern.contains('*');
        if is_named && threads >= THREADS_MIN * node.pages.len() {
            node.kind = PageKind::Index;
            node.anchors.clear();
            node.records.iter_mut().for_each(Vec::clear);
        }
    }
}

/// A pattern without its parameters, unless they are all that it has.
fn path_of(pattern: &str) -> &str {
    let path = pattern.split('?').next().unwrap_or(pattern);
    if path.contains('*') { path } else { pattern }
}

/// Patterns that pages of posts link to outside their records; a board in another order is named by its board.
fn named_by_posts<'a>(site: &'a Site<'_>, nodes: &[Node<'_>]) -> Set<&'a str> {
    let mut named: Set<u32> = Set::default();
    for node in nodes.iter().filter(|node| node.kind == PageKind::Post) {
        for (&at, records) in node.pages.iter().zip(&node.records) {
            let is_inside = |link: usize| {
                let after = records.partition_point(|record| record.range.start <= link);
                after > 0 && records[after - 1].range.contains(&link)
            };
            let links = site.pages[at].links.iter().enumerate();
            let outside = links.filter(|(_, link)| !link.is_head && !is_inside(link.node));
            named.extend(outside.map(|(index, _)| site.link_pattern(at, index)));
        }
    }
    named.into_iter().map(|pattern| path_of(site.patterns.names.text(pattern))).collect()
}

/// The kind of every page: that of its node, unless the page itself says otherwise.
fn pages(site: &Site<'_>, nodes: &[Node<'_>]) -> Vec<PageKind> {
    let mut kinds = vec![PageKind::Other; site.pages.len()];
    let of_kind = |kind: PageKind| -> Set<u32> {
        nodes.iter().filter(|node| node.kind == kind).map(|node| node.number).collect()
    };
    let boards = linked_beside_menu(site, &of_kind(PageKind::Index));
    for node in nodes {
        for (&at, records) in node.pages.iter().zip(&node.records) {
            kinds[at] = match node.kind {
                PageKind::Post if records.is_empty() => PageKind::Other,
                PageKind::Index if records.is_empty() && boards[at] > 0 && !node.anchors.is_empty() => {
                    PageKind::Portal
                }
                kind => kind,
            };
        }
    }
    let posts = of_kind(PageKind::Post);
    let linked_threads = linked_beside_menu(site, &posts);
    let is_threads = |node: &&Node<'_>| node.lists.is_some_and(|it| posts.contains(&it));
    let threads: Set<u32> = nodes.iter().filter(is_threads).map(|node| node.number).collect();
    let may_be = |at: usize| kinds[at] == PageKind::Other && !threads.contains(&site.page_pattern_number(at));
    let portals: Vec<usize> = (0..kinds.len()).filter(|&at| may_be(at)).collect();
    let most = portals.iter().map(|&at| boards[at]).max().unwrap_or(0);
    for at in portals {
        // Beside each board stands at most its last thread; a page with more threads than boards lists threads.
        if boards[at] >= BOARDS_MIN && boards[at] * 2 >= most && boards[at] * 5 >= linked_threads[at] * 4 {
            kinds[at] = PageKind::Portal;
        }
    }
    kinds
}

/// How many lists of some patterns a page links to.
fn linked_lists(site: &Site<'_>, at: usize, patterns: &Set<u32>) -> usize {
    let indices = 0..site.pages[at].links.len();
    let lists = indices.filter(|&index| patterns.contains(&site.link_pattern(at, index)));
    lists.map(|index| site.link_list(at, index)).collect::<Set<_>>().len()
}

/// How many lists of some patterns each page links to, beside the site's menu and itself.
fn linked_beside_menu(site: &Site<'_>, patterns: &Set<u32>) -> Vec<usize> {
    let is_wanted: Vec<bool> =
        (0..site.patterns.names.len()).map(|pattern| patterns.contains(&(pattern as u32))).collect();
    let linked = |at: usize| -> Vec<(u32, u32)> {
        let links = site.pages[at].links.iter().enumerate();
        let wanted =
            links.filter(|(index, link)| !link.is_head && is_wanted[site.link_pattern(at, *index) as usize]);
        let keys = wanted.map(|(index, link)| (site.link_list(at, index), site.paths.number(at, link.path)));
        let mut keys: Vec<_> = keys.filter(|(list, _)| *list != site.page_list(at)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    let linked: Vec<Vec<(u32, u32)>> = (0..site.pages.len()).map(linked).collect();
    let mut counts: Map<(u32, u32), usize> = Map::default();
    for key in linked.iter().flatten() {
        *counts.entry(*key).or_default() += 1;
    }
    let limit = (site.pages.len() as f64 * MENU_SHARE).max(2.0);
    let is_menu = |key: &(u32, u32)| counts[key] as f64 > limit;
    let count = |keys: &Vec<(u32, u32)>| {
        let mut lists: Vec<u32> = keys.iter().filter(|key| !is_menu(key)).map(|(list, _)| *list).collect();
        lists.dedup();
        lists.len()
    };
    linked.iter().map(count).collect()
}
