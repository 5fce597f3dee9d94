//! What a page of a merged list means for one of its members.
//!
//! The page shows the posts of several lists, the newest first, down to its last one, its *floor*. So for each member it is what a page of
//! the member's own list would be: nothing is missing between its newest post and the floor. The page shows all that is new of a
//! member ([`reach`]) if it shows the newest post that is known of it, or if that one is older than the floor and the member was last looked
//! at after it: then what is covered is raised. If not, posts may stand below the page: it is too short for this member.
//!
//! A page that goes down to the newest known post and does not show it leaves the member out, or the post is deleted: its own list tells.
//!
//! A list of one's own tells of edits and deletions too; a merged page only of edits of posts that it shows.

use freshet_types::{Coverage, Endpoint, IdOrder, Mark, Page, Post, Source, Span, Timestamp};

use super::marks::{ends, mark_of, note_news};
use super::{PageMeaning, Seen};

/// How far apart the clocks of a network and of the one who looks may be.
const SKEW: Span = Span::MINUTE;

/// Where a merged page ends; `None` where its list does, so that nothing stands below. Posts that do not fall from first to last prove
/// nothing.
pub(crate) fn floor_of(page: &Page, order: IdOrder, seen: Seen) -> Result<Option<Mark>, Unordered> {
    if page.next.is_none() && !page.is_broken_off {
        return Ok(None);
    }
    let listed: Vec<Mark> = listed(page).map(|post| mark_of(post, seen.at)).collect();
    let is_falling = listed.windows(2).all(|pair| !pair[0].is_below(&pair[1], order));
    let last = listed.last().filter(|_| is_falling).ok_or(Unordered)?;
    Ok(Some(last.clone()))
}

/// The posts of a merged page are in no order that proves anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unordered;

/// What a merged page is for one of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It shows everything that is newer than what is covered.
    Whole,
    /// It ends above the last look: what it shows is new, and more may stand below.
    Short,
    /// It should show what it does not: only the member's own list tells.
    Odd,
}

/// What a page with this floor, which shows these posts of a list, is for the list.
pub(crate) fn reach(
    floor: Option<&Mark>,
    shown: impl Fn(&str) -> bool,
    coverage: &Coverage,
    order: IdOrder,
) -> Reach {
    let down_to = |looked_at: Timestamp| {
        let is_after_floor = floor.is_none_or(|floor| floor.at + SKEW < looked_at);
        if is_after_floor { Reach::Whole } else { Reach::Short }
    };
    match coverage.top() {
        None => coverage.empty_at.map_or(Reach::Odd, down_to),
        Some(top) if shown(&top.newest.id) => Reach::Whole,
        Some(top) if floor.is_none_or(|floor| floor.reaches(&top.newest, order)) => Reach::Odd,
        Some(top) => down_to(top.until),
    }
}

/// Reads what a merged page shows of this source, where it reaches what is covered.
pub(super) fn read_share(source: &mut Source, endpoint: &Endpoint, page: &Page, seen: Seen) -> PageMeaning {
    let (mut meaning, order) = (PageMeaning::default(), endpoint.id_order);
    let marks: Vec<Mark> = listed(page).map(|post| mark_of(post, seen.at)).collect();
    note_news(&mut meaning, &source.coverage, &marks, order, seen.at);
    meaning.told.extend(marks.iter().map(|mark| mark.at));
    let is_new = |mark: &&Mark| !source.coverage.knows(mark, order);
    let news: Vec<Mark> = marks.iter().filter(is_new).cloned().collect();
    if let Some(ends) = ends(&news, order) {
        source.coverage.raise(ends, false, (seen.at, seen.visit));
    } else if let Some(top) = source.coverage.intervals.first_mut() {
        top.until = seen.at;
    } else {
        source.coverage.empty_at = Some(seen.at);
    }
    meaning
}

fn listed(page: &Page) -> impl Iterator<Item = &Post> {
    page.observation.posts.iter().filter(|post| !post.is_embedded)
}

#[cfg(test)]
mod tests {
    use freshet_types::{NetworkName, Observation, RobotKind, VisitId};

    use super::*;

