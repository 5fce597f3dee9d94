//! Numbers in a row: `1, 2, [3] … 9`, where each leads to a page of the list and one, without a link, is the page itself.
//!
//! Many forums write no word for the next page, and many addresses do not say which page they are. A row of rising numbers
//! says both: the number that is no link, or leads here, is this page's, and the next one is the next page. What the links
//! of a row have in common among themselves shows where the number stands, whatever the page's own address looks like.
//!
//! A row of page numbers beside a thread in a board has no number without a link, and is not this page's.

use std::ops::Range;

use url::Url;

use crate::address::{self, Slot, Turner, loose_turn};
use crate::page::{Link, Page};

use super::is_even;

/// Nodes between two numbers of a row.
const GAP_NODES_MAX: usize = 24;
/// Texts looked at before and after a row for the number of the page itself.
const EDGE_TEXTS_MAX: usize = 4;
/// Rows of one page that are looked at; more come from rows of threads.
const ROWS_MAX: usize = 400;

/// A row of numbers.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// What is read, and the link; rising.
    links: Vec<(i64, &'a Link)>,
    /// The number of the page itself.
    pub(super) current: Option<i64>,
}

/// Where a row's number stands, and what stands beside it.
pub(super) struct Place {
    pub(super) slot: Slot,
    pub(super) beside: Vec<Slot>,
}

/// The rows of a page that are its own.
pub(super) fn own_rows(page: &Page) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for link in page.links.iter().filter(|link| !link.is_head) {
        let Some(number) = super::number_on(page, link) else { continue };
        let gap = rows.last().and_then(|row| Gap::between(page, row, number, link));
        if let (Some(row), Some(gap)) = (rows.last_mut(), gap) {
            row.current = row.current.or(gap.current);
            row.links.push((number, link));
        } else if rows.len() < ROWS_MAX {
            rows.push(Row { links: vec![(number, link)], current: None });
        } else {
            break;
        }
    }
    let own = address::key(&page.url);
    for row in &mut rows {
        row.current =
            row.current.or_else(|| row.current_at_edge(page)).or_else(|| row.current_by_link(page, &own));
    }
    rows.retain(|row| row.current.is_some() && row.is_here(page));
    rows
}

/// What stands between two numbers of one row.
struct Gap {
    current: Option<i64>,
}

impl Gap {
    fn between(page: &Page, row: &Row<'_>, number: i64, link: &Link) -> Option<Self> {
        let (last, before) = row.links.last()?;
        let start = page.tree.end(before.node);
        if number <= *last || link.node < start || link.node - start > GAP_NODES_MAX {
            return None;
        }
        let mut current = None;
        for text in (start..link.node).filter_map(|node| page.tree.text(node)) {
            if text.chars().any(char::is_alphabetic) {
                return None;
            }
            current = current.or_else(|| lone_number(text).filter(|it| (last + 1..number).contains(it)));
        }
        Some(Self { current })
    }
}

impl<'a> Row<'a> {
    fn range(&self, page: &Page) -> Range<usize> {
        let (first, last) = (self.links.first(), self.links.last());
        first.map_or(0, |it| it.1.node)..last.map_or(0, |it| page.tree.end(it.1.node))
    }

    /// The number right before the row or right after it; before it also one that is left apart from it (`1 … 8 9`).
    fn current_at_edge(&self, page: &Page) -> Option<i64> {
        let range = self.range(page);
        let (first, last) = (self.links.first()?.0, self.links.last()?.0);
        let start = range.start.saturating_sub(GAP_NODES_MAX);
        let end = page.tree.len().min(range.end + GAP_NODES_MAX);
        let (before, is_apart) = near(page, (start..range.start).rev()).unzip();
        let before = before.filter(|it| *it == first - 1 || (is_apart == Some(true) && *it < first));
        before.or_else(|| near(page, range.end..end).map(|it| it.0).filter(|it| *it == last + 1))
    }

    /// The number whose link leads here.
    fn current_by_link(&self, page: &Page, own: &str) -> Option<i64> {
        let is_here = |link: &Link| address::key(&link.url) == own;
        let here = self.links.iter().find(|(_, link)| is_here(link));
        let is_marked = |link: &Link| {
            page.has_role(link, |class| {
                let words = class.split(|c: char| !c.is_ascii_alphabetic());
                words.into_iter().any(|it| MARKS.iter().any(|mark| it.eq_ignore_ascii_case(mark)))
            })
        };
        here.or_else(|| self.links.iter().find(|(_, link)| is_marked(link))).map(|(number, _)| *number)
    }

    /// Whether the row leads to pages of the part of the site that this page is in.
    fn is_here(&self, page: &Page) -> bool {
        let own = address::segments(&page.url);
        self.links.iter().all(|(_, link)| {
            let host = link.url.host_str() == page.url.host_str();
            host && address::segments(&link.url).first() == own.first()
        })
    }

