//! Records into the files of a folder, several days at a time.
//!
//! The store gives records in the order of first sight, in which days are mixed. So a scan serves a
//! batch of days, each with a sink of its own. Many small batches would mean many scans of the whole
//! table, and each has many small row groups: a sixteenth of the days is a batch. Every so many
//! records all files of the batch are put on disk, and the manifest says how long they are and up to
//! which record: from there the same batch goes on ([`super::resume`]).

use std::fs::{File, TryLockError};
use std::ops::ControlFlow;
use std::path::Path;

use freshet_app::failure::Failure;
use freshet_app::progress::Progress;
use freshet_app::{notice, text};
use freshet_sink::Record;
use freshet_store::api::Store;
use freshet_store::row::Filter;
use freshet_types::{Map, Timestamp};

use super::file::{GrowingFile, discard};
use super::manifest::{Open, cannot_write};
use super::part::{day_of, start_of};
use super::{Damages, Manifest, Part, Wish, each_record, resume};

/// Scans of the whole table that a long history may take.
const SCANS_WANTED: usize = 16;
/// Fewest days of a batch, unless there are fewer.
const BATCH_DAYS_MIN: usize = 8;
/// Most: each has an open file, of which a process may have a thousand.
const BATCH_DAYS_MAX: usize = 256;
/// Records after which all sinks write out what they hold in memory.
const RELIEF_EVERY: u64 = 200_000;
/// A batch of many files has its checkpoints at most so many times less often than one file, since each of
/// its files costs a wait for the disk and a row group.
const CHECKPOINT_FILES_MAX: usize = 16;

/// Writes the files of `parts` that the manifest does not have, and the manifest at every checkpoint; gives what was left out.
pub(crate) fn to_folder(
    store: &dyn Store,
    dir: &Path,
    wish: &Wish,
    parts: &[Part],
    manifest: &mut Manifest,
) -> anyhow::Result<Damages> {
    if dir.is_file() {
        let failure = Failure::misuse(format!("`{}` is a file", dir.display()));
        return Err(failure.hint("name a folder; it is made where it is missing").into());
    }
    std::fs::create_dir_all(dir).map_err(|error| cannot_write(dir, &error))?;
    let _held = hold(dir)?;
    refuse_foreign(dir, wish, parts, manifest)?;
    let stale = resume::drop_stale(dir, wish, parts, manifest);
    if stale > 0 {
        let files = text::count(stale as u64, "file");
        notice::note(format!("records were taken out of the store meanwhile: {files} to be written anew"));
    }
    manifest.planned_files = parts.iter().map(|part| part.name(wish.format)).collect();
    manifest.write(dir)?;
    for name in std::mem::take(&mut manifest.abandoned) {
        discard(dir, &name);
    }
    let is_done = |part: &&Part| manifest.files.iter().any(|file| file.name == part.name(wish.format));
    let (done, todo): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(is_done);
    let count = |parts: &[&Part]| parts.iter().map(|part| part.record_count).sum::<u64>();
    let mut progress = Progress::new("export", count(&done), count(&done) + count(&todo));
    let mut damages = Damages::default();
    for batch in batches(wish, &todo, manifest.open.as_ref()) {
        progress.rename(batch[0].kind.name());
        damages.add(Batch { store, dir, wish, parts: &batch }.write(manifest, &mut progress)?);
    }
    manifest.complete();
    manifest.write(dir)?;
    Ok(damages)
}

/// Keeps others who write into the folder out, until it is dropped. Where folders cannot be locked nobody is.
pub(crate) fn hold(dir: &Path) -> anyhow::Result<Option<File>> {
    let Ok(folder) = File::open(dir) else { return Ok(None) };
    match folder.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let failure = Failure::new(format!("somebody else is writing into `{}`", dir.display()));
            Err(failure
                .hint("is the same command running already? wait for it, or name another folder")
                .into())
        }
        _ => Ok(Some(folder)),
    }
}

/// Refuses to write over a file that no export wrote.
fn refuse_foreign(dir: &Path, wish: &Wish, parts: &[Part], manifest: &Manifest) -> anyhow::Result<()> {
    let names = parts.iter().map(|part| part.name(wish.format));
    let foreign = names.into_iter().find(|name| !manifest.knows(name) && dir.join(name).is_file());
    let Some(name) = foreign else { return Ok(()) };
    let failure = Failure::misuse(format!(
        "`{}` is there, and no export into this folder wrote it",
        dir.join(name).display()
    ));
    Err(failure.hint("name another folder, or move that file away").into())
}

/// Parts of one kind each, in bounded numbers; those that were being written come first.
fn batches<'a>(wish: &Wish, todo: &[&'a Part], open: Option<&Open>) -> Vec<Vec<&'a Part>> {
    let first = open.and_then(|open| resume::open_parts(wish, todo, open)).unwrap_or_default();
    let rest: Vec<&Part> = todo.iter().copied().filter(|part| !first.contains(part)).collect();
    let days = rest.len().div_ceil(SCANS_WANTED).clamp(BATCH_DAYS_MIN, BATCH_DAYS_MAX);
    let kinds = rest.chunk_by(|one, other| one.kind == other.kind);
    let rest = kinds.flat_map(|kind| kind.chunks(days)).map(<[&Part]>::to_vec);
    let first = if first.is_empty() { None } else { Some(first) };
    first.into_iter().chain(rest).collect()
}

