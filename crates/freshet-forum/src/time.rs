//! Written times: from the words of a page to moments.
//!
//! A page writes a time for people of one language and place: `30/06/2008, 02:05`, `yesterday at 14h05`, `3 дня назад`. Reading
//! it takes three parts, each in its file: [`words`] knows the words of some twenty languages as data, [`scan`] finds
//! times in a text and says what was written ([`Written`]), and [`resolve`] turns that into a [`Moment`] once it is known
//! which number is the day and when the page was fetched. The second step needs the whole list (order of day and month,
//! seed 004 section 3.3), so the two are apart.
//!
//! Where nobody says the zone, [`zone`] estimates it from a whole site, or is silent. A moment knows how its zone is known;
//! without one, its seconds are those of a forum at Greenwich, and it says so.

pub mod order;
pub mod resolve;
pub mod scan;
mod token;
mod words;
pub mod zone;

use serde::{Deserialize, Serialize};

pub use resolve::{Moment, Reader};
pub use scan::scan;

/// How a date is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Date {
    /// Year, month, day: nothing to guess.
    Full(i16, i8, i8),
    /// Two numbers and a year: day and month, or month and day.
    Numbers(i8, i8, i16),
    /// Month and day; the year is that of the page.
    NoYear(i8, i8),
    /// Two numbers without a year.
    NumbersNoYear(i8, i8),
    /// Month and year only, as memberships are written.
    NoDay(i16, i8),
    /// So many days before the page was fetched.
    DaysBack(i8),
    /// The last such day of the week, Monday is 1.
    Weekday(i8),
    /// Seconds before the page was fetched, and how long the smallest unit written is.
    Ago(i64, i64),
    /// Seconds since 1970, from an attribute.
    Unix(i64),
}

/// A time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayTime {
    /// 0 to 23.
    pub hour: i8,
    /// 0 to 59.
    pub minute: i8,
    /// 0 to 59 where written.
    pub second: Option<i8>,
}

/// One time as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub date: Date,
    /// Its time of day.
    pub day_time: Option<DayTime>,
    /// Seconds east of Greenwich, where written.
    pub offset_s: Option<i32>,
    /// The day of the week beside the date, Monday is 1.
    pub weekday: Option<i8>,
}

impl Written {
    /// Whether day and month may be the other way round.
    pub(crate) fn is_ambiguous(&self) -> bool {
        matches!(self.date, Date::Numbers(..) | Date::NumbersNoYear(..))
    }

    /// Whether it names an instant to the minute, as posts do and birthdays do not.
    pub(crate) fn has_clock(&self) -> bool {
        self.day_time.is_some()
            || matches!(self.date, Date::Unix(_))
            || matches!(self.date, Date::Ago(_, unit) if unit < 86_400)
    }
}

/// Which of two numbers is the day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DayOrder {
    /// 30/06/2008, as most of the world writes.
    #[default]
    DayFirst,
    /// 06/30/2008, as the United States write.
    MonthFirst,
}

/// How the zone of a moment is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Zone {
    /// The page gives it beside the time.
    Given,
    /// The page counts back from its own fetch.
    Relative,
    /// The definition or the page's small print says it for all times.
    Stated,
    /// Nobody says; the definition has it from when pages were fetched.
    Estimated,
    /// Nobody says; Greenwich is assumed.
    Unknown,
}

impl Zone {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Relative => "relative",
            Self::Stated => "stated",
            Self::Estimated => "estimated",
            Self::Unknown => "unknown",
        }
    }
}
