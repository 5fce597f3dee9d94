//! Step 8 of 10: the PostgreSQL backend. One database (or schema of one), any number of processes on any number of machines.
//!
//! Invariants: every write is one short transaction that takes the store's one lock first (an advisory lock, by the name of the schema,
//! which goes with the transaction whatever ends it). So there is one writer at a time, as in the SQLite backend: the numbers of the log
//! rise in the order of the commits, everything that a reader can see is settled, and a change that commits late has a number above
//! all that were ever read. It is the simplest that is right; writers wait for each other, readers for nobody.
//! Whatever was committed outlasts the death of the process and of the server (`synchronous_commit` stays as the server has it).
//! The schema and what differs in it is in `migrations/postgres`.
//!
//! `roles` is the table of contents: each method of the seam names the room that does the work. The rooms are those of the SQLite
//! backend; what does not depend on a database is shared with it (`stored`, `plain`).

mod apply;
mod browse;
mod check;
mod complaints;
mod control;
mod damage;
mod db;
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
mod words;

use std::cell::RefCell;
use std::sync::Arc;

use tokio_postgres::error::SqlState;

use self::db::Connection;
use self::forgotten::Forgotten;
use self::network::Networks;
pub(crate) use self::open::is_address;
use crate::api::{StoreError, Trouble};
use crate::options::Options;
use crate::pass::Pass;

/// A store in one PostgreSQL database.
#[derive(Debug)]
pub(crate) struct PostgresStore {
    db: Connection,
    networks: Networks,
    forgotten: RefCell<Forgotten>,
    options: Options,
    /// Where what is not kept passes.
    pass: Option<Arc<Pass>>,
}

impl PostgresStore {
    /// Opens the store of this address; makes it where there is none, brings an older one up to date.
    pub(crate) fn open(address: &str, options: Options) -> Result<Self, StoreError> {
        Ok(Self::over(open::writer(address, options)?, options))
    }

    /// Opens an existing store for reading only; it must be up to date.
    pub(crate) fn open_reader(address: &str, options: Options) -> Result<Self, StoreError> {
        Ok(Self::over(open::reader(address, options)?, options))
    }

    fn over(db: Connection, options: Options) -> Self {
        Self { db, networks: Networks::default(), forgotten: RefCell::default(), options, pass: None }
    }

    /// Runs `write` in one transaction, alone of all writers. After a failure nothing of it is left, nor remembered.
    fn write<T>(
        &self,
        doing: &'static str,
        write: impl FnOnce(&Connection) -> db::Result<T>,
    ) -> Result<T, StoreError> {
        if self.db.is_reader() {
            let why = "it was opened for reading".to_owned();
            return Err(StoreError::Database { doing, why });
        }
        self.db.transaction(open::BEGIN, write).map_err(|error| {
            self.networks.forget();
            self.forgotten.borrow_mut().reset();
            failed(doing)(error)
        })
    }
}

/// What an error means to the caller.
fn failed(doing: &'static str) -> impl Fn(db::Error) -> StoreError {
    move |error| {
        let trouble = trouble(&error);
        let hint = match trouble {
            Some(Trouble::Busy) => "; another process writes to the store, try again when it is done",
            Some(Trouble::Full) => "; make room on the disk of the server and try again",
            Some(Trouble::Away) => "; is the PostgreSQL server up, and can it be reached?",
            _ if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
                "; let the owner of the database grant it (docs/guide/postgres.md)"
            }
            _ => "",
        };
        let why = format!("{error}{hint}");
        match trouble {
            Some(trouble) => StoreError::Passing { trouble, doing, why },
            None => StoreError::Database { doing, why },
        }
    }
}

/// What may pass of what the server says.
fn trouble(error: &db::Error) -> Option<Trouble> {
    if error.is_away() {
        return Some(Trouble::Away);
    }
    let code = error.code()?;
    Some(match code.code() {
        // Locks, deadlocks, transactions that got in each other's way, too many connections.
        "55P03" | "40P01" | "40001" | "53300" => Trouble::Busy,
        "53100" => Trouble::Full,
        "53000" | "53200" | "58030" => Trouble::Io,
        // The server is going down, coming up, or somebody ended the connection.
        code if code.starts_with("57P") || code.starts_with("08") => Trouble::Away,
        // Nothing was asked for so long in a transaction that the server ended it.
        "25P03" => Trouble::Away,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
