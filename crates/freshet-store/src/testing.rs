//! Stores for the tests of other crates, and what makes them fail.

use std::path::Path;

use crate::api::Store;
use crate::open::{Access, open as open_store};
use crate::options::Options;
use crate::sqlite::SqliteStore;

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
