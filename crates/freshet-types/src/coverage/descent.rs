//! The way down a list, as it is remembered between visits.
//!
//! A visit may be cut short after any page, so whatever decides the next question must be stored with the coverage. Otherwise the
//! same page is asked for again and again, and nobody else is visited. Five things are kept:
//!
//! - a [`Doubt`]: the page of a cursor was empty, and the top of the list has not confirmed yet that this is the end;
//! - how many pages in a row showed nothing new;
//! - a [`Trail`]: one cursor that was passed, by which a list that goes round is noticed [Brent 1980];
//! - whether a sweep has missed something;
//! - which cursors are shut: they are not followed any further, and the [`Obstacle`] says why.
//!
//! So every way down leads to a new post, to a cursor that was not there before, or to an end.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::{Deserialize, Serialize};

use super::{Coverage, Look};
use crate::{Span, Timestamp};

/// A look at the top this soon after an empty page proves that the list ended there: hardly an account is hidden and back in an hour.
/// Later looks are followed by one more look at the empty page.
pub(crate) const DOUBT_FRESH: Span = Span::HOUR;
/// Pages in a row that may show nothing new before the way down is given up.
pub(crate) const BARREN_MAX: u32 = 7;
/// Visits in a row that may leave a list as they found it before it leaves the backlog.
pub(crate) const IDLE_VISITS_MAX: u32 = 3;
/// How long a cursor stays shut at least; afterwards new posts at the top open it for one more try.
pub(crate) const SHUT_GAP: Span = Span::DAY;

/// Why a cursor is not followed any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// It leads back to where the way down came from.
    Round,
    /// Page after page shows nothing new.
    Barren,
    /// The network refuses the page, though it named it itself.
    Refused,
    /// Visit after visit leaves the list as it was.
    Idle,
    /// Its page says that the list goes on, and no link leads there.
    Unlinked,
}

impl Obstacle {
    /// The same for people.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Round => "the list goes round: the network leads back to a page that was read before",
            Self::Barren => {
                "the list goes on and on without showing anything new: it is not followed any further"
            }
            Self::Refused => "the network refuses the next page, though it named that page itself",
            Self::Idle => "visit after visit brings nothing more of it: it is not followed any further",
            Self::Unlinked => "the page says that the list goes on, and no link leads to its next page",
        }
    }
}

/// What is remembered of the way down.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Descent {
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<Doubt>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trail: Option<Trail>,
    barren_count: u32,
    idle_count: u32,
    /// A page of the sweep under way could not be read as a whole.
    is_patchy: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shut: Vec<Shut>,
}

/// The page of this cursor was empty: the list ends above it, or all of it was hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Doubt {
    cursor: String,
    at: Timestamp,
    /// The top has shown posts since, too late to prove anything: one more look at the page decides.
    is_answered: bool,
}

/// One cursor of the way down, and how far it lies back. After twice as many steps as the last time the present cursor takes its
/// place, so a circle of any length is noticed after at most three times its length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Trail {
    cursor: String,
    steps: u32,
    steps_max: u32,
}

/// A cursor that is not followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Shut {
    cursor: String,
    why: Obstacle,
    at: Timestamp,
}

impl Descent {
    /// Whether there is nothing to remember.
    pub(super) fn is_blank(&self) -> bool {
        *self == Self::default()
    }

    /// Why this cursor is not followed, where it is not.
    pub(super) fn obstacle(&self, cursor: Option<&str>) -> Option<Obstacle> {
        let shut = self.shut.iter().find(|shut| Some(shut.cursor.as_str()) == cursor);
        shut.map(|shut| shut.why)
    }

    /// Another way down begins.
    pub(super) fn begin(&mut self) {
        (self.trail, self.barren_count) = (None, 0);
    }

    /// The page of this cursor shows something.
    pub(super) fn open(&mut self, cursor: &str) {
        self.shut.retain(|shut| shut.cursor != cursor);
        self.doubt = self.doubt.take().filter(|doubt| doubt.cursor != cursor);
    }

    /// Forgets what was remembered of cursors that lead nowhere any more.
    pub(super) fn keep_only(&mut self, is_open: impl Fn(&str) -> bool) {
        self.shut.retain(|shut| is_open(&shut.cursor));
        self.doubt = self.doubt.take().filter(|doubt| is_open(&doubt.cursor));
    }
}

impl Coverage {
    /// The cursor to go on from: that of the topmost hole which one leads into.
    pub fn way_down(&self) -> Option<String> {
        self.holes().into_iter().find_map(|hole| hole.cursor)
    }

