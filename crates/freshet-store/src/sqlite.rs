//! Step 8 of 10: the SQLite backend. One file, one writer at a time, any number of readers.
//!
//! Invariants: every write is one short `BEGIN IMMEDIATE` transaction, so that several processes
//! may open the same file; with the write-ahead log and `synchronous=NORMAL` whatever was
//! committed survives the death of the process (only a power cut may cost the newest commits,
//! never the consistency). The schema and its reasons are in `migrations/sqlite`.
//!
//! This file is the table of contents: each method names the room that does the work. It does
//! not queue or group: the caller decides how many uploads make one transaction.

mod apply;
mod browse;
mod check;
mod control;
mod damage;
mod erase;
mod forgotten;
mod lists;
mod log;
mod network;
mod open;
mod plain;
mod read;
mod search;
mod source;
mod value;

use std::cell::RefCell;
use std::path::Path;
use std::time::Duration;

use freshet_types::{
    Change, NetworkName, RobotKind, RobotState, Source, SourceId, SourceState, Span, Timestamp,
};
use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use self::check::Finding;
use self::forgotten::Forgotten;
use self::network::Networks;
use crate::api::{Compare, Flow, Store, StoreError, Trouble};
use crate::row::{
    AccountRow, Applied, Control, Counts, Erased, Filter, Forgetting, Hit, InstanceRow, ListRow, ListTimes,
    ListTimesBounds, ListTimesKind, ObjectRow, OnDelete, Parked, PostRow, RelationRow, RobotRow, SourceSlot,
    StalePage, Upload,
};

/// What may be chosen when a store is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqliteOptions {
    /// Page cache of this connection.
    pub cache_kib: u32,
    /// Answers are kept as received, compressed.
    pub keep_raw: bool,
    /// How long a lock of another program is waited for.
    pub busy: Duration,
}

impl Default for SqliteOptions {
    /// 64 MiB of cache hold the inner pages of all indexes of some 10 million posts.
    fn default() -> Self {
        Self { cache_kib: 65_536, keep_raw: false, busy: open::BUSY }
    }
}

/// A store in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    db: Connection,
    networks: Networks,
    forgotten: RefCell<Forgotten>,
    options: SqliteOptions,
}

