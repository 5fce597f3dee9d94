//! The forum at an instant: which rows stand on which page.
//!
//! Time moves forward by [`Site::advance_to`]; a step back starts again from the first post, so that any instant can be asked for. A page costs
//! O(rows · log posts). A page beyond the last is an empty sheet, as forums answer it.

use super::address::Address;
use super::history::History;
use super::order::Order;

/// Records a page may show; what real forums use.
pub const PAGE_SIZES: std::ops::RangeInclusive<u32> = 10..=50;

/// In which order a thread's posts stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PostOrder {
    /// The newest on the last page.
    #[default]
    OldestFirst,
    /// The newest on the first page.
    NewestFirst,
}

/// One board of the portal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardRow {
    pub board: u32,
    pub thread_count: u32,
    pub post_count: u32,
    /// When its newest post was made.
    pub last_s: i64,
}

/// One thread of an index list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadRow {
    pub thread: u32,
    /// When its first post was made.
    pub started_s: i64,
    /// Who made it.
    pub author: u32,
    /// When its newest post was made.
    pub last_s: i64,
    pub post_count: u32,
}

/// One post of a post list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostRow {
    pub post: u32,
    /// When it was made.
    pub at_s: i64,
    /// Who made it.
    pub author: u32,
    /// It says something else than at first.
    pub is_edited: bool,
}

/// Posts that their authors change: one in so many, so many seconds after it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edits {
    /// One in so many.
    pub every: u32,
    pub after_s: i64,
}

impl Edits {
    /// When a post is changed; `None` where it is not.
    pub(crate) fn edited_s(&self, post: u32, at_s: i64) -> Option<i64> {
        post.is_multiple_of(self.every.max(1)).then(|| at_s.saturating_add(self.after_s))
    }
}

/// The records of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Of the portal.
    Boards(Vec<BoardRow>),
    /// Of an index list.
    Threads(Vec<ThreadRow>),
    /// Of a post list.
    Posts(Vec<PostRow>),
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// What it shows.
    pub rows: Rows,
    /// Pages of the list, as its page links tell.
    pub page_count: u32,
}