    /// The link with this number.
    pub(super) fn link(&self, number: i64) -> Option<&'a Link> {
        self.links.iter().find(|(it, _)| *it == number).map(|(_, link)| *link)
    }

    /// The largest number.
    pub(super) fn last(&self) -> Option<(i64, &'a Link)> {
        self.links.last().copied()
    }

    /// The number of the page and the largest, where the row goes on after the page; one link alone proves no row.
    pub(super) fn beyond(&self) -> Option<(i64, i64)> {
        let (current, (last, _)) = (self.current?, self.last()?);
        (self.links.len() > 1 && last > current).then_some((current, last))
    }

    /// Where the number stands in the addresses of the row and of the page itself.
    pub(super) fn place(&self, page: &Page) -> Option<Place> {
        let mut members: Vec<(i64, &Url)> =
            self.links.iter().map(|(number, link)| (*number, &link.url)).collect();
        if let Some(current) = self.current {
            members.retain(|(number, _)| *number != current);
            members.push((current, &page.url));
            members.sort_by_key(|(number, _)| *number);
        }
        // The largest number is never left out of its address.
        let (base_number, base) = members.pop()?;
        let turner = Turner::of(base);
        let turns: Vec<_> =
            members.iter().filter_map(|(number, url)| Some((*number, turner.turn(url)?))).collect();
        let Some((_, known)) = turns.iter().find(|(number, _)| *number > 1).or(turns.first()) else {
            // One shorter address must tell.
            let (_, shorter) = members.last()?;
            let (turn, beside) = loose_turn(shorter, base, base_number)?;
            return Some(Place { slot: turn.slot, beside });
        };
        let mut points: Vec<(i64, Option<i64>)> = vec![(base_number, known.from)];
        let same = turns.iter().filter(|(_, turn)| turn.slot == known.slot);
        points.extend(same.map(|(number, turn)| (*number, turn.to)));
        let is_told = is_even(&points, None) || is_only_two(&points);
        is_told.then(|| Place { slot: known.slot.clone(), beside: beside(page, base, &known.slot) })
    }
}

/// The first page without a number, and another that has one.
fn is_only_two(points: &[(i64, Option<i64>)]) -> bool {
    matches!(points, [(number, Some(value)), (1, None)] if *number > 1 && *value > 0)
}

/// Classes that mark the page that is shown.
const MARKS: [&str; 6] = ["current", "currentpage", "selected", "active", "highlight", "here"];

/// What stands beside the number in a link of the row and not in a shorter address of the same list: the page's own, or that of
/// a link on it, which still says by a number which list it is.
fn beside(page: &Page, member: &Url, slot: &Slot) -> Vec<Slot> {
    let is_slot = |name: &str| matches!(slot, Slot::Query(known) if known == name);
    let mut full = address::pairs(member);
    full.retain(|(name, _)| !is_slot(name));
    let list = address::list_segments(member, slot);
    let is_shorter = |url: &Url| {
        let pairs = address::pairs(url);
        let has_number =
            list.iter().map(AsRef::as_ref).chain(pairs.iter().map(|(_, value)| *value)).any(has_digit);
        let is_part = pairs.len() < full.len() && pairs.iter().all(|pair| full.contains(pair));
        let is_same = || address::list_segments(url, slot) == list && url.host_str() == member.host_str();
        has_number && is_part && is_same()
    };
    let urls = std::iter::once(&page.url).chain(page.links.iter().map(|link| &link.url));
    let Some(pairs) = urls.filter(|url| is_shorter(url)).map(address::pairs).max_by_key(Vec::len) else {
        return Vec::new();
    };
    let extra = full.iter().filter(|pair| !pairs.contains(pair));
    extra.map(|(name, value)| Slot::Beside((*name).to_owned(), (*value).to_owned())).collect()
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|it| it.is_ascii_digit())
}

/// The nearest number that is a text of its own, and whether dots stand before it; words end the search.
fn near(page: &Page, nodes: impl Iterator<Item = usize>) -> Option<(i64, bool)> {
    let texts = nodes.filter_map(|node| page.tree.text(node)).filter(|it| !it.trim().is_empty());
    let mut is_apart = false;
    for text in texts.take(EDGE_TEXTS_MAX).take_while(|it| !it.chars().any(char::is_alphabetic)) {
        is_apart |= text.contains('…') || text.contains("..");
        if let Some(number) = lone_number(text) {
            return Some((number, is_apart));
        }
    }
    None
}

/// The number that a text is, whatever signs stand around it.
fn lone_number(text: &str) -> Option<i64> {
    let digits = text.trim_matches(|c: char| !c.is_ascii_digit());
    (digits.len() <= 6).then(|| digits.parse().ok())?
}
