//! A sheet as HTML, in one of three layouts that forums have had over the years.
//!
//! Every layout shows what real ones show: boards, threads and posts as rows, times in its own writing, page links, a way back, authors
//! with links of their own, and noise (when an author joined, a menu, the time now). Titles and texts are words drawn from the
//! number of the thread or post, so that a page is the same however often it is asked for. No layout is that of any one forum
//! software.

mod classic;
mod modern;
mod nested;
mod words;

use std::str::FromStr;

use super::address::Address;
use super::site::{BoardRow, PostRow, Rows, Sheet, ThreadRow};

/// How pages look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Tables in tables, times in words.
    #[default]
    Classic,
    /// Divisions and lists, twelve-hour clocks.
    Nested,
    /// Articles with machine-readable times.
    Modern,
}

impl Layout {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Classic, Self::Nested, Self::Modern];

    /// The name that people select it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Nested => "nested",
            Self::Modern => "modern",
        }
    }

    /// One page as it is at `now_s`.
    pub fn write(self, address: Address, sheet: &Sheet, now_s: f64) -> String {
        let now = moment(now_s as i64);
        match self {
            Self::Classic => classic::Classic.page(address, sheet, now),
            Self::Nested => nested::Nested.page(address, sheet, now),
            Self::Modern => modern::Modern.page(address, sheet, now),
        }
    }
}

impl FromStr for Layout {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|layout| layout.name() == text);
        found.ok_or_else(|| format!("layouts are classic, nested and modern, not `{text}`"))
    }
}

/// The parts in which layouts differ.
trait Look {
    fn board(&self, row: &BoardRow) -> String;
    fn thread(&self, row: &ThreadRow) -> String;
    fn post(&self, row: &PostRow) -> String;
    /// Around the rows of each kind.
    fn list(&self, kind: Kind, rows: &str) -> String;
    /// Around everything; `pager` stands above and below the list.
    fn frame(&self, title: &str, way: &str, content: &str, now: jiff::civil::DateTime) -> String;
    fn pager(&self, links: &[PageLink]) -> String;

    fn page(&self, address: Address, sheet: &Sheet, now: jiff::civil::DateTime) -> String {
        let (kind, rows): (Kind, String) = match &sheet.rows {
            Rows::Boards(rows) => (Kind::Portal, rows.iter().map(|row| self.board(row)).collect()),
            Rows::Threads(rows) => (Kind::Index, rows.iter().map(|row| self.thread(row)).collect()),
            Rows::Posts(rows) => (Kind::Posts, rows.iter().map(|row| self.post(row)).collect()),
        };
        let (title, way) = match address {
            Address::Portal => ("All boards".to_owned(), String::new()),
            Address::Index { board, .. } => (words::board(board), link("/", "All boards")),
            Address::Posts { thread, .. } => (words::title(thread), link("/", "All boards")),
        };
        let links = page_links(address, sheet.page_count);
        let pager = if links.len() > 1 { self.pager(&links) } else { String::new() };
        let content = format!("<h1>{title}</h1>{pager}{}{pager}", self.list(kind, &rows));
        self.frame(&title, &way, &content, now)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portal,
    Index,
    Posts,
}

/// A link of the pager; no address for the page itself.
struct PageLink {
    text: String,
    address: Option<Address>,
}

/// Previous, the first, those around, the last, next.
fn page_links(address: Address, page_count: u32) -> Vec<PageLink> {
    let page = address.page();
    let mut links = Vec::new();
    let mut add = |text: String, page: Option<u32>| {
        links.push(PageLink { text, address: page.map(|page| address.turned_to(page)) });
    };
    if page > 1 {
        add("Previous".to_owned(), Some(page - 1));
    }
    for number in 1..=page_count {
        let is_shown = number == 1 || number == page_count || number.abs_diff(page) <= 2;
        if is_shown {
            add(number.to_string(), (number != page).then_some(number));
        }
    }
    if page < page_count {
        add("Next".to_owned(), Some(page + 1));
    }
    links
}

fn moment(at_s: i64) -> jiff::civil::DateTime {
    let at = jiff::Timestamp::from_second(at_s).unwrap_or_default();
    jiff::tz::TimeZone::UTC.to_datetime(at)
}

fn link(address: &str, text: &str) -> String {
    format!("<a href=\"{address}\">{text}</a>")
}

fn thread_link(row: &ThreadRow) -> String {
    link(&Address::Posts { thread: row.thread, page: 1 }.to_string(), &words::title(row.thread))
}

fn board_link(row: &BoardRow) -> String {
    link(&Address::Index { board: row.board, page: 1 }.to_string(), &words::board(row.board))
}

fn author_link(author: u32) -> String {
    link(&format!("/member/{author}"), &words::author(author))
}

#[cfg(test)]
mod tests;
