//! The records of one list on one page, field by field: time, link, title, id, author.
//!
//! Everything is read by numbers of paths, looked up once a page, and nothing is copied before it is known to be wanted:
//! a crawl spends its time here and in the parser, and here should be less.

use url::Url;

use super::fields::{self, TimeColumn};
use super::{Inspector, RecordReading, linked, title};
use crate::address::{self, last_number, number_in};
use crate::definition::{ListDefinition, PageKind};
use crate::page::{Link, Page, PathId, Stamp};
use crate::people::{is_name, is_person};
use crate::record::{Anchor, Record, records};
use crate::time::{Moment, scan};

/// Characters of an author's name.
const AUTHOR_CHARS_MAX: usize = 80;
/// Nodes of a record, from its start, that may carry its id.
const ID_NODES_MAX: usize = 12;

/// Reads the records of one list.
pub(super) struct RecordReader<'a> {
    inspector: &'a Inspector<'a>,
    page: &'a Page,
    kind: PageKind,
    list: &'a ListDefinition,
    times: Vec<TimeColumn>,
    start_times: Vec<TimeColumn>,
    links: Vec<PathId>,
    authors: Vec<PathId>,
}

impl<'a> RecordReader<'a> {
    pub(super) fn of(inspector: &'a Inspector<'a>, kind: PageKind, list: &'a ListDefinition) -> Self {
        let page = inspector.page;
        Self {
            inspector,
            page,
            kind,
            list,
            times: TimeColumn::of(page, &list.times),
            start_times: TimeColumn::of(page, &list.start_times),
            links: page.paths.ids(&list.links),
            authors: page.paths.ids(&list.authors),
        }
    }

