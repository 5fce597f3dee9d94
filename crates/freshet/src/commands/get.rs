//! `freshet get`: one object and its links.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::interest;
use freshet_app::object::{self, ObjectWish};
use freshet_report::object::{Extent, LinkAnswer, LinkedObject, ObjectReport};
use freshet_types::Timestamp;
use serde_json::Value;

use crate::args::GetArgs;
use crate::output::{self, Report, one_line};

/// Columns of the names of links.
const NAME_COLUMNS: usize = 18;
/// How values that are instants end.
const TIME_ENDING: &str = "_at";

/// Reads it.
pub(crate) fn execute(globals: &Globals, args: &GetArgs) -> anyhow::Result<ExitCode> {
    let wish = ObjectWish {
        reference: args.reference.clone(),
        links: args.links.clone(),
        limit: args.limit as usize,
        offset: args.offset as usize,
    };
    let report = if args.online {
        object::online::get(globals, &wish, args.allow_private)?
    } else {
        object::get(globals, &wish)?
    };
    if let Some(online) = &report.online {
        let of = if online.is_by_run { ", granted by the run that is under way" } else { "" };
        output::note(format!(
            "asked the network: {}{of}",
            output::count(online.requests_count as u64, "request")
        ));
    }
    for complaint in &report.complaints {
        output::note(one_line(complaint));
    }
    output::print(args.report, &report)?;
    interest::count_object(globals, &report.address);
    Ok(ExitCode::SUCCESS)
}

impl Report for ObjectReport {
    fn text(&self) -> String {
        if self.answers.is_empty() { described(self).join("\n") } else { answered(&self.answers) }
    }
}

/// What was asked for, for programs as much as for people: a value a line.
fn answered(answers: &[LinkAnswer]) -> String {
    let is_one = answers.len() == 1;
    let mut lines = Vec::new();
    for answer in answers {
        let name = answer.link.rsplit('.').next().unwrap_or_default();
        let before = if is_one { String::new() } else { format!("{}  ", answer.link) };
        if answer.values.is_empty() {
            lines.push(format!("{before}-"));
        }
        lines.extend(answer.values.iter().map(|value| format!("{before}{}", shown(name, value))));
    }
    lines.join("\n")
}

/// All values, and the names and sizes of all links.
pub(super) fn described(report: &ObjectReport) -> Vec<String> {
    let line = |name: &str, what: &str| format!("{name:NAME_COLUMNS$}  {what}");
    let mut lines = vec![one_line(&report.address)];
    let values = report.plinks.iter().chain(&report.splinks);
    lines.extend(values.map(|(name, value)| line(name, &shown(name, value))));
    let ones = report.clinks.iter().chain(&report.sclinks);
    lines.extend(ones.map(|(name, target)| line(name, &format!("-> {}", called(target)))));
    lines.extend(report.collections.iter().map(|(name, extent)| line(name, &sized(*extent))));
    lines
}

/// A linked object: its address, and what people call it.
pub(super) fn called(target: &LinkedObject) -> String {
    let name = ["handle", "name", "title", "text"].iter().find_map(|name| target.plinks.get(*name)?.as_str());
    let name = name.map(|name| output::shorten(&freshet_app::plain::plain(name), 40));
    let name = name.filter(|name| !name.is_empty()).map_or_else(String::new, |name| format!("  {name}"));
    format!("{}{name}", one_line(&target.address))
}

pub(super) fn sized(extent: Extent) -> String {
    format!("{}{} stored", if extent.is_more { "more than " } else { "" }, extent.count)
}

/// A value on one line; instants as dates.
pub(super) fn shown(name: &str, value: &Value) -> String {
    match value {
        Value::Number(number) if name.ends_with(TIME_ENDING) => number.as_f64().map_or_else(
            || number.to_string(),
            |secs| Timestamp::from_ms((secs * 1000.0) as i64).to_string(),
        ),
        Value::String(text) => one_line(text),
        Value::Object(_) => serde_json::from_value::<LinkedObject>(value.clone())
            .map_or_else(|_| value.to_string(), |target| called(&target)),
        value => value.to_string(),
    }
}
