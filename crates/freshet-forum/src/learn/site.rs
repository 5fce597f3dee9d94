//! The pages that a site is learned from, with what must be known before any list: slots, patterns, order of day and month.

use freshet_types::Map;

use crate::address::{self, Patterns, Slot};
use crate::page::{Page, Stamp};
use crate::pagination::{self, Evidence};
use crate::time::order::{TimeList, day_order};
use crate::time::{DayOrder, Reader, Written};

/// A place of page numbers is believed from this weight on: numbers or `rel` once, or words on several pages.
const SLOT_WEIGHT_MIN: u32 = 3;
/// Links of a site that patterns are learned from.
const LINKS_MAX: usize = 50_000;

/// All pages of a site.
#[derive(Debug)]
pub(crate) struct Site<'a> {
    pub(crate) pages: &'a [Page],
    /// Where page numbers stand, anywhere on the site.
    pub(crate) slots: Vec<Slot>,
    pub(crate) patterns: Patterns,
    /// The pattern of each page's address.
    pub(crate) page_patterns: Vec<String>,
    /// The list key of each page's address.
    pub(crate) list_keys: Vec<String>,
    pub(crate) day_order: DayOrder,
    pub(crate) offset_s: Option<i32>,
}

impl<'a> Site<'a> {
    pub(crate) fn of(pages: &'a [Page]) -> Self {
        let slots = slots(pages);
        let own = pages.iter().enumerate().map(|(at, page)| (at, &page.url));
        let linked = pages.iter().enumerate().flat_map(|(at, page)| {
            page.links
                .iter()
                .filter(|it| it.url.host_str() == page.url.host_str())
                .map(move |link| (at, &link.url))
        });
        let patterns = Patterns::learn(own.chain(linked.take(LINKS_MAX)), pages.len(), &slots);
        let page_patterns = pages.iter().map(|page| patterns.pattern(&page.url)).collect();
        let list_keys = pages.iter().map(|page| address::list_key(&page.url, &slots)).collect();
        let offset_s = stated_offset(pages);
        Self { pages, slots, patterns, page_patterns, list_keys, day_order: order(pages), offset_s }
    }

    /// Reads the times of a page.
    pub(crate) fn reader(&self, page: &Page) -> Reader {
        Reader { day_order: self.day_order, fetched_s: page.fetched_s, offset_s: self.offset_s }
    }

    /// Seconds since 1970 of a stamp.
    pub(crate) fn unix_s(&self, page: &Page, stamp: &Stamp) -> Option<i64> {
        self.reader(page).read(&stamp.written).map(|moment| moment.unix_s)
    }
}

fn slots(pages: &[Page]) -> Vec<Slot> {
    let mut weights: Map<Slot, u32> = Map::default();
    for page in pages {
        for (slot, evidence) in pagination::evidence(page) {
            *weights.entry(slot).or_default() += match evidence {
                Evidence::Word => 1,
                Evidence::Numbers | Evidence::Relation => SLOT_WEIGHT_MIN,
            };
        }
    }
    let weight_min = SLOT_WEIGHT_MIN.min(pages.len() as u32);
    let mut slots: Vec<Slot> =
        weights.into_iter().filter(|(_, weight)| *weight >= weight_min).map(|(slot, _)| slot).collect();
    slots.sort_unstable();
    slots
}

/// The order of day and month that all pages together show.
fn order(pages: &[Page]) -> DayOrder {
    let mut lists: Vec<(Vec<Written>, Option<i64>)> = Vec::new();
    for page in pages {
        let mut by_path: Map<&str, Vec<Written>> = Map::default();
        for stamp in &page.stamps {
            by_path.entry(&stamp.path).or_default().push(stamp.written);
        }
        lists.extend(by_path.into_values().map(|times| (times, page.fetched_s)));
    }
    let lists: Vec<_> =
        lists.iter().map(|(times, fetched_s)| TimeList { times, fetched_s: *fetched_s }).collect();
    day_order(&lists).unwrap_or_default()
}

/// The offset that most pages state, when most state one.
fn stated_offset(pages: &[Page]) -> Option<i32> {
    let mut counts: Map<i32, usize> = Map::default();
    for offset_s in pages.iter().filter_map(|page| page.offset_s) {
        *counts.entry(offset_s).or_default() += 1;
    }
    let (offset_s, count) = counts.into_iter().max_by_key(|(offset_s, count)| (*count, *offset_s))?;
    (count * 2 > pages.len()).then_some(offset_s)
}