    pub(super) fn read(&self) -> Vec<RecordReading> {
        let found = fields::records_of(self.page, self.list);
        let mut readings: Vec<RecordReading> = Vec::with_capacity(found.len() + 1);
        if self.kind == PageKind::Post {
            readings.extend(self.opening(found.first()));
            readings.extend(found.iter().map(|record| self.post(record)));
        } else {
            let own = address::list_key(&self.page.url, &self.list.page_numbers);
            readings.extend(found.iter().filter_map(|record| self.thread(record, &own)));
        }
        if self.kind == PageKind::Post && readings.is_empty() {
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
                let moment = written.and_then(|it| self.inspector.reader.read(&it));
                let link = post.url.and_then(|it| address::resolve(&self.page.url, &it));
                RecordReading {
                    raw: Some(post.time),
                    author: post.author,
                    id: link.as_ref().and_then(number_in),
                    link: link.map(String::from),
                    text: post.text,
                    ..reading_of(moment)
                }
            })
            .collect()
    }

    /// The opening post that stands before the list.
    fn opening(&self, first: Option<&Record>) -> Option<RecordReading> {
        let limit = first.map_or(self.page.tree.len(), |it| it.range.start);
        self.list.openings.iter().find_map(|anchor: &Anchor| {
            let record = records(self.page, anchor).into_iter().find(|it| it.root < limit)?;
            let columns = TimeColumn::of(self.page, std::slice::from_ref(&anchor.path));
            let stamp = fields::time_of(self.page, &record, &columns)?;
            let mut reading = self.reading(Some(stamp));
            reading.link = Some(self.page.url.to_string());
            reading.author = self.author(&record);
            reading.nodes = record.range.clone();
            Some(reading)
        })
    }

    fn post(&self, record: &Record) -> RecordReading {
        let id = self.post_id(record);
        let link = self.permalink(record, id.as_deref());
        RecordReading {
            id: id.or_else(|| link.as_ref().and_then(number_in)),
            link: link.map(String::from),
            author: self.author(record),
            nodes: record.range.clone(),
            ..self.reading(fields::time_of(self.page, record, &self.times))
        }
    }

    /// A thread of a board; nothing where the row is a board.
    fn thread(&self, record: &Record, own: &str) -> Option<RecordReading> {
        let inspector = self.inspector;
        let links = self.page.links_in(&record.range);
        let threads = inspector.definition.post.as_ref().map(|posts| posts.urls.as_slice());
        let is_thread: Vec<bool> =
            links.iter().map(|it| inspector.has_pattern(&it.url, threads.unwrap_or_default())).collect();
        // The first link that leads to a thread or to another board says what the row is.
        let leading = links.iter().zip(&is_thread).find(|(link, is_thread)| {
            let is_own = || address::list_key(&link.url, &self.list.page_numbers) == own;
            (**is_thread || inspector.has_pattern(&link.url, &self.list.urls)) && !is_own()
        });
        let is_row = if threads.is_some() { leading.is_some_and(|it| *it.1) } else { !links.is_empty() };
        if !is_row {
            return None;
        }
        let start = fields::time_of(self.page, record, &self.start_times);
        let link = self.link(links, &is_thread);
        Some(RecordReading {
            start_local: start.and_then(|it| inspector.reader.read(&it.written)).map(|it| it.local_text()),
            id: link.and_then(|it| number_in(&it.url)),
            title: link.and_then(|link| title::of_links(self.page, link, links)),
            link: link.map(|it| it.url.as_str().to_owned()),
            author: self.author(record),
            nodes: record.range.clone(),
            ..self.reading(fields::time_of(self.page, record, &self.times))
        })
    }

    fn reading(&self, stamp: Option<&Stamp>) -> RecordReading {
        let moment = stamp.and_then(|it| self.inspector.reader.read(&it.written));
        RecordReading { raw: stamp.map(|it| it.raw.clone()), ..reading_of(moment) }
    }

    /// The link whose text is the title.
    fn link(&self, links: &'a [Link], is_thread: &[bool]) -> Option<&'a Link> {
        let is_title = |link: &&Link| self.links.contains(&link.path);
        let threads =
            || links.iter().zip(is_thread).filter(|(_, is_thread)| **is_thread).map(|(link, _)| link);
        let found = threads().find(is_title).or_else(|| threads().next());
        found.or_else(|| links.iter().find(is_title))
    }

    fn permalink(&self, record: &Record, id: Option<&str>) -> Option<Url> {
        let own = &self.page.url;
        let links = || {
            let all = self.page.links_in(&record.range).iter();
            all.filter(|link| link.url.host_str() == own.host_str())
        };
        let is_id_in = |text: &str| id.is_some_and(|id| text.contains(id));
        // An address that names the post stays right when posts move to other pages; one with a page number does not.
        let is_lasting = |link: &&Link| {
            link.url.fragment().is_some_and(is_id_in)
                && (link.url.query().is_some_and(is_id_in) || is_id_in(link.url.path()))
        };
        let is_here = |link: &&Link| link.url.fragment().is_some() && link.url.path() == own.path();
        let is_named = |link: &&Link| is_id_in(link.url.as_str());
        let found = links()
            .find(is_lasting)
            .or_else(|| links().filter(is_here).find(is_named))
            .or_else(|| links().find(is_here))
            .or_else(|| links().filter(is_named).find(|link| !is_person(self.page, link)));
        if let Some(link) = found {
            return Some(link.url.clone());
        }
        let anchor = self.element_id(record)?;
        let mut url = own.clone();
        url.set_fragment(Some(anchor));
        Some(url)
    }

    /// The id of the element that holds a post, or of the empty anchor before it.
    fn element_id(&self, record: &Record) -> Option<&'a str> {
        let tree = &self.page.tree;
        let named = |node: usize| {
            let id = tree
                .attribute(node, "id")
                .or_else(|| tree.attribute(node, "name").filter(|_| tree.tag(node) == "a"));
            id.filter(|id| id.bytes().any(|it| it.is_ascii_digit()))
        };
        let before = record.root.checked_sub(1).filter(|&node| tree.tag(node) == "a");
        named(record.root)
            .or_else(|| before.and_then(named))
            .or_else(|| record.range.clone().take(ID_NODES_MAX).find_map(named))
    }

    fn post_id(&self, record: &Record) -> Option<String> {
        let tree = &self.page.tree;
        let data = tree.attributes(record.root).find(|(name, value)| {
            name.starts_with("data-")
                && (name.ends_with("id") || name.ends_with("pk"))
                && !value.is_empty()
                && value.bytes().all(|it| it.is_ascii_digit())
        });
        data.filter(|(name, _)| !name.contains("user") && !name.contains("uid"))
            .map(|(_, value)| value.to_owned())
            .or_else(|| self.element_id(record).and_then(last_number))
    }

    fn author(&self, record: &Record) -> Option<String> {
        let tree = &self.page.tree;
        let itemprop = html5ever::local_name!("itemprop");
        let marked = record.range.clone().find(|&node| tree.named(node, &itemprop) == Some("author"));
        let text = marked.map(|node| tree.text_in(node..tree.end(node), AUTHOR_CHARS_MAX));
        text.filter(|text| !text.is_empty()).or_else(|| {
            let links = self.page.links_in(&record.range);
            let is_author = |link: &&Link| is_person(self.page, link) && is_name(self.page, link);
            let by_path = self
                .authors
                .iter()
                .find_map(|path| links.iter().filter(|link| link.path == *path).find(is_author));
            let found = by_path.or_else(|| links.iter().find(is_author));
            found.map(|link| self.page.link_text(link).into_owned())
        })
    }
}

fn reading_of(moment: Option<Moment>) -> RecordReading {
    RecordReading {
        time: moment.map(|it| it.unix_s),
        local: moment.map(|it| it.local_text()),
        start_local: None,
        raw: None,
        zone: moment.map(|it| it.zone),
        title: None,
        link: None,
        author: None,
        id: None,
        grain_s: moment.map_or(1, |it| it.grain_s),
        nodes: 0..0,
        text: None,
    }
}
