//! The walk through lists that have no order to trust: accounts above all.
//!
//! Such a list is swept from its first page to its last, over several visits if need be, and what a whole sweep did not show was
//! cancelled. Its one interval keeps what a sweep over several visits must know: when it began (`until`), and when the one before
//! began (`oldest`). An empty last page is not believed before the top has shown something again, and a sweep that goes round
//! ends where it notices; the next one begins at the top.

use freshet_store::row::{LinkSweep, RelationSweep};
use freshet_types::definition::RelationRole;
use freshet_types::{
    Descent, End, Endpoint, Intent, Interval, Mark, Obstacle, Page, RobotKind, Source, Timestamp,
};

use super::{PAGES_PER_VISIT_MAX, PageMeaning, Seen, Walk, is_about_posts};

impl Walk {
    pub(super) fn read_sweep(
        &mut self,
        source: &mut Source,
        endpoint: &Endpoint,
        page: &Page,
        seen: Seen,
    ) -> PageMeaning {
        let asked = self.cursor();
        let doubted = source.coverage.way_down().filter(|it| source.coverage.is_doubted(it));
        if asked.is_none() && doubted.is_none() {
            source.coverage.descent = Descent::default();
        }
        if !page.complaints.is_empty() || page.is_broken_off {
            source.coverage.note_patchy();
        }
        if let (None, Some(cursor)) = (&asked, doubted) {
            return self.read_top(source, endpoint, page, (cursor, seen));
        }
        let mut meaning = PageMeaning::default();
        let (began_at, before_at) = match (&asked, source.coverage.top()) {
            (None, top) => (seen.at, top.map_or(Timestamp::MIN, |top| top.until)),
            (_, Some(top)) => (top.until, top.oldest.at),
            (_, None) => (seen.at, Timestamp::MIN),
        };
        if is_about_posts(endpoint.kind) {
            let listed = page.observation.posts.iter().filter(|post| !post.is_embedded);
            meaning.news = listed.filter_map(|post| post.created_at).filter(|&at| at > before_at).collect();
            meaning.told.clone_from(&meaning.news);
        }
        let is_empty = is_without_members(page);
        if let (None, Some(cursor), true, true) = (&page.next, &asked, is_empty, is_collection(source)) {
            // What is hidden altogether looks like an end: it is one if the top still shows accounts.
            if !source.coverage.doubt_end(cursor, seen.at) {
                self.intent = Intent::First;
                return PageMeaning { goes_on: true, ..meaning };
            }
            finish_sweep(source, endpoint, began_at, &mut meaning);
            return meaning;
        }
        if is_empty && asked.is_none() && page.next.is_none() && self.doubt_empty(source) {
            return PageMeaning { goes_on: true, ..meaning };
        }
        source.coverage.intervals = vec![sweep_interval(source, page, (began_at, before_at), seen)];
        match (&page.next, asked) {
            (Some(next), asked) => self.go_on_with(source, next, asked.as_deref(), seen, &mut meaning),
            (None, asked) if asked.is_some() || !is_empty => {
                finish_sweep(source, endpoint, began_at, &mut meaning);
            }
            (None, _) => {}
        }
        meaning
    }

    /// All tags of an account are gone, or hidden with it: its profile decides, where any were shown before. Other collections are often
    /// hidden by themselves, so that nothing follows from an empty one.
    fn doubt_empty(&mut self, source: &Source) -> bool {
        let had_members = source.coverage.top().is_some_and(|top| !top.newest.id.is_empty());
        let is_told = source.robot == RobotKind::Tag && !source.coverage.is_patchy();
        is_told && had_members && self.turn_to_owner(source)
    }

    /// The top was asked for once more, since the page below it was empty.
    fn read_top(
        &mut self,
        source: &mut Source,
        endpoint: &Endpoint,
        page: &Page,
        (cursor, seen): (String, Seen),
    ) -> PageMeaning {
        if is_without_members(page) {
            // All of it is hidden: the sweep ends and proves nothing.
            source.coverage.drop_doubt();
            source.coverage.end_at(&cursor);
            return PageMeaning::default();
        }
        let began_at = source.coverage.top().map_or(seen.at, |top| top.until);
        if source.coverage.confirm_end(seen.at) {
            let mut meaning = PageMeaning::default();
            finish_sweep(source, endpoint, began_at, &mut meaning);
            return meaning;
        }
        // Too long ago to prove anything: the empty page is looked at once more.
        self.intent = Intent::Next(cursor);
        PageMeaning { goes_on: true, ..PageMeaning::default() }
    }

    /// The sweep goes on with `next`, unless it was there before.
    fn go_on_with(
        &mut self,
        source: &mut Source,
        next: &str,
        asked: Option<&str>,
        seen: Seen,
        meaning: &mut PageMeaning,
    ) {
        if asked == Some(next) || source.coverage.step(next) {
            source.coverage.shut(next, Obstacle::Round, seen.at);
            meaning.complaint = Some(Obstacle::Round.reason());
        } else if self.page_count < PAGES_PER_VISIT_MAX {
            self.intent = Intent::Next(next.to_owned());
            meaning.goes_on = true;
        } else {
            meaning.has_more = true;
        }
    }
}

/// The owner of an empty list of tags was shown; as ever, then the tags are gone.
pub(super) fn read_owner_of_tags(
    source: &mut Source,
    endpoint: &Endpoint,
    is_active: bool,
    seen: Seen,
) -> PageMeaning {
    let mut meaning = PageMeaning::default();
    let before_at = source.coverage.top().map_or(Timestamp::MIN, |top| top.until);
    let nothing = Page::default();
    source.coverage.intervals = vec![sweep_interval(source, &nothing, (seen.at, before_at), seen)];
    if is_active {
        finish_sweep(source, endpoint, seen.at, &mut meaning);
    }
    meaning
}

/// Whether the list is a collection of its root, of which members may be cancelled.
fn is_collection(source: &Source) -> bool {
    matches!(source.robot, RobotKind::Relation | RobotKind::Link | RobotKind::Tag)
}

fn is_without_members(page: &Page) -> bool {
    let seen = &page.observation;
    seen.relations.is_empty() && seen.links.is_empty() && seen.tags.is_empty()
}

/// The end of a sweep of a collection; what could not be read is not cancelled.
fn finish_sweep(source: &Source, endpoint: &Endpoint, began_at: Timestamp, meaning: &mut PageMeaning) {
    if !is_collection(source) || source.coverage.is_patchy() {
        return;
    }
    meaning.swept = endpoint.relation.map(|relation| RelationSweep {
        account: source.root_id.clone(),
        is_following: relation == RelationRole::Following,
        began_at,
    });
    meaning.links_swept = endpoint.link.clone().map(|name| LinkSweep {
        from: End { kind: source.root_kind.clone(), id: source.root_id.clone() },
        name,
        began_at,
    });
}

/// The interval of a sweep that began and whose forerunner began at these times. Its marks name the owner, but for lists without
/// tags.
fn sweep_interval(
    source: &Source,
    page: &Page,
    (began_at, before_at): (Timestamp, Timestamp),
    seen: Seen,
) -> Interval {
    let has_none = source.robot == RobotKind::Tag && is_without_members(page);
    let owner = if has_none { "" } else { &*source.root_id };
    let mark = |at| Mark { id: owner.to_owned(), at };
    Interval {
        newest: mark(began_at),
        oldest: mark(before_at),
        until: began_at,
        below: page.next.clone(),
        is_bottom: page.next.is_none() && !page.is_broken_off,
        visit: seen.visit,
    }
}
