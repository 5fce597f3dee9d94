//! Records into the files of a folder, several days at a time.
//!
//! The store gives records in the order of first sight, in which days are mixed. So a scan serves a
//! batch of days, each with a sink of its own. Many small batches would mean many scans of the whole
//! table, one large batch that an interruption loses everything: a sixteenth of the days is a batch.

use std::fs::File;
use std::io::{Read as _, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use freshet_sink::{Record, Sink, SinkError};
use freshet_store::api::Store;
use freshet_store::row::Filter;
use freshet_types::{Map, Timestamp};
use sha2::{Digest as _, Sha256};

use super::manifest::cannot_write;
use super::part::{day_of, start_of};
use super::{FileEntry, Manifest, Part, Wish, each_record};
use crate::progress::Progress;

/// Scans of the whole table that a long history may take.
const SCANS_WANTED: usize = 16;
/// Fewest days of a batch, unless there are fewer.
const BATCH_DAYS_MIN: usize = 8;
/// Most: each has an open file, of which a process may have a thousand.
const BATCH_DAYS_MAX: usize = 256;
/// Records after which all sinks write out what they hold in memory.
const RELIEF_EVERY: u64 = 200_000;
/// Bytes hashed at once.
const HASH_BYTES: usize = 64 * 1024;

/// Writes the files of `parts` that the manifest does not have, and the manifest after each batch.
pub(crate) fn to_folder(
    store: &dyn Store,
    dir: &Path,
    wish: &Wish,
    parts: &[Part],
    manifest: &mut Manifest,
) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir).map_err(|error| cannot_write(dir, &error))?;
    manifest.write(dir)?;
    let is_done = |part: &&Part| manifest.files.iter().any(|file| file.name == part.name(wish.format));
    let (done, todo): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(is_done);
    let count = |parts: &[&Part]| parts.iter().map(|part| part.record_count).sum::<u64>();
    let mut progress = Progress::new("export", count(&done), count(&done) + count(&todo));
    for batch in batches(&todo) {
        progress.rename(batch[0].kind.name());
        manifest.files.extend(write_batch(store, dir, wish, batch, &mut progress)?);
        manifest.write(dir)?;
    }
    manifest.is_complete = true;
    manifest.write(dir)
}

/// Parts of one kind each, in bounded numbers.
fn batches<'a>(parts: &'a [&'a Part]) -> Vec<&'a [&'a Part]> {
    let days = parts.len().div_ceil(SCANS_WANTED).clamp(BATCH_DAYS_MIN, BATCH_DAYS_MAX);
    let kinds = parts.chunk_by(|one, other| one.kind == other.kind);
    kinds.flat_map(|kind| kind.chunks(days)).collect()
}

fn write_batch(
    store: &dyn Store,
    dir: &Path,
    wish: &Wish,
    batch: &[&Part],
    progress: &mut Progress,
) -> anyhow::Result<Vec<FileEntry>> {
    let mut open: Map<Option<i64>, OpenFile> = Map::default();
    for part in batch {
        open.insert(part.day, OpenFile::create(dir, part, wish)?);
    }
    let is_split = batch[0].day.is_some();
    let mut since_relief = 0;
    let mut failed = None::<SinkError>;
    let mut take = |at: Timestamp, record: &dyn Record| {
        // A day that was not planned came into being since; the next export has it.
        let Some(file) = open.get_mut(&is_split.then(|| day_of(at))) else { return Ok(()) };
        file.sink.write(record)?;
        file.record_count += 1;
        progress.step();
        since_relief += 1;
        if since_relief >= RELIEF_EVERY {
            since_relief = 0;
            open.values_mut().try_for_each(|file| file.sink.relieve())?;
        }
        Ok(())
    };
    let filter = narrowed(&wish.filter, batch);
    each_record(store, batch[0].kind, &filter, wish.up_to, &mut |at, record| match take(at, record) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(())
        }
    })?;
    if let Some(error) = failed {
        return Err(cannot_write(dir, &std::io::Error::other(error)));
    }
    let mut files = Vec::new();
    for part in batch {
        files.extend(open.remove(&part.day).map(OpenFile::finish).transpose()?);
    }
    Ok(files)
}

/// The filter, within the days of a batch.
fn narrowed(filter: &Filter, batch: &[&Part]) -> Filter {
    let days = batch.iter().filter_map(|part| part.day);
    let (first, last) = (days.clone().min().map(start_of), days.max().map(|day| start_of(day + 1)));
    Filter {
        since: filter.since.max(first),
        until: [filter.until, last].into_iter().flatten().min(),
        network: filter.network.clone(),
    }
}

/// A file under its temporary name.
struct OpenFile {
    name: String,
    path: PathBuf,
    part: PathBuf,
    sink: Box<dyn Sink>,
    hashed: Hashed,
    record_count: u64,
}

impl OpenFile {
    fn create(dir: &Path, part: &Part, wish: &Wish) -> anyhow::Result<Self> {
        let name = part.name(wish.format);
        let path = dir.join(&name);
        let temporary = dir.join(format!("{name}.part"));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
        }
        let file = File::create(&temporary).map_err(|error| cannot_write(&temporary, &error))?;
        let hashed = Hashed(Arc::new(Mutex::new(State { file, hash: Sha256::new(), bytes: 0 })));
        let sink = wish.format.open(part.kind, hashed.clone())?;
        Ok(Self { name, path, part: temporary, sink, hashed, record_count: 0 })
    }

    /// Ends the file, waits until it is on disk and gives it its name.
    fn finish(self) -> anyhow::Result<FileEntry> {
        let end = || -> anyhow::Result<(u64, String)> {
            self.sink.finish()?;
            let state = self.hashed.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.file.sync_all()?;
            std::fs::rename(&self.part, &self.path)?;
            Ok((state.bytes, hex(&state.hash.clone().finalize())))
        };
        let (bytes, sha256) =
            end().with_context(|| format!("`{}` cannot be written", self.path.display()))?;
        Ok(FileEntry { name: self.name, records_count: self.record_count, bytes, sha256 })
    }
}

/// A file that is hashed while it is written; a clone is the same file.
#[derive(Clone)]
struct Hashed(Arc<Mutex<State>>);

struct State {
    file: File,
    hash: Sha256,
    bytes: u64,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written = state.file.write(bytes)?;
        state.hash.update(&bytes[..written]);
        state.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).file.flush()
    }
}

/// Size and SHA-256 of a file.
pub(crate) fn hash_file(path: &Path) -> std::io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; HASH_BYTES]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((bytes, hex(&hash.finalize()))),
            count => {
                hash.update(&buffer[..count]);
                bytes += count as u64;
            }
        }
    }
}

/// Bytes in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
