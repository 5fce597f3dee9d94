//! A snapshot that has begun and is not finished: where it is made, and what must not change until it is.
//!
//! `cited` is made in `cited.part`, and `cited.part.json` says of what it is one: it belongs to no snapshot, so it
//! lies beside the folder, and its presence tells our folder from somebody else's. What was proven
//! complete stays as it was at the first try, since the records are those of then.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use freshet_app::failure::Failure;
use freshet_app::notice;
use freshet_report::snapshot::CoverageSums;
use serde::{Deserialize, Serialize};

use crate::Asked;

/// What was begun.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Begun {
    /// The store that it is taken from.
    pub(super) store: String,
    /// What was asked for.
    pub(super) asked: Asked,
    /// When, by the crawl's clock.
    pub(super) made_at_ms: i64,
    /// What was proven complete then, once that is written.
    pub(super) coverage: Option<CoverageSums>,
}

/// Where it is made.
#[derive(Debug)]
pub(super) struct Paths {
    /// The folder as it will be.
    dir: PathBuf,
    pub(super) part: PathBuf,
    /// What was begun in it.
    note: PathBuf,
}

impl Paths {
    /// For a folder of this name.
    pub(super) fn new(dir: &Path) -> anyhow::Result<Self> {
        let name = dir.file_name().ok_or_else(|| {
            Failure::misuse(format!("`{}` is no name for a folder", dir.display()))
                .hint("name a new folder, such as flood-2026-11")
        })?;
        let beside = |ending: &str| {
            let mut name = name.to_owned();
            name.push(ending);
            dir.with_file_name(name)
        };
        Ok(Self { dir: dir.to_owned(), part: beside(".part"), note: beside(".part.json") })
    }

    /// Gives the folder its name.
    pub(super) fn finish(&self) -> anyhow::Result<()> {
        std::fs::rename(&self.part, &self.dir)
            .with_context(|| format!("`{}` cannot be made", self.dir.display()))?;
        // One that stays is written over by the next snapshot of this name.
        let _ = std::fs::remove_file(&self.note);
        Ok(())
    }
}

impl Begun {
    /// Writes it down, and waits until it is on disk.
    pub(super) fn write(&self, paths: &Paths) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        let fresh = paths.note.with_extension("json.new");
        let write = || {
            let mut file = File::create(&fresh)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&fresh, &paths.note)
        };
        write().with_context(|| format!("`{}` cannot be written", paths.note.display()))
    }

    fn read(paths: &Paths) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(&paths.note).ok()?).ok()
    }
}

/// The snapshot of the same that was interrupted here, or one that begins, in a folder that is there.
pub(super) fn find_or_begin(paths: &Paths, wanted: Begun, is_restart: bool) -> anyhow::Result<Begun> {
    let former = Begun::read(paths).filter(|_| paths.part.is_dir());
    if former.is_none() && !is_empty(&paths.part) {
        let message = format!("`{}` is there and is no snapshot that was interrupted", paths.part.display());
        let hint = "a snapshot is made under this name first; move that folder away";
        return Err(Failure::misuse(message).hint(hint).into());
    }
    if let Some(former) = former {
        let is_same = former.asked == wanted.asked && former.store == wanted.store;
        if is_same && former.coverage.is_some() && !is_restart {
            notice::note("goes on where a snapshot stopped");
            return Ok(former);
        }
        if !is_same && !is_restart {
            notice::note("a snapshot of something else was interrupted here; this one begins anew");
        }
        std::fs::remove_dir_all(&paths.part)
            .with_context(|| format!("`{}` cannot be emptied", paths.part.display()))?;
    }
    let cannot = || format!("`{}` cannot be made", paths.part.display());
    if let Some(parent) = paths.part.parent() {
        std::fs::create_dir_all(parent).with_context(cannot)?;
    }
    wanted.write(paths)?;
    std::fs::create_dir_all(&paths.part).with_context(cannot)?;
    Ok(wanted)
}

/// Whether nothing is there, or a folder with nothing in it.
pub(super) fn is_empty(path: &Path) -> bool {
    match std::fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}
