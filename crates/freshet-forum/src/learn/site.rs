//! The pages that a site is learned from, with what must be known before any list: slots, patterns, order of day and month.
//!
//! Everything that is asked of links and times more than once is worked out here once ([`super::numbers`]): the pattern and
//! the list of each address, the moment of each time.

use freshet_types::{Map, Set};

use super::numbers::{Addresses, Derived, SitePaths};
use crate::address::{self, Patterns, Slot};
use crate::page::{Page, PathId};
use crate::pagination::{self, Evidence};
use crate::people::{has_person_role, is_person_address};
use crate::time::order::{TimeList, day_order};
use crate::time::{DayOrder, Reader, Written};

/// A place of page numbers is believed from this weight on: numbers or `rel` once, or words on several pages.
const SLOT_WEIGHT_MIN: u32 = 3;
/// Links of a site that patterns are learned from.
const LINKS_MAX: usize = 50_000;
/// Share of pages that show the times of a box before it is the site's, and share of those times that pages of other lists show too.
const FRAME_SHARE: f64 = 0.6;
/// Lists that show one time before it is none of theirs: the last post of a thread stands there, on its board and on the front page.
const FRAME_LISTS_MIN: usize = 4;

/// All pages of a site.
#[derive(Debug)]
pub(crate) struct Site<'a> {
    pub(crate) pages: &'a [Page],
    /// Where page numbers stand, anywhere on the site.
    pub(crate) slots: Vec<Slot>,
    /// What each page says about them.
    pub(crate) evidence: Vec<Vec<(Slot, Evidence)>>,
    pub(crate) paths: SitePaths,
    pub(crate) addresses: Addresses<'a>,
    /// The pattern of each address.
    pub(crate) patterns: Derived,
    /// The list key of each address.
    pub(crate) lists: Derived,
    /// The key of each address.
    pub(crate) keys: Derived,
    /// Whether each address is that of a person.
    people: Vec<bool>,
    pub(crate) day_order: DayOrder,
    pub(crate) offset_s: Option<i32>,
    /// Seconds since 1970 of each page's times.
    times: Vec<Vec<Option<i64>>>,
    /// Paths of times that stand on most pages alike: of the box with the newest threads, of a clock.
    frame: Set<u32>,
}

impl<'a> Site<'a> {
    pub(crate) fn of(pages: &'a [Page]) -> Self {
        let evidence: Vec<_> = pages.iter().map(pagination::evidence).collect();
        let slots = slots(&evidence);
        let addresses = Addresses::of(pages);
        let lists = addresses.derive(|url| address::list_key(url, &slots));
        let own =
            pages.iter().enumerate().map(|(at, page)| (at, &page.url, lists.number(addresses.page(at))));
        let linked = pages.iter().enumerate().flat_map(|(at, page)| {
            let links = page.links.iter().enumerate();
            let own = links.filter(|(_, it)| it.url.host_str() == page.url.host_str());
            let (lists, addresses) = (&lists, &addresses);
            own.map(move |(index, link)| (at, &link.url, lists.number(addresses.link(at, index))))
        });
        let patterns = Patterns::learn(own.chain(linked.take(LINKS_MAX)), pages.len(), &slots);
        let patterns = addresses.derive(|url| patterns.pattern(url));
        let keys = addresses.derive(address::key);
        let people = addresses.ask(is_person_address);
        let (day_order, offset_s) = (order(pages), stated_offset(pages));
        let times: Vec<Vec<Option<i64>>> = pages
            .iter()
            .map(|page| {
                let reader = Reader { day_order, fetched_s: page.fetched_s, offset_s, is_estimated: false };
                page.stamps.iter().map(|stamp| reader.read(&stamp.written).map(|it| it.unix_s)).collect()
            })
            .collect();
        let paths = SitePaths::of(pages);
        let list_of = |at: usize| lists.number(addresses.page(at));
        let frame = frame(pages, &paths, &times, &list_of);
        Self {
            pages,
            slots,
            evidence,
            paths,
            addresses,
            patterns,
            lists,
            keys,
            people,
            day_order,
            offset_s,
            times,
            frame,
        }
    }

    /// Whether the times of this path are those of the site, on whatever page they stand.
    pub(crate) fn is_frame(&self, path: u32) -> bool {
        self.frame.contains(&path)
    }

