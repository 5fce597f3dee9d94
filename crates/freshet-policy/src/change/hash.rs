//! The Hash model: how many posts each hour of a day brings [CUVIM, section 4.2, Algorithm 2].
//!
//! Assumption: a day is like the days before it, the last one most. A table of k = 24 slots is
//! updated once a day; the weight of the day k days ago is w(1−w)^k. On weekends and holidays
//! people behave differently, so those may have tables of their own (section 4.2's special dates): which days these are, and by whose
//! clock, a [`Calendar`] says. For a holiday speaks the table of the same holiday as it was last seen, else that of all holidays,
//! else that of weekends, else that of workdays.
//!
//! | paper | here |
//! |---|---|
//! | aᵢ, one table for each kind of day | `tables`, `named` |
//! | nᵢ, posts of the day in slot i | `pending` until the day is over |
//! | aᵢ' = aᵢ·0.5 + n·0.5 | [`HashTable::learn_with`], weight 0.5 by default |
//! | sumᵢ − sum of the last visit | [`ChangeModel::posts`] since the last visit |
//! | remainingMessage | included: the sum runs on over midnight |
//! | c, s | the policy's: [`crate::policies`], and [`plan`] for the paper's own loop |
//!
//! Cost per look: O(news + 24 · days since the last look).

use freshet_types::Timestamp;

use super::{ChangeModel, seconds};
use crate::calendar::{Calendar, DayKind};
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
/// Holidays that have a table of their own; others share one. Some 3 KB for an account at the most.
const NAMED_MAX: usize = 32;

/// The tables that every account has: of workdays, weekends and all holidays.
const KINDS: usize = 3;
const WORKDAY: usize = 0;
const WEEKEND: usize = 1;
const HOLIDAY: usize = 2;

/// Expected posts of each hour, for each kind of day.
#[derive(Clone, Debug, PartialEq)]
pub struct HashTable {
    tables: [[f32; SLOTS]; KINDS],
    is_filled: [bool; KINDS],
    /// Of each holiday that was seen, by the hash of its name.
    named: Vec<(u32, [f32; SLOTS])>,
    pending: [f32; SLOTS],
    /// The day that `pending` belongs to.
    day: Option<i64>,
}

impl Default for HashTable {
    fn default() -> Self {
        let (tables, is_filled) = ([[0.0; SLOTS]; KINDS], [false; KINDS]);
        Self { tables, is_filled, named: Vec::new(), pending: [0.0; SLOTS], day: None }
    }
}

/// Which table speaks for a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// That of workdays.
    Workday,
    /// That of weekends.
    Weekend,
    /// That of all holidays, because this one was not seen before.
    Holidays,
    /// Its own: the same holiday as it was seen before.
    Own,
}

impl HashTable {
    /// Takes in a look with the weight of the last day and a calendar.
    pub fn learn_with(&mut self, look: &Look<'_>, weight: f64, calendar: &Calendar) {
        let today = calendar.day_and_hour(look.at).0;
        let first = self.day.unwrap_or_else(|| calendar.day_and_hour(look.complete_since()).0);
        for day in first.max(today - DAYS_FOLDED_MAX)..today {
            let counts = counts_of(look.news, day, &self.pending, calendar);
            self.fold(calendar.kind_of(day), &counts, weight as f32);
            self.pending = [0.0; SLOTS];
        }
        if self.day.is_some_and(|day| day > today) {
            return;
        }
        self.pending = counts_of(look.news, today, &self.pending, calendar);
        self.day = Some(today);
    }

    fn fold(&mut self, kind: DayKind<'_>, counts: &[f32; SLOTS], weight: f32) {
        let table = match kind {
            DayKind::Workday => WORKDAY,
            DayKind::Weekend => WEEKEND,
            DayKind::Holiday(name) => {
                self.fold_named(key_of(name), counts, weight);
                HOLIDAY
            }
        };
        // A first day has no day before it to be averaged with.
        let weight = if self.is_filled[table] { weight } else { 1.0 };
        average(&mut self.tables[table], counts, weight);
        self.is_filled[table] = true;
    }

