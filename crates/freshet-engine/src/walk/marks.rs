//! Marks on a page: which of its posts are news, where it begins and ends, what it lists whole.
//!
//! The pure parts of [`super::Walk`] that look at one page and at what is covered already.

use std::collections::VecDeque;

use freshet_store::row::Listing;
use freshet_types::{Coverage, Endpoint, IdOrder, Mark, Post, Source, Timestamp};

use super::{MEMBERS_PER_VISIT_MAX, Taken};

pub(super) fn mark_of(post: &Post, seen_at: Timestamp) -> Mark {
    Mark { id: post.id.clone(), at: post.created_at.unwrap_or(seen_at) }
}

/// Where the posts of a page stand, and how many of those without a time are news. Of these the page
/// itself tells: what stands above the newest known post came after it, the rest did not.
pub(super) fn marks_of(listed: &[&Post], coverage: &Coverage, seen_at: Timestamp) -> (Vec<Mark>, usize) {
    let known = coverage.newest();
    let place = known.and_then(|known| listed.iter().position(|post| post.id == known.id));
    let time = |(at, post): (usize, &&Post)| {
        let undated = if place.is_some_and(|place| at >= place) { known.map(|known| known.at) } else { None };
        Mark { id: post.id.clone(), at: post.created_at.or(undated).unwrap_or(seen_at) }
    };
    let above =
        place.map_or(0, |place| listed[..place].iter().filter(|post| post.created_at.is_none()).count());
    (listed.iter().enumerate().map(time).collect(), above)
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
    taken: &mut Taken,
    coverage: &Coverage,
    marks: &[Mark],
    order: IdOrder,
    seen_at: Timestamp,
) {
    let is_known = |mark: &Mark| {
        coverage
            .intervals
            .iter()
            .any(|interval| mark.reaches(&interval.newest, order) && interval.oldest.reaches(mark, order))
    };
    let looked_at = coverage.top().map(|top| top.until).or(coverage.empty_at);
    for mark in marks.iter().filter(|mark| !is_known(mark)) {
        taken.news.push(mark.at);
        if looked_at.is_some_and(|looked_at| mark.at > looked_at) {
            taken.lags.push(seen_at - mark.at);
        }
    }
}

/// The first page is complete from its oldest post, or from the first of all, up to the present.
/// An empty one says nothing: all may be hidden.
pub(super) fn listing(
    source: &Source,
    marks: &[Mark],
    is_whole: bool,
    seen_at: Timestamp,
) -> Option<Listing> {
    let oldest = marks.iter().map(|mark| mark.at).min()?;
    let newest = marks.iter().map(|mark| mark.at).max()?;
    let from = if is_whole { Timestamp::MIN } else { oldest };
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
