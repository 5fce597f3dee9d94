//! Exports and snapshots that were made from a data directory: remembered, so that they can be told of what is erased later, and
//! which of them have not heard of what.
//!
//! Whoever exports only looks: the store is opened for reading, and that an export was made is noted afterwards, through a second
//! connection, where the store can be written at once. Where it cannot (a copy that one may only read, a busy store) nothing
//! is noted, and the export is none the worse.

use std::path::{Path, absolute};
use std::time::Duration;

use freshet_report::care::CareExport;
use freshet_report::time::UnixNumber;
use freshet_store::Options;
use freshet_store::api::{Store, StoreError};
use freshet_store::keeping::{Erasure, ErasureKind, ExportRow};
use freshet_types::{Span, Timestamp};

use crate::config::Globals;
use crate::data::Data;

/// Memory for one row, in KiB.
const CACHE_KIB: u32 = 1024;
/// How long a lock of another program is waited for: a run writes for some tens of milliseconds.
const BUSY: Duration = Duration::from_secs(2);

/// Where nobody set it: a month, as long as the laws that know such a span give.
pub(crate) const WITHIN_USUAL: Span = Span::from_secs(30 * 86_400);

/// Notes an export in the store it was made from, if that may be.
pub fn remember(globals: &Globals, export: &ExportRow) {
    let options = Options { cache_kib: CACHE_KIB, busy: BUSY, ..Options::default() };
    let noted = match &globals.viewer {
        Some(viewer) => Data::reopen_as(&globals.place(), viewer),
        None => Data::reopen_with(&globals.place(), options),
    };
    let noted = noted.and_then(|mut data| Ok(data.store.note_export(export)?));
    if let Err(error) = noted {
        tracing::debug!("the export is not remembered: {error}");
    }
}

/// A folder by its whole path, as it is remembered.
pub fn path_of(dir: &Path) -> String {
    let whole = std::fs::canonicalize(dir).or_else(|_| absolute(dir));
    whole.unwrap_or_else(|_| dir.to_owned()).display().to_string()
}

/// How many exports and snapshots have not heard of everything.
pub(crate) fn unheard_count(store: &dyn Store, now: Timestamp) -> Result<u64, StoreError> {
    let erasures = store.erasures()?;
    let judge = Judge { store, erasures: &erasures, within: WITHIN_USUAL, now };
    let exports = store.exports()?.iter().map(|row| judge.export(row)).collect::<Result<Vec<_>, _>>()?;
    Ok(exports.iter().filter(|export| export.is_there && export.since.is_some()).count() as u64)
}

/// What an export has to hear of is judged by.
pub(crate) struct Judge<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) erasures: &'a [Erasure],
    /// Within which time it has to hear.
    pub(crate) within: Span,
    pub(crate) now: Timestamp,
}

impl Judge<'_> {
    pub(crate) fn export(&self, row: &ExportRow) -> Result<CareExport, StoreError> {
        let (deleted_count, deleted_at) = self.store.deleted_since(row.heard_at, row.up_to)?;
        let unheard = || self.erasures.iter().filter(|it| is_something(it) && it.last_at > row.heard_at);
        let erased_at = unheard().map(|it| it.first_at.max(row.heard_at)).min();
        let since = [deleted_at, erased_at].into_iter().flatten().min();
        let due_at = since.map(|since| since + self.within);
        let is_there = Path::new(&row.path).is_dir();
        Ok(CareExport {
            path: row.path.clone(),
            is_snapshot: row.is_snapshot,
            made_at: UnixNumber::of(row.made_at),
            heard_at: UnixNumber::of(row.heard_at),
            is_there,
            deleted_count,
            erasures_count: unheard().count() as u64,
            since: since.and_then(UnixNumber::of),
            due_at: due_at.and_then(UnixNumber::of),
            is_overdue: is_there && due_at.is_some_and(|due_at| due_at < self.now),
            command: command(row, (is_there, since.is_some())),
        })
    }
}

/// Whether anything was erased; of a wish to forget that was interrupted that is not known.
fn is_something(it: &Erasure) -> bool {
    it.posts + it.others > 0 || (it.kind == ErasureKind::Forgotten && it.receipt.is_none())
}

fn command(row: &ExportRow, (is_there, is_behind): (bool, bool)) -> Option<String> {
    let path = quoted(&row.path);
    match (is_there, is_behind) {
        (false, _) => Some(format!("freshet care drop {path}")),
        (true, true) => Some(format!("freshet export --apply-deletions {path}")),
        (true, false) => None,
    }
}

/// A path as a shell takes it.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@,".contains(c);
    if path.chars().all(is_plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use freshet_store::api::prelude::*;
    use freshet_store::testing;

    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_secs(day * 86_400)
    }

    /// An export of day 10 in this folder, and something that was erased on a day.
    fn judged(dir: &Path, heard: i64, erased: Option<i64>, now: i64) -> CareExport {
        let mut store = testing::memory();
        if let Some(day) = erased {
            let erasure = Erasure {
                number: 0,
                kind: ErasureKind::Expired,
                first_at: at(day),
                last_at: at(day),
                posts: 1,
                others: 0,
                receipt: None,
            };
            store.note_erasure(&erasure).unwrap();
        }
        let path = dir.display().to_string();
        let row = ExportRow { path, is_snapshot: false, made_at: at(10), up_to: 9, heard_at: at(heard) };
        let erasures = store.erasures().unwrap();
        Judge { store: &store, erasures: &erasures, within: WITHIN_USUAL, now: at(now) }.export(&row).unwrap()
    }

    #[test]
    fn an_export_is_overdue_when_its_time_is_over() {
        let dir = tempfile::tempdir().unwrap();
        for (heard, erased, now, is_behind, is_overdue) in [
            (10, None, 99, false, false),
            (10, Some(9), 99, false, false),
            (10, Some(12), 42, true, false),
            (10, Some(12), 43, true, true),
            (13, Some(12), 99, false, false),
        ] {
            let found = judged(dir.path(), heard, erased, now);
            let what = format!("{heard} {erased:?} {now}: {found:?}");
            assert_eq!((found.command.is_some(), found.is_overdue), (is_behind, is_overdue), "{what}");
        }
        let gone = judged(&dir.path().join("gone"), 10, Some(12), 99);
        assert!(!gone.is_overdue && gone.command.unwrap().starts_with("freshet care drop "));
    }

    #[test]
    fn paths_are_quoted_for_a_shell() {
        assert_eq!(quoted("/data/ada/out-1"), "/data/ada/out-1");
        assert_eq!(quoted("/data/ada's files/out"), r"'/data/ada'\''s files/out'");
    }
}
