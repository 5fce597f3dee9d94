//! Files that are not a store, or not one that this freshet may touch.

use freshet_types::{Account, Coverage, CrossLink, Source, SourceId, Timestamp, VisitId};

use super::*;
use crate::api::prelude::*;
use crate::control::{Control, SourcesChange};
use crate::row::{Filter, Upload};
use crate::sqlite::SqliteStore;

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
fn a_store_that_was_cut_off_is_refused_and_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    drop(SqliteStore::open(&path).unwrap());
    let bytes = std::fs::read(&path).unwrap();
    for (kept, words) in [(0, "cut off"), (bytes.len() / 2, "damaged"), (4096, "damaged")] {
        std::fs::write(&path, &bytes[..kept]).unwrap();
        check_refused(&path, words);
    }
}

/// Whoever dies while the store is made leaves a file of another name, and the next one makes it.
#[test]
fn a_store_that_was_half_made_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    std::fs::write(dir.path().join("freshet.db.making-1-0"), "").unwrap();
    let mut store = SqliteStore::open(&path).unwrap();
    store.set_setting("key", "value").unwrap();
    drop(store);
    let mut names: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["freshet.db", "freshet.db.making-1-0"], "nothing of our own is left");
}

#[cfg(unix)]
#[test]
fn only_its_owner_may_read_a_store() {
    use std::os::unix::fs::MetadataExt as _;

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    let mut store = SqliteStore::open(&path).unwrap();
    store.set_setting("key", "value").unwrap();
    for name in ["freshet.db", "freshet.db-wal", "freshet.db-shm"] {
        let mode = std::fs::metadata(dir.path().join(name)).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

/// What a reader leaves as it was: every file, its length and when it was written.
fn listing(dir: &Path) -> Vec<(std::ffi::OsString, u64, std::time::SystemTime)> {
    let entry = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.unwrap();
        let meta = entry.metadata().unwrap();
        (entry.file_name(), meta.len(), meta.modified().unwrap())
    };
    let mut all: Vec<_> = std::fs::read_dir(dir).unwrap().map(entry).collect();
    all.sort();
    all
}

/// A folder in which nothing can be made is read as it is; what is not yet written back is not passed over in silence.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_written_to_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a?b#c%.db");
    let mut store = SqliteStore::open(&path).unwrap();
    store.set_setting("key", "value").unwrap();
    let (main, log) = (std::fs::read(&path).unwrap(), std::fs::read(beside(&path, "-wal")).unwrap());
    drop(store);
    let Some(frozen) = Frozen::new(dir.path()) else {
        println!("SKIPPED: this system lets nobody make a folder read-only");
        return;
    };
    let before = listing(dir.path());
    let reader = SqliteStore::open_reader(&path).unwrap();
    assert_eq!(reader.setting("key").unwrap().as_deref(), Some("value"));
    drop(reader);
    assert_eq!(listing(dir.path()), before);
    let error = SqliteStore::open(&path).unwrap_err().to_string();
    assert!(error.contains("a?b#c%.db"), "{error}");
    drop(frozen);
    std::fs::write(&path, main).unwrap();
    std::fs::write(beside(&path, "-wal"), log).unwrap();
    let _frozen = Frozen::new(dir.path());
    let said = SqliteStore::open_reader(&path).and_then(|store| store.setting("key"));
    match said {
        Ok(value) => assert_eq!(value.as_deref(), Some("value"), "the log is read as well"),
        Err(error) => assert!(error.to_string().contains("still in the log"), "{error}"),
    }
}

/// A folder that is read-only while this lives: by its mode, or for the superuser by a mount over itself.
#[cfg(target_os = "linux")]
struct Frozen {
    dir: PathBuf,
    is_mounted: bool,
}

#[cfg(target_os = "linux")]
impl Frozen {
    fn new(dir: &Path) -> Option<Self> {
        let is_open = || std::fs::write(dir.join("probe"), "").is_ok();
        set_mode(dir, 0o500);
        let mut frozen = Self { dir: dir.to_owned(), is_mounted: false };
        if is_open() {
            let _ = std::fs::remove_file(dir.join("probe"));
            frozen.is_mounted = mount(&["--bind"], &[dir, dir]) && mount(&["-o", "remount,bind,ro"], &[dir]);
        }
        (!is_open()).then_some(frozen)
    }
}

#[cfg(target_os = "linux")]
impl Drop for Frozen {
    fn drop(&mut self) {
        if self.is_mounted {
            let _ = std::process::Command::new("umount").arg(&self.dir).status();
        }
        set_mode(&self.dir, 0o700);
    }
}

#[cfg(target_os = "linux")]
fn mount(words: &[&str], dirs: &[&Path]) -> bool {
    std::process::Command::new("mount").args(words).args(dirs).status().is_ok_and(|status| status.success())
}

