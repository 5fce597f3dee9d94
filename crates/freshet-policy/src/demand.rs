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
//! | the same in calls that ask about several sources | [`Demand::calls_per_s`] |
//! | Σ wλT/2 | [`Demand::waiting`] |
//! | C with Σ visits = B; without bounds (Σ√(wλ))²/2B² | [`crate::price::find`] |
//!
//! The rate is taken as constant over a gap: hours and bursts move visits within a day, hardly
//! their number. What that misses, the controller of whoever spends must correct.

use crate::Pacing;
use crate::group::Group;
use crate::lookahead::{Fare, chance};

/// Steps per doubling of the pull: a source is at most 3 % from the middle of its step.
const STEPS_PER_DOUBLING: f64 = 12.0;
/// The pull of grade 1: a post in three hundred years.
const PULL_MIN: f64 = 1e-5;
/// Rounds in which a gap and the price that times it find each other.
const SETTLE_STEPS: usize = 6;

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

    /// Calls a second that they want when each costs `price` and can do so much for a group of them.
    pub fn calls_per_s(&self, price: f64, pacing: Pacing, group: Group) -> f64 {
        let calls_per_s = |grade| {
            let (gap_s, calls) = look_in_group(grade, price, pacing, group);
            calls / gap_s
        };
        self.grades().map(|(grade, count)| f64::from(count) * calls_per_s(grade)).sum()
    }

    /// Weighted posts that wait unseen at any time when each call costs `price` and can do so much for a group.
    pub fn waiting(&self, price: f64, pacing: Pacing, group: Group) -> f64 {
        let half_gap = |grade| look_in_group(grade, price, pacing, group).0 / 2.0;
        self.grades().map(|(grade, count)| f64::from(count) * grade.pull().powi(2) * half_gap(grade)).sum()
    }

    /// Weighted posts a second.
    pub fn posts_per_s(&self) -> f64 {
        self.grades().map(|(grade, count)| f64::from(count) * grade.pull().powi(2)).sum()
    }
}

/// Seconds between two visits to a source of this grade.
pub fn gap_s(grade: Grade, price: f64, pacing: Pacing) -> f64 {
    let pull = grade.pull().max(PULL_MIN);
    let floor_s = pacing.floor.min(pacing.ceiling).secs_f64().max(1e-3);
    ((2.0 * price).max(0.0).sqrt() / pull).clamp(floor_s, pacing.ceiling.secs_f64().max(floor_s))
}

/// Seconds between two looks at a source of this grade, and the calls that a look takes in the mean, at a constant rate and with a weight
/// of 1 ([`crate::lookahead::Fare`]). Whatever a probe finds, visits are no more than they would be without probes.
fn look_in_group(grade: Grade, price: f64, pacing: Pacing, group: Group) -> (f64, f64) {
    let alone_s = gap_s(grade, price, pacing);
    if !group.is_any() {
        return (alone_s, 1.0);
    }
    let (fare, rate) = (Fare::new(1.0, group), grade.pull().powi(2));
    let mut looked_s = alone_s;
    for _ in 0..SETTLE_STEPS {
        looked_s = gap_s(grade, price * f64::from(fare.timing((rate * looked_s) as f32)), pacing);
    }
    let visits_per_s_max = grade.pull().max(PULL_MIN) / (2.0 * price).max(1e-30).sqrt();
    let posts = rate * looked_s;
    let visits = f64::from(chance(posts as f32)).min(visits_per_s_max * looked_s);
    let calls = 1.0 / group.size + if group.is_merged() { posts / group.room() } else { visits };
    if calls / looked_s < 1.0 / alone_s { (looked_s, calls) } else { (alone_s, 1.0) }
}

#[cfg(test)]
mod tests {
    use freshet_types::Span;

    use super::*;
    use crate::price;

    const WIDE: Pacing = Pacing {
        floor: Span::from_ms(1),
        ceiling: Span::from_ms(i64::MAX / 8),
        ceiling_share: Pacing::WANTED_SHARE,
    };

    /// Mean seconds from post to visit.
    fn lag_s(demand: &Demand, price: f64, pacing: Pacing) -> f64 {
        demand.waiting(price, pacing, Group::NONE) / demand.posts_per_s()
    }

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
        let price = price::find(budget_per_s, 1.0, |price| demand.visits_per_s(price, WIDE));
        assert!((price / expected - 1.0).abs() < 0.05, "{price}, not {expected}");
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
            let (visits, lag) = (demand.visits_per_s(price, WIDE), lag_s(&demand, price, WIDE));
            assert!(visits.is_finite() && lag.is_finite(), "{visits} {lag}");
        }
    }

    #[test]
    fn floor_and_ceiling_bound_what_is_wanted() {
        let pacing = Pacing { floor: Span::MINUTE, ceiling: Span::HOUR, ceiling_share: Pacing::WANTED_SHARE };
        let demand = hourly(60);
        assert!((demand.visits_per_s(1e-12, pacing) - 1.0).abs() < 1e-9);
        assert!((demand.visits_per_s(1e12, pacing) - 1.0 / 60.0).abs() < 1e-9);
        assert!((lag_s(&demand, 1e12, pacing) - 1800.0).abs() < 1.0);
    }

    #[test]
    fn calls_that_ask_about_many_are_wanted_less_often_and_find_sooner() {
        let mut demand = hourly(3);
        demand.add_many(Grade::of(1.0, 0.02 / 3600.0), 200);
        for price in [10.0, 600.0, 3600.0, 1e5, 1e12] {
            let alone = demand.calls_per_s(price, WIDE, Group::NONE);
            assert!((alone / demand.visits_per_s(price, WIDE) - 1.0).abs() < 1e-9, "{price}");
            for group in [Group::new(40.0, 0.0), Group::new(40.0, 40.0), Group::new(5.0, 20.0)] {
                let grouped = demand.calls_per_s(price, WIDE, group);
                let sooner = demand.waiting(price, WIDE, group) / demand.waiting(price, WIDE, Group::NONE);
                let says = format!("{price}, {group:?}: {grouped} of {alone}, {sooner}");
                assert!(grouped <= alone * 1.001 && sooner <= 1.001, "{says}");
            }
        }
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