    /// Seconds since 1970 of a page's time.
    pub(crate) fn unix_s(&self, page: usize, stamp: usize) -> Option<i64> {
        self.times[page][stamp]
    }

    /// The pattern of a page's address.
    pub(crate) fn page_pattern(&self, page: usize) -> &str {
        self.patterns.names.text(self.page_pattern_number(page))
    }

    pub(crate) fn page_pattern_number(&self, page: usize) -> u32 {
        self.patterns.number(self.addresses.page(page))
    }

    /// The list of a page.
    pub(crate) fn page_list(&self, page: usize) -> u32 {
        self.lists.number(self.addresses.page(page))
    }

    /// The pattern of where a link leads.
    pub(crate) fn link_pattern(&self, page: usize, link: usize) -> u32 {
        self.patterns.number(self.addresses.link(page, link))
    }

    /// Whether a link leads to a person.
    pub(crate) fn is_person(&self, page: usize, link: usize) -> bool {
        let address = self.addresses.link(page, link) as usize;
        self.people[address] || has_person_role(&self.pages[page], &self.pages[page].links[link])
    }

    /// The list that a link leads to.
    pub(crate) fn link_list(&self, page: usize, link: usize) -> u32 {
        self.lists.number(self.addresses.link(page, link))
    }
}

fn slots(evidence: &[Vec<(Slot, Evidence)>]) -> Vec<Slot> {
    let mut weights: Map<&Slot, u32> = Map::default();
    for (slot, evidence) in evidence.iter().flatten() {
        *weights.entry(slot).or_default() += match evidence {
            Evidence::Word => 1,
            Evidence::Numbers | Evidence::Relation => SLOT_WEIGHT_MIN,
        };
    }
    let weight_min = SLOT_WEIGHT_MIN.min(evidence.len() as u32);
    let mut slots: Vec<Slot> = weights
        .into_iter()
        .filter(|(_, weight)| *weight >= weight_min)
        .map(|(slot, _)| slot.clone())
        .collect();
    slots.sort_unstable();
    slots
}

/// The paths of times that most pages show alike, whatever they list: one that is a list's own shows what no other list does.
fn frame(
    pages: &[Page],
    paths: &SitePaths,
    times: &[Vec<Option<i64>>],
    list_of: &dyn Fn(usize) -> u32,
) -> Set<u32> {
    // The lists that showed a time at a path, as many as matter.
    let mut shown: Map<(u32, i64), Vec<u32>> = Map::default();
    let stamps = |at: usize| {
        let of_page = pages[at].stamps.iter().enumerate();
        of_page.map(move |(index, stamp)| (paths.number(at, stamp.path), times[at][index]))
    };
    for at in 0..pages.len() {
        let list = list_of(at);
        for (path, time) in stamps(at) {
            let Some(time) = time else { continue };
            let lists = shown.entry((path, time)).or_default();
            if lists.len() < FRAME_LISTS_MIN && !lists.contains(&list) {
                lists.push(list);
            }
        }
    }
    // Of each path its pages, its times, and how many of them stand in other lists too.
    let mut tallies: Map<u32, (usize, usize, usize)> = Map::default();
    for at in 0..pages.len() {
        let mut of_page: Set<u32> = Set::default();
        for (path, time) in stamps(at) {
            let is_common = time.is_some_and(|time| shown[&(path, time)].len() >= FRAME_LISTS_MIN);
            let tally = tallies.entry(path).or_default();
            let page_count = tally.0 + usize::from(of_page.insert(path));
            *tally = (page_count, tally.1 + 1, tally.2 + usize::from(is_common));
        }
    }
    let is_share = |part: usize, whole: usize| part as f64 >= FRAME_SHARE * whole as f64;
    let is_frame = |(page_count, count, common_count): (usize, usize, usize)| {
        is_share(page_count, pages.len()) && is_share(common_count, count)
    };
    tallies.into_iter().filter(|(_, tally)| is_frame(*tally)).map(|(path, _)| path).collect()
}

/// The order of day and month that all pages together show. Only times that can be read both ways have a say.
fn order(pages: &[Page]) -> DayOrder {
    let mut lists: Vec<(Vec<Written>, Option<i64>)> = Vec::new();
    for page in pages {
        let mut by_path: Map<PathId, Vec<Written>> = Map::default();
        for stamp in page.stamps.iter().filter(|stamp| stamp.written.is_ambiguous()) {
            by_path.entry(stamp.path).or_default().push(stamp.written);
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
