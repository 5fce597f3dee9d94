//! The forms of a date.

use super::super::words::Sense;
use super::{Date, Grammar};

/// Years that a post can have been written in, and some that a joke can.
const YEARS: std::ops::RangeInclusive<i64> = 1980..=2100;
/// Two-digit years from here on belong to the last century.
const CENTURY_SPLIT: i16 = 70;

/// `08` is 2008, `99` is 1999.
pub(super) fn full_year(year: i16) -> i16 {
    match year {
        0..CENTURY_SPLIT => 2000 + year,
        CENTURY_SPLIT..100 => 1900 + year,
        _ => year,
    }
}

type Found = (Date, Option<i8>, usize);

impl Grammar<'_> {
    /// A date, perhaps with its day of the week before it.
    pub(super) fn date(&self, at: usize) -> Option<Found> {
        if let Some(weekday) = self.weekday(at) {
            let mut next = at + 1;
            while next < at + 4 && self.is_gap(next) {
                next += 1;
            }
            if let Some((date, end)) = self.plain_date(next) {
                return Some((date, Some(weekday), end));
            }
            // `mar` and `sun` are months too, and words of other kinds; a day needs a clock, the caller sees to it.
            return self.plain_date(at).map(|(date, end)| (date, None, end)).or(Some((
                Date::Weekday(weekday),
                None,
                at + 1,
            )));
        }
        let (date, end) = self.plain_date(at)?;
        // `2008年6月30日(月)`, `30.06.2008 (Mon)`.
        let opening = usize::from(self.is_sign(end, '('));
        let weekday = self.weekday(end + opening).filter(|_| opening == 1 && self.is_sign(end + 2, ')'));
        Some((date, weekday, if weekday.is_some() { end + 3 } else { end }))
    }

    fn weekday(&self, at: usize) -> Option<i8> {
        self.sense(at, |it| if let Sense::Weekday(day) = it { Some(day) } else { None })
    }

    fn is_gap(&self, at: usize) -> bool {
        self.is_sign(at, ',')
            || self.is_sign(at, '.')
            || self.is_sign(at, '-')
            || self.means(at, Sense::Filler)
    }

    fn plain_date(&self, at: usize) -> Option<(Date, usize)> {
        self.marked(at)
            .or_else(|| self.numbers(at))
            .or_else(|| self.day_month(at))
            .or_else(|| self.month_day(at))
            .or_else(|| self.day_word(at))
    }

    fn day_word(&self, at: usize) -> Option<(Date, usize)> {
        let back = self.sense(at, |it| match it {
            Sense::Today => Some(0),
            Sense::Yesterday => Some(1),
            Sense::BeforeYesterday => Some(2),
            _ => None,
        })?;
        Some((Date::DaysBack(back), at + 1))
    }

    fn month(&self, at: usize) -> Option<i8> {
        self.sense(at, |it| if let Sense::Month(month) = it { Some(month) } else { None })
    }

    fn day(&self, at: usize) -> Option<i8> {
        self.number(at)
            .filter(|(day, digits)| (1..=31).contains(day) && *digits <= 2)
            .map(|(day, _)| day as i8)
    }

    fn year(&self, at: usize) -> Option<i16> {
        self.number(at)
            .filter(|(year, digits)| *digits == 4 && YEARS.contains(year))
            .map(|(year, _)| year as i16)
    }

    /// A year after day and month: `, 2008`, `de 2008`, `'08`, `-08`.
    fn year_after(&self, at: usize) -> Option<(i16, usize)> {
        for next in at..at + 3 {
            if let Some(year) = self.year(next) {
                // `Jun 30 2008` but not `Jun 30 2008:...`.
                let is_year_mark = self.means(next + 1, Sense::YearMark);
                return Some((year, next + 1 + usize::from(is_year_mark)));
            }
            let is_short = self.is_sign(next, '\'') || self.is_sign(next, '’') || self.is_sign(next, '-');
            if is_short && let Some((year, 2)) = self.number(next + 1) {
                return Some((full_year(year as i16), next + 2));
            }
            if !self.is_gap(next) && !self.is_sign(next, '/') {
                return None;
            }
        }
        None
    }

    /// `2008年6月30日`, `6月30日`.
    fn marked(&self, at: usize) -> Option<(Date, usize)> {
        if let Some(year) = self.year(at)
            && self.means(at + 1, Sense::YearMark)
        {
            let (Date::NoYear(month, day), end) = self.marked(at + 2)? else { return None };
            return Some((Date::Full(year, month, day), end));
        }
        let (month, _) = self.number(at).filter(|(month, _)| (1..=12).contains(month))?;
        self.means(at + 1, Sense::MonthMark).then_some(())?;
        let day = self.day(at + 2)?;
        let has_mark = self.means(at + 3, Sense::DayMark);
        has_mark.then_some((Date::NoYear(month as i8, day), at + 4))
    }

    /// Three numbers with one sign between them, or two.
    fn numbers(&self, at: usize) -> Option<(Date, usize)> {
        let (first, first_digits) = self.number(at)?;
        let sign = ['-', '/', '.'].into_iter().find(|&sign| self.is_sign(at + 1, sign))?;
        let (second, second_digits) =
            self.number(at + 2).filter(|(it, digits)| (1..=31).contains(it) && *digits <= 2)?;
        let third = self.number(at + 4).filter(|_| self.is_sign(at + 3, sign));
        let in_month = |it: i64| (1..=12).contains(&it);
        if first_digits == 4 && YEARS.contains(&first) {
            let (day, _) = third.filter(|(day, digits)| (1..=31).contains(day) && *digits <= 2)?;
            return in_month(second).then_some((Date::Full(first as i16, second as i8, day as i8), at + 5));
        }
        if !(1..=31).contains(&first) || first_digits > 2 || !(in_month(first) || in_month(second)) {
            return None;
        }
        match third {
            Some((year, digits)) if (digits == 4 && YEARS.contains(&year)) || digits == 2 => {
                // A fourth number would make it a version or an address.
                let is_longer =
                    self.is_sign(at + 5, sign) && self.number(at + 6).is_some() && !self.is_spaced(at + 6);
                (!is_longer).then_some((Date::Numbers(first as i8, second as i8, year as i16), at + 5))
            }
            Some(_) => None,
            None => {
                let is_closed = sign == '/' || (sign == '.' && self.is_sign(at + 3, '.'));
                let end = at + 3 + usize::from(sign == '.');
                (is_closed && second_digits == 2)
                    .then_some((Date::NumbersNoYear(first as i8, second as i8), end))
            }
        }
    }

    /// `30 June 2008`, `30. Juni 2008`, `1er juin`, `30 de junio de 2008`, `30-Jun-08`.
    fn day_month(&self, at: usize) -> Option<(Date, usize)> {
        let day = self.day(at)?;
        let mut next = at + 1;
        if self.means(next, Sense::Ordinal) && !self.is_spaced(next) {
            next += 1;
        }
        while next < at + 4
            && self.month(next).is_none()
            && (self.is_gap(next) || self.is_sign(next, '/') || self.is_sign(next, 'º'))
        {
            next += 1;
        }
        let month = self.month(next)?;
        let after = next + 1;
        match self.year_after(after) {
            Some((year, end)) => Some((Date::Full(year, month, day), end)),
            None => Some((Date::NoYear(month, day), after)),
        }
    }

    /// `June 30th, 2008`, `Sept. 30`, `June 2008`.
    fn month_day(&self, at: usize) -> Option<(Date, usize)> {
        let month = self.month(at)?;
        let mut next = at + 1;
        while next < at + 3
            && (self.is_sign(next, '.')
                || self.is_sign(next, '-')
                || self.is_sign(next, ',')
                || self.means(next, Sense::Filler))
        {
            next += 1;
        }
        if let Some(year) = self.year(next) {
            return Some((Date::NoDay(year, month), next + 1));
        }
        let day = self.day(next).filter(|_| !self.is_sign(next + 1, ':'))?;
        let has_ordinal = self.means(next + 1, Sense::Ordinal) && !self.is_spaced(next + 1);
        let after = next + 1 + usize::from(has_ordinal);
        match self.year_after(after) {
            Some((year, end)) => Some((Date::Full(year, month, day), end)),
            None => Some((Date::NoYear(month, day), after)),
        }
    }
}