#[cfg(target_os = "linux")]
fn set_mode(dir: &Path, mode: u32) {
    std::fs::set_permissions(dir, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
}

#[test]
fn a_reader_brings_nothing_up_to_date() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    let mut db = Connection::open(&path).unwrap();
    db.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    let first = Migration::unapplied(MIGRATIONS[0].0, MIGRATIONS[0].1).unwrap();
    Runner::new(&[first]).run(&mut db).unwrap();
    drop(db);
    let before = listing(dir.path());
    let error = SqliteStore::open_reader(&path).unwrap_err().to_string();
    assert!(error.contains("`freshet init` brings it up to date"), "{error}");
    assert_eq!(listing(dir.path()), before);
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

/// A store of the schema before leases had epochs: its sources are of none, and the next lease takes them over.
#[test]
fn a_store_without_epochs_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    let mut db = Connection::open(&path).unwrap();
    db.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    let is_before = |(name, _): &&(&str, &str)| *name != "V11__epochs";
    let before = MIGRATIONS.iter().take_while(is_before);
    let before: Vec<_> = before.map(|(name, sql)| Migration::unapplied(name, sql).unwrap()).collect();
    assert_eq!(before.len(), 10);
    Runner::new(&before).set_grouped(true).run(&mut db).unwrap();
    db.execute_batch("INSERT INTO networks (id, name) VALUES (1, 'n')").unwrap();
    let source = "INSERT INTO sources (network, robot, state, weight, due_at, depth, endpoint, root_kind, root_id, attempts, \
                  model, coverage) VALUES (1, 'status', 'active', 1, 0, 0, 'x', 'account', 'a', 0, x'', ?1)";
    db.execute(source, [serde_json::to_string(&Coverage::default()).unwrap()]).unwrap();
    let named = r#"INSERT INTO controls (verb, argument) VALUES ('sources', '{"forgotten":"@ada"}')"#;
    db.execute_batch(named).unwrap();
    drop(db);
    let mut store = SqliteStore::open(&path).unwrap();
    let source = store.source(SourceId(1)).unwrap().unwrap();
    assert_eq!((source.root_id.as_str(), source.epoch), ("a", 0));
    let controls = store.controls_above(0).unwrap();
    let forgotten = Control::Sources(SourcesChange::Forgotten);
    assert_eq!(controls[0].control, forgotten, "whoever was forgotten is not named any more");
    let epoch = store.begin_epoch().unwrap();
    let upload = Upload {
        epoch,
        source: Some(Source { epoch, ..source }),
        ..Upload::new(VisitId(1), "n".into(), Timestamp::from_secs(1))
    };
    assert!(!store.apply(&[upload], |_, _| None).unwrap()[0].is_stale);
    assert_eq!(store.source(SourceId(1)).unwrap().unwrap().epoch, epoch);
    assert_eq!(store.check(&mut |_| ()).unwrap(), []);
}

/// Links into other networks had numbers of their own, lower than those of objects: none is lost, and new ones come behind them.
#[test]
fn links_into_other_networks_get_numbers_of_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("freshet.db");
    let mut db = Connection::open(&path).unwrap();
    db.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    let is_before = |(name, _): &&(&str, &str)| *name != "V19__link_numbers";
    let before = MIGRATIONS.iter().take_while(is_before);
    let before: Vec<_> = before.map(|(name, sql)| Migration::unapplied(name, sql).unwrap()).collect();
    assert_eq!(before.len(), 18);
    Runner::new(&before).set_grouped(true).run(&mut db).unwrap();
    let rows = "INSERT INTO networks (id, name) VALUES (1, 'n'); \
                INSERT INTO accounts (id, network, native_id, depth, seen_at) VALUES (1, 1, 'a', 0, 5); \
                INSERT INTO changes (number, object, class, kind, seen_at, visit) VALUES (1, 1, 0, 0, 5, 9); \
                UPDATE counters SET value = 2 WHERE name = 'number'; \
                UPDATE counters SET value = 1 WHERE name IN ('accounts', 'changes')";
    db.execute_batch(rows).unwrap();
    for id in [1, 2, 7] {
        let link = "INSERT INTO cross_links (id, object, place, name, kind, target, field, evidence, confidence, visit, seen_at, \
                    last_seen_at) VALUES (?1, 1, ?1, 'sites', 'sco', 'web/page/' || ?1, '', '', 0.5, 9, 5, 5)";
        db.execute(link, [id]).unwrap();
    }
    drop(db);
    let mut store = SqliteStore::open(&path).unwrap();
    let mut upload = Upload::new(VisitId(10), "n".into(), Timestamp::from_secs(1));
    let slinks = vec![CrossLink::new("sites", "web/page/new".parse().unwrap())];
    upload.observation.accounts = vec![Account { id: "a".into(), slinks, ..Account::default() }];
    store.apply(&[upload], |_, _| None).unwrap();
    let links = store.links(&Filter::default(), 10).unwrap().rows;
    let targets: Vec<&str> = links.iter().map(|row| row.to.id.as_str()).collect();
    assert_eq!(targets, ["1", "2", "7", "new"]);
    assert!(links[0].number > 1 && store.last_number().unwrap() >= links[3].number);
    assert_eq!(store.check(&mut |_| ()).unwrap(), []);
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
