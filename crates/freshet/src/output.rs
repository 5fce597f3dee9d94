//! Printing: the one room through which text leaves on standard output.
//!
//! Every report is a value that serialises to JSON and knows how to show itself to people.
//! Errors of printing are returned, not swallowed: a closed pipe ends a command early.

use std::fmt::Display;
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::Context as _;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use crate::args::{Colour, ReportArgs, ReportFormat};
pub(crate) use freshet_app::text::{COLUMNS, count, folded, one_line, relative, shorten, wrapped};

/// How this process speaks; said once, at the start.
static SPEECH: OnceLock<Speech> = OnceLock::new();

/// What is to be said on standard error while a drawing is on the terminal: it goes above the drawing.
static HELD: Mutex<Option<String>> = Mutex::new(None);

/// How a process speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speech {
    /// Nothing but results and errors.
    pub(crate) is_quiet: bool,
    /// When colour is used.
    pub(crate) colour: Colour,
    /// `NO_COLOR` is set.
    pub(crate) has_no_color: bool,
}

/// Says how this process speaks.
pub(crate) fn settle(speech: Speech) {
    // The first word counts; there is only one.
    let _ = SPEECH.set(speech);
}

/// Whether people want to hear more than results.
pub(crate) fn is_quiet() -> bool {
    SPEECH.get().is_some_and(|speech| speech.is_quiet)
}

/// Whether somebody looks at a progress bar.
pub(crate) fn draws_progress() -> bool {
    !is_quiet() && std::io::stderr().is_terminal()
}

/// Whether text for a stream may have colour.
pub(crate) fn has_colour(is_terminal: bool) -> bool {
    let Some(speech) = SPEECH.get() else { return false };
    match speech.colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => is_terminal && !speech.has_no_color,
    }
}

/// Colours that are used, by what they say.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tone {
    Title,
    Bad,
    /// Somebody should know.
    Warn,
    Hint,
}

/// The text in colour, where there is colour.
pub(crate) fn painted(text: &str, tone: Tone, is_coloured: bool) -> String {
    let code = match tone {
        Tone::Title => "1",
        Tone::Bad => "1;31",
        Tone::Warn => "33",
        Tone::Hint => "36",
    };
    if is_coloured { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

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

/// Says something on standard error that is good to know; nothing where quiet is wanted.
pub(crate) fn note(text: impl Display) {
    if !is_quiet() {
        aside(text);
    }
}

/// Warns on standard error.
pub(crate) fn warn(text: impl Display) {
    let word = painted("warning:", Tone::Warn, has_colour(std::io::stderr().is_terminal()));
    aside(format!("{word} {text}"));
}

/// Says something on standard error that is not part of the report.
pub(crate) fn aside(text: impl Display) {
    // Nobody is left to be told when standard error is closed.
    let _ = writeln!(Aside, "{text}");
}

/// Standard error, for notes and logs: what is written while a drawing is shown waits for the next one.
#[derive(Debug)]
pub(crate) struct Aside;

impl std::io::Write for Aside {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        match held.as_mut() {
            Some(text) => text.push_str(&String::from_utf8_lossy(bytes)),
            None => std::io::stderr().lock().write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().lock().flush()
    }
}

/// As long as it lives, nothing is written into a drawing.
#[derive(Debug)]
pub(crate) struct Holding;

/// Holds back what is said on standard error.
pub(crate) fn hold_asides() -> Holding {
    *HELD.lock().unwrap_or_else(PoisonError::into_inner) = Some(String::new());
    Holding
}

/// What was held back since the last question.
pub(crate) fn held_asides() -> String {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    held.as_mut().map(std::mem::take).unwrap_or_default()
}

impl Drop for Holding {
    fn drop(&mut self) {
        let rest = HELD.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            let _ = Aside.write_all(rest.as_bytes());
        }
    }
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

/// Columns that a column of text keeps, however little room there is.
const CELL_MIN: usize = 12;

/// A table of at most [`COLUMNS`] columns: texts are cut where it would be wider, the longest first.
pub(crate) fn fitted(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut rows: Vec<Vec<String>> = rows.into_iter().collect();
    let width_of = |rows: &[Vec<String>], at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| one_line(cell).width());
        cells.chain([header[at].trim_start_matches('#').width()]).max().unwrap_or(0)
    };
    loop {
        let widths: Vec<usize> = (0..header.len()).map(|at| width_of(&rows, at)).collect();
        let over =
            (widths.iter().sum::<usize>() + 2 * header.len().saturating_sub(1)).saturating_sub(COLUMNS);
        // What stands above a column is never cut: below its width nothing is won.
        let floor = |at: usize| CELL_MIN.max(header[at].width());
        let texts = (0..header.len()).filter(|&at| !header[at].starts_with('#') && widths[at] > floor(at));
        let Some(widest) = texts.max_by_key(|at| widths[*at]).filter(|_| over > 0) else {
            return table(header, rows);
        };
        let room = widths[widest].saturating_sub(over).max(floor(widest));
        rows.iter_mut().filter_map(|row| row.get_mut(widest)).for_each(|cell| *cell = shorten(cell, room));
    }
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
    fn wide_tables_and_texts_are_made_to_fit() {
        let long = "a word ".repeat(30);
        let shown = fitted(&["name", "#posts", "why"], [vec![long.clone(), "7".into(), long.clone()]]);
        assert!(shown.lines().all(|line| line.width() <= COLUMNS), "{shown}");
        assert!(shown.contains("a word a word") && shown.contains("…   "), "{shown}");
        // Numbers and headers are not cut, whatever room there is: the table is wider then.
        let header = ["forum", "#complete", "#threads", "#pages", "model of boards", "of threads"];
        let wide = ["a".repeat(40), "1 of 40".into(), "100000 of 100000".into(), "1".repeat(30)];
        let shown = fitted(&header, [[&wide[..], &["ordinary".into(), "silence".into()]].concat()]);
        assert!(shown.contains("model of boards") && shown.contains("100000 of 100000"), "{shown}");
        let shown = wrapped(&long, 40, "  ");
        assert!(shown.lines().count() > 4 && shown.lines().all(|line| line.width() <= 42), "{shown}");
        assert_eq!(wrapped("今日はいい今日はいい", 10, ""), "今日はい…");
        assert_eq!(shorten("今日は", 6), "今日は");
    }
}
