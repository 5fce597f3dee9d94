//! One file of an export while it grows: hashed as it is written, on disk at every checkpoint, and
//! under its own name only when it is whole.
//!
//! Beside `posts.parquet.part` lies `posts.parquet.memo`, with what the sink must be told to go on;
//! text formats have none. Both are as long as the manifest says, or longer: what is behind a checkpoint is
//! cut off.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use freshet_sink::{Format, Record, RecordKind, Sink, SinkError};
use sha2::{Digest as _, Sha256};

use super::manifest::cannot_write;
use super::{FileEntry, Part, Wish};

/// Bytes hashed at once.
const HASH_BYTES: usize = 64 * 1024;
/// Longest memo that is read: row groups of a thousand million rows.
const MEMO_BYTES_MAX: u64 = 1 << 30;

/// A file under its temporary name.
pub(super) struct GrowingFile {
    name: String,
    paths: Paths,
    sink: Box<dyn Sink>,
    hashed: Hashed,
    record_count: u64,
    memo_bytes: u64,
}

/// Where a file is while it grows, and where it will be.
struct Paths {
    path: PathBuf,
    part: PathBuf,
    memo: PathBuf,
}

impl Paths {
    fn new(dir: &Path, name: &str) -> Self {
        let beside = |ending: &str| dir.join(format!("{name}.{ending}"));
        Self { path: dir.join(name), part: beside("part"), memo: beside("memo") }
    }
}

impl GrowingFile {
    /// An empty one.
    pub(super) fn create(dir: &Path, name: &str, kind: RecordKind, format: Format) -> anyhow::Result<Self> {
        discard(dir, name);
        let paths = Paths::new(dir, name);
        if let Some(folder) = paths.path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
        }
        let file = File::create(&paths.part).map_err(|error| cannot_write(&paths.part, &error))?;
        let hashed = Hashed::new(file, Sha256::new(), 0);
        let sink = format.open(kind, hashed.clone()).map_err(|error| failed(&paths.part, error))?;
        Ok(Self { name: name.to_owned(), paths, sink, hashed, record_count: 0, memo_bytes: 0 })
    }

    /// The one that an earlier process left, as it was at its checkpoint; none where it is not that any more.
    pub(super) fn resume(
        dir: &Path,
        part: &Part,
        wish: &Wish,
        entry: &FileEntry,
        memo_bytes: u64,
    ) -> Option<Self> {
        let paths = Paths::new(dir, &entry.name);
        let mut file = OpenOptions::new().read(true).write(true).open(&paths.part).ok()?;
        let (bytes, hash) = hash_of((&mut file).take(entry.bytes)).ok()?;
        if bytes != entry.bytes || hex(&hash.clone().finalize()) != entry.sha256 {
            return None;
        }
        file.set_len(bytes).ok()?;
        file.seek(SeekFrom::Start(bytes)).ok()?;
        let memo = read_memo(&paths.memo, memo_bytes)?;
        let hashed = Hashed::new(file, hash, bytes);
        let sink = wish.format.resume(part.kind, hashed.clone(), bytes, &memo).ok()?;
        let (name, record_count) = (entry.name.clone(), entry.records_count);
        Some(Self { name, paths, sink, hashed, record_count, memo_bytes })
    }

    /// Takes a record.
    pub(super) fn write(&mut self, record: &dyn Record) -> anyhow::Result<()> {
        self.record_count += 1;
        self.sink.write(record).map_err(|error| failed(&self.paths.part, error))
    }

    /// Writes out what is held in memory.
    pub(super) fn relieve(&mut self) -> anyhow::Result<()> {
        self.sink.relieve().map_err(|error| failed(&self.paths.part, error))
    }

    /// Puts everything on disk; gives what it is by now, and the length of its memo.
    pub(super) fn checkpoint(&mut self) -> anyhow::Result<(FileEntry, u64)> {
        let memo = self.sink.checkpoint().map_err(|error| failed(&self.paths.part, error))?;
        if !memo.is_empty() {
            let add = || {
                let mut file = OpenOptions::new().append(true).create(true).open(&self.paths.memo)?;
                file.write_all(&memo)?;
                file.sync_data()
            };
            add().map_err(|error| cannot_write(&self.paths.memo, &error))?;
            self.memo_bytes += memo.len() as u64;
        }
        let state = self.hashed.state();
        state.file.sync_data().map_err(|error| cannot_write(&self.paths.part, &error))?;
        Ok((state.entry(&self.name, self.record_count), self.memo_bytes))
    }

    /// How many records it has.
    pub(super) fn record_count(&self) -> u64 {
        self.record_count
    }

    /// Ends the file, waits until it is on disk and gives it its name.
    pub(super) fn finish(self) -> anyhow::Result<FileEntry> {
        self.finish_after(|_| Ok(()))
    }

    /// The same; `note` is told what it is, when it is on disk and does not have its name yet.
    pub(super) fn finish_after(
        self,
        note: impl FnOnce(&FileEntry) -> anyhow::Result<()>,
    ) -> anyhow::Result<FileEntry> {
        let Self { name, paths, sink, hashed, record_count, .. } = self;
        sink.finish().map_err(|error| failed(&paths.part, error))?;
        let state = hashed.state();
        state.file.sync_all().map_err(|error| cannot_write(&paths.part, &error))?;
        let entry = state.entry(&name, record_count);
        note(&entry)?;
        std::fs::rename(&paths.part, &paths.path).map_err(|error| cannot_write(&paths.path, &error))?;
        // One that stays is written over by the next export.
        let _ = std::fs::remove_file(&paths.memo);
        Ok(entry)
    }
}

/// Takes away what is left of a file that was never finished.
pub(super) fn discard(dir: &Path, name: &str) {
    let paths = Paths::new(dir, name);
    for path in [&paths.part, &paths.memo] {
        // What is not there need not go; what cannot go is found when it is written.
        let _ = std::fs::remove_file(path);
    }
}

/// The memo, cut off where the checkpoint was.
fn read_memo(path: &Path, bytes: u64) -> Option<Vec<u8>> {
    if bytes == 0 {
        return Some(Vec::new());
    }
    if bytes > MEMO_BYTES_MAX {
        return None;
    }
    let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
    let mut memo = Vec::new();
    (&file).take(bytes).read_to_end(&mut memo).ok()?;
    file.set_len(bytes).ok()?;
    (memo.len() as u64 == bytes).then_some(memo)
}

fn failed(path: &Path, error: SinkError) -> anyhow::Error {
    match error {
        SinkError::Write(error) => cannot_write(path, &error),
        other => anyhow::Error::new(other).context(format!("`{}` cannot be written", path.display())),
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

impl Hashed {
    fn new(file: File, hash: Sha256, bytes: u64) -> Self {
        Self(Arc::new(Mutex::new(State { file, hash, bytes })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn entry(&self, name: &str, records_count: u64) -> FileEntry {
        let sha256 = hex(&self.hash.clone().finalize());
        FileEntry { name: name.to_owned(), records_count, bytes: self.bytes, sha256 }
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut state = self.state();
        let written = state.file.write(bytes)?;
        state.hash.update(&bytes[..written]);
        state.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.state().file.flush()
    }
}

/// Size and SHA-256 of a file.
pub(crate) fn hash_file(path: &Path) -> std::io::Result<(u64, String)> {
    let (bytes, hash) = hash_of(File::open(path)?)?;
    Ok((bytes, hex(&hash.finalize())))
}

/// The SHA-256 of bytes.
pub(crate) fn hash_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hash_of(mut file: impl Read) -> std::io::Result<(u64, Sha256)> {
    let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; HASH_BYTES]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((bytes, hash)),
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
