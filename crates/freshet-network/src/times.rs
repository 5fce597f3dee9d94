//! Times as networks write them, read into [`Timestamp`]s and written into requests.
//!
//! Part of steps 4 and 6 of 10. Written by hand, because this is the hottest leaf of reading
//! and because feeds deviate from every standard. Pure; a time that is not understood is `None`
//! and never a guess. Of time zones, those of RFC 822 are known by name, and those that feeds use most.

use freshet_types::Timestamp;
use freshet_types::definition::{ResetFormat, TimeFormat, TimeWriting};

use crate::tree::Tree;

/// Numbers from here on are milliseconds when the format is not declared (the year 5138 in seconds).
const MILLISECONDS_FROM: f64 = 1e11;
/// Numbers from here on are microseconds.
const MICROSECONDS_FROM: f64 = 1e14;
/// Two-digit years up to this one belong to this century [RFC 2822, section 4.3].
const TWO_DIGIT_YEAR_MAX: i64 = 49;

/// The instant that a JSON value means.
pub(crate) fn read(value: &Tree<'_>, format: TimeFormat) -> Option<Timestamp> {
    match value {
        Tree::Str(text) => read_text(text, format),
        Tree::Number(number) => from_number(number.as_f64()?, format),
        _ => None,
    }
}

/// The instant that a text means.
pub(crate) fn read_text(text: &str, format: TimeFormat) -> Option<Timestamp> {
    let text = text.trim();
    match format {
        TimeFormat::EpochS | TimeFormat::EpochMs => from_number(text.parse().ok()?, format),
        TimeFormat::Rfc3339 | TimeFormat::Date => iso(text),
        TimeFormat::Ctime | TimeFormat::Rfc2822 => words(text),
        TimeFormat::Auto => match text.as_bytes() {
            [b'0'..=b'9', .., b'0'..=b'9'] if text.bytes().all(|b| b.is_ascii_digit() || b == b'.') => {
                from_number(text.parse().ok()?, format)
            }
            [b'0'..=b'9', _, _, _, b'-', ..] => iso(text),
            _ => words(text),
        },
    }
}

fn from_number(number: f64, format: TimeFormat) -> Option<Timestamp> {
    let ms = match format {
        TimeFormat::EpochMs => number,
        TimeFormat::EpochS => number * 1000.0,
        _ if number.abs() >= MICROSECONDS_FROM => number / 1000.0,
        _ if number.abs() >= MILLISECONDS_FROM => number,
        _ => number * 1000.0,
    };
    // Beyond ±9999 years nothing is a posting time.
    (ms.is_finite() && ms.abs() < 2.6e14).then(|| Timestamp::from_ms(ms.round() as i64))
}

/// ISO 8601 and its relatives: `2026-11-15`, `2026-11-15T08:00Z`, `2011-04-19 04:00:00 GMT`,
/// `2021-08-10T18:45:03+0000`, any number of fraction digits; without a zone, UTC.
fn iso(text: &str) -> Option<Timestamp> {
    let mut rest = text.as_bytes();
    let year = number(&mut rest, 4)?;
    let month = after(&mut rest, b'-').then(|| number(&mut rest, 2))??;
    let day = after(&mut rest, b'-').then(|| number(&mut rest, 2))??;
    let midnight_ms = days_from_civil(year, month, day)? * 86_400_000;
    if rest.is_empty() {
        return Some(Timestamp::from_ms(midnight_ms));
    }
    if !(after(&mut rest, b'T') || after(&mut rest, b't') || after(&mut rest, b' ')) {
        return None;
    }
    let hour = number(&mut rest, 2)?;
    let minute = after(&mut rest, b':').then(|| number(&mut rest, 2))??;
    let second = if after(&mut rest, b':') { number(&mut rest, 2)? } else { 0 };
    let mut ms = 0;
    if after(&mut rest, b'.') || after(&mut rest, b',') {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        for at in 0..3 {
            ms = ms * 10 + rest.get(at).filter(|_| at < digits).map_or(0, |byte| i64::from(byte - b'0'));
        }
        rest = &rest[digits..];
    }
    let offset_min = zone(std::str::from_utf8(rest).ok()?.trim_start())?;
    clock(midnight_ms, hour, minute, second).map(|at| Timestamp::from_ms(at + ms - offset_min * 60_000))
}

