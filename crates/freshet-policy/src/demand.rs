//! Demand: how many visits all sources together want at a price, without looking at them one by one.
//!
//! Theory. A source of weight w that posts λ a second and is visited every T has λT/2 posts
//! waiting on average, and pays C per visit: w·λT/2 + C/T is least at T = √(2C/wλ). So all that a
//! price needs to know of a source is its *pull* √(wλ): visits = pull/√(2C), as long as floor ≤ T ≤
//! ceiling. Counts by pull, in steps of 2^(1/12), stand for any number of sources in a kilobyte;
//! one more, one fewer costs O(1), and a source remembers its step in a byte.
//!
//! | formula | here |
//! |---|---|
//! | √(wλ) | [`Grade`] |
//! | Σ clamp(√(wλ/2C), 1/ceiling, 1/floor) | [`Demand::visits_per_s`] |
//! | Σ wλT/2 | [`Demand::waiting`] |
//! | C with Σ visits = B; without bounds (Σ√(wλ))²/2B² | [`Demand::price_for_visits`] |
//!
//! The rate is taken as constant over a gap: hours and bursts move visits within a day, hardly
//! their number. What that misses, the controller of whoever spends must correct.

use crate::{Pacing, price};

/// Steps per doubling of the pull: a source is at most 3 % from the middle of its step.
const STEPS_PER_DOUBLING: f64 = 12.0;
/// The pull of grade 1: a post in three hundred years.
const PULL_MIN: f64 = 1e-5;

/// The pull of one source, as a step of a logarithmic scale; 0 is a source that is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grade(pub u8);

impl Grade {
    /// Not counted.
    pub const NONE: Self = Self(0);

    /// Of a source with this weight and rate; weightless and silent ones have the lowest.
    pub fn of(weight: f64, rate_per_s: f64) -> Self {
        let pull = (weight * rate_per_s).max(0.0).sqrt();
        let step = (pull / PULL_MIN).log2() * STEPS_PER_DOUBLING + 1.0;
        // A logarithm of nothing is −∞ and clamps; NaN (∞·0) casts to 0 and is lifted to 1.
        Self((step.round().clamp(1.0, 255.0) as u8).max(1))
    }

    /// √(wλ) in the middle of the step.
    pub fn pull(self) -> f64 {
        if self == Self::NONE {
            return 0.0;
        }
        PULL_MIN * ((f64::from(self.0) - 1.0) / STEPS_PER_DOUBLING).exp2()
    }
}

/// Sources counted by grade.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    counts: Vec<u32>,
    total: u64,
}

impl Demand {
    /// One source more.
    pub fn add(&mut self, grade: Grade) {
        self.add_many(grade, 1);
    }

    /// So many sources more.
    pub fn add_many(&mut self, grade: Grade, count: u32) {
        if grade == Grade::NONE {
            return;
        }
        self.counts.resize(256, 0);
        let cell = &mut self.counts[usize::from(grade.0)];
        let before = *cell;
        *cell = before.saturating_add(count);
        self.total += u64::from(*cell - before);
    }

    /// One source fewer; if none is counted at this grade, the nearest one goes.
    pub fn remove(&mut self, grade: Grade) {
        if grade == Grade::NONE || self.total == 0 {
            return;
        }
        let at = usize::from(grade.0);
        let nearest = (1..self.counts.len()).filter(|&step| self.counts[step] > 0);
        let step = if self.counts[at] > 0 { Some(at) } else { nearest.min_by_key(|step| step.abs_diff(at)) };
        if let Some(step) = step {
            self.counts[step] -= 1;
            self.total -= 1;
        }
    }

    /// Sources counted.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The grades that are not empty.
    pub fn grades(&self) -> impl Iterator<Item = (Grade, u32)> + '_ {
        self.counts
            .iter()
            .zip(0..=u8::MAX)
            .filter(|(count, _)| **count > 0)
            .map(|(n, step)| (Grade(step), *n))
    }

    /// Visits a second that they want when each costs `price`.
    pub fn visits_per_s(&self, price: f64, pacing: Pacing) -> f64 {
        self.grades().map(|(grade, count)| f64::from(count) / gap_s(grade, price, pacing)).sum()
    }

    /// Weighted posts a second.
    pub fn posts_per_s(&self) -> f64 {
        self.grades().map(|(grade, count)| f64::from(count) * grade.pull().powi(2)).sum()
    }

    /// Weighted posts that wait unseen at any time when each visit costs `price`.
    pub fn waiting(&self, price: f64, pacing: Pacing) -> f64 {
        let half_gap = |grade| gap_s(grade, price, pacing) / 2.0;
        self.grades().map(|(grade, count)| f64::from(count) * grade.pull().powi(2) * half_gap(grade)).sum()
    }

    /// Mean seconds from post to visit at this price; 0 where nobody posts.
    pub fn lag_s(&self, price: f64, pacing: Pacing) -> f64 {
        let posts_per_s = self.posts_per_s();
        if posts_per_s > 0.0 { self.waiting(price, pacing) / posts_per_s } else { 0.0 }
    }

    /// The price at which they want so many visits a second, or as near as the bounds allow.
    pub fn price_for_visits(&self, visits_per_s: f64, guess: f64, pacing: Pacing) -> f64 {
        price::find(visits_per_s, guess, |price| self.visits_per_s(price, pacing))
    }

    /// The price at which posts wait so long on average, or as near as the bounds allow.
    pub fn price_for_lag(&self, lag_s: f64, pacing: Pacing) -> f64 {
        if lag_s.is_nan() || lag_s <= 0.0 {
            return price::PRICE_MIN;
        }
        // The lag rises with the price, its inverse falls as `find` wants it.
        price::find(1.0 / lag_s, 1.0, |price| 1.0 / self.lag_s(price, pacing).max(1e-9))
    }

    /// Takes in another demand.
    pub fn merge(&mut self, other: &Self) {
        other.grades().for_each(|(grade, count)| self.add_many(grade, count));
    }
}

