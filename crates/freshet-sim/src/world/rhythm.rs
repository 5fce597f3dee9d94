//! When an account posts: a rate that follows the hour of the day, the weekend and the minute.
//!
//! The four kinds of account [CUVIM, section 3] differ in their numbers only. An instant is
//! drawn by thinning: candidates come at the highest rate and are kept in proportion to the
//! rate at that instant, so a draw costs a few random numbers and no table. Only arithmetic
//! that is exact on every machine is used, so that seeds are portable.

use rand::{Rng, RngExt};
use rand_distr::Exp1;

pub(crate) const MINUTE_MS: i64 = 60_000;
pub(crate) const HOUR_MS: i64 = 3_600_000;
pub(crate) const DAY_MS: i64 = 86_400_000;
/// Instants that lie outside any simulation.
pub(crate) const NEVER_MS: i64 = i64::MAX;
/// Thinning keeps one candidate in about ten; so many failures in a row do not happen.
const CANDIDATES_MAX: u32 = 10_000;
/// How far around its minute of the hour an authority's posts lie.
const BEAT_WIDTH_MS: i64 = 6 * MINUTE_MS;

/// The shape of an account's days.
#[derive(Clone, Debug)]
pub(crate) struct Rhythm {
    /// Posts per day, averaged over a week.
    pub rate_per_day: f64,
    /// Middle of the main peak, in the day.
    pub peak_ms: i64,
    /// Middle of the lesser peak, in the day.
    pub second_peak_ms: i64,
    /// Half the width of both peaks.
    pub width_ms: i64,
    /// What remains of the peak's rate in the dead of night.
    pub floor: f64,
    /// Rate at the weekend, relative to other days; at most 1.
    pub weekend: f64,
    /// Minute of the hour around which posts gather, for authorities.
    pub beat_ms: Option<i64>,
    /// Mean of [`Self::factor`] over a week; filled in by [`Self::settle`].
    pub mean: f64,
}

impl Rhythm {
    /// Works out the mean once, so that `rate_per_day` holds whatever the shape.
    pub(crate) fn settle(mut self) -> Self {
        let quarter_hours = 96;
        let day: f64 = (0..quarter_hours).map(|slot| self.day_factor(slot * 15 * MINUTE_MS)).sum();
        let week = (5.0 + 2.0 * self.weekend) / 7.0;
        let hour = self.beat_ms.map_or(1.0, |_| 0.1 + 0.9 * BEAT_WIDTH_MS as f64 / HOUR_MS as f64);
        self.mean = (day / quarter_hours as f64 * week * hour).max(1e-6);
        self
    }

    /// The rate at an instant, relative to the highest.
    pub(crate) fn factor(&self, at_ms: i64) -> f64 {
        // The first of January 1970 was a Thursday, the fourth day of a week.
        let weekday = (at_ms.div_euclid(DAY_MS) + 3).rem_euclid(7);
        let week = if weekday >= 5 { self.weekend } else { 1.0 };
        let hour = self.beat_ms.map_or(1.0, |beat_ms| {
            0.1 + 0.9 * bump(at_ms.rem_euclid(HOUR_MS), beat_ms, BEAT_WIDTH_MS, HOUR_MS)
        });
        self.day_factor(at_ms.rem_euclid(DAY_MS)) * week * hour
    }

    fn day_factor(&self, day_ms: i64) -> f64 {
        let main = bump(day_ms, self.peak_ms, self.width_ms, DAY_MS);
        let lesser = 0.7 * bump(day_ms, self.second_peak_ms, self.width_ms, DAY_MS);
        self.floor + (1.0 - self.floor) * main.max(lesser)
    }

    /// The next post after `from_ms`, with the rate multiplied by `mood`.
    pub(crate) fn next_after(&self, rng: &mut impl Rng, from_ms: i64, mood: f64) -> i64 {
        let rate_per_ms_max = self.rate_per_day * mood / self.mean / DAY_MS as f64;
        let mut at_ms = from_ms;
        for _ in 0..CANDIDATES_MAX {
            at_ms = at_ms.saturating_add(wait_ms(rng, rate_per_ms_max));
            if at_ms == NEVER_MS || rng.random::<f64>() < self.factor(at_ms) {
                break;
            }
        }
        at_ms
    }
}

/// Milliseconds until the next event of a steady process; at least one, `NEVER_MS` at rate zero.
pub(crate) fn wait_ms(rng: &mut impl Rng, rate_per_ms: f64) -> i64 {
    let unit: f64 = rng.sample(Exp1);
    let wait = unit / rate_per_ms;
    if wait < 1e15 { (wait as i64).max(1) } else { NEVER_MS }
}

/// A triangle of height one around `middle_ms` on a circle of `period_ms`.
fn bump(at_ms: i64, middle_ms: i64, width_ms: i64, period_ms: i64) -> f64 {
    let apart = (at_ms - middle_ms).rem_euclid(period_ms);
    let distance = apart.min(period_ms - apart);
    (1.0 - distance as f64 / width_ms as f64).max(0.0)
}
