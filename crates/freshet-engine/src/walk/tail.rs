//! The walk through a list that runs from old to new: the posts of a thread.
//!
//! The first visit reads all pages, from next link to next link. Later ones begin at the last page that is known,
//! where new posts appear, and go on from there: *for a post list, we need to revisit the last page or the new
//! discovered pages* [seed 004, section 3.4]. What each page proves is the ledger's business
//! ([`freshet_types::coverage`]): where the last page no longer shows the newest known post, or is gone, posts have
//! moved between pages, and the list is read from its first page once more.
//!
//! Posts come in the order of their times, so the model is told at the end of the visit, of all new ones at once.

use freshet_types::{Advance, Endpoint, Intent, Look, Mark, Obstacle, Page, Source, Timestamp};

use super::marks::{ends, mark_of, note_news};
use super::{PAGES_PER_VISIT_MAX, PageMeaning, Seen, Walk};

impl Walk {
    pub(super) fn read_tail(
        &mut self,
        source: &mut Source,
        endpoint: &Endpoint,
        page: &Page,
        seen: Seen,
    ) -> PageMeaning {
        let listed = page.observation.posts.iter().filter(|post| !post.is_embedded);
        let marks: Vec<Mark> = listed.map(|post| mark_of(post, seen.at)).collect();
        // Whatever the page proves, its posts are stored with it: a later page cannot bring them as news.
        let told = marks.iter().map(|mark| mark.at).collect();
        PageMeaning { told, ..self.follow_tail(source, endpoint, page, (&marks, seen)) }
    }

    fn follow_tail(
        &mut self,
        source: &mut Source,
        endpoint: &Endpoint,
        page: &Page,
        (marks, seen): (&[Mark], Seen),
    ) -> PageMeaning {
        let ids: Vec<String> = marks.iter().map(|mark| mark.id.clone()).collect();
        let cursor = self.cursor();
        if ids.is_empty() && cursor.is_none() {
            // A thread has one post at least: a page that shows none proves nothing.
            return self.tell_held();
        }
        if let (true, Some(cursor)) = (self.goes_round(ids.iter().cloned()), &cursor) {
            return self.stop(source, cursor, Obstacle::Round, seen.at);
        }
        let is_fresh = |mark: &&Mark| !source.coverage.shown.contains(&mark.id);
        let fresh: Vec<Mark> = marks.iter().filter(is_fresh).cloned().collect();
        let mut noted = PageMeaning::default();
        note_news(&mut noted, &source.coverage, &fresh, endpoint.id_order, seen.at);
        let look = Look {
            ends: ends(marks, endpoint.id_order),
            cursor: cursor.as_deref(),
            next: page.next.as_deref(),
            seen_at: seen.at,
            visit: seen.visit,
            since: None,
            is_window: false,
            is_broken_off: page.is_broken_off,
            unsure: &[],
        };
        let Advance::Chained(deleted) = source.coverage.advance(&look, &ids) else {
            return match &cursor {
                Some(cursor) if ids.is_empty() => self.read_blank(source, cursor, seen.at),
                _ => self.begin_anew(source),
            };
        };
        self.held.append(&mut noted.news);
        if let (Some(_), Some(next)) = (&cursor, &page.next)
            && source.coverage.step(next)
        {
            return PageMeaning { deleted, ..self.stop(source, next, Obstacle::Round, seen.at) };
        }
        if page.next.is_none() && page.is_broken_off {
            return PageMeaning {
                lags: noted.lags,
                deleted,
                ..self.break_off(source, cursor.as_deref(), seen.at)
            };
        }
        let (lags, next) = (noted.lags, page.next.clone());
        match next {
            Some(next) if self.page_count < PAGES_PER_VISIT_MAX => {
                self.intent = Intent::Next(next);
                PageMeaning { goes_on: true, lags, deleted, ..PageMeaning::default() }
            }
            next => PageMeaning { has_more: next.is_some(), lags, deleted, ..self.tell_held() },
        }
    }

    /// The last known page cannot be read: it may be gone, or nothing here can be read. The first page decides, once
    /// a visit; gives whether it is asked for.
    pub(crate) fn turn_to_first(&mut self) -> bool {
        let can_turn = self.is_tail && self.restarts_left > 0 && matches!(self.intent, Intent::Next(_));
        if can_turn {
            self.restarts_left -= 1;
            self.seen.clear();
            self.intent = Intent::First;
        }
        can_turn
    }

    /// The list goes on and nobody says where: it is not complete, and its last known page is looked at again when it is due.
    fn break_off(&mut self, source: &mut Source, cursor: Option<&str>, at: Timestamp) -> PageMeaning {
        match cursor {
            Some(cursor) => self.stop(source, cursor, Obstacle::Unlinked, at),
            None => PageMeaning { complaint: Some(Obstacle::Unlinked.reason()), ..self.tell_held() },
        }
    }

    /// The list cannot be read further than this cursor: what was read of it stays.
    fn stop(&mut self, source: &mut Source, cursor: &str, why: Obstacle, at: Timestamp) -> PageMeaning {
        source.coverage.shut(cursor, why, at);
        PageMeaning { complaint: Some(why.reason()), ..self.tell_held() }
    }

    /// The page of this cursor is empty. The list is read from its first page once more, unless that was done before, in this visit
    /// or in an earlier one, and led here again.
    fn read_blank(&mut self, source: &mut Source, cursor: &str, at: Timestamp) -> PageMeaning {
        if source.coverage.is_doubted(cursor) || source.coverage.is_shut(cursor) {
            return self.stop(source, cursor, Obstacle::Barren, at);
        }
        source.coverage.doubt_end(cursor, at);
        self.begin_anew(source)
    }

    /// When a list that was read for the first time went quiet; later looks know better.
    pub fn quiet_since(&self, source: &Source) -> Option<Timestamp> {
        let is_whole = self.is_tail && source.coverage.is_complete();
        source.coverage.newest().filter(|_| is_whole).map(|newest| newest.at)
    }

    /// The pages do not chain any more: from the first page, once a visit.
    fn begin_anew(&mut self, source: &mut Source) -> PageMeaning {
        source.coverage.restart();
        let goes_on = self.restarts_left > 0;
        self.restarts_left = self.restarts_left.saturating_sub(1);
        self.seen.clear();
        self.intent = Intent::First;
        if goes_on {
            PageMeaning { goes_on, ..PageMeaning::default() }
        } else {
            PageMeaning { has_more: true, ..self.tell_held() }
        }
    }

    /// The end of the visit tells of all new posts.
    fn tell_held(&mut self) -> PageMeaning {
        PageMeaning { news: std::mem::take(&mut self.held), ..PageMeaning::default() }
    }
}
