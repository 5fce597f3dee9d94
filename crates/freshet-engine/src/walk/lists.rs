//! The walk through lists of lists: the boards of a forum, the threads of a board [seed 004, section 3.4].
//!
//! A board shows its threads by their last activity, the newest first: a thread that gets a post moves to the
//! top. So the pages to read are the top ones, down to the first that reaches what was the newest activity: the
//! paper's top `ΔI/Num` pages, without having to predict `ΔI`. A mark is a thread at the time of its activity;
//! records that move down meanwhile come twice, which costs nothing, and those that move up are at the top of
//! the next visit.
//!
//! Pinned threads stand at the top whatever their age, and prove nothing: only the part of a page that runs
//! from new to old counts, and a first page without anything as new as what was known is pinned as a whole.
//! A list that shows no times is swept from end to end. A server that ignores page numbers shows the same
//! threads again: then the walk stops and says so.

use freshet_types::list::BOARD;
use freshet_types::{Endpoint, IdOrder, Intent, ListOrder, Look, Mark, Obstacle, Page, Source};

use super::marks::{ends, note_news, wanted_since};
use super::posts::check_way_down;
use super::{PAGES_PER_VISIT_MAX, PageMeaning, Seen, Walk};

impl Walk {
    pub(super) fn read_lists(
        &mut self,
        source: &mut Source,
        endpoint: &Endpoint,
        page: &Page,
        seen: Seen,
    ) -> PageMeaning {
        if endpoint.order != ListOrder::NewestFirst {
            return self.read_sweep(source, endpoint, page, seen);
        }
        // Boards stand in an order of their own: when each was active proves nothing about the list.
        let leads = page.observation.leads.iter().filter(|lead| &*lead.root_kind != BOARD);
        let marks: Vec<Mark> =
            leads.filter_map(|lead| Some(Mark { id: lead.root_id.clone(), at: lead.active_at? })).collect();
        let is_first = self.intent == Intent::First;
        if let (true, Some(cursor)) = (self.goes_round(marks.iter().map(key)), self.cursor()) {
            source.coverage.intervals.truncate(1);
            if let Some(top) = source.coverage.intervals.first_mut() {
                (top.below, top.is_bottom) = (Some(cursor.clone()), false);
            }
            source.coverage.shut(&cursor, Obstacle::Round, seen.at);
            return PageMeaning { complaint: Some(Obstacle::Round.reason()), ..PageMeaning::default() };
        }
        let marks = in_order(marks);
        let newest_at = source.coverage.newest().map(|newest| newest.at);
        let is_pinned = newest_at.is_some_and(|known| marks.iter().all(|mark| mark.at < known));
        if let (true, true, Some(next)) = (is_first && !marks.is_empty(), is_pinned, &page.next) {
            self.intent = Intent::Next(next.clone());
            return PageMeaning { goes_on: self.page_count < PAGES_PER_VISIT_MAX, ..PageMeaning::default() };
        }
        let mut meaning = PageMeaning::default();
        let is_fresh = |mark: &&Mark| !source.coverage.shown.contains(&key(mark));
        let fresh: Vec<Mark> = marks.iter().filter(is_fresh).cloned().collect();
        note_news(&mut meaning, &source.coverage, &fresh, IdOrder::None, seen.at);
        let cursor = self.cursor();
        let is_barren = marks.iter().all(|mark| source.coverage.knows(mark, IdOrder::None));
        if is_first {
            source.coverage.shown = marks.iter().take(freshet_types::SHOWN_MAX).map(key).collect();
        }
        let look = Look {
            ends: ends(&marks, IdOrder::None),
            cursor: cursor.as_deref(),
            next: page.next.as_deref(),
            seen_at: seen.at,
            visit: seen.visit,
            since: wanted_since(source, seen.at),
            is_window: false,
            is_broken_off: page.is_broken_off,
            unsure: &[],
        };
        source.coverage.add_page(&look, IdOrder::None);
        match &cursor {
            Some(cursor) => {
                meaning.complaint = check_way_down(&mut source.coverage, cursor, page, is_barren, seen);
            }
            None if !meaning.news.is_empty() => source.coverage.reopen(seen.at),
            None => {}
        }
        self.go_on(&source.coverage, &mut meaning);
        meaning
    }

    /// Notes what a page shows; whether all of it was shown by this visit before.
    pub(super) fn goes_round(&mut self, keys: impl Iterator<Item = String>) -> bool {
        let (mut count, mut new_count) = (0, 0);
        for key in keys {
            count += 1;
            new_count += usize::from(self.seen.insert(key));
        }
        count > 0 && new_count == 0
    }
}

fn key(mark: &Mark) -> String {
    format!("{} {}", mark.id, mark.at.ms())
}

/// The part of a page that runs from new to old up to its end: what stands before it is pinned.
fn in_order(mut marks: Vec<Mark>) -> Vec<Mark> {
    let rise = marks.windows(2).rposition(|pair| pair[0].at < pair[1].at);
    marks.drain(..rise.map_or(0, |at| at + 1));
    marks
}
