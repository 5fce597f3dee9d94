//! Deletions and forgettings reach an export that was made before.
//!
//! Each record of the folder's files is looked up in the store by its name. What is stored no more is taken out: the store knows of
//! what was forgotten by keyed hashes only, and that is enough to recognise what an export names, so no name has to be
//! kept for it. What was redacted is emptied, what was deleted is marked, as the network's `on_delete` says.
//!
//! Invariants: a file is written anew beside the old one and renamed when it is on disk; what is done so far stands in a
//! [`journal`], written before each renaming, so that whoever is killed goes on with the same command and the receipt counts
//! everything. Only files that an export wrote are touched: listed in the manifest, with the bytes of then, or of an
//! export that it replaced and readable to the last record. Nothing is taken out by another store's word, nor by that of
//! a store that is older than the export.
//!
//! | room | does |
//! |---|---|
//! | [`judge`] | what a record's fate means for it |
//! | [`folder`] | the files of an export, scanned and written anew |
//! | [`journal`], [`tombstone`], [`receipt`] | what is done; what is to go; what was done |
//! | [`revision`] | snapshots, which are cited by their hash |

mod folder;
mod journal;
mod judge;
mod ours;
mod receipt;
mod revision;
mod tombstone;

use std::path::{Path, PathBuf};

use freshet_app::care;
use freshet_app::config::Globals;
use freshet_app::data::Data;
use freshet_app::exports;
use freshet_app::failure::Failure;
use freshet_app::identity::identity;
use freshet_report::deletions::{
    DeletionSums, DeletionsAppliedReport, DeletionsReceipt, DeletionsReport, LeftAlone,
};
use freshet_report::time::UnixNumber;
use freshet_store::keeping::ExportRow;
use freshet_types::Timestamp;

use crate::small::TOMBSTONES;
use crate::{Manifest, hold};
use folder::Folder;
use journal::Journal;

/// Format of receipts; it changes when a reader must.
const RECEIPT_VERSION: u32 = 1;

/// Writes down what is to go from a folder, and changes nothing else.
pub fn tombstones(globals: &Globals, dir: &Path) -> anyhow::Result<DeletionsReport> {
    let place = Place::find(globals, dir)?;
    let _held = hold(dir)?;
    let mut folder =
        Folder::open(&place.data, (&place.records, dir), place.manifest.clone(), Journal::default());
    tombstone::write(&mut folder, dir)?;
    let left_alone = folder.left_alone();
    let deletions = DeletionsReceipt { left_alone: exported(&left_alone), ..place.receipt(folder.sums()) };
    let tombstones = Some(TOMBSTONES.to_owned());
    Ok(DeletionsReport { tombstones, is_applied: false, ..place.report(deletions, left_alone) })
}

/// Takes what was deleted, forgotten or is retained no longer out of a folder's files.
pub fn apply(globals: &Globals, dir: &Path) -> anyhow::Result<DeletionsReport> {
    let place = Place::find(globals, dir)?;
    let _held = hold(dir)?;
    let journal = Journal::read(dir)?.unwrap_or_default();
    let mut folder = Folder::open(&place.data, (&place.records, dir), place.manifest.clone(), journal);
    tombstone::write(&mut folder, dir)?;
    let report = if place.is_snapshot { revision::apply(&place, folder)? } else { plain(&place, folder)? };
    tombstone::remove_from(dir)?;
    Journal::remove(dir)?;
    // What was left alone has not heard of anything.
    if report.deletions.left_alone.is_empty() {
        exports::remember(globals, &ExportRow { heard_at: place.now, ..place.row });
    }
    Ok(report)
}

/// The same for every export and snapshot that has to hear of something; one that fails keeps nobody else from it.
pub fn apply_all(globals: &Globals) -> anyhow::Result<DeletionsAppliedReport> {
    let due = {
        let data = Data::look(globals)?;
        care::report(&data, data.now_for_report(None))?.exports
    };
    let mut report = DeletionsAppliedReport::default();
    for export in due.into_iter().filter(|it| it.since.is_some()) {
        match apply(globals, Path::new(&export.path)) {
            Ok(applied) => report.folders.push(applied),
            Err(error) => report.failed.push(LeftAlone {
                name: export.path,
                why: format!("{error:#}"),
                is_export: true,
            }),
        }
    }
    Ok(report)
}

/// An export: its files, its manifest, a receipt.
fn plain(place: &Place, mut folder: Folder<'_>) -> anyhow::Result<DeletionsReport> {
    folder.rewrite()?;
    let left_alone = folder.left_alone();
    let deletions = DeletionsReceipt {
        files: folder.journal.files.clone(),
        left_alone: exported(&left_alone),
        ..place.receipt(folder.journal.sums())
    };
    let mut report = place.report(deletions, left_alone);
    if !report.deletions.files.is_empty() {
        receipt::write(&place.dir, &receipt::name(&mut folder.journal, &place.dir)?, &mut report)?;
    }
    Ok(report)
}

/// Of what was left alone, that which an export wrote: names of other files are nobody's business in a receipt.
fn exported(left_alone: &[LeftAlone]) -> Vec<LeftAlone> {
    left_alone.iter().filter(|file| file.is_export).cloned().collect()
}

/// A folder that an export or a snapshot of this store was written to.
struct Place {
    data: Data,
    dir: PathBuf,
    /// Where the records are: the folder itself, or `data` in a snapshot.
    records: PathBuf,
    is_snapshot: bool,
    manifest: Manifest,
    now: Timestamp,
    row: ExportRow,
}

impl Place {
    fn find(globals: &Globals, dir: &Path) -> anyhow::Result<Self> {
        let data = Data::look(globals)?;
        let is_snapshot = revision::is_snapshot(dir);
        let records = if is_snapshot { dir.join("data") } else { dir.to_owned() };
        let Some(manifest) = Manifest::read(&records)? else {
            let failure = Failure::misuse(format!("`{}` is no folder of an export", dir.display()));
            return Err(failure.hint("name a folder that `export -o` or `snapshot` wrote").into());
        };
        if manifest.is_of_another(&identity(&data.store)?) || manifest.store.is_empty() {
            let failure =
                Failure::misuse(format!("`{}` holds an export of another data directory", dir.display()));
            return Err(failure.hint("name the one it was made from with --data DIR").into());
        }
        if manifest.up_to_change > data.store.last_number()? {
            let failure = Failure::misuse(format!("`{}` is newer than this data directory", dir.display()));
            return Err(failure
                .hint("a data directory that was put back to an earlier state cannot say what was deleted since")
                .into());
        }
        let now = data.now_for_report(None);
        let made_at = manifest.begun_ms.map_or(now, Timestamp::from_ms);
        let row = ExportRow {
            path: exports::path_of(dir),
            is_snapshot,
            made_at,
            up_to: manifest.up_to_change,
            heard_at: made_at,
        };
        Ok(Self { data, dir: dir.to_owned(), records, is_snapshot, manifest, now, row })
    }

    fn receipt(&self, sums: DeletionSums) -> DeletionsReceipt {
        DeletionsReceipt {
            version: RECEIPT_VERSION,
            freshet: env!("CARGO_PKG_VERSION").to_owned(),
            applied_at: UnixNumber::of(self.now),
            sums,
            ..DeletionsReceipt::default()
        }
    }

    fn report(&self, deletions: DeletionsReceipt, left_alone: Vec<LeftAlone>) -> DeletionsReport {
        DeletionsReport {
            folder: self.dir.display().to_string(),
            is_applied: true,
            tombstones: None,
            receipt: None,
            receipt_sha256: None,
            left_alone,
            deletions,
        }
    }
}
