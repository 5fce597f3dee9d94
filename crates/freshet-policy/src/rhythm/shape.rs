//! A weekly shape: how a source's posts are spread over the hours of the day and the weekdays.
//!
//! Assumption: the rate is `level · hour factor · weekday factor` (24 + 7 numbers instead of
//! 168, because a source with a post a day never fills 168). Both sets of factors have mean 1,
//! so that a week of shape weighs as much as a week of seconds. Hours and weekdays are UTC:
//! whoever posts from elsewhere has other hours, which is all that matters.
//!
//! | symbol | here |
//! |---|---|
//! | f(u), factor at u | [`Shape::factor`] |
//! | ∫f(u)du | [`Shape::mass_s`] |
//! | ∫f(u)(t−u)du | [`Shape::moment_s2`] |
//!
//! Integrals are exact and cost O(hours of two days + whole days in between).

use freshet_types::Timestamp;

const HOUR_S: f64 = 3600.0;
const DAY_S: f64 = 86_400.0;
/// Days in a row that an integral looks at one by one; what is longer is taken as flat.
const DAYS_MAX: i64 = 4000;
/// Evenly spread posts that the pool is shrunk with: a day with all hours.
pub(crate) const POOL_PSEUDO_COUNT: f64 = 24.0;
/// Share of its neighbours in a smoothed hour, each: habits do not keep to the clock.
const NEIGHBOUR_SHARE: f64 = 0.2;

/// Hour and weekday factors, each with mean 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    hours: [f32; 24],
    days: [f32; 7],
    /// ∫ hour factor · u du over a day, u from midnight.
    day_moment_s2: f64,
}

impl Default for Shape {
    /// Flat: all hours alike.
    fn default() -> Self {
        Self::new([1.0; 24], [1.0; 7])
    }
}

/// The hour of the day and the weekday (Monday is 0) of an instant, in UTC.
#[inline]
pub fn hour_and_day(at: Timestamp) -> (usize, usize) {
    // Hours since a Monday; the first day of 1970 was a Thursday. Within a week, small numbers are quicker divided.
    let hour = (at.ms().div_euclid(3_600_000) + 72).rem_euclid(168) as u32;
    ((hour % 24) as usize, (hour / 24) as usize)
}

/// The weekday of a day counted from 1970-01-01, a Thursday; Monday is 0.
pub(crate) fn weekday(day: i64) -> usize {
    (day + 3).rem_euclid(7) as usize
}

impl Shape {
    /// From factors; each set is scaled to mean 1.
    pub fn new(hours: [f32; 24], days: [f32; 7]) -> Self {
        let (hours, days) = (scaled(hours), scaled(days));
        let day_moment_s2 = (0..24).map(|hour| f64::from(hours[hour]) * HOUR_S * mid_s(hour)).sum();
        Self { hours, days, day_moment_s2 }
    }

    /// From counts, shrunk to a prior shape by so many pseudo-posts, hours lightly smoothed.
    pub fn shrunk(hours: &[f32; 24], days: &[f32; 7], prior: &Self, pseudo_count: f64) -> Self {
        let total: f64 = hours.iter().map(|count| f64::from(*count)).sum();
        let smooth = |hour: usize| {
            let side = f64::from(hours[(hour + 23) % 24]) + f64::from(hours[(hour + 1) % 24]);
            f64::from(hours[hour]) * (1.0 - 2.0 * NEIGHBOUR_SHARE) + side * NEIGHBOUR_SHARE
        };
        let factor = |count: f64, prior: f32, cells: f64| {
            ((count * cells + pseudo_count * f64::from(prior)) / (total + pseudo_count)) as f32
        };
        let new_hours = std::array::from_fn(|hour| factor(smooth(hour), prior.hours[hour], 24.0));
        let new_days = std::array::from_fn(|day| factor(f64::from(days[day]), prior.days[day], 7.0));
        Self::new(new_hours, new_days)
    }

    /// The factors, hours first.
    pub fn factors(&self) -> (&[f32; 24], &[f32; 7]) {
        (&self.hours, &self.days)
    }

    /// The factor at an instant.
    pub fn factor(&self, at: Timestamp) -> f64 {
        let (hour, day) = hour_and_day(at);
        f64::from(self.hours[hour]) * f64::from(self.days[day])
    }

    /// ∫ factor over a stretch: its length in seconds as the shape weighs it.
    pub fn mass_s(&self, since: Timestamp, until: Timestamp) -> f64 {
        self.integrate(since, until).0
    }

    /// ∫ factor(u) · (until − u) du.
    pub(crate) fn moment_s2(&self, since: Timestamp, until: Timestamp) -> f64 {
        self.integrate(since, until).1
    }