    /// Whether the page of this cursor was empty and the top of the list is to be looked at before it is asked for again.
    pub fn is_doubted(&self, cursor: &str) -> bool {
        self.descent.doubt.as_ref().is_some_and(|doubt| doubt.cursor == cursor && !doubt.is_answered)
    }

    /// The page of this cursor is empty and names no other. Gives whether that proves the end of the list: it does if the page was
    /// empty before and the top has shown posts in between. Otherwise the next look at the top decides.
    pub fn doubt_end(&mut self, cursor: &str, at: Timestamp) -> bool {
        let before = self.descent.doubt.take().filter(|doubt| doubt.cursor == cursor);
        let is_proven = before.is_some_and(|before| before.is_answered);
        if is_proven {
            self.end_at(cursor);
        } else {
            self.descent.doubt = Some(Doubt { cursor: cursor.to_owned(), at, is_answered: false });
        }
        is_proven
    }

    /// The top of the list shows something: what stood in doubt was the end, or is asked for once more. Gives whether it was.
    pub fn confirm_end(&mut self, at: Timestamp) -> bool {
        let Some(doubt) = self.descent.doubt.take() else { return false };
        let is_proven = !doubt.is_answered && at - doubt.at <= DOUBT_FRESH;
        if is_proven {
            self.end_at(&doubt.cursor);
        } else {
            self.descent.doubt = Some(Doubt { is_answered: true, ..doubt });
        }
        is_proven
    }

    /// The top of the list is empty too: an empty page below it means nothing.
    pub fn drop_doubt(&mut self) {
        self.descent.doubt = None;
    }

    /// A page below the top was read; gives whether too many in a row have shown nothing new.
    pub fn note_page(&mut self, is_barren: bool) -> bool {
        self.descent.barren_count = if is_barren { self.descent.barren_count.saturating_add(1) } else { 0 };
        self.descent.barren_count >= BARREN_MAX
    }

    /// The way down goes on with this cursor; gives whether it has been there before.
    pub fn step(&mut self, next: &str) -> bool {
        let fresh = |steps_max| Some(Trail { cursor: next.to_owned(), steps: 0, steps_max });
        match &mut self.descent.trail {
            Some(trail) if trail.cursor == next => return true,
            Some(trail) => {
                trail.steps += 1;
                if trail.steps >= trail.steps_max {
                    let steps_max = trail.steps_max.saturating_mul(2);
                    self.descent.trail = fresh(steps_max);
                }
            }
            None => self.descent.trail = fresh(1),
        }
        false
    }

    /// Does not follow this cursor any further.
    pub fn shut(&mut self, cursor: &str, why: Obstacle, at: Timestamp) {
        self.descent.shut.retain(|shut| shut.cursor != cursor);
        self.descent.shut.push(Shut { cursor: cursor.to_owned(), why, at });
        self.forget_closed();
    }

    /// A page of a list that runs from old to new was read: what stood against it is over, and at the end so is the way there.
    pub(super) fn on_tail_page(&mut self, look: &Look<'_>) {
        look.cursor.into_iter().for_each(|cursor| self.descent.open(cursor));
        if look.next.is_none() {
            self.descent.begin();
        }
    }

    /// Whether this cursor is not followed any further.
    pub fn is_shut(&self, cursor: &str) -> bool {
        self.descent.obstacle(Some(cursor)).is_some()
    }

    /// A page of the sweep could not be read as a whole: what the sweep does not show may stand there.
    pub fn note_patchy(&mut self) {
        self.descent.is_patchy = true;
    }

    /// Whether the sweep has missed something.
    pub fn is_patchy(&self) -> bool {
        self.descent.is_patchy
    }

    /// The list lives: what was shut long ago is tried once more, for one page that shows nothing new.
    pub fn reopen(&mut self, now: Timestamp) {
        let count = self.descent.shut.len();
        self.descent.shut.retain(|shut| now - shut.at < SHUT_GAP);
        if self.descent.shut.len() < count {
            (self.descent.barren_count, self.descent.idle_count) = (BARREN_MAX - 1, IDLE_VISITS_MAX - 1);
        }
    }

    /// The visit ends though there is more to ask for; `before` is the footprint with which it began. Gives whether the source may
    /// wait in the backlog: not if visit after visit leaves everything as it was.
    pub fn may_go_on(&mut self, before: u64, now: Timestamp) -> bool {
        let is_idle = self.footprint() == before;
        self.descent.idle_count = if is_idle { self.descent.idle_count.saturating_add(1) } else { 0 };
        if self.descent.idle_count < IDLE_VISITS_MAX {
            return true;
        }
        if let Some(cursor) = self.way_down() {
            self.shut(&cursor, Obstacle::Idle, now);
        }
        false
    }

