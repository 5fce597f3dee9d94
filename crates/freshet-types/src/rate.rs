//! A rate: so many calls in such a time, as people write it: `600/h`, `1000/d`, `2/s`.
//!
//! It is what a person allows (a budget). What a network allows is a quota ([`crate::quota`]), which is declared with any window.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Span;

/// The units of time that a rate is written with: as it is shown, other spellings, how long.
const UNITS: [(&str, &[&str], Span); 4] = [
    ("s", &["sec", "second"], Span::SECOND),
    ("min", &["m", "minute"], Span::MINUTE),
    ("h", &["hour"], Span::HOUR),
    ("d", &["day"], Span::DAY),
];
/// Most calls in one unit of time; more is meant by nobody.
const COUNT_MAX: u32 = 1_000_000_000;
const TOO_MANY: &str = "the calls are a whole number up to a thousand million";

/// So many calls in such a time; never none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rate {
    count: u32,
    window: Span,
}

/// Why a text is no rate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no rate: {why}; write calls and a time, as in 600/h, 1000/d or 2/s")]
pub struct RateError {
    text: String,
    why: &'static str,
}

impl Rate {
    /// So many a day.
    pub const fn per_day(count: u32) -> Self {
        Self { count, window: Span::DAY }
    }

    /// So many an hour.
    pub const fn per_hour(count: u32) -> Self {
        Self { count, window: Span::HOUR }
    }

    /// Calls in one [`window`](Self::window).
    pub fn count(self) -> u32 {
        self.count
    }

    /// A second, a minute, an hour or a day.
    pub fn window(self) -> Span {
        self.window
    }

    /// Calls an hour.
    pub fn per_h(self) -> f64 {
        f64::from(self.count) * 3600.0 / self.window.secs_f64()
    }
}

impl FromStr for Rate {
    type Err = RateError;
    fn from_str(text: &str) -> Result<Self, RateError> {
        let wrong = |why| RateError { text: text.to_owned(), why };
        let (count, unit) = text.split_once('/').ok_or_else(|| wrong("there is no `/` in it"))?;
        let (count, unit) = (count.trim(), unit.trim().to_lowercase());
        let is_meant = |(name, others, _): &&(&str, &[&str], Span)| {
            *name == unit || others.iter().any(|other| *other == unit || format!("{other}s") == unit)
        };
        let &(_, _, window) =
            UNITS.iter().find(is_meant).ok_or_else(|| wrong("the time is s, min, h or d"))?;
        if count.starts_with('-') {
            return Err(wrong("it is negative"));
        }
        if count.contains('.') {
            return Err(wrong("calls are whole; choose a longer time, as in 12/d for one in two hours"));
        }
        let count = count.replace(['_', ','], "").parse().map_err(|_| wrong(TOO_MANY))?;
        match count {
            0 => Err(wrong("with no calls at all nothing is collected; `freshet robots pause` does that")),
            1..=COUNT_MAX => Ok(Self { count, window }),
            _ => Err(wrong(TOO_MANY)),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit =
            UNITS.iter().find(|(_, _, window)| *window == self.window).map_or("d", |(name, _, _)| name);
        write!(f, "{}/{unit}", self.count)
    }
}

impl TryFrom<String> for Rate {
    type Error = RateError;
    fn try_from(text: String) -> Result<Self, RateError> {
        text.parse()
    }
}

impl From<Rate> for String {
    fn from(rate: Rate) -> Self {
        rate.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text, and the rate as it is shown or a part of what is wrong with it.
    fn check(text: &str, expected: Result<&str, &str>) {
        match (text.parse::<Rate>(), expected) {
            (Ok(rate), Ok(shown)) => {
                assert_eq!(rate.to_string(), shown, "{text}");
                assert_eq!(shown.parse::<Rate>().unwrap(), rate, "{text}");
            }
            (Err(error), Err(why)) => assert!(error.to_string().contains(why), "{text}: {error}"),
            (found, _) => panic!("{text}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn rates_are_read_as_people_write_them() {
        for (text, expected) in [
            ("600/h", Ok("600/h")),
            (" 1,000 / Day ", Ok("1000/d")),
            ("2/s", Ok("2/s")),
            ("30/minutes", Ok("30/min")),
            ("1000000000/d", Ok("1000000000/d")),
            ("600", Err("no `/`")),
            ("0/h", Err("nothing is collected")),
            ("-5/h", Err("negative")),
            ("0.5/h", Err("12/d")),
            ("1000000001/d", Err("thousand million")),
            ("99999999999/d", Err("thousand million")),
            ("many/h", Err("whole number")),
            ("5/week", Err("s, min, h or d")),
            ("/h", Err("whole number")),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn an_hour_is_an_hour() {
        let per_h = |text: &str| text.parse::<Rate>().unwrap().per_h();
        assert!((per_h("2/s") - 7200.0).abs() < 1e-9 && (per_h("24/d") - 1.0).abs() < 1e-9);
    }
}
