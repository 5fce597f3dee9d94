//! Printing: the one room through which text leaves on standard output.
//!
//! Every report is a value that serialises to JSON and knows how to show itself to people.
//! Errors of printing are returned, not swallowed: a closed pipe ends a command early.

use std::fmt::Display;
use std::io::Write as _;

use anyhow::Context as _;
use comfy_table::{CellAlignment, Table};
use freshet_types::{Span, Timestamp};
use serde::Serialize;

use crate::args::{ReportArgs, ReportFormat};

/// Something a command reports.
pub(crate) trait Report: Serialize {
    /// For people; lines without a final newline.
    fn text(&self) -> String;
}

/// Prints a report as asked.
pub(crate) fn print(args: ReportArgs, report: &impl Report) -> anyhow::Result<()> {
    match args.format {
        ReportFormat::Text => line(report.text()),
        ReportFormat::Json => {
            line(serde_json::to_string_pretty(report).context("the report cannot be written as JSON")?)
        }
    }
}

/// Prints one line, or several.
pub(crate) fn line(text: impl Display) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).context("the output cannot be written")
}

/// Says something on standard error that is not part of the report.
pub(crate) fn aside(text: impl Display) {
    // Nobody is left to be told when standard error is closed.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A table with a header; columns whose header starts with `#` hold numbers.
pub(crate) fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(header.iter().map(|name| name.trim_start_matches('#')));
    for row in rows {
        table.add_row(row.iter().map(|cell| one_line(cell)));
    }
    for (at, name) in header.iter().enumerate() {
        if let Some(column) = table.column_mut(at) {
            let (left, right) = (0, 2);
            column.set_padding((left, right));
            if name.starts_with('#') {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// Text from outside, safe to show in a terminal: control characters become spaces.
pub(crate) fn one_line(text: &str) -> String {
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    shown.trim().to_owned()
}

/// At most `max` characters, with an ellipsis where something was cut off.
pub(crate) fn shorten(text: &str, max: usize) -> String {
    let text = one_line(text);
    if text.chars().count() <= max {
        return text;
    }
    text.chars().take(max.saturating_sub(1)).chain(['…']).collect()
}

/// An instant for people, relative to `now`: `3m 20s ago`, `in 2h 05m`.
pub(crate) fn relative(at: Timestamp, now: Timestamp) -> String {
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

/// An instant as unix seconds, a whole number where it is whole; null for "never" and "at once".
pub(crate) fn seconds(at: Timestamp) -> serde_json::Value {
    match at.ms() {
        _ if at <= Timestamp::MIN || at >= Timestamp::MAX => serde_json::Value::Null,
        ms if ms % 1000 == 0 => at.secs().into(),
        _ => at.secs_f64().into(),
    }
}

/// `1 post`, `2 posts`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_aligned_and_clean() {
        let shown = table(
            &["name", "#posts"],
            [vec!["ada".into(), "7".into()], vec!["b\u{1b}[2Jo\nb".into(), "1200".into()]],
        );
        assert_eq!(shown, "name      posts\nada           7\nb [2Jo b   1200");
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
        assert_eq!(seconds(Timestamp::from_ms(1_500)), 1.5);
        assert_eq!(seconds(Timestamp::from_ms(2_000)), 2);
    }
}
