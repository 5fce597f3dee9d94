//! From what was written to a moment.
//!
//! What a page leaves out comes from outside: which number is the day ([`super::order`]), when the page was fetched (for
//! `yesterday`, `3 hours ago` and dates without a year) and the zone of the forum, where it is known. A date without a year is
//! the last such day that is not after the fetch. Without a time of fetch, what needs it stays unread: null, not a guess.
//! Errors are values: an impossible date (31 February) is no moment.

use std::fmt::Write as _;

use jiff::civil;
use jiff::tz::{Offset, TimeZone};

use super::{Date, DayOrder, Written, Zone};

/// Posts are dated at most so far after the fetch: clocks differ, and zones.
const FUTURE_S_MAX: i64 = 36 * 3600;

/// A time that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// As the page shows it; in Greenwich time where the page counts back.
    pub local: civil::DateTime,
    /// Whether seconds were written.
    pub has_seconds: bool,
    /// Whether a time of day was written.
    pub has_clock: bool,
    /// Seconds east of Greenwich, where the page gives them.
    pub offset_s: Option<i32>,
    /// Seconds since 1970.
    pub unix_s: i64,
    /// How the zone is known.
    pub zone: Zone,
    /// Length of the smallest unit written; a time that counts back lies up to so much earlier.
    pub grain_s: i64,
}

impl Moment {
    /// ISO 8601 as shown: seconds and offset only where the page gives them.
    pub(crate) fn local_text(&self) -> String {
        let mut text = String::with_capacity("2008-06-30T14:05:11+02:00".len());
        // Written out by hand: every record of every page has such a text.
        let mut two = |sign: Option<char>, value: i8| {
            text.extend(sign);
            text.push(char::from(b'0' + value.unsigned_abs() / 10 % 10));
            text.push(char::from(b'0' + value.unsigned_abs() % 10));
        };
        two(None, (self.local.year() / 100) as i8);
        two(None, (self.local.year() % 100) as i8);
        two(Some('-'), self.local.month());
        two(Some('-'), self.local.day());
        if !self.has_clock {
            return text;
        }
        two(Some('T'), self.local.hour());
        two(Some(':'), self.local.minute());
        if self.has_seconds {
            two(Some(':'), self.local.second());
        }
        match self.offset_s {
            None => {}
            Some(0) => text.push('Z'),
            Some(offset_s) => {
                let sign = if offset_s < 0 { '-' } else { '+' };
                let minutes = offset_s.unsigned_abs() / 60;
                let _ = write!(text, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
            }
        }
        text
    }
}

/// What is known about the times of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    /// Which number is the day.
    pub day_order: DayOrder,
    /// Seconds since 1970 when the page was fetched.
    pub fetched_s: Option<i64>,
    /// Seconds east of Greenwich that hold for all times of the site.
    pub offset_s: Option<i32>,
    /// Whether that was estimated and not stated.
    pub is_estimated: bool,
}

impl Reader {
    /// The moment, or nothing where it is impossible or its base is unknown.
    pub fn read(&self, written: &Written) -> Option<Moment> {
        match written.date {
            Date::Unix(unix_s) => moment(utc(unix_s)?, 0, Detail::Second, Zone::Given),
            Date::Ago(seconds, unit) => {
                let base_s = self.fetched_s?;
                let detail = if unit < 60 { Detail::Second } else { Detail::Minute };
                let moment = moment(utc(base_s.checked_sub(seconds)?)?, 0, detail, Zone::Relative)?;
                Some(Moment { grain_s: unit.max(1), ..moment })
            }
            _ => self.dated(written),
        }
    }

    fn dated(&self, written: &Written) -> Option<Moment> {
        let date = self.date(written)?;
        let clock = written.day_time;
        let (hour, minute) = clock.map_or((0, 0), |it| (it.hour, it.minute));
        let second = clock.and_then(|it| it.second);
        let time = civil::Time::new(hour, minute, second.unwrap_or(0), 0).ok()?;
        let local = date.to_datetime(time);
        let (offset_s, zone) = match (written.offset_s, self.offset_s) {
            (Some(offset_s), _) => (offset_s, Zone::Given),
            (None, Some(offset_s)) if self.is_estimated => (offset_s, Zone::Estimated),
            (None, Some(offset_s)) => (offset_s, Zone::Stated),
            (None, None) => (0, Zone::Unknown),
        };
        let detail = match (clock, second) {
            (None, _) => Detail::Day,
            (Some(_), None) => Detail::Minute,
            (Some(_), Some(_)) => Detail::Second,
        };
        moment(local, offset_s, detail, zone)
    }

    fn date(&self, written: &Written) -> Option<civil::Date> {
        match written.date {
            Date::Full(year, month, day) => civil::Date::new(year, month, day).ok(),
            Date::Numbers(first, second, year) => {
                let (month, day) = self.month_day(first, second);
                civil::Date::new(year, month, day).ok()
            }
            Date::NoDay(year, month) => civil::Date::new(year, month, 1).ok(),
            Date::NoYear(month, day) => self.last(month, day),
            Date::NumbersNoYear(first, second) => {
                let (month, day) = self.month_day(first, second);
                self.last(month, day)
            }
            Date::DaysBack(days) => self.today()?.checked_sub(jiff::Span::new().days(i64::from(days))).ok(),
            Date::Weekday(weekday) => {
                let today = self.today()?;
                let back = (today.weekday().to_monday_one_offset() - weekday).rem_euclid(7);
                today.checked_sub(jiff::Span::new().days(i64::from(back))).ok()
            }
            Date::Ago(..) | Date::Unix(_) => None,
        }
    }

    /// Two numbers as month and day; a number above twelve is the day whatever the order.
    pub(crate) fn month_day(&self, first: i8, second: i8) -> (i8, i8) {
        let is_day_first = match (first > 12, second > 12) {
            (true, false) => true,
            (false, true) => false,
            _ => self.day_order == DayOrder::DayFirst,
        };
        if is_day_first { (second, first) } else { (first, second) }
    }

    fn today(&self) -> Option<civil::Date> {
        let local_s = self.fetched_s?.checked_add(i64::from(self.offset_s.unwrap_or(0)))?;
        Some(utc(local_s)?.date())
    }

    fn last(&self, month: i8, day: i8) -> Option<civil::Date> {
        let latest = utc(self.fetched_s?.checked_add(FUTURE_S_MAX)?)?.date();
        // Eight years reach over a century's missing leap day.
        (0..=8).find_map(|back| {
            civil::Date::new(latest.year() - back, month, day).ok().filter(|it| *it <= latest)
        })
    }
}

fn utc(unix_s: i64) -> Option<civil::DateTime> {
    jiff::Timestamp::from_second(unix_s).ok().map(|at| at.to_zoned(TimeZone::UTC).datetime())
}

/// What of a moment was written.
#[derive(Clone, Copy)]
enum Detail {
    Day,
    Minute,
    Second,
}

fn moment(local: civil::DateTime, offset_s: i32, detail: Detail, zone: Zone) -> Option<Moment> {
    let offset = Offset::from_seconds(offset_s).ok()?;
    let unix_s = offset.to_timestamp(local).ok()?.as_second();
    let offset_s = matches!(zone, Zone::Given | Zone::Relative).then_some(offset_s);
    let (has_seconds, has_clock) = (matches!(detail, Detail::Second), !matches!(detail, Detail::Day));
    let grain_s = match detail {
        Detail::Day => 86_400,
        Detail::Minute => 60,
        Detail::Second => 1,
    };
    Some(Moment { local, has_seconds, has_clock, offset_s, unix_s, zone, grain_s })
}
