//! Going on with an export that was interrupted: what of it can stay.
//!
//! A file stays where the store would still give as many records for it as were written: records are only
//! added at the end, with higher numbers, so fewer means that some were taken away, which must not
//! live on in a file. Open files stay where their bytes are those of the checkpoint, all of them
//! or none: they have one place in the store in common.

use std::path::Path;

use freshet_store::api::{Store, StoreError};
use freshet_types::Map;

use super::file::GrowingFile;
use super::manifest::Open;
use super::part::count_by_day;
use super::{Bounds, Manifest, Part, Wish};

/// Drops finished files whose records are not those of the plan any more; gives how many.
pub(super) fn drop_stale(dir: &Path, wish: &Wish, parts: &[Part], manifest: &mut Manifest) -> usize {
    let planned: Map<String, u64> =
        parts.iter().map(|part| (part.name(wish.format), part.record_count)).collect();
    let before = manifest.files.len();
    manifest.files.retain(|file| {
        let is_same = planned.get(&file.name) == Some(&file.records_count);
        if !is_same {
            // One that is planned is written anew; one that is not must not stay.
            let _ = std::fs::remove_file(dir.join(&file.name));
        }
        is_same
    });
    before - manifest.files.len()
}

/// The parts that were being written, in the order of the checkpoint; none where the plan lacks one of them.
pub(super) fn open_parts<'a>(wish: &Wish, todo: &[&'a Part], open: &Open) -> Option<Vec<&'a Part>> {
    let find = |name: &str| todo.iter().copied().find(|part| part.name(wish.format) == name);
    let parts: Option<Vec<&Part>> = open.files.iter().map(|file| find(&file.name)).collect();
    parts.filter(|parts| {
        let is_one_kind = parts.windows(2).all(|pair| pair[0].kind == pair[1].kind);
        !parts.is_empty() && is_one_kind && open.memos_bytes.len() == parts.len()
    })
}

/// The files as they were at the checkpoint, by their day; none where they must begin anew.
pub(super) fn open_files(
    store: &dyn Store,
    dir: &Path,
    wish: &Wish,
    parts: &[&Part],
    open: &Open,
) -> anyhow::Result<Option<Map<Option<i64>, GrowingFile>>> {
    let up_to = Bounds { change: open.above, relation: open.above, link: open.above };
    let until = Wish { up_to, ..wish.clone() };
    let counted = match count_by_day(store, parts[0].kind, &until) {
        // What cannot be counted cannot be compared.
        Err(StoreError::Damaged { .. }) => return Ok(None),
        counted => counted?,
    };
    let counted: Map<i64, u64> = counted.into_iter().collect();
    let is_same = parts.iter().zip(&open.files).all(|(part, file)| {
        let count = match part.day {
            None => counted.values().sum(),
            Some(day) => counted.get(&day).copied().unwrap_or(0),
        };
        count == file.records_count
    });
    if !is_same {
        return Ok(None);
    }
    let each = parts.iter().zip(&open.files).zip(&open.memos_bytes);
    let files = each.map(|((part, file), &memo)| {
        GrowingFile::resume(dir, part, wish, file, memo).map(|resumed| (part.day, resumed))
    });
    Ok(files.collect())
}
