//! `freshet explain`: what is known of a source, and when and why it is visited next.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::explain::{self, Words, words};
use freshet_report::explain::{ExplainReport, ExplainedSource};
use freshet_types::Timestamp;

use crate::args::ExplainArgs;
use crate::output::{self, COLUMNS, Report};

/// Columns before each line below the name of a source.
const INDENT: &str = "   ";

/// Explains every source that is meant.
pub(crate) fn execute(globals: &Globals, args: &ExplainArgs) -> anyhow::Result<ExitCode> {
    output::print(args.report, &explain::report(globals, &args.source)?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for ExplainReport {
    fn text(&self) -> String {
        let now = self.now.map_or(Timestamp::MAX, |now| now.0);
        self.sources.iter().map(|source| told(source, now)).collect::<Vec<_>>().join("\n\n")
    }
}

/// A source and its facts, a line each.
fn told(source: &ExplainedSource, now: Timestamp) -> String {
    let head = format!("{}  {}", source.source.0, output::one_line(&source.label));
    let facts = source.facts.iter().flat_map(|fact| lines(words(fact, now)));
    let lines = std::iter::once(head).chain(facts).map(|line| fitting(&line));
    lines.collect::<Vec<_>>().join(&format!("\n{INDENT}"))
}

/// A fact in lines: those that go on from the first stand further in.
fn lines(words: Words) -> Vec<String> {
    let Words { heading, is_spoken, lines } = words;
    let line = |(at, line): (usize, String)| match at {
        0 if is_spoken => format!("{heading}: {line}"),
        0 => line,
        _ => format!("{INDENT}{line}"),
    };
    lines.into_iter().enumerate().map(line).collect()
}

/// A line that fits into a terminal behind its indent.
fn fitting(line: &str) -> String {
    let columns = COLUMNS - INDENT.len();
    if line.chars().count() <= columns {
        line.to_owned()
    } else {
        output::wrapped(line, columns - 2, "     ")
    }
}
