//! Coverage: which stretches of a source's list are proven complete, and where the holes are.
//!
//! A list is read from new to old. Every page proves that nothing is missing between its first
//! and its last post; pages that touch join into one [`Interval`]. A visit that is cut short
//! leaves a hole between two intervals, with the cursor to go on from. A hole closes when the
//! page below reaches a post that the next interval already has. Hence the rule of the whole
//! crawl: *the high-water mark moves only when the interval behind it is closed*.
//!
//! What a page proves ends at its last post, and that may be a pinned one, which stands above its
//! place. So a short page is joined to what is known only if it shows a post that is known, or once the
//! page below it has followed ([`Look::unsure`]).
//!
//! Marks are compared by id where the network's ids rise with time, else by posting time. All
//! functions are pure; the store keeps the value in the same transaction as the posts.

mod descent;
mod tail;

use serde::{Deserialize, Serialize};

use crate::{Timestamp, VisitId};

pub use descent::{Descent, Obstacle};
pub use tail::{Advance, SHOWN_MAX, missing_between};

/// Most intervals kept per source; beyond it the two oldest holes are forgotten as one.
pub(crate) const INTERVALS_MAX: usize = 64;

/// How a network's ids compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IdOrder {
    /// Longer is newer, then character by character: numbers without leading zeros.
    Numeric,
    /// Character by character: ULIDs, flakes, TIDs.
    Lexical,
    /// Ids say nothing; posting times are compared.
    #[default]
    None,
}

/// A place in a list: one post of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The post's id.
    pub id: String,
    /// Its posting time.
    pub at: Timestamp,
}

impl Mark {
    /// Whether `self` stands below `other`, for certain: posts of one instant stand at one height where only times compare.
    pub fn is_below(&self, other: &Self, order: IdOrder) -> bool {
        self.id != other.id && self.reaches(other, order)
    }

    /// Whether `self` stands at `other` or below it (is not newer).
    pub fn reaches(&self, other: &Self, order: IdOrder) -> bool {
        if self.id == other.id {
            return true;
        }
        match order {
            IdOrder::Numeric => (self.id.len(), &self.id) < (other.id.len(), &other.id),
            IdOrder::Lexical => self.id < other.id,
            IdOrder::None => self.at < other.at,
        }
    }
}

/// A stretch of the list that is proven complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// Its newest post.
    pub newest: Mark,
    /// Its oldest post.
    pub oldest: Mark,
    /// When the look that saw `newest` was taken: complete up to here.
    pub until: Timestamp,
    /// Where to go on below, while nothing below is joined; where to go on at all, in a list that
    /// runs from old to new.
    pub below: Option<String>,
    /// The list ends here, or what is older is not wanted.
    pub is_bottom: bool,
    /// The visit that last extended it.
    pub visit: VisitId,
}

/// The intervals of one source, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Disjoint, newest first.
    pub intervals: Vec<Interval>,
    /// When the whole list was last seen to be empty.
    pub empty_at: Option<Timestamp>,
    /// What the page that visits begin with showed last, where times alone do not tell what is new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// What is remembered of the way down between visits.
    #[serde(default, skip_serializing_if = "Descent::is_blank")]
    pub descent: Descent,
}

/// A stretch that may hide posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// The known post above it.
    pub above: Mark,
    /// The known post below it; `None`: history down to the first post.
    pub below: Option<Mark>,
    /// Where to go on reading.
    pub cursor: Option<String>,
    /// Why the cursor that leads into it is not followed, where one does.
    pub obstacle: Option<Obstacle>,
}

/// What a page proved, in the order of the page (newest first).
#[derive(Clone, Debug)]
pub struct Look<'a> {
    /// First and last post of the page; `None` for an empty page.
    pub ends: Option<(Mark, Mark)>,
    /// The cursor that was asked with; `None` for the first page.
    pub cursor: Option<&'a str>,
    /// The cursor to go on with; `None` at the end of the list.
    pub next: Option<&'a str>,
    /// When the page was taken.
    pub seen_at: Timestamp,
    /// By which visit.
    pub visit: VisitId,
    /// History before this is not wanted.
    pub since: Option<Timestamp>,
    /// The list shows only its newest part, as feeds do: its end is not the end of history.
    pub is_window: bool,
    /// The list goes on below, and nothing says where: its end is not the end of history either.
    pub is_broken_off: bool,
    /// Its posts, newest first, where the last ones may be pinned; empty where they cannot be: the page shows the newest post that is
    /// known, or more posts than anybody pins.
    pub unsure: &'a [Mark],
}