impl Sheet {
    /// Whether there is no such page: a list that shows nothing.
    pub(crate) fn is_missing(&self) -> bool {
        match &self.rows {
            Rows::Boards(_) => false,
            Rows::Threads(rows) => rows.is_empty(),
            Rows::Posts(rows) => rows.is_empty(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct ThreadState {
    post_count: u32,
    /// Place of its newest post among those of its board.
    index: Option<u32>,
}

#[derive(Clone, Debug)]
struct BoardState {
    order: Order,
    /// The thread of each post so far.
    threads: Vec<u32>,
    last_s: i64,
}

/// The forum at an instant.
#[derive(Clone, Debug)]
pub struct Site<'a> {
    history: &'a History,
    page_size: u32,
    post_order: PostOrder,
    edits: Option<Edits>,
    now_s: f64,
    /// Posts that have been made.
    post_count: usize,
    threads: Vec<ThreadState>,
    boards: Vec<BoardState>,
}

impl<'a> Site<'a> {
    /// Before its first post. Page sizes are brought into [`PAGE_SIZES`].
    pub fn new(history: &'a History, page_size: u32, post_order: PostOrder) -> Self {
        let mut counts = vec![0_usize; history.board_count as usize];
        for post in &history.posts {
            counts[history.boards[post.thread as usize] as usize] += 1;
        }
        let board =
            |count: &usize| BoardState { order: Order::new(*count), threads: Vec::new(), last_s: i64::MIN };
        Self {
            history,
            page_size: page_size.clamp(*PAGE_SIZES.start(), *PAGE_SIZES.end()),
            post_order,
            edits: None,
            now_s: f64::NEG_INFINITY,
            post_count: 0,
            threads: vec![ThreadState::default(); history.thread_count()],
            boards: counts.iter().map(board).collect(),
        }
    }

    /// With posts that are changed.
    #[must_use]
    pub(crate) fn with_edits(mut self, edits: Option<Edits>) -> Self {
        self.edits = edits;
        self
    }

    /// Records a page shows.
    pub fn page_size(&self) -> u32 {
        self.page_size
    }

    /// Moves to an instant.
    pub fn advance_to(&mut self, now_s: f64) {
        if now_s < self.now_s {
            *self = Self::new(self.history, self.page_size, self.post_order).with_edits(self.edits);
        }
        self.now_s = now_s;
        while let Some(post) =
            self.history.posts.get(self.post_count).filter(|post| (post.at_s as f64) < now_s)
        {
            let thread = &mut self.threads[post.thread as usize];
            let board = &mut self.boards[self.history.boards[post.thread as usize] as usize];
            let index = board.threads.len() as u32;
            board.order.bump(thread.index, index);
            board.threads.push(post.thread);
            board.last_s = post.at_s;
            *thread = ThreadState { post_count: thread.post_count + 1, index: Some(index) };
            self.post_count += 1;
        }
    }

    /// One page; an empty one where there is nothing.
    pub fn answer(&self, address: Address) -> Sheet {
        match address {
            Address::Portal => Sheet { rows: Rows::Boards(self.board_rows()), page_count: 1 },
            Address::Index { board, page } => {
                let count = self.boards.get(board as usize).map_or(0, |board| board.order.count());
                let rows = self.span(page, count).filter_map(|k| self.thread_row(board, k)).collect();
                Sheet { rows: Rows::Threads(rows), page_count: self.page_count(count) }
            }
            Address::Posts { thread, page } => {
                let count = self.threads.get(thread as usize).map_or(0, |thread| thread.post_count);
                let rows = self.span(page, count).map(|k| self.post_row(thread, k, count)).collect();
                Sheet { rows: Rows::Posts(rows), page_count: self.page_count(count) }
            }
        }
    }

    /// Places of the rows of a page in a list of `count`.
    fn span(&self, page: u32, count: u32) -> std::ops::Range<u32> {
        let first = page.saturating_sub(1).saturating_mul(self.page_size).min(count);
        first..first.saturating_add(self.page_size).min(count)
    }

    fn page_count(&self, count: u32) -> u32 {
        count.div_ceil(self.page_size).max(1)
    }

    /// Boards that have a post.
    fn board_rows(&self) -> Vec<BoardRow> {
        let row = |(number, board): (usize, &BoardState)| BoardRow {
            board: number as u32,
            thread_count: board.order.count(),
            post_count: board.threads.len() as u32,
            last_s: board.last_s,
        };
        let boards = self.boards.iter().enumerate().filter(|(_, board)| board.order.count() > 0);
        boards.map(row).collect()
    }

    fn thread_row(&self, board: u32, k: u32) -> Option<ThreadRow> {
        let board = self.boards.get(board as usize)?;
        let thread = *board.threads.get(board.order.newest(k)? as usize)?;
        let post_count = self.threads[thread as usize].post_count;
        let posts = &self.history.thread_posts(thread)[..post_count as usize];
        let (first, last) = (self.history.posts[*posts.first()? as usize], posts.last()?);
        let last_s = self.history.posts[*last as usize].at_s;
        Some(ThreadRow { thread, started_s: first.at_s, author: first.author, last_s, post_count })
    }

    fn post_row(&self, thread: u32, k: u32, count: u32) -> PostRow {
        let index = match self.post_order {
            PostOrder::OldestFirst => k,
            PostOrder::NewestFirst => count - 1 - k,
        };
        let post = self.history.thread_posts(thread)[index as usize];
        let found = self.history.posts[post as usize];
        let edited_s = self.edits.and_then(|edits| edits.edited_s(post, found.at_s));
        let is_edited = edited_s.is_some_and(|edited_s| (edited_s as f64) < self.now_s);
        PostRow { post, at_s: found.at_s, author: found.author, is_edited }
    }
}

#[cfg(test)]
mod tests;
