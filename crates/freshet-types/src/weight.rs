//! A weight: how much the waiting of a source's posts counts, as people write it: `5`, `0.2`.
//!
//! A post of a source of weight 4 that waits an hour counts like four that wait an hour, so the source is visited about twice as
//! often (gaps follow 1/√weight). No weight is zero: what is not wanted at all is paused or removed, and what counts
//! little is still visited within the ceiling.

use std::fmt;
use std::str::FromStr;

/// How much the waiting of a source's posts counts; finite, and within its bounds.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Weight(f32);

/// Why a text is no weight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no weight: {why}; write a number from {} to {}, as in 5 or 0.2; 1 is usual",
    Weight::MIN,
    Weight::MAX
)]
pub struct WeightError {
    text: String,
    why: &'static str,
}

impl Weight {
    /// What counts least: gaps 32 times the usual ones, which the ceiling cuts.
    pub const MIN: f32 = 0.001;
    /// What counts most: gaps a 32nd of the usual ones. More would starve the others of a small quota.
    pub const MAX: f32 = 1000.0;
    /// Of what nobody said anything of.
    pub const USUAL: Self = Self(1.0);

    /// As a number.
    pub fn value(self) -> f32 {
        self.0
    }

    /// This number as a weight; `None` where it is none.
    pub fn new(value: f32) -> Option<Self> {
        (Self::MIN..=Self::MAX).contains(&value).then_some(Self(value))
    }
}

impl FromStr for Weight {
    type Err = WeightError;
    fn from_str(text: &str) -> Result<Self, WeightError> {
        let wrong = |why| WeightError { text: text.trim().to_owned(), why };
        let value: f32 = text.trim().parse().map_err(|_| wrong("it is no number"))?;
        match Self::new(value) {
            Some(weight) => Ok(weight),
            None if value.is_nan() => Err(wrong("it is no number")),
            None if value < 0.0 => Err(wrong("it is negative")),
            None if value == 0.0 => Err(wrong("nothing weighs nothing; `freshet pause` lets a source rest")),
            None if value < Self::MIN => Err(wrong("it is too small")),
            None => Err(wrong("it is too large")),
        }
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        match (text.parse::<Weight>(), expected) {
            (Ok(weight), Ok(shown)) => assert_eq!(weight.to_string(), shown, "{text}"),
            (Err(error), Err(why)) => {
                let error = error.to_string();
                assert!(error.contains(why) && error.contains("from 0.001 to 1000"), "{text}: {error}");
            }
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn a_weight_is_a_number_within_bounds() {
        check("1", Ok("1"));
        check(" 2.5 ", Ok("2.5"));
        check("0.001", Ok("0.001"));
        check("1000", Ok("1000"));
        check("1e2", Ok("100"));
        check("0", Err("`freshet pause`"));
        check("-0", Err("`freshet pause`"));
        check("-1", Err("negative"));
        check("0.0009", Err("too small"));
        check("1000.1", Err("too large"));
        check("inf", Err("too large"));
        check("-inf", Err("negative"));
        check("1e99", Err("too large"));
        check("NaN", Err("no number"));
        check("much", Err("no number"));
        check("", Err("no number"));
        check("2,5", Err("no number"));
    }
}
