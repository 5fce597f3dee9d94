//! Stores for the tests of other crates, what makes them fail, and rows that many of them begin with.

use std::path::Path;

use freshet_types::Timestamp;

use crate::api::Store;
use crate::open::{Access, open as open_store};
use crate::options::Options;
use crate::sqlite::SqliteStore;
use crate::subscription::{Kind, State, Subscription, Way};

/// A store that ends with the test.
///
/// # Panics
/// Where the system gives no memory for it.
pub fn memory() -> Box<dyn Store> {
    Box::new(SqliteStore::in_memory().expect("a store in memory can be opened"))
}

/// The store in this file, for writing; it is made where there is none.
///
/// # Panics
/// Where it cannot be opened.
pub fn open(path: &Path) -> Box<dyn Store> {
    open_store(path, Access::Write, Options::default()).expect("the store can be opened")
}

/// The store in this file, for reading only.
///
/// # Panics
/// Where it cannot be opened.
pub fn reader(path: &Path) -> Box<dyn Store> {
    open_store(path, Access::Read, Options::default()).expect("the store can be read")
}

/// A store in this file that grows no more, as on a full disk; room that others make in it is used.
///
/// # Panics
/// Where the file cannot be opened.
pub fn full(path: &Path, options: Options) -> Box<dyn Store> {
    let store = SqliteStore::open_with(path, options).expect("the store can be opened");
    store.stop_growing().expect("the file can be bounded");
    Box::new(store)
}

/// A subscription to all posts, made at the beginning of time; what a test wants otherwise it says itself.
pub fn subscription(name: &str, way: Way) -> Subscription {
    Subscription {
        name: name.to_owned(),
        kinds: vec![Kind::Posts],
        way,
        filters: Vec::new(),
        buffer_max: None,
        state: State::Running,
        added_at: Timestamp::from_secs(0),
    }
}
