//! Bandwidth control: index lists and post lists get pages in the ratio of new threads to new posts [list-wise, section 3.5].
//!
//! ratio ∝ `N_index` / `N_post` (equation 3), averaged over the history. The paper's text dedicates bandwidth to post lists; what it goes on to say
//! (new threads are found there only, post lists would occupy the rest) is about index lists, and so is this. The share of index lists is
//! `N_index` / (`N_index` + `N_post`). Turns are dealt by credit, so that any stretch of turns has the right share to within one; where a
//! turn may take several pages, pages are counted instead ([`Ratio::spend`], [`Ratio::due`]).

/// The two kinds of lists that share bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// Threads of a board.
    Index,
    /// Posts of a thread.
    Posts,
}

/// Counts and credit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ratio {
    thread_count: f64,
    post_count: f64,
    credit: f64,
    /// Pages that index lists and post lists took lately.
    pages: [f64; 2],
}

/// Pages after which half of what was spent is forgotten: an old debt is not paid for ever.
const PAGES_MEMORY: f64 = 1000.0;

impl Ratio {
    /// New records were found.
    pub fn learn(&mut self, kind: ListKind, count: usize) {
        match kind {
            ListKind::Index => self.thread_count += count as f64,
            ListKind::Posts => self.post_count += count as f64,
        }
    }

    /// Share of index lists; half before anything is known.
    pub fn index_share(&self) -> f64 {
        (self.thread_count + 1.0) / (self.thread_count + self.post_count + 2.0)
    }

    /// Records there are, where nothing was learned yet.
    pub fn begin_with(&mut self, thread_count: usize, post_count: usize) {
        if self.thread_count + self.post_count < 1.0 {
            (self.thread_count, self.post_count) = (thread_count as f64, post_count as f64);
        }
    }

    /// A page was asked for.
    pub fn spend(&mut self, kind: ListKind) {
        self.pages[kind as usize] += 1.0;
        if self.pages.iter().sum::<f64>() > PAGES_MEMORY {
            self.pages = self.pages.map(|pages| pages / 2.0);
        }
    }

    /// Share of index lists in the pages that were asked for lately.
    pub fn index_spent(&self) -> f64 {
        self.pages[0] / self.pages.iter().sum::<f64>().max(1.0)
    }

    /// Who is due to get the next page, by what both have got.
    pub fn due(&self) -> ListKind {
        let total = self.pages.iter().sum::<f64>() + 1.0;
        if self.pages[0] < self.index_share() * total { ListKind::Index } else { ListKind::Posts }
    }

    /// Whose turn it is.
    pub fn turn(&mut self) -> ListKind {
        self.credit += self.index_share();
        if self.credit < 1.0 {
            return ListKind::Posts;
        }
        self.credit -= 1.0;
        ListKind::Index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_follow_the_ratio() {
        let mut ratio = Ratio::default();
        assert!((ratio.index_share() - 0.5).abs() < 1e-12);
        ratio.learn(ListKind::Index, 99);
        ratio.learn(ListKind::Posts, 299);
        let index = (0..400).filter(|_| ratio.turn() == ListKind::Index).count();
        assert!((99..=101).contains(&index), "{index}");
    }

    #[test]
    fn pages_follow_the_ratio_however_many_a_turn_takes() {
        let mut ratio = Ratio::default();
        ratio.begin_with(100, 400);
        ratio.begin_with(7, 7);
        let mut index = 0;
        for turn in 0..5_000 {
            let kind = ratio.due();
            for _ in 0..if kind == ListKind::Index { 1 + turn % 4 } else { 1 } {
                index += usize::from(kind == ListKind::Index);
                ratio.spend(kind);
            }
        }
        assert!((ratio.index_spent() - 0.2).abs() < 0.02, "{}", ratio.index_spent());
        assert!(index > 0);
    }
}
