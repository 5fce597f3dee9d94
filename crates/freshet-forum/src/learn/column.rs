//! The columns of a list: what stands at the same place in each of its records.
//!
//! A column of links is told by where its links lead and what they read: the title of a thread leads somewhere else in every
//! record and reads differently in each; an author's name comes up again; a button reads the same everywhere; a permalink
//! leads to the page itself. These are facts about lists, not about any forum software.

use freshet_types::{Map, Set};
use url::Url;

use super::site::Site;
use crate::address;
use crate::page::{Link, Page};
use crate::record::Record;

/// Share of records that must have a column's link.
const COVERAGE_MIN: f64 = 0.7;
/// Share of different targets in a column of titles; pinned threads come up on several pages.
const DISTINCT_MIN: f64 = 0.6;
/// Words that name people, in addresses and classes.
const PEOPLE: [&str; 9] =
    ["user", "member", "author", "profil", "poster", "avatar", "people", "nick", "contributor"];
/// A segment of an address that is longer than this is a title, whatever words are in it.
const SEGMENT_CHARS_MAX: usize = 14;

/// Characters of a record that are counted.
const RECORD_CHARS_MAX: usize = 2_000;

/// Whether a link leads to a person.
pub(crate) fn is_person(link: &Link) -> bool {
    is_person_address(&link.url) || PEOPLE.iter().any(|word| link.role.contains(word))
}

/// Whether an address is that of a person: a short segment or a parameter names people.
pub(crate) fn is_person_address(url: &Url) -> bool {
    let names = |text: &str| {
        let lowered = text.to_ascii_lowercase();
        PEOPLE.iter().any(|word| lowered.contains(word))
    };
    let segments = address::segments(url);
    let has_segment = segments
        .iter()
        .any(|it| *it == "u" || (it.len() <= SEGMENT_CHARS_MAX && !it.contains('-') && names(it)));
    // Some write their parameters with semicolons.
    let query = url.query().unwrap_or_default();
    let has_pair = query.split(['&', ';']).filter_map(|pair| pair.split_once('=')).any(|(name, value)| {
        // A whole address as a value is what somebody shares.
        let is_short = value.len() <= SEGMENT_CHARS_MAX;
        (is_short && (matches!(name, "u" | "uid") || names(value))) || names(name)
    });
    has_segment || has_pair
}

/// Links at one place of the records.
#[derive(Debug, Default)]
pub(crate) struct LinkColumn {
    /// Records that have it.
    pub(crate) record_count: usize,
    /// Links to the list's own pages.
    self_count: usize,
    /// Links to people.
    pub(crate) person_count: usize,
    /// Links that read a time, a number or nothing.
    dull_count: usize,
    targets: Set<String>,
    texts: Set<String>,
    /// Patterns of where they lead.
    pub(crate) patterns: Map<String, usize>,
    /// Sum of the places among the links of the record.
    place_sum: usize,
}

/// The link columns of some pages' records, and how many records there are.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    pub(crate) links: Map<String, LinkColumn>,
    pub(crate) record_count: usize,
    text_chars: usize,
}

impl Columns {
    /// Adds the records of one page.
    pub(crate) fn add(&mut self, site: &Site<'_>, at: usize, records: &[Record]) {
        let page = &site.pages[at];
        for record in records {
            self.record_count += 1;
            let mut seen: Set<&str> = Set::default();
            let mut link_chars = 0;
            for (place, link) in page.links_in(&record.range).iter().enumerate() {
                link_chars += link.text.chars().count();
                if link.url.host_str() == page.url.host_str() && seen.insert(&link.path) {
                    self.links.entry(link.path.clone()).or_default().add(site, at, link, place);
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
    pub(crate) fn title(&self) -> Option<(&str, &LinkColumn)> {
        let titles = self.links.iter().filter(|(_, column)| column.is_title(self.record_count));
        let place = |column: &LinkColumn| column.place_sum as f64 / column.record_count.max(1) as f64;
        titles
            .min_by(|a, b| place(a.1).total_cmp(&place(b.1)).then_with(|| a.0.cmp(b.0)))
            .map(|(path, column)| (path.as_str(), column))
    }
}

impl LinkColumn {
    fn add(&mut self, site: &Site<'_>, at: usize, link: &Link, place: usize) {
        let page = &site.pages[at];
        self.record_count += 1;
        self.place_sum += place;
        let key = address::list_key(&link.url, &site.slots);
        self.self_count += usize::from(
            key == site.list_keys[at] || link.url.path() == page.url.path() && link.url.fragment().is_some(),
        );
        self.person_count += usize::from(is_person(link));
        self.dull_count += usize::from(is_dull(page, link));
        self.targets.insert(key);
        self.texts.insert(link.text.clone());
        *self.patterns.entry(site.patterns.pattern(&link.url)).or_default() += 1;
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
    pub(crate) fn main_pattern(&self) -> Option<&str> {
        self.patterns
            .iter()
            .max_by_key(|(pattern, count)| (**count, std::cmp::Reverse(*pattern)))
            .map(|(pattern, _)| pattern.as_str())
    }
}

/// Whether a link reads a time, a number or nothing.
fn is_dull(page: &Page, link: &Link) -> bool {
    let letters = link.text.chars().filter(|c| c.is_alphabetic()).count();
    let is_time = !page.stamps_in(&(link.node..page.tree.end(link.node))).is_empty()
        && crate::time::scan(&link.text).len() == 1;
    letters < 2 || is_time
}
