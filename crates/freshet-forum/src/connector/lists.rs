//! A front page or a board: what it leads to.

use std::ops::Range;

use freshet_types::{Complaint, Lead, Map, Page, RobotKind, Set, Span, Target, Timestamp};
use url::Url;

use super::{ForumConnector, POSTS, THREADS, relative};
use crate::address;
use crate::definition::PageKind;
use crate::inspect::{PageReading, RecordReading, reader_of, title};
use crate::page;
use crate::time::Zone;
use crate::tree::NodeId;

/// Lists that one page may lead to.
const LEADS_MAX: usize = 2_000;
/// Times in the row of a board; what has more is a list of something else beside a link to a board.
const ROW_TIMES_MAX: usize = 3;

impl ForumConnector {
    pub(super) fn read_lists(
        &self,
        target: &Target<'_>,
        page: &page::Page,
        reading: &PageReading,
        mut read: Page,
    ) -> Page {
        let mut seen: Set<String> = Set::default();
        read.title = title::heading(page, self.slots(target));
        if reading.kind == PageKind::Index {
            let threads = reading.records.iter().filter_map(|record| Self::thread(target, record));
            read.observation.leads.extend(threads.filter(|lead| seen.insert(lead.root_id.clone())));
        }
        let boards = self.boards(target, page).into_iter().filter(|lead| seen.insert(lead.root_id.clone()));
        read.observation.leads.extend(boards);
        read.observation.leads.truncate(LEADS_MAX);
        if read.observation.leads.is_empty() {
            read.complaints.push(Complaint::new("page", "it leads to no board and to no thread"));
        }
        read
    }

    fn thread(target: &Target<'_>, record: &RecordReading) -> Option<Lead> {
        let url = Url::parse(record.link.as_deref()?).ok()?;
        let grain_s = record.grain_s.max(1);
        // What counts back lies up to one unit before the time it says.
        let back_s = if record.zone == Some(Zone::Relative) { grain_s } else { 0 };
        Some(Lead {
            endpoint: POSTS.into(),
            robot: RobotKind::Comment,
            root_kind: "thread".into(),
            root_id: relative(target, &url)?,
            title: record.title.clone(),
            active_at: record.time.map(|time| Timestamp::from_secs(time.saturating_sub(back_s))),
            grain: Span::from_secs(grain_s),
        })
    }

    /// Boards that the page links to: addresses of the boards' pattern, without page numbers. An icon and a name may both
    /// lead to one; the name is its title.
    fn boards(&self, target: &Target<'_>, page: &page::Page) -> Vec<Lead> {
        let Some(index) = &self.definition.index else { return Vec::new() };
        let own = address::list_key(&page.url, &index.page_numbers);
        let posts = self.definition.post.as_ref().map_or(&[][..], |posts| &posts.urls);
        let has = |patterns: &[String], url: &Url| self.patterns.is_any(patterns, url);
        let front = self.definition.front.as_deref().and_then(|front| Url::parse(front).ok());
        let front = front.map(|front| address::key(&front));
        let is_board = |url: &Url| {
            let key = address::list_key(url, &index.page_numbers);
            key != own
                && front.as_deref() != Some(key.as_str())
                && key == address::key(url)
                && has(&index.urls, url)
                && !has(posts, url)
        };
        let links = page.links.iter().filter(|link| !link.is_head && is_board(&link.url));
        let mut indices: Map<String, usize> = Map::default();
        let mut boards: Vec<(String, Vec<&page::Link>)> = Vec::new();
        for (id, link) in links.filter_map(|link| Some((relative(target, &link.url)?, link))) {
            let index = *indices.entry(id.clone()).or_insert(boards.len());
            if index == boards.len() {
                boards.push((id, Vec::new()));
            }
            boards[index].1.push(link);
        }
        let rows = Rows::of(&boards);
        let lead = |(number, (root_id, links)): (usize, (String, Vec<&page::Link>))| {
            let (active_at, grain) = self.activity(page, &rows, number, &links).unzip();
            Lead {
                endpoint: THREADS.into(),
                robot: RobotKind::Status,
                root_kind: "board".into(),
                root_id,
                title: title::best(links.into_iter().filter_map(|link| title::of_link(page, link))),
                active_at,
                grain: grain.unwrap_or(Span::ZERO),
            }
        };
        boards.into_iter().enumerate().map(lead).collect()
    }

    /// When something last happened on a board, and how coarsely that is written: the newest time in its row.
    fn activity(
        &self,
        page: &page::Page,
        rows: &Rows,
        number: usize,
        links: &[&page::Link],
    ) -> Option<(Timestamp, Span)> {
        let reader = reader_of(page, &self.definition);
        let row = |link: &&page::Link| rows.around(page, link.node, number);
        let ranges = links.iter().filter_map(row).map(|row| page.stamp_range(&row));
        let stamps = ranges.filter(|range| range.len() <= ROW_TIMES_MAX).flatten();
        let stamps = stamps.map(|at| &page.stamps[at]).filter(|stamp| !stamp.is_noise);
        let moment = stamps.filter_map(|stamp| reader.read(&stamp.written)).max_by_key(|it| it.unix_s)?;
        let grain_s = moment.grain_s.max(1);
        let back_s = if moment.zone == Zone::Relative { grain_s } else { 0 };
        Some((Timestamp::from_secs(moment.unix_s.saturating_sub(back_s)), Span::from_secs(grain_s)))
    }
}

/// Which board each link of a page leads to, in the order of the page.
struct Rows(Vec<(NodeId, usize)>);

impl Rows {
    fn of(boards: &[(String, Vec<&page::Link>)]) -> Self {
        let links = boards
            .iter()
            .enumerate()
            .flat_map(|(number, (_, links))| links.iter().map(move |link| (link.node, number)));
        let mut links: Vec<_> = links.collect();
        links.sort_unstable();
        Self(links)
    }

    /// The row of a board: the largest part of the page around its link that leads to no other board. Of a page with a single board all
    /// would be its row, so there is none.
    fn around(&self, page: &page::Page, node: NodeId, number: usize) -> Option<Range<NodeId>> {
        let is_alone = |range: &Range<NodeId>| {
            let from = self.0.partition_point(|(node, _)| *node < range.start);
            let to = self.0.partition_point(|(node, _)| *node < range.end);
            self.0[from..to].iter().all(|(_, other)| *other == number)
        };
        let parts = page.tree.ancestors(node).map(|at| at..page.tree.end(at));
        let row = parts.take_while(is_alone).last()?;
        let has_others = self.0.iter().any(|(_, other)| *other != number);
        has_others.then_some(row)
    }
}
