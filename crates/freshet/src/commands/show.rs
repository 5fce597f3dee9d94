//! `freshet show`: one object for people, with what leads to it, what happened to it, and who visits it.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::plain::plain;
use freshet_app::{interest, object};
use freshet_report::object::{LinkedBy, ObjectSource, ShowReport};
use freshet_types::Timestamp;

use super::get::{called, described, sized};
use crate::args::ShowArgs;
use crate::output::{self, COLUMNS, Report, one_line, relative, wrapped};

const INDENT: &str = "  ";

/// Shows it.
pub(crate) fn execute(globals: &Globals, args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let report = object::show(globals, &args.reference, args.limit as usize)?;
    output::print(args.report, &report)?;
    interest::count_object(globals, &report.object.address);
    Ok(ExitCode::SUCCESS)
}

impl Report for ShowReport {
    fn text(&self) -> String {
        let now = self.now.map_or(Timestamp::MAX, |now| now.0);
        let mut lines = described(&self.object);
        let members = self.object.colinks.iter().chain(&self.object.scolinks);
        for (name, members) in members.filter(|(_, members)| !members.is_empty()) {
            let extent = self.object.collections.get(name).copied().unwrap_or_default();
            lines.push(format!("\n{name}: {}", sized(extent)));
            lines.extend(members.iter().map(|member| format!("{INDENT}{}", called(member))));
            if extent.next.is_some() {
                lines.push(format!("{INDENT}…"));
            }
        }
        lines.extend(part("linked by", self.linked_by.iter().map(linked)));
        let change = |kind: &str, at: Option<Timestamp>| {
            format!("{kind} {}", at.map_or_else(String::new, |at| relative(at, now)))
        };
        let changes = self.changes.iter().map(|it| change(&it.kind, it.seen_at.map(|at| at.0)));
        lines.extend(part("what happened", changes));
        let said = |text: &String| wrapped(&plain(text).replace('\n', " "), COLUMNS - INDENT.len(), INDENT);
        lines.extend(part("what it said before", self.earlier_texts.iter().map(said)));
        lines.extend(part("visited by", self.sources.iter().map(|source| visited(source, now))));
        lines.join("\n")
    }
}

/// A heading and its lines; nothing without lines.
fn part(heading: &str, lines: impl Iterator<Item = String>) -> Vec<String> {
    let lines: Vec<String> = lines.map(|line| format!("{INDENT}{line}")).collect();
    if lines.is_empty() { lines } else { std::iter::once(format!("\n{heading}:")).chain(lines).collect() }
}

fn linked(by: &LinkedBy) -> String {
    let across = if by.is_across { "  (another network)" } else { "" };
    format!("{} of {}{across}", one_line(&by.link), one_line(&by.address))
}

fn visited(source: &ObjectSource, now: Timestamp) -> String {
    let last = source.visited_at.map_or_else(|| "never".to_owned(), |at| relative(at.0, now));
    let next = source.due_at.map_or_else(|| "now".to_owned(), |at| relative(at.0, now));
    format!("{}  {}  {}, last {last}, next {next}", source.source, one_line(&source.label), source.state)
}
