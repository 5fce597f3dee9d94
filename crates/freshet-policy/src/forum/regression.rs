//! The interval until a list's next record, by linear regression on all features of table 1 [list-wise, section 3.4].
//!
//! Assumption: the interval is a weighted sum of what is known of the list and of the hour. F(x) = w₀ + Σ wᵢxᵢ (equation 1), W by ridge
//! regression ([`super::ridge`]). One model for a site's index lists, one for its post lists; the caller trains them
//! anew on schedule, every two months in the paper.
//!
//! | paper | here |
//! |---|---|
//! | F(x) | [`Regression::interval_s`] |
//! | 𝕎 | `weights` and `constant`, list first, clock after it |
//! | the part of F that only depends on the list | [`Regression::list_part`] |
//! | the part that only depends on the clock: ct, cd, `Δt_site`, `Δt_hour`, `Δt_day` | [`Regression::clock_part`] |
//! | ds and its weight | [`Regression::dormant_part`] |
//!
//! Intervals go in as hours, and come out between the two that are believed ([`Belief`]). (Logarithms in place of hours were tried on three real
//! forums: worse on two, hardly better on one.)
//!
//! Split like this a million lists can be ranked at an hour without computing their features again. Samples, of the last
//! [`RECENT_S`]: at every record, how long until the next; and of every list, at one instant of that time, the same question, because it is asked of
//! dormant lists far more often than of lively ones, and ds would never be 1 otherwise. The last gap of a list is open: what has passed of
//! it is taken for what is left of it. Cost of training: O(samples · 57²).

use super::belief::Belief;
use super::features::{GAP_COUNT, ListFacts, SiteFacts, hour_of, weekday_of};
use super::ridge;
use super::states::{STATE_COUNT, States};

/// How far back samples go: 90 days.
pub(crate) const RECENT_S: f64 = 90.0 * 86_400.0;
/// Samples of one training.
const SAMPLES_MAX: usize = 30_000;
/// Lists that states are made of.
const STATE_SAMPLES_MAX: usize = 4_000;

/// Features of a list, in this order: five gaps, mean, length, states, dormant.
const LIST_COUNT: usize = GAP_COUNT + 2 + STATE_COUNT + 1;
/// Features of the clock: site, 24 hours, mean of the hour, 7 days, mean of the day.
const CLOCK_COUNT: usize = 1 + 24 + 1 + 7 + 1;
/// All.
const FEATURE_COUNT: usize = LIST_COUNT + CLOCK_COUNT;

/// The model of one kind of list of one site.
#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    weights: [f64; FEATURE_COUNT],
    constant: f64,
    states: States,
    site: SiteFacts,
    belief: Belief,
}

impl Regression {
    /// Trains on lists as they are known at `now_s`, intervals cut at the longest that is believed; `None` without a single gap.
    pub fn train(lists: &[&[i64]], now_s: f64, belief: Belief) -> Option<Self> {
        let gap_count: usize = lists.iter().map(|times_s| times_s.len().saturating_sub(1)).sum();
        if gap_count == 0 {
            return None;
        }
        let site = SiteFacts::of(lists.iter().copied());
        let asked = questions(lists, now_s);
        let every = asked.len().div_ceil(STATE_SAMPLES_MAX).max(1);
        let gaps = |question: &Question| question.facts(lists).gaps_or(&site);
        let states = States::of(asked.iter().step_by(every).map(gaps).collect());
        let mut model = Self { weights: [0.0; FEATURE_COUNT], constant: 0.0, states, site, belief };
        let row = |question: &Question| {
            let facts = question.facts(lists);
            let dormant = f64::from(u8::from(question.at_s >= facts.dormant_from_s(&model.site)));
            let left_s = match lists[question.list].get(question.end + 1) {
                Some(next_s) => *next_s as f64 - question.at_s,
                None => now_s - facts.last_s,
            };
            (model.features(&facts, question.at_s, dormant), (left_s / 3600.0).clamp(0.0, belief.longest_h))
        };
        let rows: Vec<_> = asked.iter().map(row).collect();
        (model.weights, model.constant) = ridge::fit(&rows);
        Some(model)
    }

    /// Seconds until the next record of a list that was not heard of since its last.
    pub fn interval_s(&self, facts: &ListFacts, at_s: f64) -> f64 {
        let is_dormant = at_s >= facts.dormant_from_s(&self.site);
        let dormant = if is_dormant { self.dormant_part() } else { 0.0 };
        self.believed_s(self.list_part(facts) + self.clock_part(at_s) + dormant)
    }

    /// A sum of weights as an interval.
    pub fn believed_s(&self, sum_h: f64) -> f64 {
        self.belief.bounded_h(sum_h) * 3600.0
    }

    /// The list's part of the sum.
    pub fn list_part(&self, facts: &ListFacts) -> f64 {
        dot(&self.weights[..LIST_COUNT], &self.list(facts, 0.0)) + self.constant
    }

    /// The clock's part of the sum.
    pub fn clock_part(&self, at_s: f64) -> f64 {
        dot(&self.weights[LIST_COUNT..], &self.clock(at_s))
    }