/// Dates with a month in letters: RFC 822, RFC 2822, RFC 850, asctime, Twitter's and Weibo's, and what feeds make of these.
fn words(text: &str) -> Option<Timestamp> {
    let (mut day, mut month, mut year, mut time, mut offset_min) = (None, None, None, None, 0);
    let mut half_day_h = None;
    // What stands in brackets explains a zone that was given.
    let text = text.split_once(" (").map_or(text, |(head, _)| head);
    let parts = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    for (place, word) in parts.enumerate() {
        if word.contains(':') && word.starts_with(|first: char| first.is_ascii_digit()) {
            let (clock, rest) = word.split_at(clock_end(word));
            time = Some(clock);
            half_day_h = half_day(rest);
            if half_day_h.is_none() && !rest.is_empty() {
                offset_min = zone(rest)?;
            }
        } else if let Some(hours) = half_day(word).filter(|_| time.is_some()) {
            half_day_h = Some(hours);
        } else if let Some((d, rest)) = word.split_once('-').filter(|(d, _)| d.parse::<u8>().is_ok()) {
            // RFC 850: `15-Nov-26`.
            let (m, y) = rest.split_once('-')?;
            (day, month, year) = (d.parse().ok(), month_number(m), y.parse().ok());
        } else if let Some(number) = ordinal(word) {
            if day.is_none() { day = Some(number) } else { year = Some(number) }
        } else if let Some(found) = month_number(word) {
            month = month.or(Some(found));
        } else if let Some(found) = zone(word) {
            offset_min = found;
        } else if !(is_weekday(word) || (place == 0 && is_name(word))) {
            return None;
        }
    }
    let year = match year? {
        y @ 0..=TWO_DIGIT_YEAR_MAX => y + 2000,
        y @ 50..=99 => y + 1900,
        y => y,
    };
    let midnight_ms = days_from_civil(year, month?, day?)? * 86_400_000;
    let mut parts = time.unwrap_or("00:00:00").split(':');
    let hour: i64 = parts.next()?.parse().ok()?;
    let hour = half_day_h.filter(|_| (1..=12).contains(&hour)).map_or(hour, |after| hour % 12 + after);
    let minute = parts.next()?.parse().ok()?;
    let second = parts.next().map_or(Some(0.0), |text| text.parse::<f64>().ok())?;
    let at = clock(midnight_ms, hour, minute, second as i64)?;
    Some(Timestamp::from_ms(at + ((second.fract() * 1000.0) as i64) - offset_min * 60_000))
}

/// Where the digits of a time of day end: `10:00:00GMT`, `10:00am`.
fn clock_end(word: &str) -> usize {
    word.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.')).unwrap_or(word.len())
}

/// Hours that `am` and `pm` put before a time of day.
fn half_day(word: &str) -> Option<i64> {
    let is = |name: &str| word.eq_ignore_ascii_case(name);
    if is("am") || is("a.m.") {
        Some(0)
    } else if is("pm") || is("p.m.") {
        Some(12)
    } else {
        None
    }
}

/// A number without a sign: `15`, `15th`.
fn ordinal(word: &str) -> Option<i64> {
    let is_ending = |end: &str| ["", "st", "nd", "rd", "th", "."].contains(&end);
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, end) = word.split_at(digits);
    number.parse().ok().filter(|_| is_ending(end))
}

/// Whether a word can be the day of the week in some language: it says nothing that the date does not.
fn is_name(word: &str) -> bool {
    word.trim_end_matches('.').chars().all(char::is_alphabetic)
}