impl Coverage {
    /// Adds one page of a newest-first list.
    ///
    /// A page that is unsure may end with pinned posts, far below what it shows otherwise. It proves nothing at what is known or below,
    /// and is joined to it only when the page below has followed.
    pub fn add_page(&mut self, look: &Look<'_>, order: IdOrder) {
        let Some((newest, oldest)) = look.ends.clone() else {
            return self.add_empty_page(look);
        };
        let index = look.cursor.and_then(|cursor| self.index_of(cursor));
        // Something newer than everything above it: what stood above was pinned, and proves nothing.
        let is_displaced = index.is_some_and(|at| self.intervals[at].newest.is_below(&newest, order));
        let is_sure = look.unsure.is_empty() || (index.is_some() && !is_displaced);
        let has_ended = look.next.is_none() && !look.is_broken_off;
        let is_unwanted = look.since.is_some_and(|since| oldest.at < since) && is_sure;
        let is_bottom = has_ended || is_unwanted;
        let below = if is_bottom { None } else { look.next.map(str::to_owned) };
        let was_open = self.leads_to(look.next);
        let (newest, oldest) = if is_sure {
            (newest, oldest)
        } else {
            self.unsure_ends(look, index.map_or(0, |at| at + 1), order)
        };
        let mut fresh = Interval { newest, oldest, until: look.seen_at, below, is_bottom, visit: look.visit };
        let at = if let Some(at) = index {
            let interval = &mut self.intervals[at];
            if !is_displaced {
                (fresh.newest, fresh.until) = (interval.newest.clone(), interval.until);
            }
            *interval = fresh;
            at
        } else {
            self.put_on_top(fresh, is_sure);
            0
        };
        let count = self.intervals.len();
        if is_sure {
            self.join_below(at, order, look.is_window);
        }
        self.forget_excess();
        let is_open = self.leads_to(look.next);
        let is_apart = count > 1 && self.intervals.len() == count;
        // A page below the top goes on with the way down while it leaves a hole; the top page begins another
        // one where it leads into a hole that was not there before.
        let goes_on = if index.is_some() { is_open } else { !is_apart && (was_open || !is_open) };
        if !goes_on {
            self.descent.begin();
        }
        self.forget_closed();
    }

    /// What an unsure page proves: its posts above what is known from `known_at` on; where there are none, nothing new.
    fn unsure_ends(&self, look: &Look<'_>, known_at: usize, order: IdOrder) -> (Mark, Mark) {
        let known = self.intervals.get(known_at).map(|known| &known.newest);
        let mut above =
            look.unsure.iter().filter(|mark| known.is_none_or(|known| !mark.reaches(known, order)));
        let newest = above.next().or(known).unwrap_or(&look.unsure[0]);
        (newest.clone(), above.next_back().unwrap_or(newest).clone())
    }

    /// A new topmost interval; where nothing is joined, it takes the place of one that proves the same.
    fn put_on_top(&mut self, fresh: Interval, is_sure: bool) {
        let is_same = |top: &Interval| {
            !top.is_bottom && top.newest.id == fresh.newest.id && top.oldest.id == fresh.oldest.id
        };
        match self.intervals.first_mut() {
            Some(top) if !is_sure && is_same(top) => *top = fresh,
            _ => self.intervals.insert(0, fresh),
        }
    }

    fn leads_to(&self, cursor: Option<&str>) -> bool {
        cursor.is_some_and(|cursor| self.index_of(cursor).is_some())
    }

    /// Forgets what is remembered of cursors that no hole has any more.
    fn forget_closed(&mut self) {
        let intervals = &self.intervals;
        let is_open = |cursor: &str| intervals.iter().any(|it| it.below.as_deref() == Some(cursor));
        self.descent.keep_only(is_open);
    }

    /// Adds posts that were fetched from old to new: they raise the top interval. With
    /// `is_apart` nothing proves that they follow upon it: they begin an interval of their own,
    /// above a hole that no cursor leads into.
    pub fn raise(
        &mut self,
        (newest, oldest): (Mark, Mark),
        is_apart: bool,
        (seen_at, visit): (Timestamp, VisitId),
    ) {
        match self.intervals.first_mut() {
            Some(top) if !is_apart => (top.newest, top.until, top.visit) = (newest, seen_at, visit),
            _ => {
                let is_bottom = self.intervals.is_empty();
                let until = seen_at;
                self.intervals.insert(0, Interval { newest, oldest, until, below: None, is_bottom, visit });
                self.forget_excess();
            }
        }
    }

