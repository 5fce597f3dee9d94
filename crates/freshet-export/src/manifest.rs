//! The manifest beside an export: what was asked for, which files are finished, and how far the others are.
//!
//! By it an export that was interrupted goes on: the same wish, typed again, keeps the finished files,
//! the checkpoint of the open ones and the instants that were meant then (`--since 7d` is not counted
//! from today). A finished one stays as the list of files, each with its size and its SHA-256. It is
//! replaced by renaming, after what it says of the files is on disk.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use freshet_app::config::Globals;
use freshet_app::exports;
use freshet_app::failure::Failure;
use freshet_store::keeping::ExportRow;
use freshet_store::row::Filter;
use freshet_types::{Set, Timestamp};
use serde::{Deserialize, Serialize};

use super::Bounds;

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
    pub(crate) since: Option<String>,
    pub(crate) until: Option<String>,
    pub(crate) network: Option<String>,
    pub(crate) split: Option<String>,
    /// As whom; what one viewer sees is not gone on with as another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) viewer: Option<String>,
}

/// A finished file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    /// Path in the folder, with `/`.
    pub(crate) name: String,
    /// Records in it.
    pub(crate) records_count: u64,
    pub(crate) bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}

/// The files that are being written, as of their last common checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Open {
    /// The number of the last record that is in one of them.
    pub(crate) above: u64,
    /// Each, as long as it was then.
    pub(crate) files: Vec<FileEntry>,
    /// Bytes of what is remembered of each beside it.
    pub(crate) memos_bytes: Vec<u64>,
}

/// The manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Version of the program that began it.
    pub(crate) freshet: String,
    /// What was asked for.
    pub(crate) asked: Asked,
    /// The store that it is taken from; see [`super::identity`].
    #[serde(default)]
    pub(crate) store: String,
    /// The instants that were meant, in milliseconds since 1970.
    pub(crate) since_ms: Option<i64>,
    /// The end of them.
    pub(crate) until_ms: Option<i64>,
    /// When it began, by the crawl's clock; versions before this one did not say.
    #[serde(default)]
    pub(crate) begun_ms: Option<i64>,
    /// The newest line of the change log when it began: what came later is not in it.
    pub(crate) up_to_change: u64,
    /// The newest relation when it began.
    #[serde(default = "all")]
    pub(crate) up_to_relation: u64,
    /// The newest link when it began.
    #[serde(default = "all")]
    pub(crate) up_to_link: u64,
    /// All files are there.
    pub(crate) is_complete: bool,
    /// The finished ones.
    pub(crate) files: Vec<FileEntry>,
    /// Those that are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) open: Option<Open>,
    /// Files that earlier exports wrote into the folder and that are no part of this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) former_files: Vec<String>,
    /// Files that an earlier export left half written and that nobody goes on with.
    #[serde(skip)]
    pub(super) abandoned: Vec<String>,
    /// All files that it will have, until they are there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) planned_files: Vec<String>,
}

impl Manifest {
    /// Of an export that begins.
    pub(crate) fn new(
        asked: Asked,
        store: String,
        (since, until): (Option<Timestamp>, Option<Timestamp>),
        up_to: Bounds,
    ) -> Self {
        Self {
            freshet: env!("CARGO_PKG_VERSION").to_owned(),
            asked,
            store,
            since_ms: since.map(Timestamp::ms),
            until_ms: until.map(Timestamp::ms),
            begun_ms: None,
            up_to_change: up_to.change,
            up_to_relation: up_to.relation,
            up_to_link: up_to.link,
            is_complete: false,
            files: Vec::new(),
            open: None,
            former_files: Vec::new(),
            abandoned: Vec::new(),
            planned_files: Vec::new(),
        }
    }

    /// The manifest of a folder, none where there is none; a file of its name that somebody else
    /// wrote is refused.
    pub(crate) fn read(dir: &Path) -> anyhow::Result<Option<Self>> {
        let path = dir.join(MANIFEST);
        let found = std::fs::metadata(&path).map(|found| found.len() <= MANIFEST_BYTES_MAX);
        let is_fit = match found {
            Err(error) if is_nothing(&error) => return Ok(None),
            found => found.with_context(|| format!("`{}` cannot be read", path.display()))?,
        };
        let text = if is_fit { std::fs::read(&path).unwrap_or_default() } else { Vec::new() };
        serde_json::from_slice(&text).map(Some).map_err(|_| {
            Failure::misuse(format!("`{}` is there and is no manifest of an export", path.display()))
                .hint("name another folder, or move that file away")
                .into()
        })
    }

