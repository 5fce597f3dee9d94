//! The Hash model: how many posts each hour of a day brings [CUVIM, section 4.2, Algorithm 2].
//!
//! Assumption: a day is like the days before it, the last one most. A table of k = 24 slots is
//! updated once a day; the weight of the day k days ago is w(1−w)^k. On weekends and holidays
//! people behave differently, so those may have tables of their own (section 4.2's special dates).
//!
//! | paper | here |
//! |---|---|
//! | aᵢ, one table for each kind of day | `tables` |
//! | nᵢ, posts of the day in slot i | `pending` until the day is over |
//! | aᵢ' = aᵢ·0.5 + n·0.5 | [`HashTable::learn_with`], weight 0.5 by default |
//! | sumᵢ − sum of the last visit | [`ChangeModel::posts`] since the last visit |
//! | remainingMessage | included: the sum runs on over midnight |
//! | c, s | the policy's: [`crate::policies`], and [`plan`] for the paper's own loop |
//!
//! Cost per look: O(news + 24 · days since the last look).

use std::sync::Arc;

use freshet_types::Timestamp;

use super::{ChangeModel, seconds, shape};
use crate::pack::{Reader, Writer};
use crate::{Look, Pool};

/// Slots of a table: the hours of a day.
pub const SLOTS: usize = 24;
/// Weight of the last day in the paper's example.
pub(crate) const WEIGHT: f64 = 0.5;
/// Silent days that are folded in one by one; after that a table is empty.
const DAYS_FOLDED_MAX: i64 = 64;
/// Hours that a sum looks at one by one; longer stretches are scaled.
const HOURS_SUMMED_MAX: i64 = 24 * 62;
const DAY_S: i64 = 86_400;

/// Which days have a table of their own.
#[derive(Clone, Debug, Default)]
pub struct Calendar {
    /// Saturday and Sunday are not like other days.
    pub has_weekends: bool,
    /// Holidays, as days since 1970-01-01, ascending.
    pub holidays: Arc<[i64]>,
}

impl Calendar {
    /// The table of a day: 0 workday, 1 weekend, 2 holiday.
    fn table(&self, day: i64) -> usize {
        if self.holidays.binary_search(&day).is_ok() {
            2
        } else {
            usize::from(self.has_weekends && shape::weekday(day) >= 5)
        }
    }
}

/// Expected posts of each hour, for each kind of day.
#[derive(Clone, Debug, PartialEq)]
pub struct HashTable {
    tables: [[f32; SLOTS]; 3],
    is_filled: [bool; 3],
    pending: [f32; SLOTS],
    /// The day that `pending` belongs to.
    day: Option<i64>,
}

impl Default for HashTable {
    fn default() -> Self {
        Self { tables: [[0.0; SLOTS]; 3], is_filled: [false; 3], pending: [0.0; SLOTS], day: None }
    }
}

impl HashTable {
    /// Takes in a look with the weight of the last day and a calendar.
    pub fn learn_with(&mut self, look: &Look<'_>, weight: f64, calendar: &Calendar) {
        let today = look.at.secs().div_euclid(DAY_S);
        let first = self.day.unwrap_or_else(|| look.complete_since().secs().div_euclid(DAY_S));
        for day in first.max(today - DAYS_FOLDED_MAX)..today {
            let counts = counts_of(look.news, day, &self.pending);
            self.fold(calendar.table(day), &counts, weight as f32);
            self.pending = [0.0; SLOTS];
        }
        if self.day.is_some_and(|day| day > today) {
            return;
        }
        self.pending = counts_of(look.news, today, &self.pending);
        self.day = Some(today);
    }

    fn fold(&mut self, table: usize, counts: &[f32; SLOTS], weight: f32) {
        // A first day has no day before it to be averaged with.
        let weight = if self.is_filled[table] { weight } else { 1.0 };
        for (slot, count) in self.tables[table].iter_mut().zip(counts) {
            *slot = *slot * (1.0 - weight) + count * weight;
        }
        self.is_filled[table] = true;
    }

    /// The table that speaks for a day: its own, or the nearest kind that has been seen.
    fn table(&self, calendar: &Calendar, day: i64) -> usize {
        (0..=calendar.table(day)).rev().find(|table| self.is_filled[*table]).unwrap_or(0)
    }

    /// Posts expected between two instants under a calendar.
    pub fn posts_with(&self, calendar: &Calendar, since: Timestamp, until: Timestamp) -> f64 {
        let span_s = seconds(since, until);
        let whole_s = span_s.min((HOURS_SUMMED_MAX * 3600) as f64);
        if span_s <= 0.0 {
            return 0.0;
        }
        let (from_s, to_s) = (until.secs_f64() - whole_s, until.secs_f64());
        // Whole days are taken as a sum: a source may wait for weeks, and is asked about every slot.
        let totals =
            self.tables.each_ref().map(|slots| slots.iter().map(|posts| f64::from(*posts)).sum::<f64>());
        let days = (from_s / DAY_S as f64).floor() as i64..=(to_s / DAY_S as f64).floor() as i64;
        let sum: f64 = days
            .map(|day| {
                let (start_s, table) = ((day * DAY_S) as f64, self.table(calendar, day));
                let (low_s, high_s) = ((from_s - start_s).max(0.0), (to_s - start_s).min(DAY_S as f64));
                let is_whole = low_s <= 0.0 && high_s >= DAY_S as f64;
                if is_whole { totals[table] } else { part_of_day(&self.tables[table], low_s, high_s) }
            })
            .sum();
        sum * span_s / whole_s
    }
}