    /// Mass and moment together.
    fn integrate(&self, since: Timestamp, until: Timestamp) -> (f64, f64) {
        let (from_s, to_s) = (since.secs_f64(), until.secs_f64());
        if to_s <= from_s {
            return (0.0, 0.0);
        }
        let (first, last) = ((from_s / DAY_S).floor() as i64, (to_s / DAY_S).floor() as i64);
        if last - first > DAYS_MAX {
            let span_s = to_s - from_s;
            return (span_s, span_s * span_s / 2.0);
        }
        let (mut mass_s, mut moment_s2) = (0.0, 0.0);
        for day in first..=last {
            let start_s = day as f64 * DAY_S;
            let left_s = to_s - start_s;
            let (day_mass_s, day_first_s2) = if day > first && day < last {
                (DAY_S, self.day_moment_s2)
            } else {
                self.part_of_day((from_s - start_s).max(0.0), left_s.min(DAY_S))
            };
            let factor = f64::from(self.days[weekday(day)]);
            mass_s += factor * day_mass_s;
            moment_s2 += factor * (left_s * day_mass_s - day_first_s2);
        }
        (mass_s.max(0.0), moment_s2.max(0.0))
    }

    /// ∫ hour factor and ∫ hour factor · u between two times of a day, u from midnight.
    fn part_of_day(&self, from_s: f64, to_s: f64) -> (f64, f64) {
        let (mut mass_s, mut first_s2) = (0.0, 0.0);
        let hours = (from_s / HOUR_S) as usize..24;
        for hour in hours {
            let low = from_s.max(hour as f64 * HOUR_S);
            let high = to_s.min((hour + 1) as f64 * HOUR_S);
            if high <= low {
                break;
            }
            let piece_s = f64::from(self.hours[hour]) * (high - low);
            mass_s += piece_s;
            first_s2 += piece_s * (low + high) / 2.0;
        }
        (mass_s, first_s2)
    }
}

/// The middle of an hour, in seconds from midnight.
fn mid_s(hour: usize) -> f64 {
    (hour as f64 + 0.5) * HOUR_S
}

/// Factors with mean 1; what cannot be scaled is flat.
fn scaled<const N: usize>(factors: [f32; N]) -> [f32; N] {
    let clean = factors.map(|factor| if factor.is_finite() { factor.max(0.0) } else { 0.0 });
    let sum: f32 = clean.iter().sum();
    if sum <= 0.0 {
        return [1.0; N];
    }
    clean.map(|factor| factor * N as f32 / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_h(hours: f64) -> Timestamp {
        Timestamp::from_ms((hours * 3_600_000.0) as i64)
    }

    /// Integrals against a sum over minutes.
    fn check(shape: &Shape, since_h: f64, until_h: f64) {
        let (since, until) = (at_h(since_h), at_h(until_h));
        let steps = ((until_h - since_h) * 60.0) as i64;
        let (mut mass, mut moment) = (0.0, 0.0);
        for step in 0..steps {
            let middle = since_h + (step as f64 + 0.5) / 60.0;
            mass += shape.factor(at_h(middle)) * 60.0;
            moment += shape.factor(at_h(middle)) * 60.0 * (until_h - middle) * 3600.0;
        }
        let (got_mass, got_moment) = (shape.mass_s(since, until), shape.moment_s2(since, until));
        assert!((got_mass - mass).abs() <= 1e-6 * mass.max(1.0), "{since_h}..{until_h}: {got_mass} {mass}");
        assert!((got_moment - moment).abs() <= 1e-4 * moment.max(1.0), "{since_h}..{until_h}");
    }

    #[test]
    fn integrals_agree_with_sums() {
        let shape =
            Shape::new(std::array::from_fn(|hour| (hour % 5) as f32), [1.0, 2.0, 0.0, 1.0, 4.0, 0.5, 0.1]);
        for (since, until) in [(0.0, 1.0), (3.25, 3.5), (5.5, 30.75), (100.0, 500.0), (-40.0, 12.0)] {
            check(&shape, since, until);
            check(&Shape::default(), since, until);
        }
        assert!(shape.mass_s(at_h(5.0), at_h(5.0)).abs() < 1e-9);
        assert!(shape.mass_s(at_h(6.0), at_h(5.0)).abs() < 1e-9);
        let week = shape.mass_s(at_h(7.0), at_h(7.0 + 168.0));
        assert!((week - 604_800.0).abs() < 1.0, "a week weighs a week: {week}");
    }

    #[test]
    fn weekdays_start_on_monday() {
        assert_eq!(hour_and_day(Timestamp::from_secs(0)), (0, 3));
        assert_eq!(hour_and_day(Timestamp::from_secs(4 * 86_400 + 3600)), (1, 0));
        assert_eq!(hour_and_day(Timestamp::from_secs(-1)), (23, 2));
    }

    #[test]
    fn nonsense_is_flat() {
        assert_eq!(Shape::new([f32::NAN; 24], [-1.0; 7]), Shape::default());
    }
}
