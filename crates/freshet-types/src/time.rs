//! Instants and lengths of time, in milliseconds.
//!
//! One representation everywhere: UTC milliseconds since 1970 as `i64`. Networks give anything
//! from whole days to microseconds; milliseconds are the finest that any posting time means.
//! Reading a network's time format is the business of `freshet-network`, not of this file.

use std::fmt;
use std::ops::{Add, Mul, Sub};

use serde::{Deserialize, Serialize};

/// An instant: UTC milliseconds since 1970.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

/// A length of time in milliseconds; may be negative.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(i64);

impl Timestamp {
    /// Long before any post.
    pub const MIN: Self = Self(i64::MIN / 4);
    /// Long after any post.
    pub const MAX: Self = Self(i64::MAX / 4);

    /// From milliseconds since 1970.
    #[inline]
    pub const fn from_ms(ms: i64) -> Self {
        Self(ms)
    }

    /// From seconds since 1970.
    #[inline]
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(1000))
    }

    /// Milliseconds since 1970.
    #[inline]
    pub const fn ms(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970, rounded down.
    #[inline]
    pub const fn secs(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// Seconds since 1970 with their fraction, as exports give them.
    #[inline]
    pub fn secs_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// One second.
    pub const SECOND: Self = Self(1000);
    /// One minute.
    pub const MINUTE: Self = Self(60_000);
    /// One hour.
    pub const HOUR: Self = Self(3_600_000);
    /// One day.
    pub const DAY: Self = Self(86_400_000);

    /// From milliseconds.
    #[inline]
    pub const fn from_ms(ms: i64) -> Self {
        Self(ms)
    }

    /// From seconds.
    #[inline]
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(1000))
    }

    /// From seconds with a fraction; what does not fit is clamped.
    pub fn from_secs_f64(secs: f64) -> Self {
        Self((secs * 1000.0).clamp(-9e15, 9e15) as i64)
    }

    /// Milliseconds.
    #[inline]
    pub const fn ms(self) -> i64 {
        self.0
    }

    /// Seconds with their fraction.
    #[inline]
    pub fn secs_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// As a `std` duration; a negative span becomes zero.
    pub fn to_std(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0.max(0) as u64)
    }

    /// Reads `90s`, `10m`, `1h30m`, `7d`, `250ms`; a bare number is seconds.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(secs) = text.parse::<f64>() {
            return (secs.is_finite() && secs >= 0.0).then(|| Self::from_secs_f64(secs));
        }
        let mut total = 0.0;
        let mut rest = text;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
            let number: f64 = rest[..digits].parse().ok()?;
            let unit_len = rest[digits..].find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len() - digits);
            let unit = match rest[digits..digits + unit_len].trim() {
                "ms" => 0.001,
                "s" | "sec" => 1.0,
                "m" | "min" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                "w" => 604_800.0,
                _ => return None,
            };
            total += number * unit;
            rest = &rest[digits + unit_len..];
        }
        (!text.is_empty()).then(|| Self::from_secs_f64(total))
    }
}

impl Add<Span> for Timestamp {
    type Output = Self;
    #[inline]
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Sub<Span> for Timestamp {
    type Output = Self;
    #[inline]
    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Sub for Timestamp {
    type Output = Span;
    #[inline]
    fn sub(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Span {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<f64> for Span {
    type Output = Self;
    #[inline]
    fn mul(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor) as i64)
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC with milliseconds only where there are any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(instant) => write!(f, "{instant}"),
            Err(_) => write!(f, "{} ms since 1970", self.0),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Span {
    /// The two largest units: `3d 4h`, `2h 05m`, `12m 30s`, `4.2s`, `15ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.unsigned_abs();
        if self.0 < 0 {
            f.write_str("-")?;
        }
        let (secs, mins, hours) = (ms / 1000, ms / 60_000, ms / 3_600_000);
        match ms {
            0..1000 => write!(f, "{ms}ms"),
            1000..60_000 => write!(f, "{:.1}s", ms as f64 / 1000.0),
            60_000..3_600_000 => write!(f, "{mins}m {:02}s", secs % 60),
            3_600_000..172_800_000 => write!(f, "{hours}h {:02}m", mins % 60),
            _ => write!(f, "{}d {}h", hours / 24, hours % 24),
        }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, shown: &str) {
        let span = Span::parse(text).unwrap_or_else(|| panic!("`{text}` is not understood"));
        assert_eq!(span.to_string(), shown, "{text}");
    }

    #[test]
    fn spans_are_read_and_shown() {
        check("90", "1m 30s");
        check("250ms", "250ms");
        check("10m", "10m 00s");
        check("1h30m", "1h 30m");
        check("7d", "7d 0h");
        check("1.5h", "1h 30m");
        for bad in ["", "-3", "1x", "m", "h1", "NaN"] {
            assert_eq!(Span::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn instants_are_shown_in_utc() {
        assert_eq!(Timestamp::from_secs(0).to_string(), "1970-01-01T00:00:00Z");
        assert_eq!(Timestamp::from_ms(1_500).to_string(), "1970-01-01T00:00:01.5Z");
    }
}