    const SEEN: Seen = Seen { at: Timestamp::from_secs(1000), visit: VisitId(7) };

    fn page(ids: &[i64], goes_on: bool) -> Page {
        let post = |id: &i64| Post {
            id: id.to_string(),
            created_at: Some(Timestamp::from_secs(*id)),
            ..Post::default()
        };
        let observation = Observation { posts: ids.iter().map(post).collect(), ..Observation::default() };
        Page { observation, next: goes_on.then(|| "on".to_owned()), ..Page::default() }
    }

    fn coverage(newest: Option<i64>) -> Coverage {
        let mut coverage = Coverage { empty_at: Some(Timestamp::from_secs(500)), ..Coverage::default() };
        if let Some(id) = newest {
            let mark = Mark { id: id.to_string(), at: Timestamp::from_secs(id) };
            coverage.raise((mark.clone(), mark), false, (Timestamp::from_secs(500), VisitId(1)));
        }
        coverage
    }

    /// What a page is for a member whose newest known post is this one, and that was looked at at 500; `None` where the page
    /// proves nothing.
    fn check(ids: &[i64], goes_on: bool, newest: Option<i64>, expected: Option<Reach>) {
        let shown = |id: &str| ids.iter().any(|one| one.to_string() == id);
        let reached = floor_of(&page(ids, goes_on), IdOrder::Numeric, SEEN)
            .map(|floor| reach(floor.as_ref(), shown, &coverage(newest), IdOrder::Numeric));
        assert_eq!(reached.ok(), expected, "{ids:?} {goes_on} {newest:?}");
    }

    #[test]
    fn a_page_reaches_whoever_is_known_down_to_its_last_post() {
        use Reach::{Odd, Short, Whole};
        // It shows the post that is known.
        check(&[900, 800, 470], true, Some(470), Some(Whole));
        check(&[900, 800, 470], false, Some(800), Some(Whole));
        // That one is older than the floor, and nothing came between the last look and the floor.
        check(&[900, 800, 430], true, Some(20), Some(Whole));
        check(&[900, 800, 430], true, None, Some(Whole));
        // The floor is above the last look, or too near to it.
        check(&[900, 800, 470], true, Some(20), Some(Short));
        check(&[900, 800, 700], true, None, Some(Short));
        // It should show the post that is known, and does not.
        check(&[900, 800, 430], true, Some(450), Some(Odd));
        check(&[900, 800], false, Some(450), Some(Odd));
        check(&[], false, Some(450), Some(Odd));
        // A list that ends here shows everything.
        check(&[900, 800], false, None, Some(Whole));
        check(&[], false, None, Some(Whole));
        // Out of order, or broken off at once.
        check(&[900, 470, 800], true, Some(470), None);
        check(&[], true, Some(470), None);
    }

    #[test]
    fn what_a_page_shows_raises_what_is_covered() {
        let mut source = Source::new(&NetworkName::from("net"), "list", RobotKind::Status, "account", "7");
        source.coverage = coverage(Some(70));
        let endpoint = crate::walk::tests::endpoint(freshet_types::PageKind::Posts, true);
        let meaning = read_share(&mut source, &endpoint, &page(&[95, 90, 70], true), SEEN);
        assert_eq!(meaning.news.iter().map(|at| at.secs()).collect::<Vec<_>>(), [95, 90]);
        assert!(!meaning.goes_on && !meaning.has_more && meaning.lists.is_none());
        let top = source.coverage.top().unwrap();
        assert_eq!((top.newest.id.as_str(), top.oldest.id.as_str(), top.until), ("95", "70", SEEN.at));
        assert!(source.coverage.is_complete(), "{:?}", source.coverage);
        let later = Seen { at: Timestamp::from_secs(1100), ..SEEN };
        assert!(read_share(&mut source, &endpoint, &page(&[], true), later).news.is_empty());
        assert_eq!(source.coverage.top().unwrap().until, later.at);
        let mut silent = Source { coverage: coverage(None), ..source };
        assert!(read_share(&mut silent, &endpoint, &page(&[], true), later).news.is_empty());
        assert_eq!(silent.coverage.empty_at, Some(later.at), "who never posted was looked at all the same");
    }
}
