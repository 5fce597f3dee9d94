//! Opening a SQLite store: is it ours, which schema has it, how is the connection tuned.
//!
//! Invariants: a file that is not a freshet store is refused before anything is written to it. That is judged by the file's
//! own header: SQLite's mark, and our application id. A store appears whole or not at all: it is made under
//! another name, closed, and then given its own, so that whoever dies while making it leaves nothing that looks
//! like a store, and a file of no bytes is always one that was cut off. Only its owner may read it.
//! A reader writes nothing, and brings nothing up to date.

mod make;

use std::path::{Path, PathBuf};
use std::time::Duration;

use refinery::{Migration, Runner};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use super::failed;
use crate::api::{StoreError, Trouble};
use crate::options::Options;

/// All migrations, oldest first; one that was released is never edited.
const MIGRATIONS: [(&str, &str); 25] = [
    ("V1__spine", include_str!("../../migrations/sqlite/V1__spine.sql")),
    ("V2__finder", include_str!("../../migrations/sqlite/V2__finder.sql")),
    ("V3__heritage", include_str!("../../migrations/sqlite/V3__heritage.sql")),
    ("V4__checked", include_str!("../../migrations/sqlite/V4__checked.sql")),
    ("V5__parked", include_str!("../../migrations/sqlite/V5__parked.sql")),
    ("V6__lists", include_str!("../../migrations/sqlite/V6__lists.sql")),
    ("V7__browse", include_str!("../../migrations/sqlite/V7__browse.sql")),
    ("V8__earlier", include_str!("../../migrations/sqlite/V8__earlier.sql")),
    ("V9__lists_proven", include_str!("../../migrations/sqlite/V9__lists_proven.sql")),
    ("V10__forgotten", include_str!("../../migrations/sqlite/V10__forgotten.sql")),
    ("V11__epochs", include_str!("../../migrations/sqlite/V11__epochs.sql")),
    ("V12__pulse", include_str!("../../migrations/sqlite/V12__pulse.sql")),
    ("V13__interest", include_str!("../../migrations/sqlite/V13__interest.sql")),
    ("V14__model", include_str!("../../migrations/sqlite/V14__model.sql")),
    ("V15__timetable", include_str!("../../migrations/sqlite/V15__timetable.sql")),
    ("V16__tags", include_str!("../../migrations/sqlite/V16__tags.sql")),
    ("V17__evidence", include_str!("../../migrations/sqlite/V17__evidence.sql")),
    ("V18__held", include_str!("../../migrations/sqlite/V18__held.sql")),
    ("V19__link_numbers", include_str!("../../migrations/sqlite/V19__link_numbers.sql")),
    ("V20__ranks", include_str!("../../migrations/sqlite/V20__ranks.sql")),
    ("V21__subscriptions", include_str!("../../migrations/sqlite/V21__subscriptions.sql")),
    ("V22__streams", include_str!("../../migrations/sqlite/V22__streams.sql")),
    ("V23__unkept", include_str!("../../migrations/sqlite/V23__unkept.sql")),
    ("V24__keeping", include_str!("../../migrations/sqlite/V24__keeping.sql")),
    ("V25__notices", include_str!("../../migrations/sqlite/V25__notices.sql")),
];

/// "FRSH", in the header of every store.
const APPLICATION_ID: u32 = 0x4652_5348;
/// How often a file that others are just making is tried.
const MAKE_ATTEMPTS: u32 = 50;
/// Wall time between two of these attempts.
const MAKE_GAP: Duration = Duration::from_millis(50);
/// Statements kept prepared; more than all modules of this backend use together.
const STATEMENTS_MAX: usize = 128;
/// 80 MB of log between checkpoints: fewer, larger and better ordered writes to the main file.
const CHECKPOINT_PAGES: u32 = 20_000;