    fn fold_named(&mut self, key: u32, counts: &[f32; SLOTS], weight: f32) {
        if let Some((_, table)) = self.named.iter_mut().find(|(known, _)| *known == key) {
            average(table, counts, weight);
        } else if self.named.len() < NAMED_MAX {
            self.named.push((key, *counts));
        }
    }

    /// Which table speaks for a day: its own, or the nearest kind that has been seen.
    pub fn speaker(&self, kind: DayKind<'_>) -> Speaker {
        match kind {
            DayKind::Holiday(name) if self.own(name).is_some() => Speaker::Own,
            DayKind::Holiday(_) if self.is_filled[HOLIDAY] => Speaker::Holidays,
            DayKind::Holiday(_) | DayKind::Weekend if self.is_filled[WEEKEND] => Speaker::Weekend,
            _ => Speaker::Workday,
        }
    }

    fn own(&self, name: &str) -> Option<&[f32; SLOTS]> {
        let key = key_of(name);
        self.named.iter().find(|(known, _)| *known == key).map(|(_, table)| table)
    }

    fn table(&self, kind: DayKind<'_>) -> &[f32; SLOTS] {
        let own = if let DayKind::Holiday(name) = kind { self.own(name) } else { None };
        own.unwrap_or_else(|| match self.speaker(kind) {
            Speaker::Holidays | Speaker::Own => &self.tables[HOLIDAY],
            Speaker::Weekend => &self.tables[WEEKEND],
            Speaker::Workday => &self.tables[WORKDAY],
        })
    }

    /// Posts expected between two instants under a calendar.
    pub fn posts_with(&self, calendar: &Calendar, since: Timestamp, until: Timestamp) -> f64 {
        let span_s = seconds(since, until);
        let whole_s = span_s.min((HOURS_SUMMED_MAX * 3600) as f64);
        if span_s <= 0.0 {
            return 0.0;
        }
        // Where the clock is put back in between, an hour counts once.
        let to_s = calendar.local_s(until);
        let from_s = if whole_s < span_s { to_s - whole_s } else { calendar.local_s(since).min(to_s) };
        let days = (from_s / DAY_S as f64).floor() as i64..=(to_s / DAY_S as f64).floor() as i64;
        let sum: f64 = days
            .map(|day| {
                let (start_s, table) = ((day * DAY_S) as f64, self.table(calendar.kind_of(day)));
                let (low_s, high_s) = ((from_s - start_s).max(0.0), (to_s - start_s).min(DAY_S as f64));
                let is_whole = low_s <= 0.0 && high_s >= DAY_S as f64;
                // Whole days are taken as a sum: a source may wait for weeks, and is asked about every slot.
                if is_whole { total(table) } else { part_of_day(table, low_s, high_s) }
            })
            .sum();
        sum * span_s / whole_s
    }

    /// Posts a second at an instant under a calendar.
    pub(crate) fn rate_per_s_with(&self, calendar: &Calendar, at: Timestamp) -> f64 {
        let (day, hour) = calendar.day_and_hour(at);
        f64::from(self.table(calendar.kind_of(day))[hour]) / 3600.0
    }
}

fn average(slots: &mut [f32; SLOTS], counts: &[f32; SLOTS], weight: f32) {
    for (slot, count) in slots.iter_mut().zip(counts) {
        *slot = *slot * (1.0 - weight) + count * weight;
    }
}

fn total(slots: &[f32; SLOTS]) -> f64 {
    slots.iter().map(|posts| f64::from(*posts)).sum()
}