    /// What a dormant list's sum has more.
    pub fn dormant_part(&self) -> f64 {
        self.weights[LIST_COUNT - 1]
    }

    /// What is known of the site.
    pub fn site(&self) -> &SiteFacts {
        &self.site
    }

    fn features(&self, facts: &ListFacts, at_s: f64, dormant: f64) -> [f64; FEATURE_COUNT] {
        let (list, clock) = (self.list(facts, dormant), self.clock(at_s));
        std::array::from_fn(|index| if index < LIST_COUNT { list[index] } else { clock[index - LIST_COUNT] })
    }

    fn list(&self, facts: &ListFacts, dormant: f64) -> [f64; LIST_COUNT] {
        let mut features = [0.0; LIST_COUNT];
        let gaps = facts.gaps_or(&self.site);
        features[..GAP_COUNT].copy_from_slice(&gaps);
        features[GAP_COUNT] = facts.mean_gap_or(&self.site);
        features[GAP_COUNT + 1] = facts.record_count as f64;
        features[GAP_COUNT + 2 + self.states.nearest(&gaps)] = 1.0;
        features[LIST_COUNT - 1] = dormant;
        features
    }

    fn clock(&self, at_s: f64) -> [f64; CLOCK_COUNT] {
        let (hour, day) = (hour_of(at_s), weekday_of(at_s));
        let mut features = [0.0; CLOCK_COUNT];
        features[0] = self.site.gap_h;
        features[1 + hour] = 1.0;
        features[25] = self.site.by_hour[hour];
        features[26 + day] = 1.0;
        features[33] = self.site.by_day[day];
        features
    }
}

/// A list as it was at an instant: up to the record at `end`.
#[derive(Clone, Copy, Debug)]
struct Question {
    list: usize,
    end: usize,
    at_s: f64,
}

impl Question {
    fn facts(&self, lists: &[&[i64]]) -> ListFacts {
        ListFacts::of(&lists[self.list][..=self.end])
    }
}

/// At every recent record, and of every list at one recent instant; at most [`SAMPLES_MAX`].
fn questions(lists: &[&[i64]], now_s: f64) -> Vec<Question> {
    let mut asked = Vec::new();
    for (list, times_s) in lists.iter().enumerate() {
        let first = times_s.partition_point(|at_s| (*at_s as f64) < now_s - RECENT_S);
        asked.extend((first..times_s.len()).map(|end| Question { list, end, at_s: times_s[end] as f64 }));
        // Fractions of the golden ratio are spread evenly over however many lists there are.
        let at_s = now_s - RECENT_S * (list as f64 * 0.618_033_988_749_895).fract();
        let count = times_s.partition_point(|time_s| *time_s as f64 <= at_s);
        asked.extend(count.checked_sub(1).map(|end| Question { list, end, at_s }));
    }
    let stride = asked.len().div_ceil(SAMPLES_MAX).max(1);
    asked.into_iter().step_by(stride).collect()
}

fn dot(weights: &[f64], features: &[f64]) -> f64 {
    weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BELIEF: Belief = Belief { shortest_h: 24.0, longest_h: 365.0 * 24.0 };

    /// Lists that post every 2, 4, … 40 days for 100 records.
    fn regular() -> Vec<Vec<i64>> {
        (1..=20).map(|pace| (0..100).map(|post| post * pace * 2 * 86_400).collect()).collect()
    }

    #[test]
    fn regular_lists_are_foretold() {
        let lists = regular();
        let all: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
        let model = Regression::train(&all, 200.0 * 86_400.0, BELIEF).unwrap();
        let foretold_s = |pace: usize| {
            let facts = ListFacts::of(&lists[pace - 1][..6]);
            model.interval_s(&facts, facts.last_s)
        };
        assert!(foretold_s(2) < foretold_s(10) && foretold_s(10) < foretold_s(18));
    }

    #[test]
    fn silence_makes_intervals_longer() {
        // Ten posts an hour apart, then nothing for months.
        let lists: Vec<Vec<i64>> =
            (0..200).map(|it| (0..10).map(|post| it * 86_400 + post * 3600).collect()).collect();
        let all: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
        let model = Regression::train(&all, 210.0 * 86_400.0, BELIEF).unwrap();
        let facts = ListFacts::of(&lists[0][..4]);
        assert!(
            model.interval_s(&facts, facts.last_s + 30.0 * 86_400.0)
                > 2.0 * model.interval_s(&facts, facts.last_s)
        );
        assert!(model.dormant_part() > 0.0);
    }

    #[test]
    fn nothing_to_learn_from_is_no_model() {
        assert_eq!(Regression::train(&[], 0.0, BELIEF), None);
        assert_eq!(Regression::train(&[&[5]], 10.0, BELIEF), None);
        let twice = Regression::train(&[&[5, 5]], 10.0, BELIEF).unwrap();
        assert!(twice.interval_s(&ListFacts::default(), f64::MAX).is_finite());
    }
}
