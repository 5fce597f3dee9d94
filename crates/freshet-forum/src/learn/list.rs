//! From the pages of one kind to the definition of their lists.

use std::borrow::Cow;
use std::cmp::Reverse;

use freshet_types::{Map, Set};

use super::anchor::{self, Candidate};
use super::body;
use super::classify::{self, Node};
use super::column::Columns;
use super::opening;
use super::site::Site;
use crate::address::Slot;
use crate::definition::{ListDefinition, ListOrder, PageKind};
use crate::inspect::fields::{self, TimeColumn};
use crate::pagination;
use crate::people::is_name;
use crate::record::{self, Anchor, Record};
use crate::time::order::Sequence;

/// Share of the best anchor's score that another needs to be kept beside it.
const ANCHOR_SHARE_MIN: f64 = 0.02;
/// Share of the best anchor's score that other anchors of a board need.
const INDEX_SHARE_MIN: f64 = 0.3;
/// Other anchors of a board that are kept.
const INDEX_ANCHORS_MAX: usize = 3;
/// Threads that one record of a board may link to, on average.
const THREADS_A_RECORD_MAX: usize = 2;
/// Share of records that a column of times needs.
const TIME_COVERAGE_MIN: f64 = 0.2;
/// Places of authors' links that are kept.
const AUTHORS_MAX: usize = 2;
/// Share of neighbouring records in order before the order is relied on.
const ORDER_MIN: f64 = 0.6;

/// The definition of one kind of list; nothing when no page is of that kind.
pub(crate) fn define(
    site: &Site<'_>,
    nodes: &[Node<'_>],
    kinds: &[PageKind],
    kind: PageKind,
) -> Option<ListDefinition> {
    let posts = classify::threads(site, nodes);
    let nodes: Vec<&Node<'_>> = nodes.iter().filter(|node| node.kind == kind).collect();
    let pages: Vec<usize> = (0..kinds.len()).filter(|&at| kinds[at] == kind).collect();
    if pages.is_empty() {
        return None;
    }
    let mut anchors = anchors(site, &nodes, &pages, kind);
    let is_thread = |at: usize, index: usize| posts.contains(&site.link_pattern(at, index));
    if kind == PageKind::Index && !posts.is_empty() {
        anchors.retain(|anchor| holds(site, &pages, anchor, &is_thread));
    }
    let mut urls: Vec<String> = nodes.iter().map(|node| node.pattern.to_owned()).collect();
    if kind == PageKind::Post {
        let mut linked: Vec<&str> = posts.iter().map(|it| site.patterns.names.text(*it)).collect();
        linked.retain(|it| !urls.iter().any(|known| known == it));
        linked.sort_unstable();
        urls.extend(linked.into_iter().map(str::to_owned));
    }
    let mut list = ListDefinition { urls, records: anchors, ..ListDefinition::default() };
    let found: Vec<(usize, Vec<Record>)> =
        pages.iter().map(|&at| (at, fields::records_of(&site.pages[at], &list))).collect();
    if kind == PageKind::Index {
        index_times(site, &found, &mut list);
        list.links = titles(site, &found).into_iter().collect();
    } else {
        list.times = list.records.iter().map(|anchor| anchor.path.clone()).collect();
        list.openings = opening::find(site, &found, &list).into_iter().collect();
        list.bodies = body::find(site, &found).into_iter().collect();
    }
    list.authors = authors(site, &found);
    if kind == PageKind::Index && list.records.is_empty() {
        list.links = thread_links(site, &pages, &is_thread).into_iter().collect();
    }
    order(site, &found, &mut list);
    paging(site, &pages, &mut list);
    Some(list)
}

/// The anchors of a kind: the best of each node; for posts, chosen over all nodes together.
fn anchors(site: &Site<'_>, nodes: &[&Node<'_>], pages: &[usize], kind: PageKind) -> Vec<Anchor> {
    // Where all pages of one node are of the kind, and no others, they were ranked already.
    let known = nodes.iter().find(|node| node.pages == pages && !node.anchors.is_empty());
    let ranked: Cow<'_, [Candidate]> = match known {
        Some(node) => Cow::Borrowed(&node.anchors),
        None => Cow::Owned(anchor::candidates(site, pages)),
    };
    let best = ranked.first().map_or(0.0, |it| it.score);
    let mut anchors: Vec<Anchor> = Vec::new();
    let mut add = |candidate: &Candidate| {
        if !anchors.iter().any(|known| known.path == candidate.anchor.path) {
            anchors.push(candidate.anchor.clone());
        }
    };
    // Not every thread has every time: of the anchors of a board, the one that finds most on a page counts.
    let is_near = |it: &&Candidate| kind == PageKind::Index && it.score >= INDEX_SHARE_MIN * best;
    ranked.iter().take(1).for_each(&mut add);
    ranked.iter().skip(1).filter(is_near).take(INDEX_ANCHORS_MAX).for_each(&mut add);
    for node in nodes {
        let is_kept = |it: &&Candidate| kind == PageKind::Index || it.score >= ANCHOR_SHARE_MIN * best;
        node.anchors.iter().take(1).filter(is_kept).for_each(&mut add);
    }
    anchors
}

