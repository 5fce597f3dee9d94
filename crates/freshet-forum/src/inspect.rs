//! Step 6 of 10, read: a page and a definition give the page's kind, records and neighbours.
//!
//! The kind follows from the address first; a page whose address is unknown is compared by its layout (`sim(p, N) < δ` of
//! Algorithm 1). Then [`fields`] and this file read the records where the definition says they are, [`linked`] where the markup
//! shows none. Nothing is learned here, and a wrong definition gives empty lists and complaints, not errors.
//!
//! Times are seconds since 1970, beside the text they came from, the time as shown, and how the zone is known.
pub(crate) mod fields;
mod linked;

use serde::Serialize;

use crate::address::{self, Patterns, is_match, last_number, number_in};
use crate::definition::{ForumDefinition, ListDefinition, PageKind};
use crate::layout::{DELTA, Layout};
use crate::learn::column::is_person;
use crate::page::{Link, Page, Stamp};
use crate::pagination;
use crate::record::{Anchor, Record, records};
use crate::time::{Moment, Reader, Zone, scan};

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
    /// The thread, or the post's permalink.
    pub link: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// The thread's or post's id.
    pub id: Option<String>,
}

/// One page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageReading {
    /// What the page is.
    pub kind: PageKind,
    /// Its records.
    pub records: Vec<RecordReading>,
    /// The page after it.
    pub next_url: Option<String>,
    /// The page before it.
    pub prev_url: Option<String>,
    /// The last page of the list.
    pub last_url: Option<String>,
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
        reading.complaints.extend(pager.complaints);
    }
    reading
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
        let reader = Reader {
            day_order: definition.times.day_order,
            fetched_s: page.fetched_s,
            offset_s: page.offset_s.or(definition.times.offset_s),
        };
        Self { page, definition, patterns: Patterns::plain(&slots), reader }
    }

    fn has_pattern(&self, url: &url::Url, patterns: &[String]) -> bool {
        patterns.iter().any(|pattern| is_match(&self.patterns, pattern, url))
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
            let share = layout.share_of(&list.layout);
            let is_alike =
                !list.layout.is_empty() && 1.0 - share < DELTA && !self.records(kind, list).is_empty();
            is_alike.then_some((share, kind))
        };
        let found = [alike(PageKind::Index), alike(PageKind::Post)].into_iter().flatten();
        found.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(PageKind::Other, |(_, kind)| kind)
    }

    fn records(&self, kind: PageKind, list: &ListDefinition) -> Vec<RecordReading> {
        let mut found = fields::records_of(self.page, list);
        let mut readings: Vec<RecordReading> = Vec::new();
        if kind == PageKind::Post {
            readings.extend(self.opening(list, found.first()));
        } else {
            found.retain(|record| !self.is_board(record, list));
        }
        readings.extend(found.iter().map(|record| self.record(kind, list, record)));
        if kind == PageKind::Post && readings.is_empty() {
            readings = self.linked_records();
        }
        readings
    }

    /// Posts that only the page's linked data shows.
    fn linked_records(&self) -> Vec<RecordReading> {
        let posts = linked::posts(self.page.tree.linked_data());
        posts
            .into_iter()
            .map(|post| {
                let written = scan(&post.time).into_iter().next().map(|(_, written)| written);
                let moment = written.and_then(|it| self.reader.read(&it));
                let link = post.url.and_then(|it| address::resolve(&self.page.url, &it));
                RecordReading {
                    raw: Some(post.time),
                    author: post.author,
                    id: link.as_ref().and_then(number_in),
                    link: link.map(String::from),
                    ..Self::reading_of(moment)
                }
            })
            .collect()
    }

    /// The opening post that stands before the list.
    fn opening(&self, list: &ListDefinition, first: Option<&Record>) -> Option<RecordReading> {
        let limit = first.map_or(self.page.tree.len(), |it| it.range.start);
        list.openings.iter().find_map(|anchor: &Anchor| {
            let record = records(self.page, anchor).into_iter().find(|it| it.root < limit)?;
            let names = [anchor.path.clone()];
            let stamp = fields::time_of(self.page, &record, &names)?;
            let mut reading = self.reading(Some(stamp));
            reading.link = Some(self.page.url.to_string());
            reading.author = self.author(list, &record);
            Some(reading)
        })
    }

    /// Whether a row of an index is a board, not a thread.
    fn is_board(&self, record: &Record, list: &ListDefinition) -> bool {
        let links = self.page.links_in(&record.range);
        let Some(posts) = &self.definition.post else { return links.is_empty() };
        let own = address::list_key(&self.page.url, &list.page_numbers);
        let first = links.iter().find(|link| {
            let is_own = address::list_key(&link.url, &list.page_numbers) == own;
            !is_own && (self.has_pattern(&link.url, &posts.urls) || self.has_pattern(&link.url, &list.urls))
        });
        first.is_none_or(|link| !self.has_pattern(&link.url, &posts.urls))
    }

    fn record(&self, kind: PageKind, list: &ListDefinition, record: &Record) -> RecordReading {
        let mut reading = self.reading(fields::time_of(self.page, record, &list.times));
        if kind == PageKind::Index {
            let start = fields::time_of(self.page, record, &list.start_times);
            reading.start_local =
                start.and_then(|it| self.reader.read(&it.written)).map(|it| it.local_text());
        }
        let link = if kind == PageKind::Index { self.title(list, record) } else { self.permalink(record) };
        reading.id = match kind {
            PageKind::Index => link.as_ref().and_then(number_in),
            _ => self.post_id(record).or_else(|| link.as_ref().and_then(number_in)),
        };
        reading.link = link.map(String::from);
        reading.author = self.author(list, record);
        reading
    }

    fn reading(&self, stamp: Option<&Stamp>) -> RecordReading {
        let moment = stamp.and_then(|it| self.reader.read(&it.written));
        RecordReading { raw: stamp.map(|it| it.raw.clone()), ..Self::reading_of(moment) }
    }

    fn reading_of(moment: Option<Moment>) -> RecordReading {
        RecordReading {
            time: moment.map(|it| it.unix_s),
            local: moment.map(|it| it.local_text()),
            start_local: None,
            raw: None,
            zone: moment.map(|it| it.zone),
            link: None,
            author: None,
            id: None,
        }
    }

    fn title(&self, list: &ListDefinition, record: &Record) -> Option<url::Url> {
        let links = self.page.links_in(&record.range);
        let by_path = || links.iter().find(|link| list.links.contains(&link.path));
        let posts = self.definition.post.as_ref().map_or(&[][..], |posts| &posts.urls);
        let is_thread = |link: &&Link| self.has_pattern(&link.url, posts);
        let by_pattern = links
            .iter()
            .filter(is_thread)
            .find(|link| list.links.contains(&link.path))
            .or_else(|| links.iter().find(is_thread));
        by_pattern.or_else(by_path).map(|link| link.url.clone())
    }

    fn permalink(&self, record: &Record) -> Option<url::Url> {
        let is_same_host = |link: &&Link| link.url.host_str() == self.page.url.host_str();
        let links: Vec<&Link> = self.page.links_in(&record.range).iter().filter(is_same_host).collect();
        let id = self.post_id(record);
        let is_id_in = |text: &str| id.as_deref().is_some_and(|id| text.contains(id));
        // An address that names the post stays right when posts move to other pages; one with a page number does not.
        let is_lasting = |link: &&&Link| {
            link.url.fragment().is_some_and(is_id_in)
                && (link.url.query().is_some_and(is_id_in) || is_id_in(link.url.path()))
        };
        let is_here =
            |link: &&&Link| link.url.path() == self.page.url.path() && link.url.fragment().is_some();
        let is_named = |link: &&&Link| is_id_in(link.url.as_str());
        let found = links
            .iter()
            .find(is_lasting)
            .or_else(|| links.iter().filter(is_here).find(is_named))
            .or_else(|| links.iter().find(is_here))
            .or_else(|| links.iter().filter(|link| !is_person(link)).find(is_named));
        if let Some(link) = found {
            return Some(link.url.clone());
        }
        let anchor = self.element_id(record)?;
        let mut url = self.page.url.clone();
        url.set_fragment(Some(&anchor));
        Some(url)
    }

    /// The id of the element that holds a post, or of the empty anchor before it.
    fn element_id(&self, record: &Record) -> Option<String> {
        let tree = &self.page.tree;
        let named = |node: usize| {
            let id = tree
                .attribute(node, "id")
                .or_else(|| tree.attribute(node, "name").filter(|_| tree.tag(node) == "a"));
            id.filter(|id| id.bytes().any(|it| it.is_ascii_digit())).map(ToOwned::to_owned)
        };
        let before = record.root.checked_sub(1).filter(|&node| tree.tag(node) == "a");
        named(record.root)
            .or_else(|| before.and_then(named))
            .or_else(|| record.range.clone().take(12).find_map(named))
    }

    fn post_id(&self, record: &Record) -> Option<String> {
        let tree = &self.page.tree;
        let data = tree.attributes(record.root).find(|(name, value)| {
            name.starts_with("data-")
                && (name.ends_with("id"))
                && !value.is_empty()
                && value.bytes().all(|it| it.is_ascii_digit())
        });
        data.filter(|(name, _)| !name.contains("user") && !name.contains("uid"))
            .map(|(_, value)| value.to_owned())
            .or_else(|| self.element_id(record).as_deref().and_then(last_number))
    }

    fn author(&self, list: &ListDefinition, record: &Record) -> Option<String> {
        let tree = &self.page.tree;
        let marked = record.range.clone().find(|&node| tree.attribute(node, "itemprop") == Some("author"));
        let text = marked.map(|node| tree.text_in(node..tree.end(node), 80)).filter(|text| !text.is_empty());
        text.or_else(|| {
            let people: Vec<&Link> = self
                .page
                .links_in(&record.range)
                .iter()
                .filter(|link| is_person(link) && link.text.chars().count() > 1)
                .collect();
            let by_path = list.authors.iter().find_map(|path| people.iter().find(|link| link.path == *path));
            by_path.or(people.first()).map(|link| link.text.clone())
        })
    }
}