/// The connection that may write; makes or migrates the file.
///
/// Changing a file to write-ahead logging needs it alone, and SQLite does not wait for that: when several processes open
/// a store of an earlier version at once, all but one try again.
pub(super) fn writer(path: &Path, options: Options) -> Result<Connection, StoreError> {
    if !path.exists() {
        make::make(path, options)?;
    }
    refuse_empty(path)?;
    for _ in 1..MAKE_ATTEMPTS {
        match try_writer(path, options) {
            Err(StoreError::Passing { trouble: Trouble::Busy, .. }) => {
                std::thread::park_timeout(MAKE_GAP);
            }
            settled => return settled,
        }
    }
    try_writer(path, options)
}

fn try_writer(path: &Path, options: Options) -> Result<Connection, StoreError> {
    let mut db = Connection::open(path).map_err(refused(path))?;
    db.busy_timeout(options.busy).map_err(failed("open"))?;
    if check_ours(&db, path)? {
        db.pragma_update(None, "application_id", APPLICATION_ID).map_err(refused(path))?;
    }
    check_version(&db, path)?;
    db.pragma_update(None, "journal_mode", "wal").map_err(refused(path))?;
    tune(&db, options).map_err(refused(path))?;
    migrate(&mut db, path)?;
    Ok(db)
}

/// A connection that reads only.
pub(super) fn reader(path: &Path, options: Options) -> Result<Connection, StoreError> {
    let no_store = || open_error(path, "there is no store; `freshet init` makes one");
    if !path.exists() {
        return Err(no_store());
    }
    refuse_empty(path)?;
    let db = connect_reader(path, options)?;
    if check_ours(&db, path)? {
        return Err(no_store());
    }
    if check_version(&db, path)? < known_version() {
        return Err(open_error(
            path,
            "it is of an earlier freshet; `freshet init` brings it up to date and keeps everything",
        ));
    }
    tune(&db, options).map_err(refused(path))?;
    Ok(db)
}

/// Reading beside others needs two small files beside the store. Where the folder cannot be written to and they are not
/// there, nobody writes: a writer has a log there. Then the file is read as one that does not change.
fn connect_reader(path: &Path, options: Options) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connect = |name: &Path, flags| -> rusqlite::Result<Connection> {
        let db = Connection::open_with_flags(name, flags)?;
        db.busy_timeout(options.busy)?;
        // Nothing is opened before the first question.
        db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(db)
    };
    let error = match connect(path, flags) {
        Ok(db) => return Ok(db),
        Err(error) => error,
    };
    if !matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)) {
        return Err(not_sqlite(path, error));
    }
    let log = beside(path, "-wal");
    if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        let why = "its folder cannot be written to, and its newest part is still in the log beside it; open it once as \
                   who may write there (`freshet init`), or copy the whole folder and name the copy with --data";
        return Err(open_error(path, why));
    }
    let unchanging = format!("file:{}?immutable=1", escaped(path));
    connect(Path::new(&unchanging), flags | OpenFlags::SQLITE_OPEN_URI).map_err(|_| not_sqlite(path, error))
}

/// A path inside a URI.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// The name of a file that belongs to the store.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}{ending}"))
}

/// A store has bytes from its first moment on. The file is asked for its length, not opened: see [`check_ours`].
fn refuse_empty(path: &Path) -> Result<(), StoreError> {
    match std::fs::metadata(path) {
        Ok(file) if file.is_file() && file.len() == 0 => Err(open_error(
            path,
            "it was cut off: it has no bytes, as after a full disk or a broken copy; restore it from a backup, or \
             remove the file and let `freshet init` make a new one",
        )),
        _ => Ok(()),
    }
}

/// A store that ends with the process.
pub(super) fn memory(options: Options) -> Result<Connection, StoreError> {
    let path = Path::new(":memory:");
    let mut db = Connection::open_in_memory().map_err(refused(path))?;
    tune(&db, options).map_err(refused(path))?;
    migrate(&mut db, path)?;
    Ok(db)
}