/// Whether a link, by its page and its place there, is a wanted one.
type IsWanted<'a> = &'a dyn Fn(usize, usize) -> bool;

/// Whether most records of an anchor hold a wanted link, and few: a page that holds them all is no record.
fn holds(site: &Site<'_>, pages: &[usize], anchor: &Anchor, is_wanted: IsWanted<'_>) -> bool {
    let (mut holding, mut all, mut threads) = (0, 0, 0);
    for &at in pages {
        for found in record::records(&site.pages[at], anchor) {
            let links = site.pages[at].link_range(&found.range).filter(|&index| is_wanted(at, index));
            let held = links.map(|index| site.link_list(at, index)).collect::<Set<_>>().len();
            all += 1;
            threads += held;
            holding += usize::from(held > 0);
        }
    }
    holding * 2 >= all && threads <= holding * THREADS_A_RECORD_MAX
}

/// The path of links to threads, where no time anchors the records.
fn thread_links(site: &Site<'_>, pages: &[usize], is_thread: IsWanted<'_>) -> Option<String> {
    let mut counts: Map<u32, usize> = Map::default();
    for &at in pages {
        for (index, link) in site.pages[at].links.iter().enumerate() {
            if !link.is_head && is_thread(at, index) {
                *counts.entry(site.paths.number(at, link.path)).or_default() += 1;
            }
        }
    }
    let counts = counts.into_iter().map(|(path, count)| (count, Reverse(site.paths.names.text(path))));
    counts.max().map(|(_, path)| path.0.to_owned())
}

/// Which column of times is the last activity, which the first post.
fn index_times(site: &Site<'_>, found: &[(usize, Vec<Record>)], list: &mut ListDefinition) {
    let mut columns: Map<(u32, usize), (usize, usize, usize)> = Map::default();
    let mut record_count = 0;
    for (at, records) in found {
        let page = &site.pages[*at];
        for record in records {
            record_count += 1;
            let times: Vec<((u32, usize), i64)> = fields::time_columns(page, record)
                .filter(|(_, index)| !page.stamps[*index].is_noise)
                .filter_map(|(column, index)| {
                    Some(((site.paths.number(*at, column.path), column.turn), site.unix_s(*at, index)?))
                })
                .collect();
            let Some(latest) = times.iter().map(|it| it.1).max() else { continue };
            let earliest = times.iter().map(|it| it.1).min().unwrap_or(latest);
            for (column, time) in times {
                let tally = columns.entry(column).or_default();
                tally.0 += 1;
                tally.1 += usize::from(time == latest);
                tally.2 += usize::from(time == earliest);
            }
        }
    }
    let mut kept: Vec<(String, (usize, usize, usize))> = columns
        .into_iter()
        .filter(|(_, tally)| tally.0 as f64 >= TIME_COVERAGE_MIN * f64::from(record_count))
        .map(|((path, turn), tally)| (TimeColumn::name(site.paths.names.text(path), turn), tally))
        .collect();
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    // The column that is latest in most records first; of equals the one that more records have.
    kept.sort_by(|a, b| {
        let key = |it: &(usize, usize, usize)| (share(it.1, it.0) * 20.0).round() as i64;
        key(&b.1).cmp(&key(&a.1)).then(b.1.0.cmp(&a.1.0)).then_with(|| a.0.cmp(&b.0))
    });
    list.times = kept.iter().map(|(name, _)| name.clone()).collect();
    let is_start =
        |tally: &(usize, usize, usize)| share(tally.2, tally.0) > 0.95 && share(tally.1, tally.0) < 0.95;
    list.start_times =
        kept.iter().filter(|(_, tally)| is_start(tally)).map(|(name, _)| name.clone()).collect();
}

