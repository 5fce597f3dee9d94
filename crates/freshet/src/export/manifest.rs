//! The manifest beside an export: what was asked for, and which files are finished.
//!
//! By it an export that was interrupted goes on: the same wish, typed again, keeps the finished files
//! and the instants that were meant then (`--since 7d` is not counted from today). A finished one
//! stays as the list of files, each with its size and its SHA-256. It is replaced by renaming, after
//! the files it names are on disk.

use std::path::Path;

use anyhow::Context as _;
use freshet_types::Timestamp;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Its name in the folder.
pub(crate) const MANIFEST: &str = "export.json";
/// Largest manifest that is read: a file a day for many hundred years.
const MANIFEST_BYTES_MAX: u64 = 64 << 20;

/// What was asked for, as it was typed: the same words mean the same export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// The format's name.
    pub(crate) format: String,
    /// The kinds of record.
    pub(crate) kinds: Vec<String>,
    /// `--since`.
    pub(crate) since: Option<String>,
    /// `--until`.
    pub(crate) until: Option<String>,
    /// `--network`.
    pub(crate) network: Option<String>,
    /// `--split`.
    pub(crate) split: Option<String>,
}

/// A finished file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    /// Path in the folder, with `/`.
    pub(crate) name: String,
    /// Records in it.
    pub(crate) records_count: u64,
    /// Its size.
    pub(crate) bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub(crate) sha256: String,
}

/// The manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Version of the program that began it.
    pub(crate) freshet: String,
    /// What was asked for.
    pub(crate) asked: Asked,
    /// The instants that were meant, in milliseconds since 1970.
    pub(crate) since_ms: Option<i64>,
    /// The end of them.
    pub(crate) until_ms: Option<i64>,
    /// The newest line of the change log when it began: what came later is not in it.
    pub(crate) up_to_change: u64,
    /// All files are there.
    pub(crate) is_complete: bool,
    /// The finished ones.
    pub(crate) files: Vec<FileEntry>,
}

impl Manifest {
    /// Of an export that begins.
    pub(crate) fn new(
        asked: Asked,
        since: Option<Timestamp>,
        until: Option<Timestamp>,
        up_to_change: u64,
    ) -> Self {
        Self {
            freshet: env!("CARGO_PKG_VERSION").to_owned(),
            asked,
            since_ms: since.map(Timestamp::ms),
            until_ms: until.map(Timestamp::ms),
            up_to_change,
            is_complete: false,
            files: Vec::new(),
        }
    }

    /// The manifest of a folder; none where there is none, or where it is not understood: then there
    /// is nothing to go on with.
    pub(crate) fn read(dir: &Path) -> Option<Self> {
        let path = dir.join(MANIFEST);
        let length = std::fs::metadata(&path).ok()?.len();
        if length > MANIFEST_BYTES_MAX {
            return None;
        }
        serde_json::from_slice(&std::fs::read(&path).ok()?).ok()
    }

    /// Writes it.
    pub(crate) fn write(&self, dir: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self).context("the manifest cannot be written as JSON")?;
        let (path, part) = (dir.join(MANIFEST), dir.join(format!("{MANIFEST}.part")));
        std::fs::write(&part, text + "\n")
            .and_then(|()| std::fs::rename(&part, &path))
            .map_err(|error| cannot_write(&path, &error))
    }

    /// Keeps the entries whose files are there, as long as they were.
    pub(crate) fn keep_what_is_there(&mut self, dir: &Path) {
        let is_there = |it: &FileEntry| {
            std::fs::metadata(dir.join(&it.name))
                .is_ok_and(|found| found.is_file() && found.len() == it.bytes)
        };
        self.files.retain(is_there);
    }

    /// Records in the finished files.
    pub(crate) fn records_count(&self) -> u64 {
        self.files.iter().map(|file| file.records_count).sum()
    }
}

/// For a place that cannot be written to.
pub(super) fn cannot_write(path: &Path, error: &std::io::Error) -> anyhow::Error {
    let failure = Failure::new(format!("`{}` cannot be written: {error}", path.display()));
    failure
        .hint("is there room, and may you write there? the same command goes on where this one stopped")
        .into()
}