    /// What tells two states of the way down apart: where intervals begin and end, where they lead to, and what is in doubt. When
    /// something was seen, and how often, is no part of it.
    pub fn footprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for it in &self.intervals {
            (&it.newest.id, &it.oldest.id, &it.below, it.is_bottom).hash(&mut hasher);
        }
        let doubt = self.descent.doubt.as_ref().map(|doubt| (&doubt.cursor, doubt.is_answered));
        (doubt, self.descent.shut.len()).hash(&mut hasher);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interval, Mark, VisitId};

    fn at(secs: i64) -> Timestamp {
        Timestamp::from_secs(secs)
    }

    /// A list that was read down to a hole, with this cursor into it.
    fn open(cursor: &str) -> Coverage {
        let mark = |id: &str, secs| Mark { id: id.to_owned(), at: at(secs) };
        let interval = Interval {
            newest: mark("9", 9),
            oldest: mark("5", 5),
            until: at(10),
            below: Some(cursor.to_owned()),
            is_bottom: false,
            visit: VisitId(1),
        };
        Coverage { intervals: vec![interval], ..Coverage::default() }
    }

    #[test]
    fn an_empty_page_ends_the_list_when_its_top_shows_posts_soon_or_when_it_is_empty_twice() {
        for (gap_s, is_proven) in [(60, true), (3_600, true), (3_601, false), (1_000_000, false)] {
            let mut coverage = open("c");
            assert!(!coverage.doubt_end("c", at(100)) && coverage.is_doubted("c"));
            assert_eq!(coverage.confirm_end(at(100 + gap_s)), is_proven, "after {gap_s} s");
            assert_eq!(coverage.is_complete(), is_proven, "after {gap_s} s");
            assert!(!coverage.is_doubted("c"), "the page may be asked for again");
            if !is_proven {
                assert!(coverage.doubt_end("c", at(2_000_000)) && coverage.is_complete());
            }
        }
        let mut hidden = open("c");
        hidden.doubt_end("c", at(100));
        hidden.drop_doubt();
        assert!(!hidden.confirm_end(at(101)) && !hidden.is_complete(), "the top was empty too");
    }

    #[test]
    fn a_circle_of_any_length_is_noticed_and_a_long_way_is_not_taken_for_one() {
        for length in [1_u32, 2, 3, 7, 64, 1_000] {
            let mut coverage = Coverage::default();
            let steps =
                (0..9_999_u32).take_while(|step| !coverage.step(&format!("c{}", step % length))).count();
            assert!(steps as u32 <= 3 * length, "{length}: {steps}");
        }
        let mut coverage = Coverage::default();
        assert!((0..10_000).all(|step| !coverage.step(&format!("c{step}"))));
    }

    #[test]
    fn a_list_that_visits_leave_as_it_was_leaves_the_backlog_until_it_lives() {
        let mut coverage = open("c");
        let before = coverage.footprint();
        let goes_on: Vec<bool> = (0..4).map(|_| coverage.may_go_on(before, at(100))).collect();
        assert_eq!(goes_on, [true, true, false, true], "shutting it is a change");
        let hole = &coverage.holes()[0];
        assert_eq!((&hole.cursor, hole.obstacle), (&None, Some(Obstacle::Idle)));
        coverage.reopen(at(1_000));
        assert!(coverage.is_shut("c"), "not so soon");
        coverage.reopen(at(100) + SHUT_GAP);
        assert_eq!(coverage.way_down().as_deref(), Some("c"));
        let before = coverage.footprint();
        assert!(!coverage.may_go_on(before, at(100_000)), "one more visit decides");
    }

    #[test]
    fn what_older_versions_stored_is_read_and_what_is_remembered_survives() {
        let old = r#"{"intervals":[],"empty_at":null}"#;
        assert_eq!(serde_json::from_str::<Coverage>(old).unwrap(), Coverage::default());
        assert_eq!(
            serde_json::to_string(&Coverage::default()).unwrap(),
            old,
            "nothing is added without need"
        );
        let mut coverage = open("c");
        coverage.doubt_end("c", at(100));
        coverage.step("d");
        coverage.note_page(true);
        coverage.shut("c", Obstacle::Barren, at(5));
        let text = serde_json::to_string(&coverage).unwrap();
        assert_eq!(serde_json::from_str::<Coverage>(&text).unwrap(), coverage);
    }
}