/// Files that are written together.
pub(super) struct Batch<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) dir: &'a Path,
    pub(super) wish: &'a Wish,
    pub(super) parts: &'a [&'a Part],
}

impl Batch<'_> {
    fn write(&self, manifest: &mut Manifest, progress: &mut Progress) -> anyhow::Result<Damages> {
        let (mut open, above) = self.open(manifest)?;
        progress.found(open.values().map(GrowingFile::record_count).sum());
        let damages = self.scan(&mut open, above, manifest, progress)?;
        for part in self.parts {
            manifest.files.extend(open.remove(&part.day).map(GrowingFile::finish).transpose()?);
        }
        manifest.open = None;
        manifest.write(self.dir)?;
        Ok(damages)
    }

    /// Its files by day, and the number of the last record in them.
    pub(super) fn open(
        &self,
        manifest: &mut Manifest,
    ) -> anyhow::Result<(Map<Option<i64>, GrowingFile>, u64)> {
        if let Some(open) = manifest.open.take() {
            let is_ours = resume::open_parts(self.wish, self.parts, &open).is_some();
            let files = if is_ours {
                resume::open_files(self.store, self.dir, self.wish, self.parts, &open)?
            } else {
                None
            };
            if let Some(files) = files {
                let above = open.above;
                manifest.open = Some(open);
                return Ok((files, above));
            }
            open.files.iter().for_each(|file| discard(self.dir, &file.name));
            notice::note("what was half written is not as it was, or not wanted any more; it begins anew");
        }
        let create = |part: &&Part| {
            let name = part.name(self.wish.format);
            Ok((part.day, GrowingFile::create(self.dir, &name, part.kind, self.wish.format)?))
        };
        Ok((self.parts.iter().map(create).collect::<anyhow::Result<_>>()?, 0))
    }

    /// Writes the records above this number.
    pub(super) fn scan(
        &self,
        open: &mut Map<Option<i64>, GrowingFile>,
        above: u64,
        manifest: &mut Manifest,
        progress: &mut Progress,
    ) -> anyhow::Result<Damages> {
        let kind = self.parts[0].kind;
        let is_split = self.parts[0].day.is_some();
        let checkpoint_every =
            self.wish.checkpoint_every * self.parts.len().clamp(1, CHECKPOINT_FILES_MAX) as u64;
        let (mut since_relief, mut since_checkpoint) = (0, 0);
        let mut write_record = |number: u64, at: Timestamp, record: &dyn Record| {
            // A day that was not planned came into being since; the next export has it.
            let Some(file) = open.get_mut(&is_split.then(|| day_of(at))) else { return Ok(()) };
            file.write(record)?;
            progress.step();
            (since_relief, since_checkpoint) = (since_relief + 1, since_checkpoint + 1);
            if since_checkpoint >= checkpoint_every {
                (since_relief, since_checkpoint) = (0, 0);
                self.checkpoint(open, number, manifest)?;
            } else if since_relief >= RELIEF_EVERY {
                since_relief = 0;
                open.values_mut().try_for_each(GrowingFile::relieve)?;
            }
            anyhow::Ok(())
        };
        let mut failed = None;
        let filter = Filter { above, ..narrowed(&self.wish.filter, self.parts) };
        let up_to = self.wish.up_to.of(kind);
        let damages =
            each_record(self.store, kind, &filter, up_to, &mut |number, at, record| match write_record(
                number, at, record,
            ) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            })?;
        failed.map_or(Ok(damages), Err)
    }

    /// Puts all files on disk, and into the manifest how far they are.
    fn checkpoint(
        &self,
        open: &mut Map<Option<i64>, GrowingFile>,
        above: u64,
        manifest: &mut Manifest,
    ) -> anyhow::Result<()> {
        let (mut files, mut memos_bytes) = (Vec::new(), Vec::new());
        for part in self.parts {
            let Some(file) = open.get_mut(&part.day) else { continue };
            let (entry, memo) = file.checkpoint()?;
            files.push(entry);
            memos_bytes.push(memo);
        }
        manifest.open = Some(Open { above, files, memos_bytes });
        manifest.write(self.dir)
    }
}

/// The filter, within the days of a batch.
fn narrowed(filter: &Filter, batch: &[&Part]) -> Filter {
    let days = batch.iter().filter_map(|part| part.day);
    let (first, last) = (days.clone().min().map(start_of), days.max().map(|day| start_of(day + 1)));
    Filter {
        since: filter.since.max(first),
        until: [filter.until, last].into_iter().flatten().min(),
        ..filter.clone()
    }
}
