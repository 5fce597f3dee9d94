//! `freshet export`: records out of the store, in the order in which they were first seen.
//!
//! Streams: memory does not grow with the export. Files appear whole or not at all: they are
//! written under another name and renamed at the end.

use std::fs::File;
use std::io::{IsTerminal as _, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use freshet_engine::record::{account_record, change_record, post_record, relation_record};
use freshet_sink::{Format, Record, RecordKind, Sink, SinkError};
use freshet_store::api::{Flow, Store, StoreError};
use freshet_store::row::Filter;

use crate::args::ExportArgs;
use crate::config::Globals;
use crate::data::Data;
use crate::failure::Failure;
use crate::output;

/// Lines of the change log read at once.
const CHANGES_BATCH: usize = 4096;

/// Exports.
pub(crate) fn execute(globals: &Globals, args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let data = Data::open(globals)?;
    let resolve = |when: Option<crate::when::When>| when.map(|when| when.resolve(|| data.now())).transpose();
    let filter =
        Filter { since: resolve(args.since)?, until: resolve(args.until)?, network: args.network.clone() };
    match (&args.output, args.kind.as_slice()) {
        (Some(dir), kinds) => {
            std::fs::create_dir_all(dir).with_context(|| format!("`{}` cannot be made", dir.display()))?;
            for &kind in kinds {
                let record_count = export_file(&data.store, dir, kind, args.format, &filter)?;
                output::aside(format!("{record_count} {kind} in {}", file_name(dir, kind, args.format)));
            }
        }
        (None, [kind]) => {
            if args.format == Format::Parquet && std::io::stdout().is_terminal() {
                let failure = Failure::misuse("parquet is not for a terminal");
                return Err(failure.hint("write it to a directory with -o DIR").into());
            }
            export(&data.store, *kind, args.format, &filter, std::io::stdout())?;
        }
        (None, _) => {
            let failure = Failure::misuse("several kinds do not fit into one stream");
            return Err(failure.hint("write them to a directory with -o DIR").into());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn file_name(dir: &Path, kind: RecordKind, format: Format) -> String {
    dir.join(format!("{kind}.{format}")).display().to_string()
}

fn export_file(
    store: &dyn Store,
    dir: &Path,
    kind: RecordKind,
    format: Format,
    filter: &Filter,
) -> anyhow::Result<u64> {
    let path = file_name(dir, kind, format);
    let part = format!("{path}.part");
    let file = File::create(&part).with_context(|| format!("`{part}` cannot be written"))?;
    let record_count = export(store, kind, format, filter, file)?;
    std::fs::rename(&part, &path).with_context(|| format!("`{path}` cannot be written"))?;
    Ok(record_count)
}

/// Writes all records of one kind; gives how many.
fn export(
    store: &dyn Store,
    kind: RecordKind,
    format: Format,
    filter: &Filter,
    out: impl Write + Send,
) -> anyhow::Result<u64> {
    let mut run = Run { sink: format.open(kind, out)?, record_count: 0, failed: None };
    match kind {
        RecordKind::Posts => store.each_post(filter, &mut |row| run.take(&post_record(row)))?,
        RecordKind::Accounts => store.each_account(filter, &mut |row| run.take(&account_record(row)))?,
        RecordKind::Relations => store.each_relation(filter, &mut |row| run.take(&relation_record(row)))?,
        RecordKind::Changes => each_change(store, filter, &mut |change| run.take(&change_record(change)))?,
    }
    if let Some(error) = run.failed {
        return Err(error.into());
    }
    run.sink.finish()?;
    Ok(run.record_count)
}

/// One export under way.
struct Run<'a> {
    sink: Box<dyn Sink + 'a>,
    record_count: u64,
    failed: Option<SinkError>,
}

impl Run<'_> {
    /// Writes a record; after the first failure nothing more is asked of the store.
    fn take(&mut self, record: &dyn Record) -> Flow {
        match self.sink.write(record) {
            Ok(()) => {
                self.record_count += 1;
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

fn each_change(
    store: &dyn Store,
    filter: &Filter,
    each: &mut dyn FnMut(&freshet_types::Change) -> Flow,
) -> Result<(), StoreError> {
    let mut above = 0;
    loop {
        let changes = store.changes_above(above, CHANGES_BATCH)?;
        let Some(last) = changes.last() else { return Ok(()) };
        above = last.number;
        for change in changes.iter().filter(|change| is_wanted(filter, change)) {
            if each(change).is_break() {
                return Ok(());
            }
        }
    }
}

fn is_wanted(filter: &Filter, change: &freshet_types::Change) -> bool {
    let network = &change.address.network;
    filter.since.is_none_or(|since| change.seen_at >= since)
        && filter.until.is_none_or(|until| change.seen_at < until)
        && filter.network.as_ref().is_none_or(|it| it == network.as_str() || it == network.definition())
}

#[cfg(test)]
mod tests;
