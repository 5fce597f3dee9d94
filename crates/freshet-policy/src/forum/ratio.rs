//! Bandwidth control: index lists and post lists get pages in the ratio of new threads to new posts [list-wise, section 3.5].
//!
//! ratio ∝ `N_index` / `N_post` (equation 3), averaged over the history. The paper's text dedicates bandwidth to post lists; what it goes on to say
//! (new threads are found there only, post lists would occupy the rest) is about index lists, and so is this. The share of index lists is
//! `N_index` / (`N_index` + `N_post`). Turns are dealt by credit, so that any stretch of turns has the right share to within one.

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
}

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
}
