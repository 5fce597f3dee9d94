//! The files of an export: scanned for what is to go, and written anew without it.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use freshet_app::data::Data;
use freshet_app::notice;
use freshet_report::deletions::{DeletionSums, DeletionsFile, LeftAlone};
use freshet_sink::SinkError;
use freshet_sink::back::{self, Row};
use freshet_store::api::Store;
use freshet_types::Map;

use super::journal::Journal;
use super::judge::{Outcome, judge};
use super::ours::{self, Ours};
use crate::file::{GrowingFile, discard};
use crate::{FileEntry, Manifest};

/// Records that are looked up at once.
const BATCH: usize = 1000;

/// An export that is looked through.
pub(super) struct Folder<'a> {
    data: &'a Data,
    dir: PathBuf,
    /// Where the journal lies: the folder itself, or the snapshot that it is the data of.
    above: PathBuf,
    manifest: Manifest,
    files: Vec<Ours>,
    /// What was found in each, by its name.
    found: Map<String, DeletionSums>,
    left: Vec<LeftAlone>,
    pub(super) journal: Journal,
}

impl<'a> Folder<'a> {
    pub(super) fn open(
        data: &'a Data,
        (dir, above): (&Path, &Path),
        manifest: Manifest,
        mut journal: Journal,
    ) -> Self {
        let (files, left) = ours::find(dir, &manifest, &journal);
        journal.keep_what_was_renamed(|noted| {
            let file = files.iter().find(|file| file.name == noted.name);
            file.is_none_or(|file| file.sha256 == noted.sha256)
        });
        Self {
            data,
            dir: dir.to_owned(),
            above: above.to_owned(),
            manifest,
            files,
            found: Map::default(),
            left,
            journal,
        }
    }

    /// What is to go, as far as it was looked for.
    pub(super) fn sums(&self) -> DeletionSums {
        let mut sums = DeletionSums::default();
        self.found.values().for_each(|found| sums += *found);
        sums
    }

    pub(super) fn left_alone(&self) -> Vec<LeftAlone> {
        self.left.clone()
    }

    /// Looks at every record of every file; what is not as an export writes it makes a file one that is left alone.
    pub(super) fn scan(
        &mut self,
        each: &mut dyn FnMut(&Row, Outcome) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut readable = Vec::new();
        for file in std::mem::take(&mut self.files) {
            let mut sums = DeletionSums::default();
            let scanned = each_judged(&self.data.store, &self.dir, &file, &mut |row, outcome| {
                outcome.count(&mut sums);
                each(row, outcome)
            });
            match scanned {
                Ok(()) => {
                    self.found.insert(file.name.clone(), sums);
                    readable.push(file);
                }
                Err(error) => self.leave(&file.name, error)?,
            }
        }
        self.files = readable;
        Ok(())
    }

    /// Leaves a file alone that is not ours; what is wrong with anything else ends it.
    fn leave(&mut self, name: &str, error: anyhow::Error) -> anyhow::Result<()> {
        match error.downcast_ref::<SinkError>() {
            Some(why @ (SinkError::Foreign { .. } | SinkError::Read(_))) => {
                self.left.push(LeftAlone { name: name.to_owned(), why: why.to_string(), is_export: true });
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// Writes those files anew that hold what is to go, and the manifest.
    pub(super) fn rewrite(&mut self) -> anyhow::Result<()> {
        self.drop_open()?;
        for file in self.files.clone() {
            if self.found.get(&file.name).is_some_and(|found| !found.is_empty()) {
                self.rewrite_one(&file)?;
            }
        }
        let fresh: Map<&str, &DeletionsFile> =
            self.journal.files.iter().map(|file| (file.name.as_str(), file)).collect();
        let mut is_changed = false;
        for entry in &mut self.manifest.files {
            let Some(file) = fresh.get(entry.name.as_str()).filter(|file| file.sha256 != entry.sha256) else {
                continue;
            };
            is_changed = true;
            *entry = FileEntry {
                name: entry.name.clone(),
                records_count: file.records_count,
                bytes: file.bytes,
                sha256: file.sha256.clone(),
            };
        }
        if is_changed { self.manifest.write(&self.dir) } else { Ok(()) }
    }

    /// What an export left half written when it was interrupted goes; the same export, typed again, writes it anew.
    fn drop_open(&mut self) -> anyhow::Result<()> {
        let Some(open) = self.manifest.open.take() else { return Ok(()) };
        self.manifest.write(&self.dir)?;
        open.files.iter().for_each(|file| discard(&self.dir, &file.name));
        notice::note(
            "this export was interrupted; its half-written files are taken away, the same command goes on",
        );
        Ok(())
    }

    fn rewrite_one(&mut self, file: &Ours) -> anyhow::Result<()> {
        let mut growing = GrowingFile::create(&self.dir, &file.name, file.kind, file.format)?;
        let (mut sums, mut before) = (DeletionSums::default(), 0);
        let written = each_judged(&self.data.store, &self.dir, file, &mut |row, outcome| {
            before += 1;
            outcome.count(&mut sums);
            if outcome.stays() { growing.write(row) } else { Ok(()) }
        });
        if let Err(error) = written {
            discard(&self.dir, &file.name);
            return Err(error);
        }
        let (journal, above) = (&mut self.journal, &self.above);
        growing.finish_after(|entry| {
            journal.note(DeletionsFile {
                name: entry.name.clone(),
                records_before_count: before,
                records_count: entry.records_count,
                sums,
                sha256_before: file.sha256.clone(),
                sha256: entry.sha256.clone(),
                bytes: entry.bytes,
            });
            journal.write(above)
        })?;
        Ok(())
    }
}

/// Gives every record of a file as it is to be, and what happens to it.
fn each_judged(
    store: &dyn Store,
    dir: &Path,
    file: &Ours,
    each: &mut dyn FnMut(&Row, Outcome) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let path = dir.join(&file.name);
    let opened = File::open(&path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    let (mut rows, mut place) = (Vec::with_capacity(BATCH), 0);
    let mut settle = |rows: &mut Vec<Row>| -> anyhow::Result<()> {
        let outcomes = judge(store, rows)?.ok_or_else(|| SinkError::Foreign {
            format: file.format,
            place,
            why: "a record soon after this one does not say what it is about".to_owned(),
        })?;
        place += rows.len() as u64;
        for (row, outcome) in rows.drain(..).zip(outcomes) {
            each(&row, outcome)?;
        }
        Ok(())
    };
    back::each_row::<Failed>(file.format, file.kind, opened, &mut |row| {
        rows.push(row);
        if rows.len() == BATCH { settle(&mut rows).map_err(Failed) } else { Ok(()) }
    })
    .map_err(|failed| failed.0)?;
    settle(&mut rows)
}

/// Whatever ends the reading of a file.
struct Failed(anyhow::Error);

impl From<SinkError> for Failed {
    fn from(error: SinkError) -> Self {
        Self(error.into())
    }
}
