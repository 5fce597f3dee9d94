//! `freshet export`: records out of the store, into a stream or into files.
//!
//! What is written, and how an interrupted export goes on, is the business of [`freshet_export`]; here
//! is what a person types and reads. `--dry-run` counts and writes nothing. What is damaged is left out, named, and
//! makes the exit code 1.

use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::data::Data;
use freshet_app::failure::Failure;
use freshet_app::identity::identity;
use freshet_app::text::grouped;
use freshet_app::when::When;
use freshet_export::{self as export, Asked, Bounds, Damages, Manifest, Part, Wish, day_name};
use freshet_sink::Format;

use crate::args::{ExportArgs, Split};
use crate::failure;
use crate::output::{self, table};

/// Exports.
pub(crate) fn execute(globals: &Globals, args: &ExportArgs) -> anyhow::Result<ExitCode> {
    if let Some(kind) = args.kind.iter().enumerate().find(|(at, kind)| args.kind[..*at].contains(kind)) {
        let failure = Failure::misuse(format!("`{}` is named twice", kind.1));
        return Err(failure.hint("each kind has one file; name it once").into());
    }
    let data = Data::look(globals)?;
    export::check_network(&data, globals, args.network.as_deref())?;
    let mut manifest = match &args.output {
        Some(dir) => in_folder(&data, args, dir)?,
        None => begun(&data, args, String::new())?,
    };
    let wish = wish(args, &manifest);
    if args.dry_run {
        output::line(counts(&wish, &export::plan(&data.store, &wish)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    let damages = match (&args.output, args.kind.as_slice()) {
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
            export::to_writer(&data.store, *kind, args.format, &wish.filter, std::io::stdout())?.1
        }
        (None, _) => {
            let failure = Failure::misuse("several kinds do not fit into one stream");
            return Err(failure.hint("write them to a directory with -o DIR").into());
        }
    };
    damages.tell();
    Ok(if damages.is_empty() { ExitCode::SUCCESS } else { failure::partly() })
}

fn into_folder(data: &Data, dir: &Path, wish: &Wish, manifest: &mut Manifest) -> anyhow::Result<Damages> {
    let parts = export::plan(&data.store, wish)?;
    if manifest.records_count() > 0 {
        let total: u64 = parts.iter().map(|part| part.record_count).sum();
        output::note(format!(
            "goes on where an export stopped: {} of {} records are written",
            grouped(manifest.records_count()),
            grouped(total)
        ));
    }
    let damages = export::to_folder(&data.store, dir, wish, &parts, manifest)?;
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
    Ok(damages)
}

/// The export of the same that was interrupted in this folder, or one that begins.
fn in_folder(data: &Data, args: &ExportArgs, dir: &Path) -> anyhow::Result<Manifest> {
    let store = identity(&data.store)?;
    let Some(mut former) = Manifest::read(dir)? else { return begun(data, args, store) };
    if former.is_of_another(&store) && !args.restart {
        let failure =
            Failure::misuse(format!("`{}` holds an export of another data directory", dir.display()));
        return Err(failure.hint("name another folder, or write over it with --restart").into());
    }
    let is_interrupted = !former.is_complete && !args.restart;
    if is_interrupted && former.asked == asked(args) {
        former.keep_what_is_there(dir);
        return Ok(former);
    }
    if is_interrupted {
        output::note("an export of something else was interrupted here; this one begins anew");
    }
    let mut manifest = begun(data, args, store)?;
    manifest.replace(former, dir);
    Ok(manifest)
}

fn begun(data: &Data, args: &ExportArgs, store: String) -> anyhow::Result<Manifest> {
    let resolve = |when: Option<When>| when.map(|when| when.resolve(|| data.now())).transpose();
    let times = export::check_times(resolve(args.since)?, resolve(args.until)?)?;
    Ok(Manifest::new(asked(args), store, times, Bounds::now(&data.store)?))
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
    Wish {
        format: args.format,
        kinds: args.kind.clone(),
        filter: manifest.filter(),
        is_split: args.split.is_some(),
        up_to: manifest.up_to(),
        checkpoint_every: args.checkpoint_every,
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
