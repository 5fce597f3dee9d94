//! Priorities: the three measures of SocWeb, section 4.1, and the class they lead to.
//!
//! Symbols: `EIR(u)` is [`Interactions::rate_per_day`], `I(obj)` is [`importance`]; `CR(obj, link)`
//! is the change model's and comes from the caller. All are rates per day, so that they can be
//! added. Pure numbers: who counts as a user, and what the weight `App(obj, u)` is, the caller
//! knows. Classes are logarithmic, because rates of accounts follow a power law.

use freshet_types::{Span, Timestamp};

/// Front queues, the `F` of the paper. Class 0 is the most urgent.
pub const CLASS_COUNT: usize = 8;
/// Days that the interaction rate looks back.
const DAYS: usize = 7;
/// The least score that lifts a source out of the last class: once in a hundred days.
const SCORE_MIN_PER_DAY: f64 = 0.01;
/// How many times the score of one class the next more urgent one needs.
const CLASS_RATIO: f64 = 4.0;

/// The requests of one user in the last seven days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interactions {
    /// Days since 1970 of the newest count.
    day: i64,
    counts: [u32; DAYS],
}

impl Interactions {
    /// Counts a request at `at`; one from before the window is not counted.
    pub fn count(&mut self, at: Timestamp) {
        let day = day_of(at);
        self.roll_to(day);
        if self.day - day < DAYS as i64 {
            let count = &mut self.counts[day.rem_euclid(DAYS as i64) as usize];
            *count = count.saturating_add(1);
        }
    }

    /// `EIR(u)`: requests in the seven days that end with the day of `now`, divided by seven.
    pub fn rate_per_day(&self, now: Timestamp) -> f64 {
        let mut window = *self;
        window.roll_to(day_of(now));
        window.counts.iter().map(|&count| f64::from(count)).sum::<f64>() / DAYS as f64
    }

    fn roll_to(&mut self, day: i64) {
        let passed = (day - self.day).clamp(0, DAYS as i64);
        for gone in 0..passed {
            self.counts[(day - gone).rem_euclid(DAYS as i64) as usize] = 0;
        }
        self.day = self.day.max(day);
    }
}

/// `I(obj)`: the mean over the users associated with an object of `EIR(u) * App(obj, u)`, from
/// pairs of the two. Zero without users.
pub fn importance(users: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    let (sum, count) =
        users.into_iter().fold((0.0, 0_u32), |(sum, count), (rate, weight)| (sum + rate * weight, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}

/// How much each measure counts in a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Of the interaction rate.
    pub interaction: f64,
    /// Of the change rate.
    pub change: f64,
    /// Of the importance.
    pub importance: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self { interaction: 1.0, change: 1.0, importance: 1.0 }
    }
}

impl Weights {
    /// One number from the three measures, per day.
    pub fn score_per_day(&self, interaction: f64, change: f64, importance: f64) -> f64 {
        self.interaction * interaction + self.change * change + self.importance * importance
    }
}

/// The front queue for a score; what is no number goes to the last.
pub fn class_of(score_per_day: f64) -> u8 {
    let steps = (score_per_day / SCORE_MIN_PER_DAY).log(CLASS_RATIO).floor() + 1.0;
    let last = (CLASS_COUNT - 1) as f64;
    // `max` and `min` prefer the number to a NaN.
    (last - steps.max(0.0).min(last)) as u8
}

fn day_of(at: Timestamp) -> i64 {
    at.ms().div_euclid(Span::DAY.ms())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(number: i64) -> Timestamp {
        Timestamp::from_ms(number * Span::DAY.ms() + 5)
    }

    fn check_interactions(request_days: &[i64], now: i64, expected_count: f64) {
        let mut interactions = Interactions::default();
        for &number in request_days {
            interactions.count(day(number));
        }
        let rate = interactions.rate_per_day(day(now));
        assert!((rate - expected_count / 7.0).abs() < 1e-12, "{request_days:?} at {now}: {rate}");
    }

    #[test]
    fn interactions_are_those_of_seven_days() {
        check_interactions(&[], 100, 0.0);
        check_interactions(&[100, 100, 100], 100, 3.0);
        check_interactions(&[94, 95, 100], 100, 3.0);
        check_interactions(&[93, 94, 100], 100, 2.0);
        check_interactions(&[100, 94, 93, 80], 100, 2.0);
        check_interactions(&[100], 106, 1.0);
        check_interactions(&[100], 107, 0.0);
        check_interactions(&[100, 5000], 5000, 1.0);
    }

    #[test]
    fn importance_is_a_mean() {
        assert!(importance([]).abs() < 1e-12);
        assert!((importance([(2.0, 10.0), (4.0, 0.5)]) - 11.0).abs() < 1e-12);
        let score = Weights { change: 2.0, ..Weights::default() }.score_per_day(1.0, 3.0, 5.0);
        assert!((score - 12.0).abs() < 1e-12);
    }

    #[test]
    fn classes_are_logarithmic_and_total() {
        let class = |score: f64| class_of(score);
        let scores = [0.0, 0.005, 0.011, 0.05, 0.2, 1.0, 5.0, 20.0, 100.0];
        assert_eq!(scores.map(class), [7, 7, 6, 5, 4, 3, 2, 1, 0]);
        assert_eq!([f64::NAN, -1.0, f64::INFINITY, f64::NEG_INFINITY].map(class), [7, 7, 0, 7]);
    }
}
