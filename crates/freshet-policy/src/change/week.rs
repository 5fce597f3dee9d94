//! The week as a plan walks through it: 24 hour factors times 7 weekday factors, summed up.
//!
//! A [`super::shape::Shape`] answers for any two instants; a plan asks for many instants in a
//! row, all counted from one visit. So the factors are summed once, and each question is then
//! a few look-ups. Hours count from a Monday, midnight UTC.
//!
//! | symbol | here |
//! |---|---|
//! | π(u) = hour factor · weekday factor, mean 1 | `hours`, `days` |
//! | P(u) = ∫₀ᵘ π | [`Week::until`], [`Week::at`] |
//! | Q(u) = ∫₀ᵘ v·π(v)dv | [`Week::first_h2`], for explanations only: it sums anew each time |
//!
//! Weekdays count at [`DAY_SHARE`] of their strength: at full strength they were four to five
//! percent worse on real histories, because a week repeats too seldom to be believed.

use freshet_types::Timestamp;

use super::shape::Shape;

/// Hours of a week.
const WEEK_H: f64 = 168.0;
/// How much of a weekday's deviation from the mean is believed.
const DAY_SHARE: f32 = 0.3;
/// 2²³: a number of this size has no places behind the point, so adding it rounds.
const ROUND: f32 = 8_388_608.0;
/// A time so little after a full hour belongs to the hour that ends.
const LATE_H: f32 = 0.01;

/// Factors and their sums.
#[derive(Clone, Debug)]
pub struct Week {
    hours: [f32; 24],
    days: [f32; 7],
    /// ∫ of the hour factors before each hour.
    hour_sums: [f32; 24],
    /// ∫π before each weekday.
    day_sums: [f32; 7],
    /// Over a whole week.
    total: f32,
}

/// Hours since a Monday, midnight UTC, within the week.
pub(crate) fn hour_of_week(at: Timestamp) -> f64 {
    const MONDAY_S: i64 = 4 * 86_400;
    (at.secs() - MONDAY_S).rem_euclid(604_800) as f64 / 3600.0
}

impl Week {
    /// From factors; each set is scaled to mean 1, and the weekdays are flattened.
    pub(crate) fn new(hours: [f32; 24], days: [f32; 7]) -> Self {
        Self::of_means(scaled(hours), scaled(days))
    }

    /// From factors of which each set has mean 1; the weekdays are flattened.
    pub(crate) fn of_means(hours: [f32; 24], days: [f32; 7]) -> Self {
        let days = days.map(|factor| 1.0 - DAY_SHARE + DAY_SHARE * factor);
        let (mut hour_sums, mut day_sums) = ([0.0; 24], [0.0; 7]);
        let day_total = sum_up(&hours, &mut hour_sums);
        let total = sum_up(&days, &mut day_sums) * day_total;
        Self { hours, days, hour_sums, day_sums: day_sums.map(|sum| sum * day_total), total }
    }

    /// A shape's week.
    pub(crate) fn of(shape: &Shape) -> Self {
        let (hours, days) = shape.factors();
        Self::new(*hours, *days)
    }

    /// P at so many hours after a Monday, midnight, and the hour of the day; never negative
    /// hours, and not more than thousands.
    #[inline]
    pub(crate) fn at(&self, hours: f32) -> (f32, u8) {
        // The hour begun, without a conversion that minds odd numbers.
        let begun = ((hours - (0.5 + LATE_H)).max(0.0) + ROUND).to_bits() & 0x7f_ffff;
        let (weeks, hour_of_week) = (begun / 168, begun % 168);
        let (day, hour) = ((hour_of_week / 24) as usize % 7, (hour_of_week % 24) as usize);
        let of_day = self.hour_sums[hour] + self.hours[hour] * (hours - begun as f32);
        (weeks as f32 * self.total + self.day_sums[day] + self.days[day] * of_day, hour as u8)
    }

    /// P at so many hours after a Monday, midnight; never negative hours.
    pub(crate) fn until(&self, hours: f64) -> f64 {
        let weeks = (hours / WEEK_H) as u32;
        let rest_h = (hours - f64::from(weeks) * WEEK_H) as f32;
        f64::from(weeks) * f64::from(self.total) + f64::from(self.at(rest_h).0)
    }

    /// Q at so many hours after a Monday, midnight; never negative hours.
    pub(crate) fn first_h2(&self, hours: f64) -> f64 {
        let stretch = |hour: u32| {
            let (low_h, high_h) = (f64::from(hour), (f64::from(hour) + 1.0).min(hours));
            self.factor(low_h) * (high_h - low_h) * f64::midpoint(low_h, high_h)
        };
        (0..hours.ceil() as u32).map(stretch).sum()
    }

    /// π at so many hours after a Monday, midnight.
    pub(crate) fn factor(&self, hours: f64) -> f64 {
        let hour_of_week = (hours.rem_euclid(WEEK_H) as usize).min(167);
        f64::from(self.hours[hour_of_week % 24] * self.days[hour_of_week / 24])
    }

    /// ∫π between two times.
    pub(crate) fn mass_h(&self, since_h: f64, until_h: f64) -> f64 {
        (self.until(until_h) - self.until(since_h)).max(0.0)
    }
}

/// Writes what stands before each part; gives the whole.
fn sum_up<const N: usize>(parts: &[f32; N], before: &mut [f32; N]) -> f32 {
    let mut sum = 0.0;
    for (part, before) in parts.iter().zip(before) {
        *before = sum;
        sum += part;
    }
    sum
}

/// Factors with mean 1; what cannot be scaled is flat.
fn scaled<const N: usize>(factors: [f32; N]) -> [f32; N] {
    let sum: f32 = factors.iter().sum();
    if sum.is_nan() || sum <= 0.0 || sum.is_infinite() {
        return [1.0; N];
    }
    factors.map(|factor| factor * N as f32 / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_agree_with_steps() {
        let week = Week::new(
            std::array::from_fn(|hour| 0.2 + (hour % 7) as f32),
            [1.0, 2.0, 0.5, 1.0, 3.0, 0.1, 0.4],
        );
        let (mut mass, mut first) = (0.0, 0.0);
        for step in 0..(500 * 20) {
            let (at, next) = (f64::from(step) / 20.0, f64::from(step + 1) / 20.0);
            mass += week.factor(f64::midpoint(at, next)) / 20.0;
            first += week.factor(f64::midpoint(at, next)) / 20.0 * f64::midpoint(at, next);
            let (got_mass, got_first) = (week.until(next - 1e-9), week.first_h2(next - 1e-9));
            assert!((got_mass - mass).abs() < 1e-3 + 1e-5 * mass, "{next}: {got_mass} {mass}");
            assert!((got_first - first).abs() < 1e-2 + 1e-4 * first, "{next}: {got_first} {first}");
        }
        assert!((week.until(168.0) - 168.0).abs() < 1e-3, "a week weighs a week");
    }

    #[test]
    fn nonsense_is_flat() {
        let week = Week::new([f32::NAN; 24], [0.0; 7]);
        assert!((week.mass_h(3.5, 100.0) - 96.5).abs() < 1e-3);
        assert!((hour_of_week(Timestamp::from_secs(0)) - 72.0).abs() < 1e-9, "a Thursday");
    }
}
