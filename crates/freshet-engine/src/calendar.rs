//! Calendars as people write them: by whose clock, which days are the weekend, which are holidays; and what policies are told of them.
//!
//! They are one setting of the store, by scope: `all`, a network, a server, or one source. Where several cover a source, the
//! narrowest holds. What is stored is what the person said; zones become plain numbers here, once when a run reads the setting
//! ([`CalendarSpec::compile`]), so that policies know no zones. The zones are those of the system's time-zone database.

use std::collections::BTreeMap;
use std::sync::Arc;

use freshet_policy::calendar::{Calendar, Calendars as Told, WallClock};
use freshet_store::api::{Store, StoreError};
use freshet_store::control::Control;
use freshet_store::setting::{Json, Setting};
use freshet_types::{NetworkName, SourceId};
use serde::{Deserialize, Serialize};

use crate::budget::ALL;

/// Setting that holds them.
pub const CALENDARS: Setting<Json<Calendars>> = Setting::new("calendars");
/// Scopes that can have one.
pub const CALENDARS_MAX: usize = 1000;
/// Names of holidays in one calendar: no country has half as many.
const NAMES_MAX: usize = 64;
/// Dates in one calendar: thirty a year for thirty years.
const DATES_MAX: usize = 1000;
/// Characters of a holiday's name.
const NAME_CHARS_MAX: usize = 80;
/// How the scope of one source begins.
const SOURCE: &str = "source ";
/// Clock changes from here on are known to policies: the oldest histories begin later.
const CLOCK_FROM_S: i64 = 631_152_000;
/// And until here, 2100-01-01.
const CLOCK_UNTIL_S: i64 = 4_102_444_800;
/// The days of a week as they are written.
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// One calendar, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalendarSpec {
    /// Hours and days are those of this zone, by its name: `Europe/Berlin`; UTC unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Days of the weekend; Saturday and Sunday unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weekend: Option<Vec<String>>,
    /// Dates of several years by the name of the holiday.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub holidays: BTreeMap<String, Vec<String>>,
}

/// Why a calendar cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalendarError {
    /// It says nothing.
    #[error("it is empty: give `zone`, `weekend` or `[holidays]`")]
    Empty,
    /// The system knows no such zone.
    #[error(
        "`zone`: there is no time zone `{0}`; zones are named like `Europe/Berlin`, `America/New_York` or `UTC`"
    )]
    Zone(String),
    /// That is no day.
    #[error("`weekend`: `{0}` is no day of the week; the days are mon, tue, wed, thu, fri, sat, sun")]
    Day(String),
    /// A day stands there twice.
    #[error("`weekend`: `{0}` stands there twice")]
    DayTwice(String),
    /// Nothing would be a workday.
    #[error("`weekend`: a week has workdays, too")]
    NoWorkday,
    /// A name that cannot be shown.
    #[error("`holidays`: a name has 1 to {NAME_CHARS_MAX} characters in one line")]
    Name,
    /// Too much of it.
    #[error("`holidays`: at most {NAMES_MAX} names and {DATES_MAX} dates in all")]
    TooMany,
    /// A name without dates.
    #[error("`holidays`: `{0}` has no dates; write them like [\"2025-01-01\", \"2026-01-01\"]")]
    NoDates(String),
    /// There is no such date.
    #[error(
        "`holidays`: `{name}`: there is no date `{date}`; dates are written like 2026-01-01, between 1990 and 2099"
    )]
    Date {
        /// Of which holiday.
        name: String,
        /// As it was written.
        date: String,
    },
    /// A date stands there twice.
    #[error("`holidays`: {date} is `{name}`, and it is `{other}` as well")]
    DateTwice {
        date: String,
        name: String,
        /// The other, or the same.
        other: String,
    },
}

impl CalendarSpec {
    /// As policies know it; whatever is wrong with it is said by the name of its key.
    pub fn compile(&self) -> Result<Calendar, CalendarError> {
        if *self == Self::default() {
            return Err(CalendarError::Empty);
        }
        Ok(Calendar::new(self.clock()?, self.weekend()?, self.holidays()?))
    }

    fn clock(&self) -> Result<WallClock, CalendarError> {
        let Some(name) = &self.zone else { return Ok(WallClock::default()) };
        let unknown = || CalendarError::Zone(name.chars().take(NAME_CHARS_MAX).collect());
        let zone = jiff::tz::TimeZone::get(name).map_err(|_| unknown())?;
        let from = jiff::Timestamp::from_second(CLOCK_FROM_S).map_err(|_| unknown())?;
        let changes =
            zone.following(from).map(|change| (change.timestamp().as_second(), change.offset().seconds()));
        let known = changes.take_while(|(at, _)| *at < CLOCK_UNTIL_S);
        Ok(WallClock { first_s: zone.to_offset(from).seconds(), changes: known.collect() })
    }

