//! Coverage of lists that run from old to new: threads of forums.
//!
//! Such a list is read from its first page to its last, and grows at its end. It is one interval:
//! `is_bottom` says that the end was reached (a page that says the list goes on, without saying where, is no end), `below` where the next look goes on: the page after the
//! last one that was read, or that page itself once it is the end. The pages chain without a hole
//! when each next link was followed, and a later look at the last page finds there the post that was
//! the newest: if that stands elsewhere now, or is gone, posts have moved between pages, and only
//! reading from the first page proves the list again.
//!
//! A post that is missing from the page, though one before it and one after it are still there, was
//! taken out of the list. That is the list's own word, since it shows both neighbours; at either
//! end of a page a missing post may have moved to another page, which proves nothing.

use super::{Coverage, Interval, Look};

/// Posts of one page whose ids are remembered.
pub const SHOWN_MAX: usize = 500;

/// What a page of an oldest-first list meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advance {
    /// It follows upon what is covered; these posts were taken out of the list.
    Chained(Vec<String>),
    /// It does not: the list is to be read from its first page.
    Apart,
}

impl Coverage {
    /// Adds one page of an oldest-first list that shows these posts, in its order.
    pub fn advance(&mut self, look: &Look<'_>, ids: &[String]) -> Advance {
        let Some((newest, oldest)) = look.ends.clone() else { return Advance::Apart };
        let end = look.next.or(look.cursor).map(str::to_owned);
        let is_bottom = look.next.is_none() && !look.is_broken_off;
        let known = self.intervals.first_mut().filter(|known| known.below.as_deref() == look.cursor);
        let gone = match (known, look.cursor) {
            (Some(known), _) => {
                let was_at_end = known.is_bottom;
                let has_newest = ids.contains(&known.newest.id);
                if was_at_end && !has_newest && look.cursor.is_some() {
                    return Advance::Apart;
                }
                let gone = if was_at_end { missing_between(&self.shown, ids) } else { Vec::new() };
                if newest.at >= known.newest.at || (was_at_end && !has_newest) {
                    known.newest = newest;
                }
                (known.below, known.is_bottom) = (end, is_bottom);
                (known.until, known.visit) = (look.seen_at, look.visit);
                gone
            }
            (None, None) => {
                self.intervals = vec![Interval {
                    newest,
                    oldest,
                    until: look.seen_at,
                    below: end,
                    is_bottom,
                    visit: look.visit,
                }];
                Vec::new()
            }
            (None, Some(_)) => return Advance::Apart,
        };
        self.empty_at = None;
        self.on_tail_page(look);
        self.shown = ids.iter().take(SHOWN_MAX).cloned().collect();
        Advance::Chained(gone)
    }

    /// Nothing is proven any more; what is known of the list stays in the store.
    pub fn restart(&mut self) {
        self.intervals.clear();
        self.shown.clear();
        self.descent.begin();
    }
}

/// Ids that a page showed before and does not show now, between two that it still shows.
pub fn missing_between(before: &[String], now: &[String]) -> Vec<String> {
    let is_here = |id: &&String| now.contains(id);
    let first = before.iter().position(|id| is_here(&id));
    let last = before.iter().rposition(|id| is_here(&id));
    match (first, last) {
        (Some(first), Some(last)) => before[first..last].iter().filter(|id| !is_here(id)).cloned().collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Look, Mark};
    use super::*;
    use crate::{Timestamp, VisitId};

    /// Pages as `cursor>ids>next`; ids are single characters, times their codes; the next page `?` is somewhere unknown.
    fn check(pages: &[&str], expected: &str) {
        let mut coverage = Coverage::default();
        let mut told = Vec::new();
        for page in pages {
            let mut parts = page.split('>');
            let mut part = || Some(parts.next().unwrap_or_default()).filter(|text| !text.is_empty());
            let (cursor, ids, next) = (part(), part().unwrap_or_default(), part());
            let ids: Vec<String> = ids.chars().map(String::from).collect();
            let mark =
                |id: &String| Mark { id: id.clone(), at: Timestamp::from_secs(i64::from(id.as_bytes()[0])) };
            let ends = ids.last().zip(ids.first()).map(|(newest, oldest)| (mark(newest), mark(oldest)));
            let seen_at = Timestamp::from_secs(1000);
            let is_broken_off = next == Some("?");
            let look = Look {
                ends,
                cursor,
                next: next.filter(|_| !is_broken_off),
                seen_at,
                visit: VisitId(1),
                since: None,
                is_window: false,
                is_broken_off,
                unsure: &[],
            };
            told.push(match coverage.advance(&look, &ids) {
                Advance::Apart => "apart".to_owned(),
                Advance::Chained(gone) if coverage.is_complete() => format!("complete-{}", gone.concat()),
                Advance::Chained(gone) => format!("open-{}", gone.concat()),
            });
        }
        assert_eq!(told.join(" "), expected, "{pages:?}");
    }

    #[test]
    fn pages_chain_from_old_to_new() {
        check(&[">ab>2", "2>cd>3", "3>e>"], "open- open- complete-");
        check(&[">ab>2", "2>c>", "2>cd>3", "3>e>"], "open- complete- open- complete-");
        check(&[">a>", ">ab>2", "2>c>"], "complete- open- complete-");
        check(&["7>ab>"], "apart");
    }

    #[test]
    fn a_list_that_goes_on_somewhere_is_not_complete() {
        check(&[">ab>?"], "open-");
        check(&[">ab>2", "2>cd>?", "2>cde>?"], "open- open- open-");
        check(&[">ab>?", ">ab>2", "2>c>"], "open- open- complete-");
    }

    #[test]
    fn posts_that_move_between_pages_break_the_chain() {
        // One of the first page was deleted: the newest known stands on page 1 now.
        check(&[">ab>2", "2>c>", "2>d>", ">bc>2", "2>d>"], "open- complete- apart open- complete-");
        check(&[">ab>2", "2>c>", "2>>"], "open- complete- apart");
    }

    #[test]
    fn only_neighbours_prove_a_deletion() {
        check(&[">abc>", ">ac>"], "complete- complete-b");
        check(&[">abc>", ">bc>"], "complete- complete-");
        check(&[">abc>", ">ab>"], "complete- complete-");
        check(&[">abcd>", ">xyz>"], "complete- complete-");
    }
}
