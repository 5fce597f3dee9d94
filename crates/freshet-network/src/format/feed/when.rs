//! Times as feeds write them.
//!
//! Part of step 6 of 10. RSS asks for RFC 822, Atom for RFC 3339 and Dublin Core for W3CDTF, and every feed may have any of them, or what
//! its author thought of. Forms that only feeds have are brought into one that [`times`] knows. A time without a zone is
//! taken for UTC. What is not understood stays a text, so that whoever reads it can complain.

use freshet_types::Timestamp;
use freshet_types::definition::TimeFormat;

use crate::times;

/// The instant, in milliseconds since 1970.
pub(super) fn read(text: &str) -> Option<i64> {
    let text = text.trim();
    let bytes = text.as_bytes();
    let is_digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    let spelled = match bytes.len() {
        // A year or a month alone is a date in W3CDTF.
        4 if is_digits(bytes) => format!("{text}-01-01"),
        7 if is_digits(&bytes[..4]) && bytes[4] == b'-' && is_digits(&bytes[5..]) => format!("{text}-01"),
        8.. if is_digits(&bytes[..8]) && is_basic(bytes) => {
            let (date, rest) = text.split_at(8);
            let time = match rest.trim_start_matches('T').split_at_checked(6) {
                Some((time, zone)) if time.bytes().all(|byte| byte.is_ascii_digit()) => {
                    format!("T{}:{}:{}{zone}", &time[..2], &time[2..4], &time[4..])
                }
                _ => rest.to_owned(),
            };
            format!("{}-{}-{}{time}", &date[..4], &date[4..6], &date[6..])
        }
        9.. if is_digits(&bytes[..4]) && bytes[4] == b'/' => text.replacen('/', "-", 2),
        _ => return times::read_text(text, TimeFormat::Auto).map(Timestamp::ms),
    };
    times::read_text(&spelled, TimeFormat::Rfc3339).map(Timestamp::ms)
}

/// Whether eight digits are a date and no count of seconds: alone, before a `T`, or with the time of day behind them.
fn is_basic(bytes: &[u8]) -> bool {
    let is_year = matches!(&bytes[..2], b"19" | b"20");
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    is_year && matches!((digits, bytes.get(digits)), (8 | 14, None | Some(b'T' | b'Z' | b'+' | b'-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let shown = read(text).map_or_else(|| "none".to_owned(), |ms| Timestamp::from_ms(ms).to_string());
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn times_of_feeds_are_read_in_all_their_forms() {
        for (text, expected) in [
            // RFC 822 and its relatives.
            ("Sun, 15 Nov 2026 10:00:00 GMT", "2026-11-15T10:00:00Z"),
            ("Sun, 15 Nov 26 10:00:00 EST", "2026-11-15T15:00:00Z"),
            ("15 Nov 99 10:00 UT", "1999-11-15T10:00:00Z"),
            ("Sun, 15 Nov 2026 10:00:00 +01:00", "2026-11-15T09:00:00Z"),
            ("Sun, 15 Nov 2026 10:00:00GMT", "2026-11-15T10:00:00Z"),
            ("Sun, 15 Nov 2026 10:00:00 GMT+0200", "2026-11-15T08:00:00Z"),
            ("Sun Nov 15 2026 10:00:00 GMT+0100 (Central European Standard Time)", "2026-11-15T09:00:00Z"),
            ("Sun, 15 Nov 2026 10:00 PM EST", "2026-11-16T03:00:00Z"),
            ("Nov 15, 2026 12:30am", "2026-11-15T00:30:00Z"),
            ("Sun, 15 Nov 2026 10:00:00 MSK", "2026-11-15T07:00:00Z"),
            ("Sun, 15 Nov 2026 10:00:00 IST", "2026-11-15T04:30:00Z"),
            ("Sun, 15 Nov 2026 10:00:00 NZDT", "2026-11-14T21:00:00Z"),
            ("Sun, 15 Nov 2026", "2026-11-15T00:00:00Z"),
            ("So, 15 Nov 2026 10:00:00 +0100", "2026-11-15T09:00:00Z"),
            ("Sunday, 15th November 2026 10:00", "2026-11-15T10:00:00Z"),
            // RFC 3339, ISO 8601, W3CDTF.
            ("2026-11-15T10:00:00Z", "2026-11-15T10:00:00Z"),
            ("2026-11-15T10:00:00", "2026-11-15T10:00:00Z"),
            ("2026-11-15 10:00:00 +0100", "2026-11-15T09:00:00Z"),
            ("2026-11-15T10:00+01:00", "2026-11-15T09:00:00Z"),
            ("20261115T100000Z", "2026-11-15T10:00:00Z"),
            ("20261115100000", "2026-11-15T10:00:00Z"),
            ("20261115", "2026-11-15T00:00:00Z"),
            ("2026-11-15", "2026-11-15T00:00:00Z"),
            ("2026/11/15 10:00:00", "2026-11-15T10:00:00Z"),
            ("2026-11", "2026-11-01T00:00:00Z"),
            ("2026", "2026-01-01T00:00:00Z"),
            ("1794736800", "2026-11-15T10:00:00Z"),
            ("1794736800000", "2026-11-15T10:00:00Z"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn what_is_no_time_is_not_guessed() {
        for text in [
            "",
            "vorgestern",
            "воскресенье, 15 ноября 2026",
            "15/11/2026 10:00",
            "Mon, 30 Nov -0001 00:00:00 +0000",
            "0000-00-00 00:00:00",
            "2026-13-40",
            "20261340",
            "Sun, 15 Nov 2026 99:00:00 GMT",
            "Sun, 15 Nov 2026 10:00:00 +9900",
            "é",
            "2026é11",
        ] {
            check(text, "none");
        }
    }
}
