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

/// Room for the hours of a day, and for the days of a week: powers of two, so that a masked number
/// always has its place.
const HOUR_ROOM: usize = 32;
/// See [`HOUR_ROOM`].
const DAY_ROOM: usize = 8;

/// Factors and their sums.
#[derive(Clone, Debug, Default)]
pub struct Week {
    hours: [f32; HOUR_ROOM],
    days: [f32; DAY_ROOM],
    /// ∫ of the hour factors before each hour.
    hour_sums: [f32; HOUR_ROOM],
    /// ∫π before each weekday.
    day_sums: [f32; DAY_ROOM],
    /// Over a whole week.
    total: f32,
}

/// Where in the week a time lies.
#[derive(Clone, Copy, Debug, Default)]
struct WeekTime {
    weeks: f32,
    day: u32,
    hour: u32,
    /// How much of the hour has passed.
    part_h: f32,
}

/// Hours since a Monday, midnight UTC, within the week.
#[inline(always)]
pub(crate) fn hour_of_week(at: Timestamp) -> f64 {
    const MONDAY_S: i64 = 4 * 86_400;
    (at.secs() - MONDAY_S).rem_euclid(604_800) as f64 / 3600.0
}

impl Week {
    /// From factors; each set is scaled to mean 1, and the weekdays are flattened.
    pub(crate) fn new(hours: [f32; 24], days: [f32; 7]) -> Self {
        let mut week = Self::default();
        week.set_means(scaled(hours), scaled(days));
        week
    }

    /// Becomes the week of factors of which each set has mean 1; the weekdays are flattened.
    #[inline(always)]
    pub(crate) fn set_means(&mut self, hours: [f32; 24], days: [f32; 7]) {
        self.hours[..24].copy_from_slice(&hours);
        let mut day_total = 0.0;
        for (factor, before) in hours.iter().zip(&mut self.hour_sums) {
            *before = day_total;
            day_total += factor;
        }
        let mut total = 0.0;
        for (day, factor) in days.iter().enumerate() {
            let factor = 1.0 - DAY_SHARE + DAY_SHARE * factor;
            (self.days[day], self.day_sums[day]) = (factor, total);
            total += factor * day_total;
        }
        self.total = total;
    }

    /// A shape's week.
    pub(crate) fn of(shape: &Shape) -> Self {
        let (hours, days) = shape.factors();
        Self::new(*hours, *days)
    }

    /// P at so many hours after a Monday, midnight, and the hour of the day; never negative
    /// hours, and not more than thousands.
    #[inline(always)]
    pub(crate) fn at(&self, hours: f32) -> (f32, u8) {
        let time = time_of_week(hours);
        (self.mass(time), time.hour as u8)
    }

    /// The same for many times, counted from one, into as many places.
    #[inline(always)]
    pub(crate) fn at_all<const N: usize>(
        &self,
        begin_h: f32,
        hours: &[f32; N],
        masses_h: &mut [f32],
        clock: &mut [u32; N],
    ) {
        // Two loops: the first has no look-ups, so that it is done on vectors.
        let (mut before_h, mut days, mut parts_h) = ([0.0; N], [0; N], [0.0; N]);
        for at in 0..N {
            let time = time_of_week(begin_h + hours[at]);
            (before_h[at], days[at]) = (time.weeks * self.total, time.day);
            (clock[at], parts_h[at]) = (time.hour, time.part_h);
        }
        for (at, mass_h) in masses_h.iter_mut().enumerate().take(N) {
            let (day, hour) = (days[at] as usize % DAY_ROOM, clock[at] as usize % HOUR_ROOM);
            let of_day = self.hour_sums[hour] + self.hours[hour] * parts_h[at];
            *mass_h = before_h[at] + self.day_sums[day] + self.days[day] * of_day;
        }
    }

    #[inline(always)]
    fn mass(&self, time: WeekTime) -> f32 {
        let (day, hour) = (time.day as usize % DAY_ROOM, time.hour as usize % HOUR_ROOM);
        let of_day = self.hour_sums[hour] + self.hours[hour] * time.part_h;
        time.weeks * self.total + self.day_sums[day] + self.days[day] * of_day
    }

    /// P at so many hours after a Monday, midnight; never negative hours.
    #[inline(always)]
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

/// Where a time lies, without a conversion or a branch.
#[inline(always)]
fn time_of_week(hours: f32) -> WeekTime {
    let begun = whole(hours - LATE_H);
    let day = whole((begun + 0.5) * (1.0 / 24.0));
    let weeks = whole((day + 0.5) * (1.0 / 7.0));
    let number = |value: f32| (value + ROUND).to_bits() & 0xff;
    WeekTime {
        weeks,
        day: number(day - 7.0 * weeks),
        hour: number(begun - 24.0 * day),
        part_h: hours - begun,
    }
}

/// Rounded down, and not below 0.
#[inline(always)]
fn whole(value: f32) -> f32 {
    (value - 0.5).max(0.0) + ROUND - ROUND
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