    fn weekend(&self) -> Result<[bool; 7], CalendarError> {
        let usual = || DAYS[5..].iter().map(|day| (*day).to_owned()).collect();
        let mut weekend = [false; 7];
        for day in self.weekend.clone().unwrap_or_else(usual) {
            let place = DAYS.iter().position(|known| *known == day.to_lowercase());
            let place =
                place.ok_or_else(|| CalendarError::Day(day.chars().take(NAME_CHARS_MAX).collect()))?;
            if std::mem::replace(&mut weekend[place], true) {
                return Err(CalendarError::DayTwice(day));
            }
        }
        if weekend == [true; 7] { Err(CalendarError::NoWorkday) } else { Ok(weekend) }
    }

    fn holidays(&self) -> Result<Vec<(i64, String)>, CalendarError> {
        let date_count: usize = self.holidays.values().map(Vec::len).sum();
        if self.holidays.len() > NAMES_MAX || date_count > DATES_MAX {
            return Err(CalendarError::TooMany);
        }
        let mut days: BTreeMap<i64, String> = BTreeMap::new();
        for (name, dates) in &self.holidays {
            let is_shown = (1..=NAME_CHARS_MAX).contains(&name.chars().count())
                && !name.trim().is_empty()
                && !name.chars().any(char::is_control);
            if !is_shown {
                return Err(CalendarError::Name);
            }
            if dates.is_empty() {
                return Err(CalendarError::NoDates(name.clone()));
            }
            for date in dates {
                let day = day_of(date).ok_or_else(|| CalendarError::Date {
                    name: name.clone(),
                    date: date.chars().take(NAME_CHARS_MAX).collect(),
                })?;
                if let Some(other) = days.insert(day, name.clone()) {
                    return Err(CalendarError::DateTwice {
                        date: date.clone(),
                        name: other,
                        other: name.clone(),
                    });
                }
            }
        }
        Ok(days.into_iter().collect())
    }

    /// How many dates it names.
    pub fn dates_count(&self) -> usize {
        self.holidays.values().map(Vec::len).sum()
    }
}

/// Days since 1970-01-01 of a date; `None` where there is no such date.
fn day_of(date: &str) -> Option<i64> {
    // Digits and hyphens alone: `2026-01-01T00:00` is no date.
    let has_form = date.len() == 10 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let date: jiff::civil::Date = has_form.then(|| date.parse().ok())??;
    let at = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second();
    (CLOCK_FROM_S..CLOCK_UNTIL_S).contains(&at).then_some(at / 86_400)
}

/// All calendars that a person set, by scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Calendars(pub BTreeMap<String, CalendarSpec>);

/// The scope of one source.
pub fn scope_of(id: SourceId) -> String {
    format!("{SOURCE}{}", id.0)
}

/// The source of a scope, where it is one's.
pub fn source_of(scope: &str) -> Option<SourceId> {
    scope.strip_prefix(SOURCE)?.parse().ok().map(SourceId)
}

impl Calendars {
    /// Those of a store; none before the first is set.
    pub fn from_store(store: &dyn Store) -> Result<Self, StoreError> {
        Ok(CALENDARS.get(store)?.unwrap_or_default().0)
    }

    /// Writes them down and tells a running process.
    pub fn put(&self, store: &mut dyn Store) -> Result<(), StoreError> {
        CALENDARS.put(store, &Json(self.clone()))?;
        store.push_control(&Control::Calendars)?;
        Ok(())
    }

    /// As policies know them, or the scope that cannot be used and why.
    pub fn compile(&self) -> Result<Compiled, String> {
        let mut compiled = Compiled::default();
        let mut own = BTreeMap::new();
        for (scope, spec) in &self.0 {
            let calendar =
                Arc::new(spec.compile().map_err(|error| format!("the calendar of `{scope}`: {error}"))?);
            match source_of(scope) {
                Some(SourceId(number)) => drop(own.insert(number, calendar)),
                None => drop(compiled.by_network.insert(NetworkName::from(scope.as_str()), calendar)),
            }
        }
        compiled.own = Arc::new(own);
        Ok(compiled)
    }
}

/// Calendars as a run uses them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    by_network: BTreeMap<NetworkName, Arc<Calendar>>,
    own: Arc<BTreeMap<u32, Arc<Calendar>>>,
}

impl Compiled {
    /// With this one for everything that has no other.
    pub(crate) fn or_for_all(mut self, calendar: Option<&Arc<Calendar>>) -> Self {
        if let Some(calendar) = calendar {
            self.by_network.entry(NetworkName::from(ALL)).or_insert_with(|| Arc::clone(calendar));
        }
        self
    }

    /// What a policy is told that looks at sources of this server.
    pub fn of(&self, network: &NetworkName) -> Told {
        if self.by_network.is_empty() {
            return Told { usual: None, own: Arc::clone(&self.own) };
        }
        let names = [network.clone(), NetworkName::from(network.definition()), NetworkName::from(ALL)];
        let usual = names.iter().find_map(|name| self.by_network.get(name)).cloned();
        Told { usual, own: Arc::clone(&self.own) }
    }
}

#[cfg(test)]
mod tests;
