//! Opening a SQLite store: is it ours, which schema has it, how is the connection tuned.
//!
//! Invariant: a file that is not a freshet store is refused before anything is written to it.
//! That is judged by the file's own header, read as plain bytes: SQLite's mark, and our
//! application id, which goes into the file before it is switched to the write-ahead log.

use std::path::Path;
use std::time::Duration;

use refinery::{Migration, Runner};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use super::{SqliteOptions, failed};
use crate::api::{StoreError, Trouble};

/// All migrations, oldest first; one that was released is never edited.
const MIGRATIONS: [(&str, &str); 9] = [
    ("V1__spine", include_str!("../../migrations/sqlite/V1__spine.sql")),
    ("V2__finder", include_str!("../../migrations/sqlite/V2__finder.sql")),
    ("V3__heritage", include_str!("../../migrations/sqlite/V3__heritage.sql")),
    ("V4__checked", include_str!("../../migrations/sqlite/V4__checked.sql")),
    ("V5__parked", include_str!("../../migrations/sqlite/V5__parked.sql")),
    ("V6__lists", include_str!("../../migrations/sqlite/V6__lists.sql")),
    ("V7__browse", include_str!("../../migrations/sqlite/V7__browse.sql")),
    ("V8__earlier", include_str!("../../migrations/sqlite/V8__earlier.sql")),
    ("V9__lists_proven", include_str!("../../migrations/sqlite/V9__lists_proven.sql")),
];

/// "FRSH", in the header of every store.
const APPLICATION_ID: u32 = 0x4652_5348;
/// Another process writes in short transactions; longer than this means that something is wrong.
pub(super) const BUSY: Duration = Duration::from_secs(10);
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
/// Changing a new file to write-ahead logging needs it alone, and SQLite does not wait for that:
/// when several processes make one store at once, all but one try again.
pub(super) fn writer(path: &Path, options: SqliteOptions) -> Result<Connection, StoreError> {
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

fn try_writer(path: &Path, options: SqliteOptions) -> Result<Connection, StoreError> {
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
pub(super) fn reader(path: &Path, options: SqliteOptions) -> Result<Connection, StoreError> {
    let no_store = || open_error(path, "there is no store; `freshet init` makes one");
    if !path.exists() {
        return Err(no_store());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags).map_err(refused(path))?;
    db.busy_timeout(options.busy).map_err(failed("open"))?;
    if check_ours(&db, path)? {
        return Err(no_store());
    }
    if check_version(&db, path)? < known_version() {
        return Err(open_error(path, "its schema is older; open it once with a command that writes"));
    }
    tune(&db, options).map_err(refused(path))?;
    Ok(db)
}

/// A store that ends with the process.
pub(super) fn memory(options: SqliteOptions) -> Result<Connection, StoreError> {
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
    let pages = number("page_count").map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => {
            open_error(path, "it is not a SQLite file, or damaged; name another --data directory")
        }
        _ => refused(path)(error),
    })?;
    if pages == 0 {
        return Ok(true);
    }
    if number("application_id").map_err(refused(path))? != i64::from(APPLICATION_ID) {
        return Err(open_error(path, "it belongs to another program; name another --data directory"));
    }
    Ok(false)
}

fn tune(db: &Connection, options: SqliteOptions) -> rusqlite::Result<()> {
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