/// Whether the file is yet to be filled; an error if it is not ours.
///
/// Asked through the connection, never by reading the file beside it: closing any handle of a file gives up all locks that
/// this process holds on it (POSIX), and then whoever else closes the store as if they were the last one deletes the
/// write-ahead log under our feet.
fn check_ours(db: &Connection, path: &Path) -> Result<bool, StoreError> {
    let number = |name: &str| db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count").map_err(|error| not_sqlite(path, error))?;
    if pages == 0 {
        return Ok(true);
    }
    if number("application_id").map_err(refused(path))? != i64::from(APPLICATION_ID) {
        return Err(open_error(path, "it belongs to another program; name another --data directory"));
    }
    Ok(false)
}

fn not_sqlite(path: &Path, error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            open_error(path, "it is not a SQLite file, or damaged; name another --data directory")
        }
        _ => refused(path)(error),
    }
}

fn tune(db: &Connection, options: Options) -> rusqlite::Result<()> {
    db.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    db.pragma_update(None, "synchronous", "normal")?;
    db.pragma_update(None, "cache_size", -i64::from(options.cache_kib))?;
    db.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    db.pragma_update(None, "temp_store", "memory")?;
    // What is erased is overwritten, not only unlinked.
    db.pragma_update(None, "secure_delete", true)?;
    db.execute_batch("CREATE TEMP TABLE IF NOT EXISTS erased (id INTEGER PRIMARY KEY)")
}

fn migrate(db: &mut Connection, path: &Path) -> Result<(), StoreError> {
    if check_version(db, path)? == known_version() {
        return Ok(());
    }
    let migrations: Vec<_> = MIGRATIONS
        .iter()
        .map(|(name, sql)| Migration::unapplied(name, sql).expect("the names above are well formed"))
        .collect();
    let result = Runner::new(&migrations).set_grouped(true).run(db);
    match result {
        Ok(_) => Ok(()),
        // Another process may have been quicker.
        Err(_) if check_version(db, path)? == known_version() => Ok(()),
        Err(error) => Err(open_error(path, &format!("its schema cannot be brought up to date: {error}"))),
    }
}

/// The number in the name of the newest migration.
fn known_version() -> u32 {
    let newest =
        MIGRATIONS.last().and_then(|(name, _)| name.strip_prefix('V')?.split("__").next()?.parse().ok());
    newest.expect("the names above are well formed")
}

/// The schema of the file, 0 for a new one; an error if it is newer than ours.
fn check_version(db: &Connection, path: &Path) -> Result<u32, StoreError> {
    let history = "SELECT 1 FROM sqlite_schema WHERE name = 'refinery_schema_history'";
    let has_history = db.query_row(history, [], |_| Ok(())).optional().map_err(refused(path))?.is_some();
    if !has_history {
        return Ok(0);
    }
    let newest = "SELECT COALESCE(max(version), 0) FROM refinery_schema_history";
    let found: u32 = db.query_row(newest, [], |row| row.get(0)).map_err(refused(path))?;
    if found > known_version() {
        let path = path.display().to_string();
        return Err(StoreError::TooNew { path, found, known: known_version() });
    }
    Ok(found)
}

fn refused(path: &Path) -> impl Fn(rusqlite::Error) -> StoreError {
    move |error| match failed("open")(error) {
        StoreError::Passing { trouble: Trouble::Busy, doing, why } => {
            let why = format!("`{}`: {why}", path.display());
            StoreError::Passing { trouble: Trouble::Busy, doing, why }
        }
        // A file that cannot be opened at the start is hardly ever a matter of time.
        StoreError::Passing { why, .. } | StoreError::Database { why, .. } => open_error(path, &why),
        other => other,
    }
}

fn open_error(path: &Path, why: &str) -> StoreError {
    StoreError::Database { doing: "open", why: format!("`{}`: {why}", path.display()) }
}

#[cfg(test)]
mod tests;
