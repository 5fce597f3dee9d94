//! The paper's loop for one user [CUVIM, Algorithm 2], under both readings of its weight.
//!
//! An hour's table expects so many posts; when more than c have gathered since the last visit, or s has passed, it
//! visits. So the number of calls follows from the table, and the table from the weight w of the last day:
//!
//! | reading | table, once a day | in the long run, at n posts a day |
//! |---|---|---|
//! | [`Reading::Mean`] | a′ = (1 − w)·a + w·n | n, whatever w |
//! | [`Reading::Sum`] | a′ = 0.5·a + w·n, the paper's line with one of its two 0.5 changed | 2w·n |
//!
//! The second is linear in w: it is the table of w = 0.5 times 2w, and is computed so. What it does not do is decide
//! which of them the paper ran; [`super::tables`] shows both beside its figures.

use freshet_policy::Look;
use freshet_policy::calendar::Calendar;
use freshet_policy::change::HashTable;
use freshet_policy::change::hash::SLOTS;
use freshet_types::{Span, Timestamp};

use crate::trace::{History, Poster};

/// c of the paper.
pub(super) const PAGE_SIZE: u32 = 100;
/// s of the paper.
const SPAN_MAX: Span = Span::from_ms(30 * 86_400_000);
/// The weight of the paper's example, of which both readings are the same.
const WEIGHT_USUAL: f64 = 0.5;

/// What the weight of the last day does to what was known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Old and new share 1: a weighted mean over days.
    Mean,
    /// The old keeps its half, the new counts w: a sum that grows with w.
    Sum,
}

impl Reading {
    /// The weight the table learns with, and what its sums are multiplied by.
    fn table(self, weight: f64) -> (f64, f64) {
        match self {
            Self::Mean => (weight, 1.0),
            Self::Sum => (WEIGHT_USUAL, weight / WEIGHT_USUAL),
        }
    }
}

/// How a loop is run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) reading: Reading,
    /// w.
    pub(super) weight: f64,
    /// Whether the table is told every day what was posted, or learns from its visits alone.
    pub(super) is_told: bool,
}

/// What a loop came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) posts: u64,
    pub(super) calls: u64,
    /// Calls that were made because s had passed, and not because a page was expected to be full.
    pub(super) late: u64,
}

impl Tally {
    pub(super) fn per_call(self) -> f64 {
        self.posts as f64 / self.calls.max(1) as f64
    }
}

/// The loop over all accounts.
pub(super) fn loop_of(history: &History, form: Form) -> Tally {
    let mut sum = Tally::default();
    for poster in &history.posters {
        let one = loop_of_one(history, poster, form);
        sum.posts += one.posts;
        sum.calls += one.calls;
        sum.late += one.late;
    }
    sum
}

fn loop_of_one(history: &History, poster: &Poster, form: Form) -> Tally {
    let (calendar, window) = (Calendar::default(), history.window);
    let (weight, scale) = form.reading.table(form.weight);
    let mut table = HashTable::default();
    let mut told_at = window.from;
    let mut tell = |table: &mut HashTable, at: Timestamp, news: &[Timestamp], is_full: bool| {
        table.learn_with(&Look { since: Some(told_at), at, news, is_full }, weight, &calendar);
        told_at = at;
    };
    for day in 1..=window.warm_days {
        let at = window.from + Span::DAY * f64::from(day);
        tell(&mut table, at, between(poster, at - Span::DAY, at), false);
    }
    let (mut tally, mut visited_at, mut expected) = (Tally::default(), window.start(), 0.0);
    let slot = Span::DAY * (1.0 / SLOTS as f64);
    for number in 1..=window.eval_days * SLOTS as u32 {
        let now = window.start() + slot * f64::from(number);
        // The paper's running sum: what was expected of an hour stays expected when the table changes.
        expected += scale * table.posts_with(&calendar, now - slot, now);
        let is_full = expected > f64::from(PAGE_SIZE);
        if is_full || now - visited_at > SPAN_MAX {
            let news = between(poster, visited_at, now);
            let shown = &news[news.len().saturating_sub(PAGE_SIZE as usize)..];
            tally.posts += shown.len() as u64;
            tally.calls += 1;
            tally.late += u64::from(!is_full);
            (visited_at, expected) = (now, 0.0);
            if !form.is_told {
                tell(&mut table, now, shown, shown.len() == PAGE_SIZE as usize);
            }
        }
        if form.is_told && number % SLOTS as u32 == 0 {
            tell(&mut table, now, between(poster, now - Span::DAY, now), false);
        }
    }
    tally
}

/// Posts from one instant to before another.
fn between(poster: &Poster, from: Timestamp, until: Timestamp) -> &[Timestamp] {
    let position = |at: Timestamp| poster.posts.partition_point(|post| *post < at);
    &poster.posts[position(from)..position(until).max(position(from))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Window;

    const WINDOW: Window = Window { from: Timestamp::from_secs(0), warm_days: 28, eval_days: 61 };

    /// Posts and calls.
    fn check(history: &History, reading: Reading, weight: f64, is_told: bool, expected: (u64, u64)) {
        let form = Form { reading, weight, is_told };
        let found = loop_of(history, form);
        assert_eq!((found.posts, found.calls), expected, "{form:?}");
        assert_eq!(found.late == found.calls, expected.0 == 0, "{form:?}");
    }

    #[test]
    fn the_loop_visits_when_a_page_is_full_or_the_span_is_over() {
        // Ten posts an hour: a visit after every eleventh hour, when more than 100 are expected.
        let posts = (0..89 * 24 * 10).map(|number| (0, number * 360)).collect();
        let history = History::from_posts(WINDOW, posts);
        for weight in [0.4, 0.5, 0.9] {
            check(&history, Reading::Mean, weight, true, (133 * 100, 133));
        }
        // Ten posts of each eleven hours are lost; who is not told of them expects less, and comes less often.
        check(&history, Reading::Mean, 0.5, false, (116 * 100, 116));
        // One post in the warm-up: visits when 30 days have passed, twice in 61 days.
        let silent = History::from_posts(WINDOW, vec![(0, 10)]);
        check(&silent, Reading::Mean, 0.9, true, (0, 2));
        check(&silent, Reading::Sum, 0.9, true, (0, 2));
    }

    #[test]
    fn a_sum_calls_in_proportion_to_its_weight() {
        let posts = (0..89 * 24 * 10).map(|number| (0, number * 360)).collect();
        let history = History::from_posts(WINDOW, posts);
        check(&history, Reading::Sum, 0.5, true, (133 * 100, 133));
        // Eighteen posts are expected of an hour that brings ten: six hours are enough, and bring sixty.
        check(&history, Reading::Sum, 0.9, true, (244 * 60, 244));
        // Eight are expected: after thirteen hours a page of 100 shows what it can.
        check(&history, Reading::Sum, 0.4, true, (112 * 100, 112));
    }
}
