//! `freshet export`: records out of the store, into a stream or into files.
//!
//! What is written, and how an interrupted export goes on, is the business of [`freshet_export`]; here
//! is what a person types and reads. `--dry-run` counts and writes nothing. What is damaged is left out, named, and
//! makes the exit code 1. `--apply-deletions` and `--tombstones` are about an export that was made before; a file of it that
//! had to be left alone makes the exit code 1, too.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::failure::Failure;
use freshet_app::text::grouped;
use freshet_export::{Export, ExportWish, Part, day_name, deletions};
use freshet_report::deletions::DeletionsReport;
use freshet_sink::{Format, RecordKind};

use crate::args::{ExportArgs, ExportFormat, ReportArgs, ReportFormat};
use crate::failure;
use crate::output::{self, Report, table};

/// Exports.
pub(crate) fn execute(globals: &Globals, args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let folders = (&args.apply_deletions, &args.tombstones);
    match folders {
        (Some(dir), _) => return deletions(args, &deletions::apply(globals, dir)?),
        (_, Some(dir)) => return deletions(args, &deletions::tombstones(globals, dir)?),
        (None, None) => {}
    }
    let wish = wish(args)?;
    let export = Export::begin(globals, &wish, args.output.as_deref())?;
    if args.dry_run {
        output::line(counts(&wish, &export.parts()?))?;
        return Ok(ExitCode::SUCCESS);
    }
    let damages = if args.output.is_some() {
        export.into_folder(globals)?
    } else {
        let is_terminal = std::io::stdout().is_terminal();
        if wish.format == Format::Parquet && is_terminal && args.kind.len() == 1 && args.split.is_none() {
            let failure = Failure::misuse("parquet is not for a terminal");
            return Err(failure.hint("write it to a directory with -o DIR").into());
        }
        export.into_stream(std::io::stdout())?
    };
    damages.tell();
    Ok(if damages.is_empty() { ExitCode::SUCCESS } else { failure::partly() })
}

fn wish(args: &ExportArgs) -> anyhow::Result<ExportWish> {
    let ExportFormat::Records(format) = args.format else {
        let failure = Failure::misuse("records are written as jsonl, csv or parquet");
        return Err(failure
            .hint("`--format json` is for the report of --apply-deletions; JSON lines are jsonl")
            .into());
    };
    Ok(ExportWish {
        format,
        kinds: args.kind.clone(),
        since: args.since,
        until: args.until,
        network: args.network.clone(),
        is_split: args.split.is_some(),
        is_restart: args.restart,
        checkpoint_every: args.checkpoint_every,
    })
}

/// Says what was taken out, or is to be.
fn deletions(args: &ExportArgs, report: &DeletionsReport) -> anyhow::Result<ExitCode> {
    let format = if let ExportFormat::Report(format) = args.format { format } else { ReportFormat::Text };
    output::print(ReportArgs { format }, report)?;
    Ok(if report.deletions.left_alone.is_empty() { ExitCode::SUCCESS } else { failure::partly() })
}

impl Report for DeletionsReport {
    fn text(&self) -> String {
        let sums = self.deletions.sums;
        let mut lines = Vec::new();
        for (what, count) in [
            ("forgotten", sums.forgotten_count),
            ("kept no longer", sums.expired_count),
            ("emptied", sums.redacted_count),
            ("marked", sums.marked_count),
        ] {
            if count > 0 {
                lines.push(format!("{what}: {}", output::count(count, "record")));
            }
        }
        if lines.is_empty() {
            lines.push(format!("nothing is to be taken out of {}", self.folder));
        }
        for file in &self.deletions.files {
            let (name, now) = (output::one_line(&file.name), file.records_count);
            lines.push(format!("  {name}: {} records, {now} now", file.records_before_count));
        }
        for file in &self.left_alone {
            lines.push(format!(
                "left alone: {}: {}",
                output::one_line(&file.name),
                output::one_line(&file.why)
            ));
        }
        if let Some(name) = &self.tombstones {
            lines.push(format!("listed in {}/{name}; nothing else was changed", self.folder));
        }
        if let (Some(name), Some(sha256)) = (&self.receipt, &self.receipt_sha256) {
            lines.push(format!("receipt: {}/{name}\nsha256: {sha256}", self.folder));
        }
        if let Some(revision) = self.deletions.revision {
            lines.push(format!(
                "this is revision {revision}; `freshet snapshot verify {}` gives its id",
                self.folder
            ));
        }
        lines.join("\n")
    }
}

/// What an export would write.
fn counts(wish: &ExportWish, parts: &[Part]) -> String {
    let row = |kind: &RecordKind| {
        let parts: Vec<&Part> = parts.iter().filter(|part| part.kind == *kind).collect();
        let records: u64 = parts.iter().map(|part| part.record_count).sum();
        let days = || parts.iter().filter_map(|part| part.day);
        let span = match (days().min(), days().max()) {
            (Some(first), Some(last)) => format!("{} to {}", day_name(first), day_name(last)),
            _ => "-".to_owned(),
        };
        vec![kind.to_string(), grouped(records), parts.len().to_string(), span]
    };
    let header = ["what", "#records", "#files", "days"];
    let columns = if wish.is_split { 4 } else { 3 };
    let rows = wish.kinds.iter().map(|kind| row(kind)[..columns].to_vec());
    format!("{}\nnothing was written", table(&header[..columns], rows))
}
