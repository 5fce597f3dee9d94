//! What the publisher of a feed says about when to come, and until when a visit waits for it.
//!
//! RSS has three ways to say it (`ttl`, `skipHours`, `skipDays`), RSS 1.0 a fourth (how often it changes), and `WebSub` names who tells of news. A
//! feed that may be kept for an hour is not asked for an hour, and not in hours in which nothing is published. That
//! is a courtesy with a limit (`HOLD_MAX`): whoever asks for more would never be heard. How often a feed says to change
//! is shown and holds nothing back: the change model knows better.

use serde::{Deserialize, Serialize};

use crate::{Span, Timestamp};

/// A publisher's word on when to come; everything in it may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timetable {
    /// For how many minutes it may be kept.
    pub ttl_min: Option<u32>,
    /// How many minutes it says to have between two changes.
    pub period_min: Option<u32>,
    /// Hours of the day, in UTC, in which it is silent: a bit for each.
    pub skip_hours: u32,
    /// Days of the week on which it is silent, from Monday on: a bit for each.
    pub skip_days: u8,
    /// Who tells subscribers of its news.
    pub hub: Option<String>,
}

const HOURS: u32 = 24;
const DAYS: u32 = 7;
/// 1970 began on a Thursday, the fourth day of its week.
const FIRST_WEEKDAY: i64 = 3;

impl Timetable {
    /// The longest that a publisher's word holds a visit back.
    const HOLD_MAX: Span = Span::DAY;

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Until when a source that was visited then is left alone; that visit's own time where nothing is asked for.
    pub fn not_before(&self, visited_at: Timestamp) -> Timestamp {
        let latest = visited_at + Self::HOLD_MAX;
        let kept = Span::MINUTE * f64::from(self.ttl_min.unwrap_or(0));
        let mut at = (visited_at + kept).min(latest);
        // Whoever is silent in all hours of a day is not believed.
        for _ in 0..=HOURS {
            if !self.is_silent(at) || at >= latest {
                break;
            }
            let hour_ms = Span::HOUR.ms();
            at = Timestamp::from_ms((at.ms().div_euclid(hour_ms) + 1) * hour_ms);
        }
        at.min(latest)
    }

    /// Whether it says to be silent then.
    fn is_silent(&self, at: Timestamp) -> bool {
        let hours = at.ms().div_euclid(Span::HOUR.ms());
        let day = hours.div_euclid(i64::from(HOURS)) + FIRST_WEEKDAY;
        let bit = |number: i64, of: u32| 1_u32 << number.rem_euclid(i64::from(of));
        let is_hour = self.skip_hours & bit(hours, HOURS) != 0;
        is_hour || u32::from(self.skip_days) & bit(day, DAYS) != 0
    }

    /// The hours in which it is silent.
    pub fn silent_hours(&self) -> impl Iterator<Item = u32> {
        let hours = self.skip_hours;
        (0..HOURS).filter(move |hour| hours & (1 << hour) != 0)
    }

    /// The days on which it is silent; 0 is Monday.
    pub fn silent_days(&self) -> impl Iterator<Item = u32> {
        let days = u32::from(self.skip_days);
        (0..DAYS).filter(move |day| days & (1 << day) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-15 was a Sunday; 10:30 of it.
    const VISITED_AT: Timestamp = Timestamp::from_secs(1_794_738_600);

    fn check(timetable: &Timetable, expected: &str) {
        assert_eq!(timetable.not_before(VISITED_AT).to_string(), expected, "{timetable:?}");
    }

    #[test]
    fn a_publishers_word_holds_a_visit_back_for_a_day_at_most() {
        let none = Timetable::default();
        check(&none, "2026-11-15T10:30:00Z");
        check(&Timetable { ttl_min: Some(60), ..none.clone() }, "2026-11-15T11:30:00Z");
        check(&Timetable { ttl_min: Some(u32::MAX), ..none.clone() }, "2026-11-16T10:30:00Z");
        check(&Timetable { skip_hours: 0b11 << 10, ..none.clone() }, "2026-11-15T12:00:00Z");
        check(&Timetable { ttl_min: Some(60), skip_hours: 1 << 11, ..none.clone() }, "2026-11-15T12:00:00Z");
        check(&Timetable { skip_days: 1 << 6, ..none.clone() }, "2026-11-16T00:00:00Z");
        check(&Timetable { skip_days: 1 << 5, ..none.clone() }, "2026-11-15T10:30:00Z");
        check(&Timetable { skip_hours: u32::MAX, ..none.clone() }, "2026-11-16T10:30:00Z");
        check(&Timetable { skip_days: 0x7f, ..none.clone() }, "2026-11-16T10:30:00Z");
        check(
            &Timetable { period_min: Some(600), hub: Some("https://h.example/".into()), ..none },
            "2026-11-15T10:30:00Z",
        );
    }

    #[test]
    fn silent_times_are_told_one_by_one() {
        let timetable = Timetable { skip_hours: 1 | 1 << 23, skip_days: 0b110_0000, ..Timetable::default() };
        assert_eq!(timetable.silent_hours().collect::<Vec<_>>(), [0, 23]);
        assert_eq!(timetable.silent_days().collect::<Vec<_>>(), [5, 6]);
    }
}