/// Where the links of threads are.
fn titles(site: &Site<'_>, found: &[(usize, Vec<Record>)]) -> Option<String> {
    let mut columns = Columns::default();
    for (at, records) in found {
        columns.add(site, *at, records);
    }
    columns.title(site).map(|(path, _)| site.paths.names.text(path).to_owned())
}

/// Where the links of authors are: at most two places that at least half of the records have.
fn authors(site: &Site<'_>, found: &[(usize, Vec<Record>)]) -> Vec<String> {
    let record_count: usize = found.iter().map(|(_, records)| records.len()).sum();
    let mut people: Map<u32, usize> = Map::default();
    for (at, records) in found {
        let page = &site.pages[*at];
        for index in records.iter().flat_map(|record| page.link_range(&record.range)) {
            let link = &page.links[index];
            if site.is_person(*at, index) && is_name(page, link) {
                *people.entry(site.paths.number(*at, link.path)).or_default() += 1;
            }
        }
    }
    let people = people.into_iter().filter(|(_, count)| *count * 2 >= record_count);
    let mut people: Vec<(Reverse<usize>, &str)> =
        people.map(|(path, count)| (Reverse(count.min(record_count)), site.paths.names.text(path))).collect();
    people.sort_unstable();
    people.into_iter().take(AUTHORS_MAX).map(|(_, path)| path.to_owned()).collect()
}

fn order(site: &Site<'_>, found: &[(usize, Vec<Record>)], list: &mut ListDefinition) {
    let mut sequence = Sequence::default();
    for (at, records) in found {
        let page = &site.pages[*at];
        let columns = TimeColumn::of(page, &list.times);
        let times: Vec<i64> = records
            .iter()
            .filter_map(|it| fields::time_at(page, it, &columns))
            .filter_map(|it| site.unix_s(*at, it))
            .collect();
        sequence.add(&times);
    }
    list.order = match sequence.order() {
        order if order >= ORDER_MIN => ListOrder::OldestFirst,
        order if order <= -ORDER_MIN => ListOrder::NewestFirst,
        _ => ListOrder::Mixed,
    };
}

fn paging(site: &Site<'_>, pages: &[usize], list: &mut ListDefinition) {
    let mut weights: Map<&Slot, usize> = Map::default();
    for &at in pages {
        for (slot, _) in site.evidence[at].iter().filter(|(slot, _)| site.slots.contains(slot)) {
            *weights.entry(slot).or_default() += 1;
        }
    }
    let most = weights.values().max().copied().unwrap_or(0);
    list.page_numbers = weights
        .into_iter()
        .filter(|(_, weight)| *weight * 10 >= most)
        .map(|(slot, _)| slot.clone())
        .collect();
    list.page_numbers.sort_unstable();
    list.is_next_in_head = pages.iter().any(|&at| pagination::has_head_relation(&site.pages[at]));
}
