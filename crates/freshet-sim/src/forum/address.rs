//! Where a page of the forum is: the portal, a page of a board's index list, a page of a thread's post list.
//!
//! Written as a path, `/`, `/board/3?page=2`, `/thread/17?page=4`; the first page has no number, as forums have it. A thread's path
//! also carries a title that readers may leave out.

use std::fmt;

/// One page. Pages are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Address {
    /// The list of boards.
    Portal,
    /// Threads of a board, by last activity, newest first.
    Index { board: u32, page: u32 },
    /// Posts of a thread.
    Posts { thread: u32, page: u32 },
}

impl Address {
    /// From a path and its query; `None` for what the forum does not have.
    pub fn parse(path_and_query: &str) -> Option<Self> {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let mut numbers = query.split('&').filter_map(|pair| pair.strip_prefix("page="));
        let page = numbers.next().map_or(Some(1), |number| number.parse().ok())?;
        let mut parts = path.trim_matches('/').split('/');
        let (list, number) = (parts.next()?, parts.next());
        match (list, number.and_then(|number| number.parse().ok())) {
            ("", None) => Some(Self::Portal),
            ("board", Some(board)) if page > 0 => Some(Self::Index { board, page }),
            ("thread", Some(thread)) if page > 0 => Some(Self::Posts { thread, page }),
            _ => None,
        }
    }

    /// The same list at another page.
    #[must_use]
    pub fn turned_to(self, page: u32) -> Self {
        match self {
            Self::Portal => self,
            Self::Index { board, .. } => Self::Index { board, page },
            Self::Posts { thread, .. } => Self::Posts { thread, page },
        }
    }

    /// Which page of its list it is.
    pub fn page(self) -> u32 {
        match self {
            Self::Portal => 1,
            Self::Index { page, .. } | Self::Posts { page, .. } => page,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Portal => write!(f, "/")?,
            Self::Index { board, .. } => write!(f, "/board/{board}")?,
            Self::Posts { thread, .. } => write!(f, "/thread/{thread}")?,
        }
        if self.page() > 1 { write!(f, "?page={}", self.page()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<Address>) {
        assert_eq!(Address::parse(text), expected, "{text}");
    }

    #[test]
    fn paths_are_read_and_written() {
        check("/", Some(Address::Portal));
        check("/board/3", Some(Address::Index { board: 3, page: 1 }));
        check("/thread/17/a-title?sort=x&page=4", Some(Address::Posts { thread: 17, page: 4 }));
        for nonsense in ["/board", "/board/x", "/thread/1?page=0", "/thread/1?page=x", "/else/1"] {
            check(nonsense, None);
        }
        for address in
            [Address::Portal, Address::Index { board: 0, page: 9 }, Address::Posts { thread: 2, page: 1 }]
        {
            check(&address.to_string(), Some(address));
        }
    }
}