/// Seconds between two visits to a source of this grade.
pub fn gap_s(grade: Grade, price: f64, pacing: Pacing) -> f64 {
    let pull = grade.pull().max(PULL_MIN);
    let floor_s = pacing.floor.min(pacing.ceiling).secs_f64().max(1e-3);
    ((2.0 * price).max(0.0).sqrt() / pull).clamp(floor_s, pacing.ceiling.secs_f64().max(floor_s))
}

#[cfg(test)]
mod tests {
    use freshet_types::Span;

    use super::*;

    const WIDE: Pacing = Pacing {
        floor: Span::from_ms(1),
        ceiling: Span::from_ms(i64::MAX / 8),
        ceiling_share: Pacing::WANTED_SHARE,
    };

    fn hourly(count: u32) -> Demand {
        let mut demand = Demand::default();
        demand.add_many(Grade::of(1.0, 1.0 / 3600.0), count);
        demand
    }

    #[test]
    fn the_price_is_that_of_the_formula() {
        let mut demand = Demand::default();
        let rates_per_h = [0.1, 0.5, 1.0, 4.0, 9.0];
        for rate in rates_per_h {
            demand.add(Grade::of(1.0, rate / 3600.0));
        }
        let roots: f64 = rates_per_h.iter().map(|rate| (rate / 3600.0_f64).sqrt()).sum();
        let budget_per_s = 20.0 / 3600.0;
        let expected = roots.powi(2) / (2.0 * budget_per_s * budget_per_s);
        let price = demand.price_for_visits(budget_per_s, 1.0, WIDE);
        assert!((price / expected - 1.0).abs() < 0.05, "{price}, not {expected}");
        let price_again = demand.price_for_lag(demand.lag_s(price, WIDE), WIDE);
        assert!((price_again / price - 1.0).abs() < 0.01, "{price_again}, not {price}");
    }

    #[test]
    fn weight_counts_as_rate_does_and_nothing_odd_gets_in() {
        assert_eq!(Grade::of(4.0, 0.25), Grade::of(1.0, 1.0));
        for (weight, rate) in [(0.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-1.0, 1.0)] {
            assert_eq!(Grade::of(weight, rate), Grade(1), "{weight} {rate}");
        }
        assert_eq!(Grade::of(1e30, 1e30), Grade(255));
        for price in [0.0, 1e-30, 1.0, 1e30] {
            let demand = hourly(3);
            let (visits, lag) = (demand.visits_per_s(price, WIDE), demand.lag_s(price, WIDE));
            assert!(visits.is_finite() && lag.is_finite(), "{visits} {lag}");
        }
    }

    #[test]
    fn floor_and_ceiling_bound_what_is_wanted() {
        let pacing = Pacing { floor: Span::MINUTE, ceiling: Span::HOUR, ceiling_share: Pacing::WANTED_SHARE };
        let demand = hourly(60);
        assert!((demand.visits_per_s(1e-12, pacing) - 1.0).abs() < 1e-9);
        assert!((demand.visits_per_s(1e12, pacing) - 1.0 / 60.0).abs() < 1e-9);
        assert!((demand.lag_s(1e12, pacing) - 1800.0).abs() < 1.0);
    }

    #[test]
    fn who_is_gone_is_not_counted() {
        let (mut demand, other) = (hourly(2), Grade::of(1.0, 1.0));
        demand.remove(other); // Nobody is there: the nearest goes.
        demand.remove(Grade::NONE);
        assert_eq!(demand.count(), 1);
        (0..3).for_each(|_| demand.remove(other));
        assert_eq!((demand.count(), demand.posts_per_s()), (0, 0.0));
    }
}
