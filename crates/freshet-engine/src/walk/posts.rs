//! The walk through a list of posts, the newest first: what a page proves, and where the way down ends.
//!
//! A suspended or private account answers with empty pages and "ok", so an empty page is believed only where the top of the
//! list, or its owner, bears it out ([`super::owner`]).

use freshet_types::{Coverage, Endpoint, Intent, Look, Mark, Obstacle, Page, Post, Set, Source};

use super::marks::{Run, ends, listing, marks_of, note_news, unknown_members, wanted_since};
use super::{ACCOUNT, PageMeaning, Seen, Walk};

impl Walk {
    pub(super) fn read_posts(
        &mut self,
        source: &mut Source,
        endpoint: &Endpoint,
        page: &Page,
        seen: Seen,
    ) -> PageMeaning {
        let mut meaning = PageMeaning::default();
        if !page.members.is_empty() {
            return self.read_members(source, endpoint, page, seen);
        }
        let listed: Vec<&Post> = page.observation.posts.iter().filter(|post| !post.is_embedded).collect();
        // A page below the top stands below what was read above it, not at the present.
        let above_at = self.cursor().and_then(|cursor| source.coverage.oldest_above(&cursor));
        let (marks, undated_news) = marks_of(&listed, &source.coverage, above_at.unwrap_or(seen.at));
        if marks.is_empty()
            && let Some(meaning) = self.read_empty(source, page, seen)
        {
            return meaning;
        }
        let run = Run::of(&marks, &source.coverage, endpoint, page);
        let undated: Set<&str> =
            listed.iter().filter(|post| post.created_at.is_none()).map(|post| post.id.as_str()).collect();
        let is_dated = |mark: &&Mark| !undated.contains(mark.id.as_str());
        // Of a feed that is met for the first time everything is history, in whatever order.
        let is_met = source.coverage.intervals.is_empty() && page.next.is_none();
        let told = if is_met { &marks } else { &run.marks };
        let dated: Vec<Mark> = told.iter().filter(is_dated).cloned().collect();
        note_news(&mut meaning, &source.coverage, &dated, endpoint.id_order, seen.at);
        meaning.news.extend(std::iter::repeat_n(seen.at, undated_news));
        meaning.told.extend(dated.iter().map(|mark| mark.at));
        meaning.told.extend(std::iter::repeat_n(seen.at, undated_news));
        if matches!(self.intent, Intent::Members(_)) {
            if let Some(ends) = ends(&marks, endpoint.id_order) {
                source.coverage.raise(ends, self.is_apart, (seen.at, seen.visit));
                self.is_apart = false;
            }
        } else {
            self.prove(source, endpoint, page, (&run, seen), &mut meaning);
        }
        self.go_on(&source.coverage, &mut meaning);
        meaning
    }

    /// What a page of posts proves.
    fn prove(
        &mut self,
        source: &mut Source,
        endpoint: &Endpoint,
        page: &Page,
        (run, seen): (&Run, Seen),
        meaning: &mut PageMeaning,
    ) {
        let cursor = self.cursor();
        let is_barren = run.marks.iter().all(|mark| source.coverage.knows(mark, endpoint.id_order));
        if cursor.is_none() && &*source.root_kind == ACCOUNT && run.is_sure {
            meaning.lists = listing(source, run, seen.at);
        }
        let look = Look {
            ends: run.ends(),
            cursor: cursor.as_deref(),
            next: page.next.as_deref(),
            seen_at: seen.at,
            visit: seen.visit,
            since: wanted_since(source, seen.at),
            is_window: endpoint.is_window,
            is_broken_off: page.is_broken_off,
            unsure: if run.is_sure { &[] } else { &run.marks },
        };
        source.coverage.add_page(&look, endpoint.id_order);
        if let Some(cursor) = &cursor {
            meaning.complaint = check_way_down(&mut source.coverage, cursor, page, is_barren, seen);
            return;
        }
        source.coverage.confirm_end(seen.at);
        if !meaning.news.is_empty() {
            source.coverage.reopen(seen.at);
        }
    }

    /// A page that names its members only. Those above what is covered are fetched next; where none
    /// of them all is known, more may have scrolled by than the list holds.
    fn read_members(
        &mut self,
        source: &mut Source,
        endpoint: &Endpoint,
        page: &Page,
        seen: Seen,
    ) -> PageMeaning {
        let coverage = &mut source.coverage;
        let (wanted, has_known) = unknown_members(coverage, endpoint, &page.members);
        self.is_apart = !has_known;
        if let Some(top) = coverage.intervals.first_mut().filter(|_| wanted.is_empty()) {
            top.until = seen.at;
        }
        self.members = wanted;
        let mut meaning = PageMeaning::default();
        self.go_on(coverage, &mut meaning);
        meaning
    }

    /// An empty page may mean that all is hidden rather than that the list ends; gives what follows where it does.
    ///
    /// A suspended or private account answers with empty pages and "ok". So an empty page below
    /// a cursor is believed only once the top of the list has shown posts again, and an empty
    /// top never when posts are known.
    fn read_empty(&mut self, source: &mut Source, page: &Page, seen: Seen) -> Option<PageMeaning> {
        let mut meaning = PageMeaning::default();
        match &self.intent {
            Intent::Next(cursor) if page.next.is_none() => {
                if source.coverage.doubt_end(cursor, seen.at) {
                    self.go_on(&source.coverage, &mut meaning);
                } else {
                    self.intent = Intent::First;
                    meaning.goes_on = true;
                }
            }
            Intent::First => {
                source.coverage.drop_doubt();
                if source.coverage.intervals.is_empty() {
                    return None;
                }
                meaning.goes_on = self.turn_to_owner(source);
            }
            _ => return None,
        }
        Some(meaning)
    }
}

/// Looks after the way down when the page of this cursor was read; gives why it is not followed any further.
pub(super) fn check_way_down(
    coverage: &mut Coverage,
    cursor: &str,
    page: &Page,
    is_barren: bool,
    seen: Seen,
) -> Option<&'static str> {
    let is_tired = coverage.note_page(is_barren);
    let next = page.next.as_deref()?;
    let is_open = coverage.intervals.iter().any(|interval| interval.below.as_deref() == Some(next));
    let why = match () {
        () if !is_open => return None,
        () if next == cursor || coverage.step(next) => Obstacle::Round,
        () if is_tired => Obstacle::Barren,
        () => return None,
    };
    coverage.shut(next, why, seen.at);
    Some(why.reason())
}