    /// Writes it, and waits until it is on disk.
    pub(crate) fn write(&self, dir: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self).context("the manifest cannot be written as JSON")?;
        let (path, part) = (dir.join(MANIFEST), dir.join(format!("{MANIFEST}.part")));
        let write = || {
            let mut file = File::create(&part)?;
            file.write_all((text + "\n").as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&part, &path)
        };
        write().map_err(|error| cannot_write(&path, &error))
    }

    /// The same, of an export that began then.
    pub(crate) fn begun_at(self, now: Timestamp) -> Self {
        Self { begun_ms: Some(now.ms()), ..self }
    }

    /// Whether it is of another store than this one.
    pub(crate) fn is_of_another(&self, store: &str) -> bool {
        !self.store.is_empty() && self.store != store
    }

    /// Has the store remember where it lies, so that it can be told of what is erased later.
    pub(crate) fn remember(&self, globals: &Globals, dir: &Path, is_snapshot: bool) {
        let Some(begun_ms) = self.begun_ms else { return };
        let made_at = Timestamp::from_ms(begun_ms);
        let path = exports::path_of(dir);
        let up_to = self.up_to_change;
        exports::remember(globals, &ExportRow { path, is_snapshot, made_at, up_to, heard_at: made_at });
    }

    /// The last numbers that are in it.
    pub(crate) fn up_to(&self) -> Bounds {
        Bounds { change: self.up_to_change, relation: self.up_to_relation, link: self.up_to_link }
    }

    /// What is in it.
    pub(crate) fn filter(&self) -> Filter {
        let at = |ms: Option<i64>| ms.map(Timestamp::from_ms);
        let (since, until) = (at(self.since_ms), at(self.until_ms));
        Filter { since, until, network: self.asked.network.clone(), above: 0 }
    }

    /// Keeps the entries whose files are there, as long as they were; others are written over.
    pub(crate) fn keep_what_is_there(&mut self, dir: &Path) {
        let is_there = |it: &FileEntry| {
            std::fs::metadata(dir.join(&it.name))
                .is_ok_and(|found| found.is_file() && found.len() == it.bytes)
        };
        let (kept, spoilt): (Vec<FileEntry>, _) =
            std::mem::take(&mut self.files).into_iter().partition(is_there);
        self.files = kept;
        self.former_files.extend(spoilt.into_iter().map(|file| file.name));
    }

    /// All files are there.
    pub(super) fn complete(&mut self) {
        self.is_complete = true;
        self.planned_files = Vec::new();
        let own: Set<&str> = self.files.iter().map(|file| file.name.as_str()).collect();
        self.former_files.retain(|name| !own.contains(name.as_str()));
    }

    /// Remembers the files of the export that this one replaces: they may be written over.
    pub(crate) fn replace(&mut self, former: Self, dir: &Path) {
        self.abandoned = former.open.into_iter().flat_map(|open| open.files).map(|file| file.name).collect();
        let finished = former.files.into_iter().map(|file| file.name);
        let names: Set<String> = finished.chain(former.planned_files).chain(former.former_files).collect();
        self.former_files = names.into_iter().filter(|name| dir.join(name).is_file()).collect();
        self.former_files.sort();
    }

    /// Whether a file that has a name of this export is of an export.
    pub(super) fn knows(&self, name: &str) -> bool {
        let finished = self.files.iter().map(|file| &file.name);
        finished.chain(&self.planned_files).chain(&self.former_files).any(|it| it == name)
    }

    /// Records that are written for good: in finished files, and before the checkpoint of open ones.
    pub(crate) fn records_count(&self) -> u64 {
        let open = self.open.iter().flat_map(|open| &open.files);
        self.files.iter().chain(open).map(|file| file.records_count).sum()
    }
}

/// Manifests of earlier versions did not say.
fn all() -> u64 {
    u64::MAX
}

fn is_nothing(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// For a place that cannot be written to.
pub(super) fn cannot_write(path: &Path, error: &std::io::Error) -> anyhow::Error {
    let failure = Failure::new(format!("`{}` cannot be written: {error}", path.display()));
    failure
        .hint("is there room, and may you write there? the same command goes on where this one stopped")
        .into()
}
