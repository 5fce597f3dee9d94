//! Numbers and spans as one line of a terminal shows them.

use freshet_types::Span;

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// A span in whole seconds, without what is nought: `43s`, `5m`, `1h 30m`.
pub(crate) fn brief(span: Span) -> String {
    let secs = (span.ms() + 500).div_euclid(1000).max(0);
    if secs < 60 {
        return format!("{secs}s");
    }
    let shown = Span::from_secs(secs).to_string();
    for nought in [" 00s", " 00m", " 0h"] {
        if let Some(rest) = shown.strip_suffix(nought) {
            return rest.to_owned();
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_brief() {
        for (ms, expected) in [
            (0, "0s"),
            (42_700, "43s"),
            (59_900, "1m"),
            (300_000, "5m"),
            (93_000, "1m 33s"),
            (3_600_000, "1h"),
            (5_400_000, "1h 30m"),
            (10 * 86_400_000, "10d"),
            (-5, "0s"),
        ] {
            assert_eq!(brief(Span::from_ms(ms)), expected);
        }
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
