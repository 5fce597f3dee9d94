//! A layout of an invented forum as data: rows, frames, pagers and times, and how pages are drawn from them.

use std::fmt::Write as _;

use jiff::civil::DateTime;

use crate::invented::{Around, Board, Look, Post, Thread};

/// A layout as data: how rows, lists, pages and times are written.
pub(super) struct Style {
    pub(super) name: &'static str,
    pub(super) board_address: fn(&Board, usize) -> String,
    pub(super) thread_address: fn(&Thread, usize) -> String,
    /// Around everything; `{}` is the content, `{bread}` the way to the board.
    pub(super) frame: &'static str,
    pub(super) portal_row: fn(&Self, &Board) -> String,
    pub(super) thread_row: fn(&Self, &Board, &Thread) -> String,
    pub(super) post_row: fn(&Self, &Thread, &Post) -> String,
    /// Around rows of boards, threads, posts.
    pub(super) lists: [(&'static str, &'static str); 3],
    pub(super) pager: fn(&Around) -> String,
    pub(super) time: fn(DateTime) -> String,
    pub(super) shown: &'static str,
    pub(super) is_newest_first: bool,
    pub(super) repeats_opening: bool,
    pub(super) shows_board_times: bool,
}

impl Style {
    fn page(&self, bread: &str, head: &str, content: &str) -> String {
        let menu = "<ul class=menu><li><a href='/'>Home</a></li><li><a href='/login'>Log in</a></li><li><a href='/help'>Help</a></li></ul>";
        let frame = self.frame.replace("{bread}", bread).replace("{}", content);
        format!(
            "<html><head><title>x</title>{head}</head><body>{menu}{frame}<p>Time now: {}</p></body></html>",
            (self.time)(DateTime::constant(2025, 7, 20, 12, 0, 0, 0))
        )
    }

    fn way(&self, board: &Board) -> String {
        format!("<a href='/'>forum</a> › <a href='{}'>{}</a>", (self.board_address)(board, 1), board.name)
    }

    fn head(around: &Around, pager: &str) -> String {
        let is_told = pager.contains("rel-in-head") && around.page < around.page_count;
        if is_told {
            format!("<link rel=next href='{}'>", (around.address)(around.page + 1))
        } else {
            String::new()
        }
    }
}

impl Look for Style {
    fn board_address(&self, board: &Board, page: usize) -> String {
        (self.board_address)(board, page)
    }

    fn thread_address(&self, thread: &Thread, page: usize) -> String {
        (self.thread_address)(thread, page)
    }

    fn portal(&self, boards: &[Board]) -> String {
        let rows: String = boards.iter().map(|board| (self.portal_row)(self, board)).collect();
        self.page("", "", &format!("{}{rows}{}", self.lists[0].0, self.lists[0].1))
    }

    fn board(&self, board: &Board, threads: &[&Thread], around: &Around) -> String {
        let rows: String = threads.iter().map(|thread| (self.thread_row)(self, board, thread)).collect();
        let pager = (self.pager)(around);
        let content =
            format!("<h1>{}</h1>{pager}{}{rows}{}{pager}", board.name, self.lists[1].0, self.lists[1].1);
        self.page("<a href='/'>forum</a>", &Self::head(around, &pager), &content)
    }

    fn thread(&self, board: &Board, thread: &Thread, posts: &[&Post], around: &Around) -> String {
        let rows: String = posts.iter().map(|post| (self.post_row)(self, thread, post)).collect();
        let pager = (self.pager)(around);
        let first = &thread.posts[0];
        let opening = if self.repeats_opening {
            format!(
                "<div class=question><h2>{}</h2><div class=asked>asked {} by <a href='/user/{}'>{}</a></div><div class=text>{}</div></div>",
                thread.title,
                (self.time)(first.at),
                first.author,
                first.author,
                first.text
            )
        } else {
            String::new()
        };
        let content = format!(
            "<h1>{}</h1>{opening}{pager}{}{rows}{}{pager}",
            thread.title, self.lists[2].0, self.lists[2].1
        );
        self.page(&self.way(board), &Self::head(around, &pager), &content)
    }

    fn is_newest_first(&self) -> bool {
        self.is_newest_first
    }

    fn repeats_opening(&self) -> bool {
        self.repeats_opening
    }

    fn shown(&self) -> &'static str {
        self.shown
    }
}

/// Numbers, the current one without a link, and words around them.
pub(super) fn numbers(around: &Around, previous: &str, next: &str) -> String {
    if around.page_count < 2 {
        return String::new();
    }
    let mut text = "<div class=pages>".to_owned();
    if around.page > 1 && !previous.is_empty() {
        let _ = write!(text, "<a href='{}'>{previous}</a> ", (around.address)(around.page - 1));
    }
    for page in 1..=around.page_count {
        if page == around.page {
            let _ = write!(text, "<b>{page}</b> ");
        } else {
            let _ = write!(text, "<a href='{}'>{page}</a> ", (around.address)(page));
        }
    }
    if around.page < around.page_count && !next.is_empty() {
        let _ = write!(text, "<a href='{}'>{next}</a>", (around.address)(around.page + 1));
    }
    text + "</div>"
}

pub(super) fn slug(text: &str) -> String {
    text.replace(' ', "-")
}
