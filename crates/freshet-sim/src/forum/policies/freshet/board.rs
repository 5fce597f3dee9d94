//! What `freshet` knows of a board beside its outlook: which of its threads posted of late, and how many posts its index has shown.

use freshet_policy::forum::Board;

use super::super::super::BoardRow;

/// One board.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownBoard {
    pub(super) board: Board,
    pub(super) is_listed: bool,
    /// Posts that index pages have shown.
    pub(super) post_count: u32,
    /// Threads that posted within half a day.
    pub(super) hot: Vec<u32>,
}

impl KnownBoard {
    /// The portal showed it.
    pub(super) fn told(&mut self, row: &BoardRow, now_s: f64) {
        // Until its archive is mirrored counts say nothing; times do.
        let is_news = row.last_s as f64 >= self.board.looked_s;
        let more = is_news.then(|| row.post_count.saturating_sub(self.post_count));
        self.board.told(row.last_s as f64, more, now_s);
    }
}
