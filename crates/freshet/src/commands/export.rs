//! `freshet export`: records out of the store, into a stream or into files.
//!
//! What is written, and how an interrupted export goes on, is the business of [`crate::export`]; here
//! is what a person types and reads. `--dry-run` counts and writes nothing.

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

use freshet_sink::Format;
use freshet_store::api::Store as _;
use freshet_store::row::Filter;

use crate::args::{ExportArgs, Split};
use crate::config::Globals;
use crate::data::Data;
use crate::export::{self, Asked, Manifest, Part, Wish, day_name};
use crate::failure::Failure;
use crate::output::{self, table};
use crate::view::grouped;

/// Exports.
pub(crate) fn execute(globals: &Globals, args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let data = Data::open(globals)?;
    let asked = asked(args);
    let unfinished = args.output.as_deref().and_then(|dir| unfinished(dir, &asked, args.restart));
    let mut manifest = match unfinished {
        Some(manifest) => manifest,
        None => begun(&data, args, asked)?,
    };
    let wish = wish(args, &manifest);
    if args.dry_run {
        output::line(counts(&wish, &export::plan(&data.store, &wish)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    match (&args.output, args.kind.as_slice()) {
        (Some(dir), _) => into_folder(&data, dir, &wish, &mut manifest)?,
        (None, _) if args.split.is_some() => {
            let failure = Failure::misuse("a split export does not fit into one stream");
            return Err(failure.hint("write it to a directory with -o DIR").into());
        }
        (None, [kind]) => {
            if args.format == Format::Parquet && std::io::stdout().is_terminal() {
                let failure = Failure::misuse("parquet is not for a terminal");
                return Err(failure.hint("write it to a directory with -o DIR").into());
            }
            export::to_writer(&data.store, *kind, args.format, &wish.filter, std::io::stdout())?;
        }
        (None, _) => {
            let failure = Failure::misuse("several kinds do not fit into one stream");
            return Err(failure.hint("write them to a directory with -o DIR").into());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn into_folder(data: &Data, dir: &Path, wish: &Wish, manifest: &mut Manifest) -> anyhow::Result<()> {
    let parts = export::plan(&data.store, wish)?;
    if !manifest.files.is_empty() {
        let (files, records) = (manifest.files.len(), manifest.records_count());
        output::note(format!(
            "goes on where an export stopped: {} with {} are there",
            output::count(files as u64, "file"),
            output::count(records, "record")
        ));
    }
    export::to_folder(&data.store, dir, wish, &parts, manifest)?;
    for &kind in &wish.kinds {
        let ours =
            |name: &str| name.starts_with(&format!("{kind}/")) || name == format!("{kind}.{}", wish.format);
        let files: Vec<_> = manifest.files.iter().filter(|file| ours(&file.name)).collect();
        let records: u64 = files.iter().map(|file| file.records_count).sum();
        let place = if wish.is_split { format!("{kind}/") } else { format!("{kind}.{}", wish.format) };
        let days = if wish.is_split {
            format!(", {}", output::count(files.len() as u64, "day"))
        } else {
            String::new()
        };
        output::note(format!("{records} {kind}{days} in {}", dir.join(place).display()));
    }
    Ok(())
}

/// The export of the same that was interrupted in this folder, if there is one.
fn unfinished(dir: &Path, asked: &Asked, is_restart: bool) -> Option<Manifest> {
    let mut manifest = Manifest::read(dir).filter(|it| !it.is_complete)?;
    if manifest.asked != *asked && !is_restart {
        output::note("an export of something else was interrupted here; this one begins anew");
    }
    if manifest.asked != *asked || is_restart {
        return None;
    }
    manifest.keep_what_is_there(dir);
    Some(manifest)
}

fn begun(data: &Data, args: &ExportArgs, asked: Asked) -> anyhow::Result<Manifest> {
    let resolve = |when: Option<crate::when::When>| when.map(|when| when.resolve(|| data.now())).transpose();
    Ok(Manifest::new(asked, resolve(args.since)?, resolve(args.until)?, data.store.last_change()?))
}

fn asked(args: &ExportArgs) -> Asked {
    Asked {
        format: args.format.to_string(),
        kinds: args.kind.iter().map(ToString::to_string).collect(),
        since: args.since.map(|when| when.to_string()),
        until: args.until.map(|when| when.to_string()),
        network: args.network.clone(),
        split: args.split.map(|Split::Day| "day".to_owned()),
    }
}

fn wish(args: &ExportArgs, manifest: &Manifest) -> Wish {
    let at = |ms: Option<i64>| ms.map(freshet_types::Timestamp::from_ms);
    let (since, until) = (at(manifest.since_ms), at(manifest.until_ms));
    Wish {
        format: args.format,
        kinds: args.kind.clone(),
        filter: Filter { since, until, network: args.network.clone() },
        is_split: args.split.is_some(),
        up_to: manifest.up_to_change,
    }
}

/// What an export would write.
fn counts(wish: &Wish, parts: &[Part]) -> String {
    let row = |kind: &freshet_sink::RecordKind| {
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
