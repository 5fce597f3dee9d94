//! The one door to a store: an address in, a store out.
//!
//! An address is the path of a SQLite file, plain or as `sqlite:PATH`, or [`MEMORY`], or that of a PostgreSQL database, `postgres://…`. Another
//! backend adds its scheme here, and nothing else of the project need know its name.

use std::ffi::OsStr;
use std::path::Path;

use crate::api::{Store, StoreError};
use crate::options::Options;
use crate::postgres::{self, PostgresStore};
use crate::sqlite::SqliteStore;
use crate::transfer::{self, Copied, Transfer};

/// The address of a store that lives in memory and ends with who opened it.
pub const MEMORY: &str = "memory:";
/// Schemes that an address may begin with.
const SCHEMES: &str = "`sqlite:PATH`, the path of a file, or `postgres://USER@HOST/DATABASE`";
/// What begins the address of a SQLite file, where it is said.
const SQLITE: &str = "sqlite:";

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading and writing: it is made where there is none, and an older one is brought up to date.
    Write,
    /// Reading only: it must be there and up to date, and nothing of it is changed.
    Read,
}

/// Opens the store of this address.
pub fn open(
    address: &(impl AsRef<OsStr> + ?Sized),
    access: Access,
    options: Options,
) -> Result<Box<dyn Store>, StoreError> {
    if address.as_ref() == MEMORY {
        return Ok(Box::new(SqliteStore::in_memory_with(options)?));
    }
    if let Some(address) = address.as_ref().to_str().filter(|address| postgres::is_address(address)) {
        return Ok(match access {
            Access::Write => Box::new(PostgresStore::open(address, options)?),
            Access::Read => Box::new(PostgresStore::open_reader(address, options)?),
        });
    }
    let path = sqlite_path(address.as_ref())?;
    Ok(Box::new(match access {
        Access::Write => SqliteStore::open_with(path, options)?,
        Access::Read => SqliteStore::open_reader_with(path, options)?,
    }))
}

/// Moves everything from the store of one address into that of another, which must be new, or begun by an earlier call; tells after each
/// piece which table it is at, and how many rows of it were moved.
pub fn copy(
    from: &(impl AsRef<OsStr> + ?Sized),
    to: &(impl AsRef<OsStr> + ?Sized),
    told: &mut dyn FnMut(&str, u64),
) -> Result<Copied, StoreError> {
    let from = transferable(from.as_ref(), Access::Read)?;
    let mut to = transferable(to.as_ref(), Access::Write)?;
    transfer::copy(&*from, &mut *to, told)
}

fn transferable(address: &OsStr, access: Access) -> Result<Box<dyn Transfer>, StoreError> {
    let options = Options::default();
    if let Some(address) = address.to_str().filter(|address| postgres::is_address(address)) {
        return Ok(match access {
            Access::Write => Box::new(PostgresStore::open(address, options)?),
            Access::Read => Box::new(PostgresStore::open_reader(address, options)?),
        });
    }
    let path = sqlite_path(address)?;
    Ok(Box::new(match access {
        Access::Write => SqliteStore::open_with(path, options)?,
        Access::Read => SqliteStore::open_reader_with(path, options)?,
    }))
}

/// The file that an address means.
fn sqlite_path(address: &OsStr) -> Result<&Path, StoreError> {
    let Some(text) = address.to_str() else { return Ok(Path::new(address)) };
    if let Some(path) = text.strip_prefix(SQLITE) {
        return Ok(Path::new(path));
    }
    match text.split_once("://") {
        Some((scheme, _)) if is_scheme(scheme) => Err(StoreError::Database {
            doing: "open",
            why: format!("`{scheme}` is no kind of store that this freshet knows; name {SCHEMES}"),
        }),
        _ => Ok(Path::new(address)),
    }
}

/// Whether this begins an address and no path; the rest is not told, for it may hold a password.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, expected: Result<&str, &str>) {
        match (sqlite_path(OsStr::new(address)), expected) {
            (Ok(path), Ok(expected)) => assert_eq!(path, Path::new(expected), "{address}"),
            (Err(error), Err(expected)) => {
                let error = error.to_string();
                assert!(error.contains(expected) && error.contains("sqlite:PATH"), "{address}: {error}");
                assert!(!error.contains("secret"), "{error}");
            }
            (found, _) => panic!("{address}: {found:?}"),
        }
    }

    #[test]
    fn an_address_names_a_file_or_a_scheme() {
        check("data/store.sqlite", Ok("data/store.sqlite"));
        check("sqlite:data/a b.sqlite", Ok("data/a b.sqlite"));
        check("/odd/a://b/store.sqlite", Ok("/odd/a://b/store.sqlite"));
        check("C:\\data\\store.sqlite", Ok("C:\\data\\store.sqlite"));
        check("mysql://me:secret@db/freshet", Err("`mysql`"));
        check("nats://db", Err("`nats`"));
    }

    #[test]
    fn who_reads_finds_what_was_written_and_makes_nothing() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let path = dir.path().join("store.sqlite");
        assert!(open(&path, Access::Read, Options::default()).is_err());
        assert!(!path.exists(), "reading makes nothing");
        let mut writer = open(&path, Access::Write, Options::default()).expect("it is made");
        writer.set_setting("status", "well").expect("it may write");
        let mut address = std::ffi::OsString::from(SQLITE);
        address.push(&path);
        let mut reader = open(&address, Access::Read, Options::default()).expect("it is there");
        assert_eq!(reader.setting("status").expect("it may read").as_deref(), Some("well"));
        assert!(reader.set_setting("status", "changed").is_err());
    }
}
