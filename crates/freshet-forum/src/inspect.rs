//! Step 6 of 10, read: a page and a definition give the page's kind, records and neighbours.
//!
//! The kind follows from the address first; a page whose address is unknown is compared by its layout (`sim(p, N) < δ` of
//! Algorithm 1). Then [`fields`] and [`records`] read the records where the definition says they are, [`linked`] where the markup
//! shows none. Nothing is learned here, and a wrong definition gives empty lists and complaints, not errors.
//!
//! Times are seconds since 1970, beside the text they came from, the time as shown, and how the zone is known.

pub(crate) mod fields;
mod linked;
mod records;
pub(crate) mod title;

use serde::Serialize;
use url::Url;

use crate::address::Patterns;
use crate::definition::{BODY_STEPS, ForumDefinition, ListDefinition, PageKind, is_false};
use crate::layout::{DELTA, Layout};
use crate::page::Page;
use crate::pagination;
use crate::time::{Reader, Zone};
use records::RecordReader;

/// Characters of one post's text.
pub const TEXT_CHARS_MAX: usize = 200_000;

/// One record of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordReading {
    /// Seconds since 1970.
    pub time: Option<i64>,
    /// As shown, ISO 8601.
    pub local: Option<String>,
    /// When a thread was started, as shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_local: Option<String>,
    /// The text that the time was read from.
    pub raw: Option<String>,
    /// How the zone is known.
    pub zone: Option<Zone>,
    /// What the page calls a thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The thread, or the post's permalink.
    pub link: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// The thread's or post's id.
    pub id: Option<String>,
    /// How coarsely the time is written.
    #[serde(skip)]
    pub grain_s: i64,
    /// Its nodes on the page; none where only linked data shows it.
    #[serde(skip)]
    pub nodes: std::ops::Range<usize>,
    /// Its text, where only linked data shows it.
    #[serde(skip)]
    pub text: Option<String>,
}

/// One page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageReading {
    /// What the page is.
    pub kind: PageKind,
    pub records: Vec<RecordReading>,
    /// The page after it.
    pub next_url: Option<String>,
    /// The page before it.
    pub prev_url: Option<String>,
    /// The last page of the list.
    pub last_url: Option<String>,
    /// The page says that its list goes on, and no link leads there: its end is not the end of the list.
    #[serde(skip_serializing_if = "is_false")]
    pub is_broken_off: bool,
    /// What could not be used.
    pub complaints: Vec<String>,
}

/// Reads a page.
pub fn inspect(page: &Page, definition: &ForumDefinition) -> PageReading {
    let inspector = Inspector::of(page, definition);
    let (kind, known) = inspector.kind();
    let mut reading = PageReading {
        kind,
        records: Vec::new(),
        next_url: None,
        prev_url: None,
        last_url: None,
        is_broken_off: false,
        complaints: Vec::new(),
    };
    reading.complaints.extend(page.tree.cut().map(ToOwned::to_owned));
    if let Some(list) = definition.list(kind) {
        reading.records = known.unwrap_or_else(|| inspector.records(kind, list));
        if reading.records.is_empty() {
            reading.complaints.push("no records found on a page whose address says it has some".to_owned());
        }
        let pager = pagination::pager(page, &list.page_numbers, list.is_next_in_head);
        (reading.next_url, reading.prev_url, reading.last_url) = (pager.next, pager.previous, pager.last);
        reading.is_broken_off = pager.is_broken_off;
        reading.complaints.extend(pager.complaints);
    }
    reading
}

/// The text of a post on the page that was read: of its body where that is known, else all of the record.
pub fn text_of(page: &Page, list: &ListDefinition, record: &RecordReading) -> String {
    if let Some(text) = &record.text {
        return text.clone();
    }
    let tree = &page.tree;
    let is_body = |node: &usize| {
        let is_path = |path: &String| page.steps.is_path(tree, *node, BODY_STEPS, path);
        tree.text(*node).is_none() && list.bodies.iter().any(is_path)
    };
    match record.nodes.clone().find(is_body) {
        Some(body) => tree.text_in(body..tree.end(body), TEXT_CHARS_MAX),
        None => tree.text_in(record.nodes.clone(), TEXT_CHARS_MAX),
    }
}

/// What is known about the times of a page.
pub(crate) fn reader_of(page: &Page, definition: &ForumDefinition) -> Reader {
    Reader {
        day_order: definition.times.day_order,
        fetched_s: page.fetched_s,
        offset_s: page.offset_s.or(definition.times.offset_s),
        is_estimated: page.offset_s.is_none() && definition.times.offset_certainty.is_some(),
    }
}

struct Inspector<'a> {
    page: &'a Page,
    definition: &'a ForumDefinition,
    patterns: Patterns,
    reader: Reader,
}

impl<'a> Inspector<'a> {
    fn of(page: &'a Page, definition: &'a ForumDefinition) -> Self {
        let lists = [&definition.index, &definition.post].into_iter().flatten();
        let slots: Vec<_> = lists.flat_map(|list| list.page_numbers.iter().cloned()).collect();
        Self { page, definition, patterns: Patterns::plain(&slots), reader: reader_of(page, definition) }
    }

    fn has_pattern(&self, url: &Url, patterns: &[String]) -> bool {
        self.patterns.is_any(patterns, url)
    }

    /// The kind, and the records where telling it took reading them.
    fn kind(&self) -> (PageKind, Option<Vec<RecordReading>>) {
        let list_of = |kind: PageKind| {
            self.definition.list(kind).filter(|list| self.has_pattern(&self.page.url, &list.urls))
        };
        if let Some(list) = list_of(PageKind::Post) {
            let records = self.records(PageKind::Post, list);
            return if records.is_empty() {
                (PageKind::Other, None)
            } else {
                (PageKind::Post, Some(records))
            };
        }
        if let Some(list) = list_of(PageKind::Index) {
            let records = self.records(PageKind::Index, list);
            let is_portal =
                records.is_empty() && self.has_pattern(&self.page.url, &self.definition.portal.urls);
            return if is_portal { (PageKind::Portal, None) } else { (PageKind::Index, Some(records)) };
        }
        if self.has_pattern(&self.page.url, &self.definition.portal.urls) {
            return (PageKind::Portal, None);
        }
        if self.has_pattern(&self.page.url, &self.definition.other.urls) {
            return (PageKind::Other, None);
        }
        (self.kind_by_layout(), None)
    }

    /// The kind of a page whose address is unknown: `sim(p, N) < δ` of Algorithm 1, and records to show for it.
    fn kind_by_layout(&self) -> PageKind {
        let layout = Layout::of(self.page);
        let alike = |kind: PageKind| {
            let list = self.definition.list(kind)?;
            let share = layout.share_of(self.page, &list.layout);
            let is_alike =
                !list.layout.is_empty() && 1.0 - share < DELTA && !self.records(kind, list).is_empty();
            is_alike.then_some((share, kind))
        };
        let found = [alike(PageKind::Index), alike(PageKind::Post)].into_iter().flatten();
        found.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(PageKind::Other, |(_, kind)| kind)
    }

    fn records(&self, kind: PageKind, list: &'a ListDefinition) -> Vec<RecordReading> {
        RecordReader::of(self, kind, list).read()
    }
}
