//! Files that are not a store, or not one that this freshet may touch.

use super::*;
use crate::{SqliteStore, Store};

/// Opening fails with these words and leaves every byte as it was.
fn check_refused(path: &Path, words: &str) {
    let before = std::fs::read(path).unwrap();
    for error in [SqliteStore::open(path).unwrap_err(), SqliteStore::open_reader(path).unwrap_err()] {
        let text = error.to_string();
        assert!(text.contains(words), "{text}");
        assert!(text.contains(&path.display().to_string()), "{text} names the file");
    }
    assert_eq!(std::fs::read(path).unwrap(), before, "the file is untouched");
    let name = path.file_name().unwrap().to_str().unwrap();
    for suffix in ["-wal", "-journal"] {
        let beside = path.with_file_name(format!("{name}{suffix}"));
        let length = std::fs::metadata(&beside).map_or(0, |file| file.len());
        assert_eq!(length, 0, "{} was written", beside.display());
    }
}

#[test]
fn what_is_no_store_is_refused_and_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("text.db");
    std::fs::write(&path, "just some notes, long enough to be looked at as if they were a header of a file")
        .unwrap();
    check_refused(&path, "not a SQLite file");
    std::fs::write(&path, "short").unwrap();
    check_refused(&path, "not a SQLite file");
    let foreign = dir.path().join("foreign.db");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
    check_refused(&foreign, "another program");
    let error = SqliteStore::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("cannot open"), "a directory: {error}");
    let error = SqliteStore::open_reader(&dir.path().join("none.db")).unwrap_err().to_string();
    assert!(error.contains("freshet init"), "{error}");
    assert!(!dir.path().join("none.db").is_file(), "a reader makes nothing");
}

#[test]
fn a_damaged_store_is_refused_and_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    drop(SqliteStore::open(&path).unwrap());
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[100..4096].fill(0x5a);
    std::fs::write(&path, &bytes).unwrap();
    check_refused(&path, "damaged");
    bytes.truncate(90);
    std::fs::write(&path, &bytes).unwrap();
    check_refused(&path, "");
}

#[test]
fn a_newer_store_is_refused_and_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    drop(SqliteStore::open(&path).unwrap());
    let db = Connection::open(&path).unwrap();
    let newer = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
                 VALUES (99, 'later', '2030-01-01T00:00:00Z', '1')";
    db.execute_batch(newer).unwrap();
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(db);
    check_refused(&path, &format!("schema 99, this one knows {}", known_version()));
    let error = SqliteStore::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::TooNew { found: 99, known, .. } if known == known_version()));
}

#[test]
fn opening_again_keeps_everything() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    let mut store = SqliteStore::open(&path).unwrap();
    store.set_setting("key", "value").unwrap();
    // A second handle while the first is open, as a command beside a running crawl.
    let other = SqliteStore::open(&path).unwrap();
    assert_eq!(other.setting("key").unwrap().as_deref(), Some("value"));
    drop((store, other));
    assert_eq!(SqliteStore::open(&path).unwrap().setting("key").unwrap().as_deref(), Some("value"));
}

#[test]
fn two_may_make_the_same_store_at_once() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..5 {
        let path = dir.path().join(format!("{round}.db"));
        std::thread::scope(|scope| {
            let opened = [0; 4].map(|_| scope.spawn(|| SqliteStore::open(&path).map(drop)));
            for one in opened {
                one.join().unwrap().unwrap();
            }
        });
    }
}

#[test]
fn an_older_store_is_brought_up_to_date() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    let mut db = Connection::open(&path).unwrap();
    db.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    let first = Migration::unapplied(MIGRATIONS[0].0, MIGRATIONS[0].1).unwrap();
    Runner::new(&[first]).run(&mut db).unwrap();
    let line = "INSERT INTO networks (id, name) VALUES (1, 'n'); \
                INSERT INTO accounts (id, network, native_id, depth, seen_at) VALUES (1, 1, 'a', 0, 5); \
                INSERT INTO changes (number, object, class, kind, seen_at, visit) VALUES (1, 1, 0, 0, 5, 9)";
    db.execute_batch(line).unwrap();
    drop(db);
    let store = SqliteStore::open(&path).unwrap();
    let changes = store.changes_above(0, 10).unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].address.id.as_str(), changes[0].finder), ("a", None));
}

/// Others that open the store, even in this process, leave our hold on it: without it, the next program that closes the file
/// takes itself for the last one and deletes the write-ahead log.
#[cfg(target_os = "linux")]
#[test]
fn a_store_stays_held_when_others_close_it() {
    use std::os::unix::fs::MetadataExt as _;

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    let store = SqliteStore::open(&path).unwrap();
    store.setting("key").unwrap();
    let (process, file) = (std::process::id(), std::fs::metadata(&path).unwrap().ino());
    let is_held = || {
        let locks = std::fs::read_to_string("/proc/locks").unwrap();
        let is_ours = |line: &&str| line.contains("POSIX") && line.contains(&format!(" {process} "));
        locks.lines().filter(is_ours).any(|line| line.contains(&format!(":{file} ")))
    };
    assert!(is_held(), "from the beginning");
    drop(SqliteStore::open(&path).unwrap());
    drop(SqliteStore::open_reader(&path).unwrap());
    assert!(is_held(), "and after others");
}
