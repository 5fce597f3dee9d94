//! The columns of a list: what stands at the same place in each of its records.
//!
//! A column of links is told by where its links lead and what they read: the title of a thread leads somewhere else in every
//! record and reads differently in each; an author's name comes up again; a button reads the same everywhere; a permalink
//! leads to the page itself. These are facts about lists, not about any forum software.

use std::borrow::Cow;
use std::cmp::Reverse;

use freshet_types::{Map, Set};

use super::site::Site;
use crate::page::{Link, Page, PathId};
use crate::record::Record;

/// Share of records that must have a column's link.
const COVERAGE_MIN: f64 = 0.7;
/// Share of different targets in a column of titles; pinned threads come up on several pages.
const DISTINCT_MIN: f64 = 0.6;
/// Characters of a record that are counted.
const RECORD_CHARS_MAX: usize = 2_000;

/// Links at one place of the records.
#[derive(Debug, Default)]
pub(crate) struct LinkColumn<'a> {
    /// Records that have it.
    pub(crate) record_count: usize,
    /// Links to the list's own pages.
    self_count: usize,
    /// Links to people.
    pub(crate) person_count: usize,
    /// Links that read a time, a number or nothing.
    dull_count: usize,
    /// Lists that they lead to.
    targets: Set<u32>,
    texts: Set<Cow<'a, str>>,
    /// Patterns of where they lead.
    patterns: Map<u32, usize>,
    /// Sum of the places among the links of the record.
    index_sum: usize,
}

/// The link columns of some pages' records, by the numbers of their paths, and how many records there are.
#[derive(Debug, Default)]
pub(crate) struct Columns<'a> {
    links: Map<u32, LinkColumn<'a>>,
    pub(crate) record_count: usize,
    text_chars: usize,
}

impl<'a> Columns<'a> {
    /// Adds the records of one page.
    pub(crate) fn add(&mut self, site: &Site<'a>, at: usize, records: &[Record]) {
        let page = &site.pages[at];
        let mut seen: Vec<PathId> = Vec::new();
        for record in records {
            self.record_count += 1;
            seen.clear();
            let mut link_chars = 0;
            let range = page.link_range(&record.range);
            for index in range.clone() {
                let link = &page.links[index];
                let text = page.link_text(link);
                link_chars += text.chars().count();
                if link.url.host_str() == page.url.host_str() && !seen.contains(&link.path) {
                    seen.push(link.path);
                    let column = self.links.entry(site.paths.number(at, link.path)).or_default();
                    column.record_count += 1;
                    column.index_sum += index - range.start;
                    column.add(site, at, index, text);
                }
            }
            let chars = page.tree.chars_in(record.range.clone(), RECORD_CHARS_MAX);
            self.text_chars += chars.saturating_sub(link_chars);
        }
    }

    /// Characters of a record that are on no link, on average.
    pub(crate) fn text_chars_mean(&self) -> f64 {
        self.text_chars as f64 / self.record_count.max(1) as f64
    }

    /// The column of titles: the first that leads elsewhere in each record.
    pub(crate) fn title(&self, site: &Site<'a>) -> Option<(u32, &LinkColumn<'a>)> {
        let titles = self.links.iter().filter(|(_, column)| column.is_title(self.record_count));
        let mean_index =
            |column: &LinkColumn<'_>| column.index_sum as f64 / column.record_count.max(1) as f64;
        let name = |path: u32| site.paths.names.text(path);
        titles
            .min_by(|a, b| {
                mean_index(a.1).total_cmp(&mean_index(b.1)).then_with(|| name(*a.0).cmp(name(*b.0)))
            })
            .map(|(path, column)| (*path, column))
    }
}

impl<'a> LinkColumn<'a> {
    fn add(&mut self, site: &Site<'a>, at: usize, index: usize, text: Cow<'a, str>) {
        let page = &site.pages[at];
        let link = &page.links[index];
        let list = site.link_list(at, index);
        self.self_count += usize::from(
            list == site.page_list(at) || link.url.path() == page.url.path() && link.url.fragment().is_some(),
        );
        self.person_count += usize::from(site.is_person(at, index));
        self.dull_count += usize::from(is_dull(page, link, &text));
        self.targets.insert(list);
        self.texts.insert(text);
        *self.patterns.entry(site.link_pattern(at, index)).or_default() += 1;
    }

    fn is_title(&self, record_count: usize) -> bool {
        let share = |part: usize| part as f64 / self.record_count.max(1) as f64;
        record_count >= 2
            && self.record_count as f64 >= COVERAGE_MIN * record_count as f64
            && share(self.targets.len()) >= DISTINCT_MIN
            && share(self.texts.len()) >= DISTINCT_MIN
            && share(self.self_count) < 0.3
            && share(self.person_count) < 0.5
            && share(self.dull_count) < 0.5
    }

    /// The pattern that most of its links have.
    pub(crate) fn main_pattern(&self, site: &Site<'a>) -> Option<u32> {
        let name = |pattern: u32| site.patterns.names.text(pattern);
        let most = self.patterns.iter().max_by_key(|(pattern, count)| (**count, Reverse(name(**pattern))));
        most.map(|(pattern, _)| *pattern)
    }
}

/// Whether a link reads a time, a number or nothing.
fn is_dull(page: &Page, link: &Link, text: &str) -> bool {
    let has_letters = text.chars().filter(|c| c.is_alphabetic()).nth(1).is_some();
    let has_stamp = || !page.stamps_in(&(link.node..page.tree.end(link.node))).is_empty();
    !has_letters || (has_stamp() && crate::time::scan(text).len() == 1)
}
