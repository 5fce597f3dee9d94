//! `freshet export`: records out of the store, into a stream or into files.
//!
//! What is written, and how an interrupted export goes on, is the business of [`freshet_export`]; here
//! is what a person types and reads. `--dry-run` counts and writes nothing. What is damaged is left out, named, and
//! makes the exit code 1.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::failure::Failure;
use freshet_app::text::grouped;
use freshet_export::{Export, ExportWish, Part, day_name};
use freshet_sink::{Format, RecordKind};

use crate::args::ExportArgs;
use crate::failure;
use crate::output::{self, table};

/// Exports.
pub(crate) fn execute(globals: &Globals, args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let wish = wish(args);
    let export = Export::begin(globals, &wish, args.output.as_deref())?;
    if args.dry_run {
        output::line(counts(&wish, &export.parts()?))?;
        return Ok(ExitCode::SUCCESS);
    }
    let damages = if args.output.is_some() {
        export.into_folder()?
    } else {
        let is_terminal = std::io::stdout().is_terminal();
        if args.format == Format::Parquet && is_terminal && args.kind.len() == 1 && args.split.is_none() {
            let failure = Failure::misuse("parquet is not for a terminal");
            return Err(failure.hint("write it to a directory with -o DIR").into());
        }
        export.into_stream(std::io::stdout())?
    };
    damages.tell();
    Ok(if damages.is_empty() { ExitCode::SUCCESS } else { failure::partly() })
}

fn wish(args: &ExportArgs) -> ExportWish {
    ExportWish {
        format: args.format,
        kinds: args.kind.clone(),
        since: args.since,
        until: args.until,
        network: args.network.clone(),
        is_split: args.split.is_some(),
        is_restart: args.restart,
        checkpoint_every: args.checkpoint_every,
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
