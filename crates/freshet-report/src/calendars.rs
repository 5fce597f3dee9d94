//! The report of `freshet calendar`: which days are not like others, by scope.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All calendars in force, or the one of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CalendarsReport {
    /// In order of scope.
    pub calendars: Vec<CalendarLine>,
}

/// One calendar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CalendarLine {
    /// `all`, a network, a server, a source by its number, or the file that was checked.
    pub scope: String,
    /// What a person calls the source, where it is one's.
    pub source: Option<String>,
    /// By whose clock.
    pub zone: String,
    /// The days of the weekend.
    pub weekend: Vec<String>,
    /// The names of the holidays.
    pub holidays: Vec<String>,
    /// Dates of all of them.
    pub dates_count: u64,
    /// The earliest.
    pub first_date: Option<String>,
    /// The latest.
    pub last_date: Option<String>,
}
