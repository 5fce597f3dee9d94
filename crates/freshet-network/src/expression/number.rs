//! Numbers, however they are written: as numbers, as texts, as counts for people.

use super::scalar;
use crate::format::Tree;

pub(super) fn to_int(value: &Tree<'_>) -> Option<i64> {
    value.as_i64().or_else(|| to_float(value).map(|float| float as i64))
}

pub(super) fn to_float(value: &Tree<'_>) -> Option<f64> {
    match value {
        Tree::Str(text) => {
            text.trim().parse().ok().filter(|float: &f64| float.is_finite()).or_else(|| counted(text))
        }
        Tree::Object(_) => to_float(&Tree::from(scalar(value)?)),
        _ => value.as_f64(),
    }
}

/// A count as pages show it to people: `1 234`, `12,345`, `12.3K`, `1.2M`.
fn counted(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, factor) = match text.char_indices().next_back()? {
        (at, 'k' | 'K') => (&text[..at], 1e3),
        (at, 'm' | 'M') => (&text[..at], 1e6),
        (at, 'b' | 'B') => (&text[..at], 1e9),
        _ => (text, 1.0),
    };
    let is_grouped = |c: char| matches!(c, ' ' | '\u{a0}' | '\u{202f}' | ',');
    let plain: String = digits.chars().filter(|c| !is_grouped(*c)).collect();
    let starts = plain.starts_with(|c: char| c.is_ascii_digit());
    let is_number = starts && plain.chars().all(|c| c.is_ascii_digit() || c == '.');
    plain.parse::<f64>().ok().filter(|_| is_number).map(|count| (count * factor).round())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_for_people_are_numbers() {
        for (text, expected) in [
            ("12", Some(12)),
            (" 12.9 ", Some(12)),
            ("12.3K", Some(12_300)),
            ("1.2M", Some(1_200_000)),
            ("3B", Some(3_000_000_000)),
            ("1 204", Some(1204)),
            ("12,345", Some(12_345)),
            ("1\u{a0}204", Some(1204)),
            ("K", None),
            ("", None),
            ("1.2.3K", None),
            ("-5K", None),
            ("five", None),
            ("12 subscribers", None),
            ("NaN", None),
        ] {
            assert_eq!(to_int(&Tree::from(text)), expected, "{text}");
        }
    }
}
