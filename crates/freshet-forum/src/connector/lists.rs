//! A front page or a board: what it leads to.

use freshet_types::{Complaint, Lead, Map, Page, RobotKind, Set, Span, Target, Timestamp};
use url::Url;

use super::{ForumConnector, POSTS, THREADS, relative};
use crate::address;
use crate::definition::PageKind;
use crate::inspect::{PageReading, RecordReading, title};
use crate::page;
use crate::time::Zone;

/// Lists that one page may lead to.
const LEADS_MAX: usize = 2_000;

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
        let lead = |(root_id, links): (String, Vec<&page::Link>)| Lead {
            endpoint: THREADS.into(),
            robot: RobotKind::Status,
            root_kind: "board".into(),
            root_id,
            title: title::best(links.into_iter().filter_map(|link| title::of_link(page, link))),
            active_at: None,
            grain: Span::ZERO,
        };
        boards.into_iter().map(lead).collect()
    }
}
