//! What may pass, and what stays, of what SQLite says.

use rusqlite::{Error, ffi};

use crate::api::Trouble;
use crate::sqlite::failed;

fn check(code: std::os::raw::c_int, expected: Option<Trouble>) {
    let error = failed("try")(Error::SqliteFailure(ffi::Error::new(code), None));
    assert_eq!(error.trouble(), expected, "{error}");
    assert!(error.to_string().starts_with("the store cannot try: "), "{error}");
}

#[test]
fn errors_have_a_kind() {
    check(ffi::SQLITE_BUSY, Some(Trouble::Busy));
    check(ffi::SQLITE_BUSY_SNAPSHOT, Some(Trouble::Busy));
    check(ffi::SQLITE_LOCKED, Some(Trouble::Busy));
    check(ffi::SQLITE_FULL, Some(Trouble::Full));
    check(ffi::SQLITE_CANTOPEN, Some(Trouble::Files));
    check(ffi::SQLITE_IOERR_WRITE, Some(Trouble::Io));
    check(ffi::SQLITE_IOERR_FSYNC, Some(Trouble::Io));
    check(ffi::SQLITE_NOMEM, Some(Trouble::Io));
    check(ffi::SQLITE_CORRUPT, None);
    check(ffi::SQLITE_NOTADB, None);
    check(ffi::SQLITE_READONLY, None);
    check(ffi::SQLITE_ERROR, None);
    check(ffi::SQLITE_CONSTRAINT_UNIQUE, None);
}