fn clock(midnight_ms: i64, hour: i64, minute: i64, second: i64) -> Option<i64> {
    // Second 60 is a leap second, hour 24 an old way to say midnight.
    let is_valid = (0..=24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
    is_valid.then(|| midnight_ms + ((hour * 60 + minute) * 60 + second) * 1000)
}

/// Minutes east of Greenwich.
fn zone(text: &str) -> Option<i64> {
    if let Some(rest) = text.strip_prefix(['+', '-']) {
        let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
        if digits.len() + usize::from(rest.contains(':')) != rest.len() {
            return None;
        }
        let value: i64 = digits.parse().ok()?;
        let minutes = if digits.len() <= 2 { value * 60 } else { value / 100 * 60 + value % 100 };
        return (minutes <= 18 * 60).then(|| if text.starts_with('-') { -minutes } else { minutes });
    }
    let name = text.trim_matches(['(', ')']).to_ascii_uppercase();
    if let Some(rest) = name.strip_prefix("GMT").or_else(|| name.strip_prefix("UTC"))
        && rest.starts_with(['+', '-'])
    {
        return zone(rest);
    }
    let hours = match name.as_str() {
        "" | "Z" | "UT" | "UTC" | "GMT" | "WET" => 0,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" | "AKDT" => -8,
        "AKST" => -9,
        "HST" => -10,
        "BST" | "CET" | "MET" | "WEST" => 1,
        "CEST" | "MEST" | "EET" | "SAST" => 2,
        "EEST" | "MSK" => 3,
        // Of three that write so, most feeds are India's.
        "IST" => return Some(5 * 60 + 30),
        "HKT" | "SGT" | "AWST" => 8,
        "JST" | "KST" => 9,
        "AEST" => 10,
        "AEDT" => 11,
        "NZST" => 12,
        "NZDT" => 13,
        _ => return None,
    };
    Some(hours * 60)
}

fn month_number(word: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let word = word.trim_end_matches('.');
    let head = word.get(..3)?.to_ascii_lowercase();
    let at = MONTHS.iter().position(|month| *month == head)?;
    word.bytes().all(|byte| byte.is_ascii_alphabetic()).then_some(at as i64 + 1)
}

fn is_weekday(word: &str) -> bool {
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    word.get(..3).is_some_and(|head| DAYS.contains(&head.to_ascii_lowercase().as_str()))
}

fn number(rest: &mut &[u8], digits: usize) -> Option<i64> {
    let (head, tail) = rest.split_at_checked(digits)?;
    let value = head
        .iter()
        .try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))?;
    *rest = tail;
    Some(value)
}

fn after(rest: &mut &[u8], wanted: u8) -> bool {
    match rest {
        [first, tail @ ..] if *first == wanted => {
            *rest = tail;
            true
        }
        _ => false,
    }
}

/// Days since 1970-01-01 of a day in the Gregorian calendar; counts years from March, so that
/// the leap day is the last of its year.
fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) || !(1..=9999).contains(&year) {
        return None;
    }
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// An instant as a request wants it.
pub(crate) fn write(at: Timestamp, writing: TimeWriting) -> String {
    match writing {
        TimeWriting::EpochS => at.secs().to_string(),
        TimeWriting::EpochMs => at.ms().to_string(),
        TimeWriting::Iso8601 => at.to_string(),
        TimeWriting::Date => at.to_string().chars().take(10).collect(),
    }
}

/// The instant of a reset or of the end of a back-off.
///
/// Servers that copy another's headers copy their names rather than their formats, so an instant
/// that is not written as declared is understood all the same; a span never is.
pub(crate) fn reset(text: &str, format: ResetFormat, now: Timestamp) -> Option<Timestamp> {
    let number = || text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let delta_ms = |ms: f64| Timestamp::from_ms(now.ms().saturating_add(ms.clamp(0.0, 1e12) as i64));
    let declared = match format {
        ResetFormat::DeltaS => return Some(delta_ms(number()? * 1000.0)),
        ResetFormat::DeltaMs => return Some(delta_ms(number()?)),
        ResetFormat::Iso8601 => TimeFormat::Rfc3339,
        ResetFormat::HttpDate => TimeFormat::Rfc2822,
        ResetFormat::EpochS => TimeFormat::EpochS,
        ResetFormat::EpochMs => TimeFormat::EpochMs,
    };
    read_text(text, declared).or_else(|| read_text(text, TimeFormat::Auto))
}

