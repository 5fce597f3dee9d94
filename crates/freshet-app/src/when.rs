//! Instants as people type them: `2026-01-05`, `2026-01-05T12:00:00Z`, or `7d` for that long ago.
//!
//! A span back is resolved when the clock is known, so that it means simulated days in a
//! simulated world. Times without a zone are UTC.

use std::fmt;
use std::str::FromStr;

use freshet_types::{Span, Timestamp};

/// Bare numbers from here on (March 1973) are unix seconds; smaller ones are more likely a slip.
const UNIX_SECS_MIN: f64 = 100_000_000.0;
/// Bare numbers beyond this (the year 5138) are no unix seconds, but perhaps milliseconds.
const UNIX_SECS_MAX: f64 = 100_000_000_000.0;

/// An instant, fixed or counted back from now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    At(Timestamp),
    /// So long before now.
    Ago(Span),
}

impl When {
    /// The instant; `now` is asked for only where it is needed.
    pub fn resolve(self, now: impl FnOnce() -> anyhow::Result<Timestamp>) -> anyhow::Result<Timestamp> {
        match self {
            Self::At(at) => Ok(at),
            Self::Ago(span) => Ok(now()? - span),
        }
    }
}

/// The same words for the same wish, whenever it is typed.
impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(at) => at.fmt(f),
            Self::Ago(span) => write!(f, "{span} ago"),
        }
    }
}

impl FromStr for When {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Ok(number) = text.parse::<f64>() {
            let is_unix = (UNIX_SECS_MIN..UNIX_SECS_MAX).contains(&number);
            return is_unix.then(|| Self::At(Timestamp::from_ms((number * 1000.0) as i64))).ok_or_else(help);
        }
        if let Ok(at) = text.parse::<jiff::Timestamp>() {
            return Ok(Self::At(Timestamp::from_ms(at.as_millisecond())));
        }
        if let Ok(civil) = text.parse::<jiff::civil::DateTime>() {
            let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).map_err(|_| help())?;
            return Ok(Self::At(Timestamp::from_ms(zoned.timestamp().as_millisecond())));
        }
        Span::parse(text).map(Self::Ago).ok_or_else(help)
    }
}

fn help() -> String {
    "a time is a date (2026-01-05), an RFC 3339 time (2026-01-05T12:00:00Z), a span back (7d, 12h), \
     or unix seconds"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, shown: Option<&str>) {
        let now = Timestamp::from_secs(1_767_614_400);
        let got = text.parse::<When>().ok().map(|when| when.resolve(|| Ok(now)).unwrap().to_string());
        assert_eq!(got.as_deref(), shown, "{text}");
    }

    #[test]
    fn times_are_understood() {
        check("2026-01-05", Some("2026-01-05T00:00:00Z"));
        check("2026-01-05T10:30", Some("2026-01-05T10:30:00Z"));
        check("2026-01-05 10:30:05", Some("2026-01-05T10:30:05Z"));
        check("2026-01-05T12:00:00.5Z", Some("2026-01-05T12:00:00.5Z"));
        check("2026-01-05T12:00:00+02:00", Some("2026-01-05T10:00:00Z"));
        check("1700000000", Some("2023-11-14T22:13:20Z"));
        check("1d12h", Some("2026-01-04T00:00:00Z"));
        for bad in ["", "2026", "yesterday", "2026-13-01", "1700000000000", "-1d"] {
            check(bad, None);
        }
    }
}
