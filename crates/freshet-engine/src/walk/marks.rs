//! Marks on a page: which of its posts are news, where it begins and ends, what it lists whole.
//!
//! The pure parts of [`super::Walk`] that look at one page and at what is covered already.

use std::collections::VecDeque;

use freshet_store::row::Listing;
use freshet_types::{Coverage, Endpoint, IdOrder, Mark, Page, Post, Source, Span, Timestamp};

use super::{MEMBERS_PER_VISIT_MAX, PageMeaning};

/// Most posts that somebody pins to the top of a list: a page that shows more of them in order does not end with a pinned one.
const PINNED_MAX: usize = 10;

/// The posts of a page that stand in order, newest first: what the page proves.
///
/// A pinned post, or a repost that carries the time of its original, stands above posts that are newer than it. It is left out: it
/// says nothing about what lies between it and its neighbours, and it is no news of today. What is left is what no later post of the page
/// is newer than, down to the page's last post. That one may be pinned only if all of the page is. Such a page is told from others
/// by what it lacks: it is short, and does not show the newest post that is known, which a list shows again and again.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) marks: Vec<Mark>,
    /// The last post cannot be a pinned one.
    pub(super) is_sure: bool,
    /// The page is the list from its newest post to its first.
    is_whole: bool,
    order: IdOrder,
}

impl Run {
    /// What this page proves beside what is covered.
    pub(super) fn of(marks: &[Mark], coverage: &Coverage, endpoint: &Endpoint, page: &Page) -> Self {
        let order = endpoint.id_order;
        let is_known = |mark: &Mark| coverage.newest().is_some_and(|newest| newest.id == mark.id);
        let is_telling = marks.iter().any(is_known) || marks.len() > PINNED_MAX;
        // A list that ends here is shown as it is, in whatever order.
        let is_whole = page.next.is_none() && !endpoint.is_window && !page.is_broken_off;
        let is_rising = page.next.is_none() && is_rising(marks, order);
        let marks = match () {
            () if is_whole => marks.to_vec(),
            // A feed from old to new. Two pinned posts above a single other one look the same, hence the second condition.
            () if is_rising && (is_telling || coverage.intervals.is_empty()) => {
                marks.iter().rev().cloned().collect()
            }
            () => in_order(marks, order),
        };
        let is_sure = page.next.is_none() || marks.iter().any(is_known) || marks.len() > PINNED_MAX;
        Self { marks, is_sure, is_whole, order }
    }

    /// Its newest and its oldest post.
    pub(super) fn ends(&self) -> Option<(Mark, Mark)> {
        ends(&self.marks, self.order)
    }
}

/// What no later post of the page is newer than.
fn in_order(marks: &[Mark], order: IdOrder) -> Vec<Mark> {
    let mut run: Vec<Mark> = Vec::new();
    for mark in marks.iter().rev() {
        if !run.last().is_some_and(|newest| mark.is_below(newest, order)) {
            run.push(mark.clone());
        }
    }
    run.reverse();
    run
}

/// Whether a page runs from old to new as a whole.
fn is_rising(marks: &[Mark], order: IdOrder) -> bool {
    let has_risen = marks.first().zip(marks.last()).is_some_and(|(first, last)| first.is_below(last, order));
    has_risen && !marks.windows(2).any(|pair| pair[1].is_below(&pair[0], order))
}

pub(super) fn mark_of(post: &Post, seen_at: Timestamp) -> Mark {
    Mark { id: post.id.clone(), at: post.created_at.unwrap_or(seen_at) }
}

/// Where the posts of a page stand, and how many of those without a time are news. Of these the page
/// itself tells: what stands above the newest known post came after it, the rest did not. `top_at` is the time of the page's top.
pub(super) fn marks_of(listed: &[&Post], coverage: &Coverage, top_at: Timestamp) -> (Vec<Mark>, usize) {
    let known = coverage.newest();
    let place = known.and_then(|known| listed.iter().position(|post| post.id == known.id));
    // Beside posts that have a time, one without stands at the time of the post above it: it is not out of order.
    let mut above_at = None;
    let mut time = |(at, post): (usize, &&Post)| {
        let undated =
            if place.is_some_and(|place| at >= place) { known.map(|known| known.at) } else { above_at };
        above_at = post.created_at.or(above_at);
        Mark { id: post.id.clone(), at: post.created_at.or(undated).unwrap_or(top_at) }
    };
    let marks = listed.iter().enumerate().map(&mut time).collect();
    let above =
        place.map_or(0, |place| listed[..place].iter().filter(|post| post.created_at.is_none()).count());
    (marks, above)
}

/// The newest and the oldest of a page, whatever order it came in.
pub(super) fn ends(marks: &[Mark], order: IdOrder) -> Option<(Mark, Mark)> {
    let mut newest = marks.first()?;
    let mut oldest = newest;
    for mark in marks {
        if newest.reaches(mark, order) {
            newest = mark;
        }
        if mark.reaches(oldest, order) {
            oldest = mark;
        }
    }
    Some((newest.clone(), oldest.clone()))
}

pub(super) fn note_news(
    meaning: &mut PageMeaning,
    coverage: &Coverage,
    marks: &[Mark],
    order: IdOrder,
    seen_at: Timestamp,
) {
    let looked_at = coverage.top().map(|top| top.until).or(coverage.empty_at);
    for mark in marks.iter().filter(|mark| !coverage.knows(mark, order)) {
        meaning.news.push(mark.at);
        if looked_at.is_some_and(|looked_at| mark.at > looked_at) {
            meaning.lags.push(seen_at - mark.at);
        }
    }
}

/// The first page is complete after its last post in order, or from the first of all, up to the present: others of the last
/// post's instant may stand on the next page. An empty one says nothing: all may be hidden.
pub(super) fn listing(source: &Source, run: &Run, seen_at: Timestamp) -> Option<Listing> {
    let last = run.marks.last()?;
    let newest = run.marks.iter().map(|mark| mark.at).max()?;
    let from = if run.is_whole { Timestamp::MIN } else { last.at + Span::from_ms(1) };
    Some(Listing { author: source.root_id.clone(), from, to: newest.max(seen_at) })
}

/// What is older would be dropped as soon as it is stored.
pub(super) fn wanted_since(source: &Source, now: Timestamp) -> Option<Timestamp> {
    source.since.max(source.retention.map(|retention| now - retention))
}

/// The ids of a list that lie above what is covered, in batches; and whether some lie at it or below.
pub(super) fn unknown_members(
    coverage: &Coverage,
    endpoint: &Endpoint,
    ids: &[String],
) -> (VecDeque<Vec<String>>, bool) {
    let is_known = |id: &&String| {
        let mark = Mark { id: (*id).clone(), at: Timestamp::MAX };
        coverage.newest().is_some_and(|newest| mark.reaches(newest, endpoint.id_order))
    };
    let mut wanted: Vec<String> = ids.iter().filter(|id| !is_known(id)).cloned().collect();
    let has_known = wanted.len() < ids.len();
    // The oldest first: a visit that is cut short then leaves no hole.
    wanted.reverse();
    wanted.truncate(MEMBERS_PER_VISIT_MAX);
    (wanted.chunks(endpoint.members_max.max(1)).map(<[String]>::to_vec).collect(), has_known)
}
