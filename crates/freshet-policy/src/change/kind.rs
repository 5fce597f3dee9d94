//! The four kinds of account and what moves an account between them [CUVIM, section 3].
//!
//! | paper | here | rule, by the last seven days |
//! |---|---|---|
//! | inactive account | [`Kind::Inactive`] | less than a post a day, on few days |
//! | instable changing account | [`Kind::Unstable`] | more, but not on most days |
//! | reasonable constant user | [`Kind::Constant`] | posts on most days ("many messages every day in the recent week") |
//! | authority account | [`Kind::Authority`] | constant, far more often, around the clock |
//!
//! The paper gives no thresholds; those here are from its observations (half of the accounts
//! post less than once a day, a fifth more than ten times) and named below. Inactive and
//! unstable accounts are predicted by the Poisson process, the others by the Hash model; an
//! unstable account is taken for a constant one as soon as its week is.

use freshet_types::Timestamp;

use super::shape;
use crate::Look;
use crate::pack::{Reader, Writer};

/// Days that are looked back on.
const DAYS: usize = 7;
/// Posting on so many of them is regular.
const DAYS_REGULAR: usize = 5;
/// Posts a day that make an account more than inactive.
const ACTIVE_PER_DAY: f64 = 1.0;
/// Posts a day that make a regular account an authority.
const AUTHORITY_PER_DAY: f64 = 20.0;
/// Hours of the day in which an authority posts.
const AUTHORITY_HOURS: u32 = 16;
const DAY_S: i64 = 86_400;

/// How an account behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Hardly posts; behaves like a web page.
    #[default]
    Inactive,
    /// Very active for a short time, then silent: not to be predicted.
    Unstable,
    /// Posts every day, by its own hours.
    Constant,
    /// Maintained by clerks or programs: often, and around the clock.
    Authority,
}

impl Kind {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inactive => "inactive",
            Self::Unstable => "unstable",
            Self::Constant => "constant",
            Self::Authority => "authority",
        }
    }

    /// Whether hours and days say when it posts.
    pub(crate) fn is_regular(self) -> bool {
        matches!(self, Self::Constant | Self::Authority)
    }
}

/// Posts of the last seven days, and in which hours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Week {
    counts: [u16; DAYS],
    /// A bit for each hour of the day that had a post, this week and the week before.
    hours: [u32; 2],
    day: Option<i64>,
}

impl Week {
    /// Takes in what a visit saw.
    pub fn learn(&mut self, look: &Look<'_>) {
        let today = look.at.secs().div_euclid(DAY_S);
        let day = self.day.unwrap_or(today);
        for next in day.max(today - 2 * DAYS as i64) + 1..=today {
            self.counts[slot(next)] = 0;
            if shape::weekday(next) == 0 {
                self.hours = [0, self.hours[0]];
            }
        }
        self.day = Some(today.max(day));
        for &at in look.news.iter().filter(|at| is_recent(**at, today)) {
            let count = &mut self.counts[slot(at.secs().div_euclid(DAY_S))];
            *count = count.saturating_add(1);
            self.hours[0] |= 1 << shape::hour_and_day(at).0;
        }
    }

    /// The kind of an account with such a week.
    pub fn kind(&self) -> Kind {
        let per_day = f64::from(self.counts.iter().map(|count| u32::from(*count)).sum::<u32>()) / DAYS as f64;
        let day_count = self.counts.iter().filter(|count| **count > 0).count();
        let hour_count = (self.hours[0] | self.hours[1]).count_ones();
        match day_count >= DAYS_REGULAR {
            true if per_day >= AUTHORITY_PER_DAY && hour_count >= AUTHORITY_HOURS => Kind::Authority,
            true => Kind::Constant,
            false if per_day >= ACTIVE_PER_DAY => Kind::Unstable,
            false => Kind::Inactive,
        }
    }

    pub(crate) fn write(&self, writer: Writer) -> Writer {
        let day = Timestamp::from_secs(self.day.unwrap_or(0) * DAY_S);
        let writer = writer.byte(u8::from(self.day.is_some())).time(day);
        let writer = self.counts.iter().fold(writer, |writer, count| writer.bytes(&count.to_le_bytes()));
        self.hours.iter().fold(writer, |writer, hours| writer.bytes(&hours.to_le_bytes()))
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let has_day = reader.byte()? != 0;
        let day = reader.time()?.secs().div_euclid(DAY_S);
        let mut week = Self { day: has_day.then_some(day), ..Self::default() };
        for count in &mut week.counts {
            *count = u16::from_le_bytes(reader.bytes(2)?.try_into().ok()?);
        }
        for hours in &mut week.hours {
            *hours = u32::from_le_bytes(reader.bytes(4)?.try_into().ok()?);
        }
        Some(week)
    }
}

fn slot(day: i64) -> usize {
    day.rem_euclid(DAYS as i64) as usize
}

fn is_recent(at: Timestamp, today: i64) -> bool {
    (today - DAYS as i64 + 1..=today).contains(&at.secs().div_euclid(DAY_S))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Posts of each day, spread over `hours` hours from midnight.
    fn check(daily: &[i64], hours: i64, expected: Kind) {
        let mut week = Week::default();
        for (day, count) in (0..).zip(daily) {
            let post = |post: i64| Timestamp::from_secs(day * DAY_S + (post % hours) * 3600 + post);
            let news: Vec<_> = (0..*count).map(post).collect();
            let at = Timestamp::from_secs(day * DAY_S + DAY_S - 1);
            week.learn(&Look { since: None, at, news: &news, is_full: false });
        }
        assert_eq!(week.kind(), expected, "{daily:?}");
        assert_eq!(Week::read(&mut Reader(&week.write(Writer::default()).0)), Some(week));
    }

    #[test]
    fn accounts_move_between_kinds() {
        check(&[0, 0, 1, 0, 0, 0, 2], 5, Kind::Inactive);
        check(&[0, 2, 13, 0, 0, 0, 0], 5, Kind::Unstable);
        check(&[3, 2, 4, 0, 2, 5, 1], 5, Kind::Constant);
        check(&[40, 30, 40, 50, 30, 40, 40], 24, Kind::Authority);
        // Many posts in few hours are a person's.
        check(&[40, 30, 40, 50, 30, 40, 40], 8, Kind::Constant);
        // Back from a journey: unstable becomes constant, and a silent one inactive.
        check(&[0, 2, 13, 0, 0, 0, 0, 5, 5, 5, 5, 5], 5, Kind::Constant);
        check(&[5, 5, 5, 5, 5, 5, 5, 0, 0, 0, 0, 0, 0, 0], 5, Kind::Inactive);
    }
}