/// The same for a name in every version and process (FNV-1a).
fn key_of(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
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
fn counts_of(news: &[Timestamp], day: i64, known: &[f32; SLOTS], calendar: &Calendar) -> [f32; SLOTS] {
    let mut counts = *known;
    for (posted_on, hour) in news.iter().map(|at| calendar.day_and_hour(*at)) {
        counts[hour] += if posted_on == day { 1.0 } else { 0.0 };
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
        // What an earlier version wrote ends here, and so does what is written where no holiday was seen.
        for (key, table) in &self.named {
            writer = writer.bytes(&key.to_le_bytes()).floats(table);
        }
        writer.0
    }

    fn learn(&mut self, look: &Look<'_>, _pool: &Pool) {
        self.learn_with(look, WEIGHT, &Calendar::default());
    }

    fn rate_per_s(&self, _pool: &Pool) -> f64 {
        f64::from(self.tables[WORKDAY].iter().sum::<f32>()) / DAY_S as f64
    }

    fn rate_per_s_at(&self, _pool: &Pool, at: Timestamp) -> f64 {
        self.rate_per_s_with(&Calendar::default(), at)
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
        while !reader.0.is_empty() && model.named.len() < NAMED_MAX {
            let key = u32::from_le_bytes(reader.bytes(4)?.try_into().ok()?);
            model.named.push((key, reader.floats()?));
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
    use std::sync::Arc;

    use super::*;
    use crate::calendar::WallClock;

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
    }

    #[test]
    fn a_holiday_is_like_itself_then_like_others_then_like_a_weekend() {
        // 1970-01-01 is a Thursday: days 2 and 3 are a weekend. Day 4 is one holiday, day 5 another.
        let weekend = [false, false, false, false, false, true, true];
        let names = [(4, "one"), (5, "two"), (11, "one"), (12, "three"), (13, "two")];
        let holidays = names.map(|(day, name)| (day, name.to_owned()));
        let week = Calendar::new(WallClock::default(), weekend, holidays);
        let days: &[&[i64]] = &[&[1, 1], &[1, 1], &[5], &[5], &[7, 8, 9], &[7]];
        check(days, 0.5, &week, 6, 2.0);
        check(days, 0.5, &week, 9, 1.0);
        check(days, 0.5, &week, 11, 3.0);
        check(days, 0.5, &week, 13, 1.0);
        check(days, 0.5, &week, 12, 2.0);
        // Before any holiday was seen, the weekend speaks for it; before any weekend, the workday.
        check(&days[..4], 0.5, &week, 11, 1.0);
        check(&days[..2], 0.5, &week, 11, 2.0);
        check(&days[..2], 0.5, &week, 9, 2.0);
    }

    #[test]
    fn hours_are_those_on_the_wall() {
        // Five hours west: what is posted at 9 in UTC is posted at 4, and at 2 the day before.
        let clock = WallClock { first_s: -5 * 3600, changes: Arc::default() };
        let calendar = Calendar::new(clock, [false; 7], []);
        let mut model = HashTable::default();
        let at = |hour: i64| Timestamp::from_secs(hour * 3600);
        let news = [at(9), at(26)];
        model.learn_with(
            &Look { since: Some(at(5)), at: at(53), news: &news, is_full: false },
            1.0,
            &calendar,
        );
        let posts = |from: i64, to: i64| model.posts_with(&calendar, at(from), at(to));
        assert_eq!(
            (posts(53 + 4, 53 + 5), posts(53 + 21, 53 + 22)),
            (0.0, 0.0),
            "a day without posts came after"
        );
        model.learn_with(
            &Look { since: Some(at(53)), at: at(77), news: &[at(57)], is_full: false },
            1.0,
            &calendar,
        );
        let posts = |from: i64, to: i64| model.posts_with(&calendar, at(from), at(to));
        assert_eq!((posts(77 + 4, 77 + 5), posts(77, 101)), (1.0, 1.0));
    }

    #[test]
    fn the_papers_plan() {
        let slots = [1.0, 4.0, 0.0, 0.0, 6.0, 0.0];
        assert_eq!(plan(&slots, 0.0, 4.0, 10), (vec![2, 5], 0.0));
        assert_eq!(plan(&slots, 4.0, 4.0, 10), (vec![1, 5], 0.0));
        assert_eq!(plan(&[0.0; 6], 1.0, 4.0, 2), (vec![3, 6], 0.0));
    }
}
