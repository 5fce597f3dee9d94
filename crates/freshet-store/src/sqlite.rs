//! Step 8 of 10: the SQLite backend. One file, one writer at a time, any number of readers.
//!
//! Invariants: every write is one short `BEGIN IMMEDIATE` transaction, so that several processes
//! may open the same file; with the write-ahead log and `synchronous=NORMAL` whatever was
//! committed survives the death of the process (only a power cut may cost the newest commits,
//! never the consistency). The schema and its reasons are in `migrations/sqlite`.
//!
//! `roles` is the table of contents: each method of the seam names the room that does the work. Nothing here
//! queues or groups: the caller decides how many uploads make one transaction.

mod apply;
mod browse;
mod check;
mod complaints;
mod control;
mod damage;
mod empty;
mod erase;
mod fates;
mod forgotten;
mod held;
mod interest;
mod keeping;
mod kept;
mod links;
mod lists;
mod log;
mod members;
mod network;
mod notices;
mod open;
mod parking;
mod ranks;
mod read;
mod retention;
mod roles;
mod search;
mod source;
mod streams;
mod subscriptions;
mod things;
mod transfer;
mod unkept;
mod value;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use self::forgotten::Forgotten;
use self::network::Networks;
use crate::api::{StoreError, Trouble};
use crate::options::Options;
use crate::pass::Pass;

/// A store in one SQLite file.
#[derive(Debug)]
pub(crate) struct SqliteStore {
    db: Connection,
    networks: Networks,
    forgotten: RefCell<Forgotten>,
    options: Options,
    /// Where what is not kept passes.
    pass: Option<Arc<Pass>>,
}

impl SqliteStore {
    /// Opens the store in this file; makes it where there is none, brings an older one up to date. A file of no bytes is
    /// refused: it was a store once, or a copy of one.
    #[cfg(any(test, feature = "bench"))]
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, Options::default())
    }

    /// As [`SqliteStore::open`], with options.
    pub(crate) fn open_with(path: &Path, options: Options) -> Result<Self, StoreError> {
        Ok(Self::over(open::writer(path, options)?, options))
    }

    /// Opens an existing store for reading only; the file must be up to date.
    #[cfg(test)]
    pub(crate) fn open_reader(path: &Path) -> Result<Self, StoreError> {
        Self::open_reader_with(path, Options::default())
    }

    /// As [`SqliteStore::open_reader`], with options.
    pub(crate) fn open_reader_with(path: &Path, options: Options) -> Result<Self, StoreError> {
        Ok(Self::over(open::reader(path, options)?, options))
    }

    /// A store that ends with the process.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn in_memory() -> Result<Self, StoreError> {
        Self::in_memory_with(Options::default())
    }

    /// A store that ends with who opened it.
    pub(crate) fn in_memory_with(options: Options) -> Result<Self, StoreError> {
        Ok(Self::over(open::memory(options)?, options))
    }

    fn over(db: Connection, options: Options) -> Self {
        Self { db, networks: Networks::default(), forgotten: RefCell::default(), options, pass: None }
    }

    /// The connection, for measuring what lies below the seam.
    #[cfg(feature = "bench")]
    pub(crate) fn connection(&self) -> &Connection {
        &self.db
    }

    /// Lets the file grow no more, as a full disk does; room that others make in it is used.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn stop_growing(&self) -> Result<(), StoreError> {
        self.db.pragma_update(None, "max_page_count", 1).map_err(failed("bound the file"))
    }

    /// Runs `write` in one transaction. After a failure nothing of it is left, nor remembered.
    fn write<T>(
        &self,
        doing: &'static str,
        write: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        // Unchecked by the compiler, not by us: no method starts a transaction inside another.
        let result = Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate).and_then(|tx| {
            let value = write(&tx)?;
            tx.commit()?;
            Ok(value)
        });
        result.map_err(|error| {
            self.networks.forget();
            self.forgotten.borrow_mut().reset();
            failed(doing)(error)
        })
    }
}

/// What a database error means to the caller.
pub(crate) fn failed(doing: &'static str) -> impl Fn(rusqlite::Error) -> StoreError {
    move |error| {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, DiskFull, NotADatabase, ReadOnly};
        let hint = match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => {
                "; the file is damaged, `freshet check` says where; restore a copy of it"
            }
            Some(DatabaseBusy) => "; another process holds the file, try again when it is done",
            Some(DiskFull) => "; make room on the disk and try again",
            Some(ReadOnly) => "; it was opened for reading, or the file is not writable",
            _ => "",
        };
        let why = format!("{error}{hint}");
        match trouble(&error) {
            Some(trouble) => StoreError::Passing { trouble, doing, why },
            None => StoreError::Database { doing, why },
        }
    }
}

/// What may pass of what SQLite says. A write beyond a limit on file sizes is told as a failure of the
/// system, a file that cannot be opened for want of descriptors as one that cannot be opened.
fn trouble(error: &rusqlite::Error) -> Option<Trouble> {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, FileLockingProtocolFailed, OutOfMemory,
        SystemIoFailure,
    };
    match error.sqlite_error_code()? {
        DatabaseBusy | DatabaseLocked | FileLockingProtocolFailed => Some(Trouble::Busy),
        DiskFull => Some(Trouble::Full),
        CannotOpen => Some(Trouble::Files),
        SystemIoFailure | OutOfMemory => Some(Trouble::Io),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
