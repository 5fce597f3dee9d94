//! Numbers, spans, instants and text from outside as one line shows them, in a terminal or on a page.
//!
//! Pure. Tables and colours are the terminal's alone and stay with the program.

use freshet_types::{Span, Timestamp};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns of a plain terminal, which reports keep to.
pub const COLUMNS: usize = 80;

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
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
pub fn brief(span: Span) -> String {
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

/// Text from outside, safe to show in a terminal: control characters become spaces.
pub fn one_line(text: &str) -> String {
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    shown.trim().to_owned()
}

/// At most `max` columns, with an ellipsis where something was cut off.
pub fn shorten(text: &str, max: usize) -> String {
    let text = one_line(text);
    if text.width() <= max {
        return text;
    }
    let mut columns = 0;
    let fits = |letter: &char| {
        columns += letter.width().unwrap_or(0);
        columns < max
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// Text in lines of at most so many columns, all but the first after `indent`.
pub fn wrapped(text: &str, columns: usize, indent: &str) -> String {
    // A word that is longer than a line is cut: addresses have no place to break at.
    let lines: Vec<String> = folded(text, columns).iter().map(|line| shorten(line, columns)).collect();
    lines.join(&format!("\n{indent}"))
}

/// Text in lines of at most so many columns where its words allow it: longer words stay whole.
pub fn folded(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in one_line(text).split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && line.width() + 1 + word.width() > columns {
            lines.push(word.to_owned());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines
}

/// An instant for people, relative to `now`: `3m 20s ago`, `in 2h 05m`.
pub fn relative(at: Timestamp, now: Timestamp) -> String {
    let span = at - now;
    if at <= Timestamp::MIN {
        "now".to_owned()
    } else if at >= Timestamp::MAX {
        "never".to_owned()
    } else if span > Span::ZERO {
        format!("in {span}")
    } else {
        format!("{} ago", now - at)
    }
}

/// `1 post`, `2 posts`.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
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

    #[test]
    fn instants_are_shown_from_now() {
        let now = Timestamp::from_secs(1_000_000);
        for (at, shown) in [
            (now + Span::HOUR, "in 1h 00m"),
            (now - Span::MINUTE, "1m 00s ago"),
            (Timestamp::MIN, "now"),
            (Timestamp::MAX, "never"),
        ] {
            assert_eq!(relative(at, now), shown);
        }
    }
}
