//! Opening posts that stand apart from the list of replies.
//!
//! Many forums draw the first post of a thread differently from its replies; anchors of replies do not find it. It shows itself
//! by a time that stands before the list on the first page of (nearly) every thread and is earlier than the first record. A
//! time that equals the first record's is the head of the page, which repeats when the thread was started; one that is later
//! is a clock.

use freshet_types::Map;

use super::site::Site;
use crate::definition::ListDefinition;
use crate::inspect::fields::{self, TimeColumn};
use crate::page::PathId;
use crate::record::{Anchor, Record};

/// Tenths of first pages that must have the opening post.
const PAGE_TENTHS_MIN: usize = 8;
/// First pages that are needed to tell an opening post from the head of a page.
const PAGES_MIN: usize = 2;
/// Where no first page was seen, what the time stands in must be a post: so much text, as a share of that of a record. The head of a page
/// tells when its thread was started, too.
const TEXT_SHARE_MIN: f64 = 0.5;
/// Characters of a text that are counted.
const TEXT_CHARS_MAX: usize = 2_000;
/// Levels from an opening post's time to what is read as its record.
const UP_COUNT: usize = 1;

/// How a time before the list compares with the list's first record, over all first pages.
#[derive(Default)]
struct Tally {
    pages: usize,
    earlier: usize,
    equal: usize,
    later: usize,
    /// Of the element that it stands in.
    chars: usize,
}

impl Tally {
    fn is_opening(&self, page_count: usize) -> bool {
        let compared = self.earlier + self.equal + self.later;
        self.pages * 10 >= page_count * PAGE_TENTHS_MIN
            && compared > 0
            && self.earlier * 10 >= compared * PAGE_TENTHS_MIN
            && self.equal * 4 < compared
    }
}

/// Where opening posts are, if they stand apart.
pub(super) fn find(site: &Site<'_>, found: &[(usize, Vec<Record>)], list: &ListDefinition) -> Option<Anchor> {
    let key = |at: usize| site.keys.names.text(site.keys.number(site.addresses.page(at)));
    let is_first = |at: usize| key(at) == site.lists.names.text(site.page_list(at));
    let has_first = found.iter().any(|(at, _)| is_first(*at));
    let mut tallies: Map<u32, Tally> = Map::default();
    let mut page_count = 0;
    let (mut record_chars, mut record_count) = (0, 0);
    for (at, records) in found.iter().filter(|(at, _)| !has_first || is_first(*at)) {
        page_count += 1;
        let tree = &site.pages[*at].tree;
        let chars = records.iter().map(|record| tree.chars_in(record.range.clone(), TEXT_CHARS_MAX));
        record_chars += chars.sum::<usize>();
        record_count += records.len();
        add(site, *at, records, list, &mut tallies);
    }
    let text_min = TEXT_SHARE_MIN * record_chars as f64 / record_count.max(1) as f64;
    let has_text = |tally: &Tally| has_first || tally.chars as f64 >= text_min * tally.pages as f64;
    // On one page the start of the thread in the page's head looks the same, unless it is drawn like a reply.
    let is_alike = |path: &str| list.records.iter().any(|anchor| ends(&anchor.path) == ends(path));
    let openings = tallies
        .into_iter()
        .map(|(path, tally)| (site.paths.names.text(path), tally))
        .filter(|(_, tally)| tally.is_opening(page_count) && has_text(tally))
        .filter(|(path, _)| page_count >= PAGES_MIN || is_alike(path));
    let best = openings.max_by_key(|(path, tally)| (tally.pages, std::cmp::Reverse(*path)))?;
    Some(Anchor { path: best.0.to_owned(), up_count: UP_COUNT })
}

/// The last two steps of a path.
fn ends(path: &str) -> Vec<&str> {
    path.rsplit('/').take(2).collect()
}

fn add(site: &Site<'_>, at: usize, records: &[Record], list: &ListDefinition, tallies: &mut Map<u32, Tally>) {
    let page = &site.pages[at];
    let start = records.first().map_or(page.tree.len(), |it| it.range.start);
    let columns = TimeColumn::of(page, &list.times);
    let first = records.first().and_then(|it| fields::time_at(page, it, &columns));
    let first_s = first.and_then(|it| site.unix_s(at, it));
    let mut seen: Vec<PathId> =
        list.records.iter().filter_map(|anchor| page.paths.id(&anchor.path)).collect();
    for (index, stamp) in page.stamps.iter().enumerate().take_while(|(_, stamp)| stamp.node < start) {
        if stamp.is_noise || !stamp.written.has_clock() || seen.contains(&stamp.path) {
            continue;
        }
        seen.push(stamp.path);
        let Some(time_s) = site.unix_s(at, index) else { continue };
        let tally = tallies.entry(site.paths.number(at, stamp.path)).or_default();
        tally.pages += 1;
        // The largest element around it that ends before the list.
        let around = page.tree.ancestors(stamp.node).take_while(|it| page.tree.end(*it) <= start);
        let block = around.last().unwrap_or(stamp.node);
        tally.chars += page.tree.chars_in(block..page.tree.end(block), TEXT_CHARS_MAX);
        // The head of a page may show the start of its thread without seconds.
        match first_s {
            Some(first_s) if time_s.div_euclid(60) < first_s.div_euclid(60) => tally.earlier += 1,
            Some(first_s) if time_s <= first_s => tally.equal += 1,
            Some(_) => tally.later += 1,
            None => {}
        }
    }
}
