//! The SQLite backend against the contract, in memory and in a file; the researchers' views; and,
//! in `model` and `crash`, random histories against a plain map and files cut at any byte.

mod crash;
mod damaged;
mod earlier;
mod model;
mod trouble;
mod views;

use std::sync::atomic::{AtomicU32, Ordering};

use freshet_types::Timestamp;

use super::*;
use crate::api::prelude::*;
use crate::conformance;

fn raw() -> Options {
    Options { keep_raw: true, ..Options::default() }
}

/// A path that no other store of this test has.
fn fresh(dir: &Path) -> std::path::PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    dir.join(format!("{}.db", NEXT.fetch_add(1, Ordering::Relaxed)))
}

#[test]
fn a_store_in_memory_conforms() {
    conformance::check(|| Box::new(SqliteStore::in_memory().unwrap()));
    conformance::check(|| Box::new(SqliteStore::in_memory_with(raw()).unwrap()));
    conformance::check_raw(|| Box::new(SqliteStore::in_memory_with(raw()).unwrap()));
}

#[test]
fn a_store_in_a_file_conforms() {
    let dir = tempfile::tempdir().unwrap();
    conformance::check(|| Box::new(SqliteStore::open(&fresh(dir.path())).unwrap()));
    conformance::check_raw(|| Box::new(SqliteStore::open_with(&fresh(dir.path()), raw()).unwrap()));
    conformance::check_pair(|| {
        let path = fresh(dir.path());
        (Box::new(SqliteStore::open(&path).unwrap()), Box::new(SqliteStore::open(&path).unwrap()))
    });
}

#[test]
fn a_reader_reads_and_does_not_write() {
    let dir = tempfile::tempdir().unwrap();
    let path = fresh(dir.path());
    let mut store = SqliteStore::open(&path).unwrap();
    let mut reader = SqliteStore::open_reader(&path).unwrap();
    store.set_setting("key", "value").unwrap();
    assert_eq!(reader.setting("key").unwrap().as_deref(), Some("value"));
    assert!(reader.search("word", 10).unwrap().is_empty());
    let refused = reader.set_setting("key", "other").unwrap_err().to_string();
    assert!(refused.contains("opened for reading"), "{refused}");
}

/// What forget erased is not left in the bytes of the file or of its log.
#[test]
fn forgotten_text_leaves_no_bytes() {
    leaves_no_bytes(|store| {
        store.forget(&format!("{}/account/a", model::NETWORK)).unwrap();
    });
}

/// Nor does what was kept before nothing was.
#[test]
fn text_that_is_taken_out_leaves_no_bytes() {
    leaves_no_bytes(|store| {
        let network = model::NETWORK.into();
        store.set_keeping(&network, crate::row::Storing::Never).unwrap();
        while store.empty_some(&network).unwrap() > 0 {}
        while store.erase_some().unwrap().is_some() {}
    });
}

fn leaves_no_bytes(erase: impl FnOnce(&mut SqliteStore)) {
    let dir = tempfile::tempdir().unwrap();
    let path = fresh(dir.path());
    let mut store = SqliteStore::open_with(&path, Options { keep_raw: false, ..raw() }).unwrap();
    let post = |id: &str, author: &str, text: &str| freshet_types::Post {
        id: id.into(),
        kind: "post".into(),
        author: Some(author.into()),
        text: text.into(),
        ..freshet_types::Post::default()
    };
    let mut upload = model::page(1, vec![post("1", "a", "xylophone quagmire"), post("2", "b", "harmless")]);
    upload.observation.posts.extend((10..200).map(|n| post(&n.to_string(), "b", "filler")));
    store.apply(&[upload], conformance::compare).unwrap();
    assert_eq!(store.search("xylophone", 1).unwrap().len(), 1);
    erase(&mut store);
    drop(store);
    for file in std::fs::read_dir(dir.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        for word in ["xylophone", "quagmire"] {
            assert!(!bytes.windows(word.len()).any(|window| window == word.as_bytes()), "{word} is left");
        }
    }
}

/// The list of the forgotten names nobody: not in its rows, not in what is left of the work, not in the bytes of the file.
#[test]
fn no_name_is_left_of_the_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let path = fresh(dir.path());
    let mut store = SqliteStore::open(&path).unwrap();
    let account = |id: &str, handle: &str| freshet_types::Account {
        id: id.into(),
        handle: Some(handle.into()),
        ..freshet_types::Account::default()
    };
    let mut upload = model::page(1, vec![]);
    upload.observation.accounts = vec![account("xylophone-id", "quagmire"), account("b", "bob")];
    for secs in [1, 2] {
        upload.seen_at = Timestamp::from_secs(secs);
        store.apply(std::slice::from_ref(&upload), conformance::compare).unwrap();
        store.forget(&format!("{}/account/xylophone-id", model::NETWORK)).unwrap();
    }
    let hashes: i64 = store.db.query_row("SELECT count(*) FROM forgotten", [], |row| row.get(0)).unwrap();
    assert_eq!(hashes, 2, "the id and the handle");
    drop(store);
    for file in std::fs::read_dir(dir.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        for word in ["xylophone", "quagmire"] {
            assert!(!bytes.windows(word.len()).any(|window| window == word.as_bytes()), "{word} is left");
        }
    }
}