    fn add_empty_page(&mut self, look: &Look<'_>) {
        match look.cursor.and_then(|cursor| self.index_of(cursor)) {
            // A page beyond the last one: the list ends above it.
            Some(at) if look.is_broken_off => self.intervals[at].below = None,
            Some(_) if look.next.is_none() => self.end_at(look.cursor.unwrap_or_default()),
            Some(at) => self.intervals[at].below = look.next.map(str::to_owned),
            None => self.empty_at = Some(look.seen_at),
        }
        self.forget_closed();
    }

    /// The list ends above the page of this cursor.
    pub fn end_at(&mut self, cursor: &str) {
        if let Some(at) = self.index_of(cursor) {
            self.intervals[at].below = None;
            self.intervals[at].is_bottom = true;
            self.intervals.truncate(at + 1);
        }
    }

    /// The list is empty now, by the network's own word: nothing is left to be read below.
    pub fn end_empty(&mut self, seen_at: Timestamp) {
        self.empty_at = Some(seen_at);
        self.intervals.truncate(1);
        if let Some(top) = self.intervals.first_mut() {
            (top.until, top.below, top.is_bottom) = (seen_at, None, true);
        }
    }

    /// The network no longer understands this cursor: what is proven above and at it is read
    /// again from the top, since there is no other way down.
    pub fn forget_down_to(&mut self, cursor: &str) {
        if let Some(at) = self.index_of(cursor) {
            self.intervals.drain(..=at);
        }
    }

    fn index_of(&self, cursor: &str) -> Option<usize> {
        self.intervals.iter().position(|interval| interval.below.as_deref() == Some(cursor))
    }

    /// Joins the interval at `at` with those below that it has reached.
    fn join_below(&mut self, at: usize, order: IdOrder, is_window: bool) {
        let has_ended = self.intervals[at].is_bottom;
        while let Some(lower) = self.intervals.get(at + 1) {
            let is_reached = self.intervals[at].oldest.reaches(&lower.newest, order);
            if !is_reached && !has_ended {
                return;
            }
            if !is_reached && is_window {
                // The list shows only its newest part, and ours had scrolled out: a hole for good.
                self.intervals[at].is_bottom = false;
                return;
            }
            let lower = self.intervals.remove(at + 1);
            let upper = &mut self.intervals[at];
            if !is_reached {
                continue;
            }
            // Posts of one instant stand at one height where only times compare, and the lower
            // interval is proven down to its own cursor: in doubt that is the one to keep.
            let is_lower = lower.oldest.reaches(&upper.oldest, order);
            if (is_lower || !upper.oldest.reaches(&lower.oldest, order)) && (!has_ended || is_window) {
                upper.below = lower.below;
                upper.is_bottom = lower.is_bottom;
            }
            if is_lower {
                upper.oldest = lower.oldest;
            }
        }
    }

    fn forget_excess(&mut self) {
        while self.intervals.len() > INTERVALS_MAX {
            let lower = self.intervals.pop().expect("there are more than INTERVALS_MAX");
            let upper = self.intervals.last_mut().expect("INTERVALS_MAX is positive");
            upper.is_bottom = false;
            if upper.below.is_none() {
                upper.below = lower.below;
            }
        }
    }

    /// Whether everything from the first wanted post to the last look is here.
    pub fn is_complete(&self) -> bool {
        match self.intervals.as_slice() {
            [] => self.empty_at.is_some(),
            [only] => only.is_bottom,
            _ => false,
        }
    }

    /// Whether this post stands inside an interval.
    pub fn knows(&self, mark: &Mark, order: IdOrder) -> bool {
        let holds = |it: &Interval| mark.reaches(&it.newest, order) && it.oldest.reaches(mark, order);
        self.intervals.iter().any(holds)
    }

    /// The time of the last post above the page of this cursor.
    pub fn oldest_above(&self, cursor: &str) -> Option<Timestamp> {
        self.index_of(cursor).map(|at| self.intervals[at].oldest.at)
    }

    /// The newest post of the topmost interval.
    pub fn newest(&self) -> Option<&Mark> {
        self.intervals.first().map(|interval| &interval.newest)
    }

    /// Complete from the newest post down to `oldest` of the topmost interval, as of `until`.
    pub fn top(&self) -> Option<&Interval> {
        self.intervals.first()
    }

    /// The holes, newest first.
    pub fn holes(&self) -> Vec<Hole> {
        let mut holes = Vec::new();
        for (at, interval) in self.intervals.iter().enumerate() {
            if interval.is_bottom {
                break;
            }
            let obstacle = self.descent.obstacle(interval.below.as_deref());
            holes.push(Hole {
                above: interval.oldest.clone(),
                below: self.intervals.get(at + 1).map(|lower| lower.newest.clone()),
                cursor: interval.below.clone().filter(|_| obstacle.is_none()),
                obstacle,
            });
        }
        holes
    }
}

#[cfg(test)]
mod tests;
