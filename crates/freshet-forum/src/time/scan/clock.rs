//! The forms of a time of day and of a zone.

use super::super::words::Sense;
use super::{DayTime, Grammar};

/// Zones that people write by name, in minutes east of Greenwich; the ambiguous ones are left out.
const ZONES: [(&str, i32); 19] = [
    ("z", 0),
    ("utc", 0),
    ("gmt", 0),
    ("wet", 0),
    ("west", 60),
    ("bst", 60),
    ("cet", 60),
    ("mez", 60),
    ("cest", 120),
    ("mesz", 120),
    ("eet", 120),
    ("eest", 180),
    ("msk", 180),
    ("jst", 540),
    ("est", -300),
    ("edt", -240),
    ("cdt", -300),
    ("pst", -480),
    ("pdt", -420),
];

/// Morning or afternoon.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Am,
    Pm,
}

impl Grammar<'_> {
    /// `14:05`, `2:05:11 PM`, `14h05`, `14.05 Uhr`, `4 a.m.`, `14時05分`, `午後2:05`, `noon`.
    pub(super) fn clock(&self, at: usize) -> Option<(DayTime, usize)> {
        if self.means(at, Sense::Noon) {
            return Some((DayTime { hour: 12, minute: 0, second: None }, at + 1));
        }
        if self.means(at, Sense::Midnight) {
            return Some((DayTime { hour: 0, minute: 0, second: None }, at + 1));
        }
        let before = self.half(at).filter(|_| self.number(at + 1).is_some() && self.is_foreign(at));
        let start = before.map_or(at, |(_, end)| end);
        let (hour, digits) = self.number(start)?;
        if digits > 2 || hour > 24 {
            return None;
        }
        let (minute, second, end) = self.minutes(start)?;
        let after = self.half(end);
        let (minute, end) = match (minute, after) {
            (Some(minute), _) => (minute, end),
            (None, Some(_)) => (0, end),
            (None, None) => return None,
        };
        let end = after.map_or(end, |(_, end)| end);
        let hour = match (before.or(after).map(|(half, _)| half), hour) {
            (Some(Half::Pm), 1..=11) => hour + 12,
            (Some(Half::Am), 12) | (_, 24) => 0,
            _ => hour,
        };
        Some((DayTime { hour: hour as i8, minute, second }, end))
    }

    /// What follows the hour: minutes and seconds; none when only an hour is written.
    fn minutes(&self, at: usize) -> Option<(Option<i8>, Option<i8>, usize)> {
        let two = |at: usize| {
            self.number(at).filter(|(it, digits)| *it < 60 && *digits == 2).map(|(it, _)| it as i8)
        };
        if self.is_sign(at + 1, ':') {
            let minute = two(at + 2)?;
            let second = two(at + 4).filter(|_| self.is_sign(at + 3, ':'));
            let mut end = if second.is_some() { at + 5 } else { at + 3 };
            if second.is_some()
                && self.is_sign(end, '.')
                && self.number(end + 1).is_some()
                && !self.is_spaced(end + 1)
            {
                end += 2;
            }
            return Some((Some(minute), second, end));
        }
        if self.word(at + 1) == Some("h") || self.means(at + 1, Sense::HourMark) {
            let minute = two(at + 2).or_else(|| self.number(at + 2).map(|(it, _)| it.clamp(0, 59) as i8));
            let has_mark = self.means(at + 1, Sense::HourMark);
            let Some(minute) = minute else { return has_mark.then_some((Some(0), None, at + 2)) };
            let end = at + 3 + usize::from(self.means(at + 3, Sense::MinuteMark));
            let second = two(end).filter(|_| self.means(end + 1, Sense::SecondMark));
            return Some((Some(minute), second, if second.is_some() { end + 2 } else { end }));
        }
        if self.is_sign(at + 1, '.')
            && let Some(minute) = two(at + 2)
        {
            let is_told = self.word(at + 3) == Some("uhr") || self.half(at + 3).is_some();
            let is_led =
                at > 0 && self.word(at - 1).is_some_and(|it| ["kl", "klo", "ore", "alle"].contains(&it));
            return (is_told || is_led).then_some((Some(minute), None, at + 3));
        }
        Some((None, None, at + 1))
    }

    /// `am`, `p.m.`, `午後`.
    fn half(&self, at: usize) -> Option<(Half, usize)> {
        if self.means(at, Sense::Am) {
            return Some((Half::Am, at + 1));
        }
        if self.means(at, Sense::Pm) {
            return Some((Half::Pm, at + 1));
        }
        let half = match self.word(at)? {
            "a" => Half::Am,
            "p" => Half::Pm,
            _ => return None,
        };
        let is_written = self.is_sign(at + 1, '.') && self.word(at + 2) == Some("m");
        is_written.then_some((half, at + 3 + usize::from(self.is_sign(at + 3, '.'))))
    }

    /// The zone after a time of day, in seconds.
    pub(super) fn zone(&self, at: usize) -> (Option<i32>, usize) {
        let at_word = at + usize::from(self.is_sign(at, '('));
        let named = self.word(at_word).and_then(|word| ZONES.iter().find(|(name, _)| *name == word));
        if let Some((name, minutes)) = named {
            if matches!(*name, "utc" | "gmt")
                && let Some((offset_s, end)) = self.signed_offset(at_word + 1)
            {
                return (Some(offset_s), end);
            }
            return (Some(minutes * 60), at_word + 1);
        }
        let is_attached = !self.is_spaced(at) || self.number(at + 1).is_some_and(|(_, digits)| digits == 4);
        match self.signed_offset(at).filter(|_| is_attached) {
            // `14:05 - 2008` is no zone, `14:05-05:00` and `14:05 +0200` are.
            Some((offset_s, end))
                if end > at + 2 || self.number(at + 1).is_some_and(|(_, digits)| digits == 4) =>
            {
                (Some(offset_s), end)
            }
            _ => (None, at),
        }
    }

    /// `+02:00`, `+0200`, `+2`, `-5`.
    pub(super) fn signed_offset(&self, at: usize) -> Option<(i32, usize)> {
        let sign = if self.is_sign(at, '+') {
            1
        } else if self.is_sign(at, '-') || self.is_sign(at, '−') {
            -1
        } else {
            return None;
        };
        let (value, digits) = self.number(at + 1).filter(|_| !self.is_spaced(at + 1) || sign != 0)?;
        let (hours, minutes, end) = match digits {
            4 => (value / 100, value % 100, at + 2),
            1 | 2 => {
                let minutes = self
                    .number(at + 3)
                    .filter(|(it, digits)| self.is_sign(at + 2, ':') && *digits == 2 && *it < 60);
                minutes.map_or((value, 0, at + 2), |(minutes, _)| (value, minutes, at + 4))
            }
            _ => return None,
        };
        let is_zone = hours <= 14 && minutes < 60;
        is_zone.then_some((sign * (hours * 3600 + minutes * 60) as i32, end))
    }
}