impl SqliteStore {
    /// Opens the store in this file; makes it where there is none, brings an older one up to date. A file of no bytes is
    /// refused: it was a store once, or a copy of one.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, SqliteOptions::default())
    }

    /// As [`SqliteStore::open`], with options.
    pub fn open_with(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        Ok(Self::over(open::writer(path, options)?, options))
    }

    /// Opens an existing store for reading only; the file must be up to date.
    pub fn open_reader(path: &Path) -> Result<Self, StoreError> {
        Self::open_reader_with(path, SqliteOptions::default())
    }

    /// As [`SqliteStore::open_reader`], with options.
    pub fn open_reader_with(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        Ok(Self::over(open::reader(path, options)?, options))
    }

    /// A store that ends with the process.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::in_memory_with(SqliteOptions::default())
    }

    /// As [`SqliteStore::in_memory`], with options.
    pub fn in_memory_with(options: SqliteOptions) -> Result<Self, StoreError> {
        Ok(Self::over(open::memory(options)?, options))
    }

    fn over(db: Connection, options: SqliteOptions) -> Self {
        Self { db, networks: Networks::default(), forgotten: RefCell::default(), options }
    }

    /// The connection, for measuring what lies below the seam.
    #[cfg(feature = "bench")]
    pub(crate) fn connection(&self) -> &Connection {
        &self.db
    }

    /// Lets the file grow no more, as a full disk does; room that others make in it is used.
    #[cfg(any(test, feature = "testing"))]
    pub fn stop_growing(&self) -> Result<(), StoreError> {
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

impl Store for SqliteStore {
    fn apply(&mut self, uploads: &[Upload], compare: Compare) -> Result<Vec<Applied>, StoreError> {
        let keep_raw = self.options.keep_raw;
        self.write("apply what was seen", |db| {
            let mut forgotten = self.forgotten.borrow_mut();
            forgotten.refresh(db)?;
            let means =
                apply::Means { networks: &self.networks, forgotten: &mut forgotten, compare, keep_raw };
            apply::apply(db, means, uploads)
        })
    }

    fn put_instance(&mut self, row: &InstanceRow) -> Result<(), StoreError> {
        self.write("add a server", |db| network::put_instance(db, row))
    }

    fn set_on_delete(&mut self, network: &NetworkName, on_delete: OnDelete) -> Result<(), StoreError> {
        self.write("set what happens to deleted posts", |db| {
            let id = self.networks.intern(db, network)?;
            network::set_on_delete(db, id, on_delete)?;
            if on_delete == OnDelete::Redact { erase::redact_deleted(db, id) } else { Ok(()) }
        })
    }

    fn instances(&self) -> Result<Vec<InstanceRow>, StoreError> {
        network::instances(&self.db).map_err(failed("list the servers"))
    }

    fn add_sources(&mut self, sources: &[Source]) -> Result<Vec<(SourceId, bool)>, StoreError> {
        self.write("add sources", |db| {
            self.forgotten.borrow_mut().refresh(db)?;
            source::add(db, &self.networks, &self.forgotten.borrow(), sources)
        })
    }

    fn source(&self, id: SourceId) -> Result<Option<Source>, StoreError> {
        source::load(&self.db, &self.networks, id).map_err(failed("read a source"))
    }

    fn put_source(&mut self, source: &Source) -> Result<(), StoreError> {
        self.write("write a source", |db| source::put(db, &self.networks, source))
    }

    fn each_slot(&self, above: SourceId, each: &mut dyn FnMut(SourceSlot) -> Flow) -> Result<(), StoreError> {
        source::each_slot(&self.db, &self.networks, above, each).map_err(failed("read the sources"))
    }

    fn each_source(&self, each: &mut dyn FnMut(Source) -> Flow) -> Result<(), StoreError> {
        source::each(&self.db, &self.networks, each).map_err(failed("read the sources"))
    }

    fn find_sources(&self, reference: &str) -> Result<Vec<Source>, StoreError> {
        source::find(&self.db, &self.networks, reference).map_err(failed("look for a source"))
    }

    fn set_state(&mut self, ids: &[SourceId], state: SourceState) -> Result<(), StoreError> {
        self.write("set the state of sources", |db| source::set_state(db, ids, state))
    }

    fn pin(&mut self, id: SourceId, every: Option<Span>, due_at: Timestamp) -> Result<(), StoreError> {
        self.write("pin a source", |db| source::pin(db, id, every, due_at))
    }

    fn object(&self, number: u64) -> Result<Option<ObjectRow>, StoreError> {
        log::object(&self.db, &self.networks, number).map_err(failed("read an object"))
    }

    fn push_control(&mut self, verb: &str, argument: &str) -> Result<u64, StoreError> {
        self.write("leave a message", |db| control::push(db, verb, argument))
    }

    fn controls_above(&self, number: u64) -> Result<Vec<Control>, StoreError> {
        control::above(&self.db, number).map_err(failed("read the messages"))
    }

    fn robots(&self) -> Result<Vec<RobotRow>, StoreError> {
        control::robots(&self.db).map_err(failed("list the robots"))
    }

    fn set_robot(&mut self, kind: RobotKind, state: RobotState) -> Result<(), StoreError> {
        self.write("set a robot", |db| control::set_robot(db, kind, state))
    }

    fn set_robot_credential(&mut self, kind: RobotKind, name: Option<&str>) -> Result<(), StoreError> {
        self.write("set a robot's credential", |db| control::set_robot_credential(db, kind, name))
    }

    fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        control::setting(&self.db, key).map_err(failed("read a setting"))
    }

    fn set_setting(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.write("write a setting", |db| control::set_setting(db, key, value))
    }

    fn settings_under(&self, prefix: &str) -> Result<Vec<(String, String)>, StoreError> {
        control::settings_under(&self.db, prefix).map_err(failed("read settings"))
    }

    fn set_settings(&mut self, settings: &[(String, Option<String>)]) -> Result<(), StoreError> {
        self.write("write settings", |db| control::set_settings(db, settings))
    }

    fn reserve_visits(&mut self, count: u64) -> Result<u64, StoreError> {
        self.write("reserve visit numbers", |db| control::reserve_visits(db, count))
    }

    fn changes_above(&self, number: u64, limit: usize) -> Result<Vec<Change>, StoreError> {
        log::above(&self.db, &self.networks, number, limit).map_err(failed("read the change log"))
    }

    fn account_changes_above(&self, number: u64, limit: usize) -> Result<(Vec<Change>, u64), StoreError> {
        log::accounts_above(&self.db, &self.networks, number, limit).map_err(failed("read the change log"))
    }

    fn last_change(&self) -> Result<u64, StoreError> {
        log::last(&self.db).map_err(failed("read the change log"))
    }

    fn cursor(&self, consumer: &str) -> Result<u64, StoreError> {
        log::cursor(&self.db, consumer).map_err(failed("read a cursor"))
    }

    fn set_cursor(&mut self, consumer: &str, number: u64) -> Result<(), StoreError> {
        self.write("move a cursor", |db| log::set_cursor(db, consumer, number))
    }

    fn each_post(&self, filter: &Filter, each: &mut dyn FnMut(PostRow) -> Flow) -> Result<(), StoreError> {
        read::each_post(&self.db, &self.networks, filter, each)
            .map_err(damage::named(&self.db, "read the posts"))
    }

    fn post(&self, number: u64) -> Result<Option<PostRow>, StoreError> {
        read::post(&self.db, &self.networks, number).map_err(failed("read a post"))
    }

    fn post_of(&self, network: &NetworkName, id: &str) -> Result<Option<PostRow>, StoreError> {
        read::post_named(&self.db, &self.networks, network, id).map_err(failed("read a post"))
    }

    fn account_of(&self, network: &NetworkName, id: &str) -> Result<Option<AccountRow>, StoreError> {
        read::account_named(&self.db, &self.networks, network, id).map_err(failed("read an account"))
    }

    fn each_account(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(AccountRow) -> Flow,
    ) -> Result<(), StoreError> {
        read::each_account(&self.db, &self.networks, filter, each)
            .map_err(damage::named(&self.db, "read the accounts"))
    }

    fn each_relation(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(RelationRow) -> Flow,
    ) -> Result<(), StoreError> {
        read::each_relation(&self.db, &self.networks, filter, each)
            .map_err(damage::named(&self.db, "read the relations"))
    }

    fn posting_times(&self, source: &Source) -> Result<Vec<Timestamp>, StoreError> {
        browse::posting_times(&self.db, &self.networks, source).map_err(failed("read posting times"))
    }

    fn each_list(&self, filter: &Filter, each: &mut dyn FnMut(ListRow) -> Flow) -> Result<(), StoreError> {
        lists::each(&self.db, &self.networks, filter, each).map_err(failed("read the lists"))
    }

    fn stale_pages(
        &self,
        network: &NetworkName,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<StalePage>, StoreError> {
        lists::stale(&self.db, &self.networks, network, now, limit).map_err(failed("look for stale pages"))
    }

    fn list_times(
        &self,
        network: &NetworkName,
        kind: ListTimesKind,
        bounds: ListTimesBounds,
    ) -> Result<Vec<ListTimes>, StoreError> {
        lists::times(&self.db, &self.networks, network, kind, bounds).map_err(failed("read posting times"))
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, StoreError> {
        self.catch_up();
        search::search(&self.db, &self.networks, query, limit)
    }

    fn index(&mut self, limit: usize) -> Result<usize, StoreError> {
        self.write("bring the search indexes up to date", |db| {
            Ok(search::index(db, limit)?.max(browse::index_names(db, limit)?))
        })
    }

    fn counts(&self) -> Result<Counts, StoreError> {
        read::counts(&self.db).map_err(failed("count"))
    }

    fn park(&mut self, parked: &[Parked]) -> Result<(), StoreError> {
        self.write("park objects", |db| control::park(db, parked))
    }

    fn each_parked(&self, each: &mut dyn FnMut(Parked) -> Flow) -> Result<(), StoreError> {
        control::each_parked(&self.db, each).map_err(failed("read the parked objects"))
    }

    fn parked(&self, address: &str) -> Result<Option<Parked>, StoreError> {
        control::parked(&self.db, address).map_err(failed("read a parked object"))
    }

    fn unpark(&mut self, addresses: &[String]) -> Result<(), StoreError> {
        self.write("unpark objects", |db| control::unpark(db, addresses))
    }

    fn sweep_parked(&mut self, before: Timestamp) -> Result<u64, StoreError> {
        self.write("sweep the parked objects", |db| control::sweep_parked(db, before))
    }

    fn mark_forgotten(&mut self, reference: &str) -> Result<Forgetting, StoreError> {
        // Looking for it may take long; only the marking itself holds up a running crawl.
        let targets = erase::resolve(&self.db, &self.networks, reference).map_err(failed("forget"))?;
        let posts_left = targets.posts_count(&self.db).map_err(failed("forget"))?;
        let marked =
            self.write("forget", |db| erase::mark(db, &mut self.forgotten.borrow_mut(), &targets))?;
        Ok(Forgetting { posts_left, ..marked })
    }

    fn erase_some(&mut self) -> Result<Option<Erased>, StoreError> {
        let Some(work) = erase::piece::next(&self.db).map_err(failed("forget"))? else { return Ok(None) };
        if work.is_scrub() {
            erase::piece::scrub(&self.db, &work).map_err(failed("forget"))?;
            return Ok(Some(Erased::default()));
        }
        let found = erase::piece::find(&self.db, &work).map_err(failed("forget"))?;
        let erase =
            |db: &Connection| erase::piece::erase(db, &mut self.forgotten.borrow_mut(), &work, &found);
        self.write("forget", erase).map(Some)
    }

    fn unforget(&mut self, reference: &str) -> Result<u64, StoreError> {
        self.write("take back that something is forgotten", |db| {
            let mut forgotten = self.forgotten.borrow_mut();
            forgotten.refresh(db)?;
            forgotten.undo(db, &forgotten::meant(db, reference)?)
        })
    }

    fn expire(&mut self, now: Timestamp) -> Result<u64, StoreError> {
        let mut total = 0;
        // Short transactions, so that a running crawl is not held up by a long one.
        loop {
            let count = self.write("drop expired posts", |db| erase::expire_some(db, now))?;
            if count == 0 {
                return Ok(total);
            }
            total += count;
        }
    }
}

#[cfg(test)]
mod tests;