/// The instant of a `Retry-After`: seconds from now, or a date.
pub(crate) fn retry_after(text: &str, now: Timestamp) -> Option<Timestamp> {
    reset(text, ResetFormat::DeltaS, now).or_else(|| reset(text, ResetFormat::HttpDate, now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn check(value: &Value, format: TimeFormat, shown: &str) {
        let at = read(&Tree::from(value), format).map_or_else(|| "none".to_owned(), |at| at.to_string());
        assert_eq!(at, shown, "{value} as {format:?}");
    }

    #[test]
    fn every_time_format_is_read() {
        use TimeFormat::{Auto, Ctime, Date, EpochMs, EpochS, Rfc2822, Rfc3339};
        check(&json!("2026-08-01T13:50:00.037659Z"), Rfc3339, "2026-08-01T13:50:00.037Z");
        check(&json!("2026-08-01T13:50:00Z"), Auto, "2026-08-01T13:50:00Z");
        check(&json!("2026-08-01T13:50:00.5+02:00"), Auto, "2026-08-01T11:50:00.5Z");
        check(&json!("2021-08-10T18:45:03+0000"), Auto, "2021-08-10T18:45:03Z");
        check(&json!("2026-08-01T13:50:00"), Auto, "2026-08-01T13:50:00Z");
        check(&json!("2011-04-19 04:00:00 GMT"), Auto, "2011-04-19T04:00:00Z");
        check(&json!(1_314_205_301), EpochS, "2011-08-24T17:01:41Z");
        check(&json!(1_314_205_301.25), Auto, "2011-08-24T17:01:41.25Z");
        check(&json!("1314205301"), EpochS, "2011-08-24T17:01:41Z");
        check(&json!(1_314_205_301_500_i64), EpochMs, "2011-08-24T17:01:41.5Z");
        check(&json!(1_314_205_301_500_i64), Auto, "2011-08-24T17:01:41.5Z");
        check(&json!("Wed Apr 18 14:00:30 +0800 2012"), Ctime, "2012-04-18T06:00:30Z");
        check(&json!("Wed Apr 18 14:00:30 +0800 2012"), Auto, "2012-04-18T06:00:30Z");
        check(&json!("Sun, 15 Nov 2026 10:00:00 GMT"), Rfc2822, "2026-11-15T10:00:00Z");
        check(&json!("15 Nov 26 10:00 EST"), Auto, "2026-11-15T15:00:00Z");
        check(&json!("Sun, 15 November 2026 10:00:00 +0100 (CET)"), Auto, "2026-11-15T09:00:00Z");
        check(&json!("Sunday, 15-Nov-26 10:00:00 GMT"), Auto, "2026-11-15T10:00:00Z");
        check(&json!("2026-11-15"), Date, "2026-11-15T00:00:00Z");
        check(&json!("2024-02-29"), Auto, "2024-02-29T00:00:00Z");
    }

    #[test]
    fn what_is_no_time_is_none() {
        for bad in
            ["", "soon", "2026-13-01", "2026-02-30", "2026-11-15T25:00Z", "31", "Sun, 99 Nov 2026", "12:00"]
        {
            check(&json!(bad), TimeFormat::Rfc2822, "none");
            check(&json!(bad), TimeFormat::Rfc3339, "none");
        }
        check(&json!(1e300), TimeFormat::Auto, "none");
        check(&json!(false), TimeFormat::Auto, "none");
    }

    #[test]
    fn every_reset_format_is_read() {
        use ResetFormat::{DeltaMs, DeltaS, EpochMs, EpochS, HttpDate, Iso8601};
        let now = Timestamp::from_secs(1000);
        for (text, format, secs) in [
            ("1970-01-01T00:20:00.037659Z", Iso8601, 1200),
            ("1200", EpochS, 1200),
            ("1200000", EpochMs, 1200),
            ("200", DeltaS, 1200),
            ("200.0", DeltaS, 1200),
            ("200000", DeltaMs, 1200),
            ("Thu, 01 Jan 1970 00:20:00 GMT", HttpDate, 1200),
            // Not as declared: some servers write seconds where Mastodon writes ISO 8601.
            ("1200", Iso8601, 1200),
            ("1970-01-01T00:20:00Z", EpochS, 1200),
        ] {
            assert_eq!(reset(text, format, now).map(Timestamp::secs), Some(secs), "{text} as {format:?}");
        }
        assert_eq!(retry_after("30", now), Some(Timestamp::from_secs(1030)));
        assert_eq!(retry_after("Thu, 01 Jan 1970 00:20:00 GMT", now), Some(Timestamp::from_secs(1200)));
        assert_eq!(retry_after("soon", now), None);
    }
}
