//! Where the text of a post stands, and whether its id is its own.
//!
//! A record holds more than what its author wrote: name, time, buttons, signature. These come again in other records;
//! what an author writes hardly ever does. So texts that occur in one record only are counted, and the body is the
//! smallest element that holds most of them, once in nearly every record. No name of a class is known.
//!
//! An id that is read from a page may count the posts of one thread (`#1`, `#2`). If two threads of the sample have an
//! id in common, ids are unique in their threads only, and the thread becomes part of them.

use freshet_types::{Map, Set};

use super::site::Site;
use crate::definition::{BODY_STEPS, PageKind};
use crate::inspect::PageReading;
use crate::record::Record;

/// Records looked at; more say nothing new.
const RECORDS_MAX: usize = 400;
/// Share of what only one record says that the body must hold.
const UNIQUE_SHARE_MIN: f64 = 0.7;
/// Share of records that must have exactly one such element.
const SINGLE_SHARE_MIN: f64 = 0.85;

/// Elements that are part of a text: a post of one paragraph is not all there is.
const PARTS: [&str; 12] =
    ["p", "span", "blockquote", "b", "i", "em", "strong", "a", "pre", "code", "li", "ul"];

/// Threads without a common id before ids are believed to be the site's own.
const THREADS_MIN: usize = 2;

#[derive(Clone, Copy, Debug, Default)]
struct BodyTally {
    unique_chars: usize,
    all_chars: usize,
    single_count: usize,
    depth_sum: usize,
}

/// The path of the body, if one place holds most of what authors write.
pub(crate) fn find(site: &Site<'_>, found: &[(usize, Vec<Record>)]) -> Option<String> {
    let records: Vec<(usize, &Record)> = found
        .iter()
        .flat_map(|(at, records)| records.iter().map(|record| (*at, record)))
        .take(RECORDS_MAX)
        .collect();
    let mut counts: Map<&str, usize> = Map::default();
    for (at, record) in &records {
        let tree = &site.pages[*at].tree;
        let texts: Set<&str> =
            record.range.clone().filter_map(|node| tree.text(node)).map(str::trim).collect();
        for text in texts {
            *counts.entry(text).or_default() += 1;
        }
    }
    let mut tallies: Map<String, BodyTally> = Map::default();
    let mut unique_chars = 0;
    for (at, record) in &records {
        unique_chars += tally(site, *at, record, &counts, &mut tallies);
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let is_body = |own_tally: &BodyTally| {
        share(own_tally.unique_chars, unique_chars) >= UNIQUE_SHARE_MIN
            && share(own_tally.single_count, records.len()) >= SINGLE_SHARE_MIN
    };
    let is_part = |path: &str| PARTS.contains(&path.rsplit('/').next().unwrap_or_default());
    let found = tallies.into_iter().filter(|(path, own_tally)| is_body(own_tally) && !is_part(path));
    // Of elements around the same text the innermost; of those at one depth the first by name.
    let key = |own_tally: &BodyTally| (own_tally.all_chars, usize::MAX - own_tally.depth_sum);
    found.min_by(|a, b| key(&a.1).cmp(&key(&b.1)).then_with(|| a.0.cmp(&b.0))).map(|(path, _)| path)
}

/// Adds the elements of one record to the places; gives how much of it no other record says.
fn tally(
    site: &Site<'_>,
    at: usize,
    record: &Record,
    counts: &Map<&str, usize>,
    tallies: &mut Map<String, BodyTally>,
) -> usize {
    let page = &site.pages[at];
    let tree = &page.tree;
    let is_unique = |text: &&str| counts.get(text.trim()) == Some(&1);
    let chars = |range: std::ops::Range<usize>| {
        let texts = range.filter_map(|node| tree.text(node));
        texts.fold((0, 0), |(all, unique), text| {
            let count = text.trim().chars().count();
            (all + count, unique + if is_unique(&text) { count } else { 0 })
        })
    };
    let mut own: Map<String, (usize, usize, usize, usize)> = Map::default();
    for node in record.range.clone().filter(|&node| tree.text(node).is_none()) {
        let (all, unique) = chars(node..tree.end(node));
        let depth = tree.ancestors(node).count();
        let own_tally = own.entry(page.steps.path(tree, node, BODY_STEPS)).or_default();
        *own_tally = (own_tally.0 + 1, own_tally.1 + all, own_tally.2 + unique, depth);
    }
    for (path, (count, all, unique, depth)) in own {
        let own_tally = tallies.entry(path).or_default();
        own_tally.all_chars += all;
        own_tally.unique_chars += unique;
        own_tally.single_count += usize::from(count == 1);
        own_tally.depth_sum += depth;
    }
    chars(record.range.clone()).1
}

/// Whether ids of posts are unique in their threads only: two threads have one in common, or too few threads were seen to
/// tell. To take local ids for the site's own would make one post of many; the other mistake costs nothing.
pub(crate) fn has_local_ids(site: &Site<'_>, readings: &[PageReading]) -> bool {
    let mut threads: Map<&str, u32> = Map::default();
    let posts = readings.iter().enumerate().filter(|(_, it)| it.kind == PageKind::Post);
    let is_common = posts.into_iter().any(|(at, reading)| {
        let thread = site.page_list(at);
        let mut ids = reading.records.iter().filter_map(|record| record.id.as_deref());
        ids.any(|id| *threads.entry(id).or_insert(thread) != thread)
    });
    is_common || threads.values().collect::<Set<_>>().len() < THREADS_MIN
}