/// Posts expected between two times of a day, in seconds from midnight.
fn part_of_day(slots: &[f32; SLOTS], low_s: f64, high_s: f64) -> f64 {
    let hour_posts = |(hour, posts): (usize, &f32)| {
        let start_s = hour as f64 * 3600.0;
        let span_s = high_s.min(start_s + 3600.0) - low_s.max(start_s);
        f64::from(*posts) * (span_s / 3600.0).max(0.0)
    };
    slots.iter().enumerate().map(hour_posts).sum()
}

/// The posts of a day by hour, added to what was known of it.
fn counts_of(news: &[Timestamp], day: i64, known: &[f32; SLOTS]) -> [f32; SLOTS] {
    let mut counts = *known;
    for at in news.iter().filter(|at| at.secs().div_euclid(DAY_S) == day) {
        counts[shape::hour_and_day(*at).0] += 1.0;
    }
    counts
}

impl ChangeModel for HashTable {
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(&mut Reader(bytes)).unwrap_or_default()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let day = self.day.map_or(Timestamp::MIN, |day| Timestamp::from_secs(day * DAY_S));
        let mut writer = Writer::default().time(day).floats(&self.pending);
        for (table, is_filled) in self.tables.iter().zip(self.is_filled) {
            writer = writer.byte(u8::from(is_filled));
            writer = if is_filled { writer.floats(table) } else { writer };
        }
        writer.0
    }

    fn learn(&mut self, look: &Look<'_>, _pool: &Pool) {
        self.learn_with(look, WEIGHT, &Calendar::default());
    }

    fn rate_per_s(&self, _pool: &Pool) -> f64 {
        f64::from(self.tables[0].iter().sum::<f32>()) / DAY_S as f64
    }

    fn rate_per_s_at(&self, _pool: &Pool, at: Timestamp) -> f64 {
        f64::from(self.tables[0][shape::hour_and_day(at).0]) / 3600.0
    }

    fn posts(&self, _pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        self.posts_with(&Calendar::default(), since, until)
    }
}

impl HashTable {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let day = Some(reader.time()?).filter(|at| *at != Timestamp::MIN).map(|at| at.secs() / DAY_S);
        let mut model = Self { day, pending: reader.floats()?, ..Self::default() };
        for table in 0..model.tables.len() {
            if reader.byte()? != 0 {
                model.is_filled[table] = true;
                model.tables[table] = reader.floats()?;
            }
        }
        Some(model)
    }
}

/// The paper's own loop for one day: the slots after which to visit, and what remains.
///
/// `slots` is the table already updated, `page_size` is c, `span_max` is s in slots.
pub fn plan(slots: &[f64], remaining: f64, page_size: f64, span_max: usize) -> (Vec<usize>, f64) {
    let (mut visits, mut last, mut pending) = (Vec::new(), 0, remaining);
    for (slot, posts) in (1..).zip(slots) {
        pending += posts;
        if pending > page_size || slot - last > span_max {
            visits.push(slot);
            (last, pending) = (slot, 0.0);
        }
    }
    (visits, pending)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(daily: &[&[i64]], weight: f64, calendar: &Calendar, day: i64, expected: f64) {
        let mut model = HashTable::default();
        for (day, hours) in (0..).zip(daily) {
            let news: Vec<_> =
                hours.iter().map(|hour| Timestamp::from_secs(day * DAY_S + hour * 3600)).collect();
            let at = Timestamp::from_secs((day + 1) * DAY_S);
            let since = Some(Timestamp::from_secs(day * DAY_S));
            model.learn_with(&Look { since, at, news: &news, is_full: false }, weight, calendar);
        }
        let model = HashTable::from_bytes(&model.to_bytes());
        let at = |day: i64| Timestamp::from_secs(day * DAY_S);
        let posts = model.posts_with(calendar, at(day), at(day + 1));
        assert!((posts - expected).abs() < 1e-5, "{daily:?}: {posts}, not {expected}");
    }

    #[test]
    fn the_last_day_weighs_most() {
        let alike = Calendar::default();
        check(&[&[9, 9], &[9]], 0.5, &alike, 5, 1.5);
        check(&[&[9, 9], &[]], 0.5, &alike, 5, 1.0);
        check(&[&[9, 9], &[], &[]], 0.9, &alike, 5, 0.02);
        // 1970-01-01 is a Thursday: days 2 and 3 are a weekend, 4 is made a holiday.
        let week = Calendar { has_weekends: true, holidays: Arc::from([4]) };
        let days: &[&[i64]] = &[&[1, 1], &[1, 1], &[5], &[5], &[7, 8, 9]];
        check(days, 0.5, &week, 5, 2.0);
        check(days, 0.5, &week, 9, 1.0);
        check(days, 0.5, &week, 4, 3.0);
    }

    #[test]
    fn the_papers_plan() {
        let slots = [1.0, 4.0, 0.0, 0.0, 6.0, 0.0];
        assert_eq!(plan(&slots, 0.0, 4.0, 10), (vec![2, 5], 0.0));
        assert_eq!(plan(&slots, 4.0, 4.0, 10), (vec![1, 5], 0.0));
        assert_eq!(plan(&[0.0; 6], 1.0, 4.0, 2), (vec![3, 6], 0.0));
    }
}
