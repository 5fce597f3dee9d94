//! Calendars: which days are not like others, and by whose clock [CUVIM, section 4.2, special dates].
//!
//! People post by the clock on their wall, and otherwise on weekends and holidays. A calendar says how far that clock is from UTC,
//! which days of the week are the weekend, and which days are which holiday. It arrives here as plain data: names of zones, files and
//! what a person wrote are read elsewhere. Days are counted from 1970-01-01, as the clock on the wall has them.

use std::collections::BTreeMap;
use std::sync::Arc;

use freshet_types::Timestamp;

use crate::rhythm::shape;

const DAY_S: i64 = 86_400;

/// What a day is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayKind<'a> {
    Workday,
    Weekend,
    /// By its name.
    Holiday(&'a str),
}

/// How far a clock on the wall is from UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WallClock {
    /// Seconds east of UTC before the first change.
    pub first_s: i32,
    /// From this second (UTC) on, so many seconds east; ascending.
    pub changes: Arc<[(i64, i32)]>,
}

impl WallClock {
    fn offset_s(&self, secs: i64) -> i64 {
        let passed = self.changes.partition_point(|(from, _)| *from <= secs);
        let last = passed.checked_sub(1).map(|at| self.changes[at].1);
        i64::from(last.unwrap_or(self.first_s))
    }
}

/// Which days are not like others. The usual one knows none and goes by UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calendar {
    clock: WallClock,
    /// Of the seven days, Monday first.
    weekend: [bool; 7],
    /// Days and places in the list of names; ascending.
    holidays: Arc<[(i64, u16)]>,
    names: Arc<[String]>,
}

impl Calendar {
    /// By this clock; holidays are days with their names.
    pub fn new(
        clock: WallClock,
        weekend: [bool; 7],
        holidays: impl IntoIterator<Item = (i64, String)>,
    ) -> Self {
        let mut by_name: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for (day, name) in holidays {
            by_name.entry(name).or_default().push(day);
        }
        let numbered = by_name.values().zip(0_u16..);
        let mut days: Vec<(i64, u16)> =
            numbered.flat_map(|(days, name)| days.iter().map(move |day| (*day, name))).collect();
        days.sort_unstable();
        days.dedup_by_key(|(day, _)| *day);
        Self { clock, weekend, holidays: days.into(), names: by_name.into_keys().collect() }
    }

    /// Saturdays and Sundays by UTC, and no holidays.
    pub fn weekends() -> Self {
        let weekend = [false, false, false, false, false, true, true];
        Self { weekend, ..Self::default() }
    }

    /// What a day is.
    pub fn kind_of(&self, day: i64) -> DayKind<'_> {
        let holiday = self.holidays.binary_search_by_key(&day, |(day, _)| *day);
        match holiday.ok().and_then(|at| self.names.get(usize::from(self.holidays[at].1))) {
            Some(name) => DayKind::Holiday(name),
            None if self.weekend[shape::weekday(day)] => DayKind::Weekend,
            None => DayKind::Workday,
        }
    }

    /// The day and the hour that an instant has on the wall.
    pub fn day_and_hour(&self, at: Timestamp) -> (i64, usize) {
        let local_s = at.secs() + self.clock.offset_s(at.secs());
        (local_s.div_euclid(DAY_S), (local_s.rem_euclid(DAY_S) / 3600) as usize)
    }

    /// Seconds on the wall since its 1970-01-01.
    pub(crate) fn local_s(&self, at: Timestamp) -> f64 {
        at.secs_f64() + self.clock.offset_s(at.secs()) as f64
    }
}

/// The calendars of sources: one for all, others for some.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calendars {
    /// Of sources that have none of their own.
    pub usual: Option<Arc<Calendar>>,
    /// By the numbers of sources.
    pub own: Arc<BTreeMap<u32, Arc<Calendar>>>,
}

impl Calendars {
    /// The calendar of a source; `None` where nobody gave one.
    pub fn of(&self, number: u32) -> Option<&Calendar> {
        self.own.get(&number).or(self.usual.as_ref()).map(|calendar| &**calendar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hour and the kind of an instant.
    fn check(calendar: &Calendar, secs: i64, hour: usize, kind: DayKind<'_>) {
        let (day, found) = calendar.day_and_hour(Timestamp::from_secs(secs));
        assert_eq!((found, calendar.kind_of(day)), (hour, kind), "{secs}");
    }

    #[test]
    fn days_and_hours_are_those_on_the_wall() {
        let utc = Calendar::default();
        check(&utc, 0, 0, DayKind::Workday);
        check(&utc, -1, 23, DayKind::Workday);
        // 1970-01-01 was a Thursday. Five hours west; from the second day on four.
        let clock = WallClock { first_s: -5 * 3600, changes: Arc::from([(DAY_S, -4 * 3600)]) };
        let holidays = [(0, "new year".to_owned()), (365, "new year".to_owned()), (3, "own".to_owned())];
        let friday = [false, false, false, false, true, true, false];
        let calendar = Calendar::new(clock, friday, holidays);
        check(&calendar, 5 * 3600 - 1, 23, DayKind::Workday);
        check(&calendar, 5 * 3600, 0, DayKind::Holiday("new year"));
        check(&calendar, DAY_S - 1, 18, DayKind::Holiday("new year"));
        check(&calendar, DAY_S, 20, DayKind::Holiday("new year"));
        check(&calendar, DAY_S + 4 * 3600, 0, DayKind::Weekend);
        check(&calendar, 3 * DAY_S + 4 * 3600, 0, DayKind::Holiday("own"));
        check(&calendar, 4 * DAY_S + 4 * 3600, 0, DayKind::Workday);
        check(&calendar, 365 * DAY_S + 4 * 3600, 0, DayKind::Holiday("new year"));
        check(&Calendar::weekends(), 2 * DAY_S, 0, DayKind::Weekend);
    }

    #[test]
    fn a_source_has_its_own_calendar_or_the_usual_one() {
        let mut calendars = Calendars::default();
        assert!(calendars.of(7).is_none());
        calendars.usual = Some(Arc::new(Calendar::default()));
        calendars.own = Arc::new([(7, Arc::new(Calendar::weekends()))].into());
        assert_eq!(calendars.of(7), Some(&Calendar::weekends()));
        assert_eq!(calendars.of(8), Some(&Calendar::default()));
    }
}
