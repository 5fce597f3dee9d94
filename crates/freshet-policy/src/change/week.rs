//! The week as a plan walks through it: 24 hour factors times 7 weekday factors, summed up.
//!
//! A [`super::shape::Shape`] answers for any two instants; a plan asks for many instants in a
//! row, all counted from one visit. So the factors are summed once, and each question is then
//! a few look-ups. Hours count from a Monday, midnight UTC.
//!
//! | symbol | here |
//! |---|---|
//! | π(u) = hour factor · weekday factor, mean 1 | `hours`, `days` |
//! | P(u) = ∫₀ᵘ π | [`Week::until`], first |
//! | Q(u) = ∫₀ᵘ v·π(v)dv | [`Week::until`], second |
//!
//! Weekdays count at [`DAY_SHARE`] of their strength: at full strength they were four to five
//! percent worse on real histories, because a week repeats too seldom to be believed.

use freshet_types::Timestamp;

use super::shape::Shape;

/// Hours of a week.
const WEEK_H: f64 = 168.0;
/// How much of a weekday's deviation from the mean is believed.
const DAY_SHARE: f32 = 0.3;

/// Factors and their sums.
#[derive(Clone, Debug)]
pub struct Week {
    hours: [f32; 24],
    days: [f32; 7],
    /// ∫ of the hour factors before each hour, and of `v` times them, v from midnight.
    hour_sums: [(f32, f32); 24],
    /// The same for days before each weekday, v from Monday.
    day_sums: [(f32, f32); 7],
    /// Over a whole week.
    total: (f32, f32),
}

/// Hours since a Monday, midnight UTC, within the week.
pub(crate) fn hour_of_week(at: Timestamp) -> f64 {
    const MONDAY_S: i64 = 4 * 86_400;
    (at.secs() - MONDAY_S).rem_euclid(604_800) as f64 / 3600.0
}

impl Week {
    /// From factors; each set is scaled to mean 1, and the weekdays are flattened.
    pub(crate) fn new(hours: [f32; 24], days: [f32; 7]) -> Self {
        let hours = scaled(hours);
        let days = scaled(days).map(|factor| 1.0 - DAY_SHARE + DAY_SHARE * factor);
        let mut hour_sums = [(0.0, 0.0); 24];
        let mut day_total = (0.0_f32, 0.0_f32);
        for (hour, factor) in hours.into_iter().enumerate() {
            hour_sums[hour] = day_total;
            day_total = (day_total.0 + factor, day_total.1 + factor * (hour as f32 + 0.5));
        }
        let mut day_sums = [(0.0, 0.0); 7];
        let mut week_total = (0.0_f32, 0.0_f32);
        for (day, factor) in days.into_iter().enumerate() {
            day_sums[day] = week_total;
            let midnight_h = 24.0 * day as f32;
            week_total.0 += factor * day_total.0;
            week_total.1 += factor * (day_total.1 + midnight_h * day_total.0);
        }
        Self { hours, days, hour_sums, day_sums, total: week_total }
    }

    /// A shape's week.
    pub(crate) fn of(shape: &Shape) -> Self {
        let (hours, days) = shape.factors();
        Self::new(*hours, *days)
    }

    /// P and Q at so many hours after a Monday, midnight; never negative hours.
    pub(crate) fn until(&self, hours: f64) -> (f64, f64) {
        let weeks = (hours / WEEK_H) as u32;
        let rest_h = (hours - f64::from(weeks) * WEEK_H) as f32;
        let hour_of_week = (rest_h as usize).min(167);
        let (day, hour) = (hour_of_week / 24, hour_of_week % 24);
        let begun_h = rest_h - hour_of_week as f32;
        let midnight_h = (24 * day) as f32;
        let part = self.hours[hour] * begun_h;
        let of_day =
            (self.hour_sums[hour].0 + part, self.hour_sums[hour].1 + part * (hour as f32 + 0.5 * begun_h));
        let mass = self.day_sums[day].0 + self.days[day] * of_day.0;
        let first = self.day_sums[day].1 + self.days[day] * (of_day.1 + midnight_h * of_day.0);
        let (weeks, mass, first) = (f64::from(weeks), f64::from(mass), f64::from(first));
        let (week_mass, week_first) = (f64::from(self.total.0), f64::from(self.total.1));
        let before_h = weeks * WEEK_H;
        let weeks_first = weeks * week_first + week_mass * WEEK_H * weeks * (weeks - 1.0) / 2.0;
        (weeks * week_mass + mass, weeks_first + first + before_h * mass)
    }

    /// π at so many hours after a Monday, midnight.
    pub(crate) fn factor(&self, hours: f64) -> f64 {
        let hour_of_week = (hours.rem_euclid(WEEK_H) as usize).min(167);
        f64::from(self.hours[hour_of_week % 24] * self.days[hour_of_week / 24])
    }

    /// ∫π between two times.
    pub(crate) fn mass_h(&self, since_h: f64, until_h: f64) -> f64 {
        (self.until(until_h).0 - self.until(since_h).0).max(0.0)
    }
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
            let (got_mass, got_first) = week.until(next - 1e-9);
            assert!((got_mass - mass).abs() < 1e-3 + 1e-5 * mass, "{next}: {got_mass} {mass}");
            assert!((got_first - first).abs() < 1e-2 + 1e-4 * first, "{next}: {got_first} {first}");
        }
        assert!((week.until(168.0).0 - 168.0).abs() < 1e-3, "a week weighs a week");
    }

    #[test]
    fn nonsense_is_flat() {
        let week = Week::new([f32::NAN; 24], [0.0; 7]);
        assert!((week.mass_h(3.5, 100.0) - 96.5).abs() < 1e-3);
        assert!((hour_of_week(Timestamp::from_secs(0)) - 72.0).abs() < 1e-9, "a Thursday");
    }
}
