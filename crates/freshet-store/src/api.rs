//! The store seam.
//!
//! Contract, checked for every backend by `conformance`:
//! - [`Store::apply`] is one transaction: all of its uploads or nothing, whatever kills the process;
//! - applying the same upload twice changes nothing the second time (objects are unique by address);
//! - the change log only grows, its numbers rise, and every change of an object is in it;
//! - a reader never sees half an `apply`.

use std::ops::ControlFlow;

use freshet_types::{
    Change, ChangeKind, NetworkName, Post, RobotKind, RobotState, Source, SourceId, SourceState, Span,
    Timestamp,
};

use crate::row::{
    AccountRow, Applied, Control, Counts, Erased, Filter, Forgetting, Hit, InstanceRow, KnownPost, ListRow,
    ListTimes, ListTimesBounds, ListTimesKind, ObjectRow, OnDelete, Parked, PostRow, RelationRow, RobotRow,
    SourceSlot, StalePage, Upload,
};

/// Step 7 as the store calls it: what it means that `seen` is observed where `known` is stored.
pub type Compare = fn(seen: &Post, known: &KnownPost) -> Option<ChangeKind>;

/// Stops or goes on, for the `each_…` methods.
pub type Flow = ControlFlow<()>;

/// What keeps a store from working and may pass: by itself, or when somebody makes room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Another program holds it.
    Busy,
    /// The disk is full.
    Full,
    /// The system gives this process no more files.
    Files,
    /// The disk, or the system, failed to read or write.
    Io,
}

impl Trouble {
    /// What a person can do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Busy => "another program holds the store: close it, or wait until it is done",
            Self::Full => "make room on the disk of the data directory",
            Self::Files => "let the process open more files (`ulimit -n`), or start it again",
            Self::Io => "look at the disk of the data directory: is it there, whole and not full?",
        }
    }
}

/// Why the store could not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Something that may pass: nothing was changed, and the same may be tried again.
    #[error("the store cannot {doing}: {why}")]
    Passing {
        /// What keeps it.
        trouble: Trouble,
        /// What was tried.
        doing: &'static str,
        /// What the database said.
        why: String,
    },
    /// The database answered with an error that stays.
    #[error("the store cannot {doing}: {why}")]
    Database {
        /// What was tried.
        doing: &'static str,
        /// What the database said.
        why: String,
    },
    /// The data directory was written by a newer freshet.
    #[error("the store in `{path}` was written by a newer freshet (schema {found}, this one knows {known})")]
    TooNew {
        /// Which file.
        path: String,
        /// Its schema.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// Something stored cannot be read; what lies before it can, and perhaps what lies behind it.
    #[error("{thing} is damaged: {why}")]
    Damaged {
        /// Which thing, as a person would name it.
        thing: String,
        /// What the database said.
        why: String,
        /// Above this number the next thing can be read; `None` where nothing is known to follow.
        above: Option<u64>,
    },
    /// The query of `search` is not understood.
    #[error("`{query}` is not a search query: {why}")]
    Query {
        /// What was typed.
        query: String,
        /// What is wrong.
        why: String,
    },
}

impl StoreError {
    /// What keeps the store from working, where that may pass; `None` where trying again is useless.
    pub fn trouble(&self) -> Option<Trouble> {
        match self {
            Self::Passing { trouble, .. } => Some(*trouble),
            Self::Database { .. } | Self::TooNew { .. } | Self::Damaged { .. } | Self::Query { .. } => None,
        }
    }
}

/// Everything that must survive.
pub trait Store: Send {
    /// Step 8: everything these pages and visits learned, in one transaction.
    fn apply(&mut self, uploads: &[Upload], compare: Compare) -> Result<Vec<Applied>, StoreError>;

    // Sources and servers.

    /// Adds a server, or updates its base URL and allowance; keeps its `on_delete`.
    fn put_instance(&mut self, row: &InstanceRow) -> Result<(), StoreError>;
    /// Sets what happens to deleted content of this network.
    fn set_on_delete(&mut self, network: &NetworkName, on_delete: OnDelete) -> Result<(), StoreError>;
    /// All servers.
    fn instances(&self) -> Result<Vec<InstanceRow>, StoreError>;
    /// Adds sources that are not there yet (same network, endpoint and root or handle) in one
    /// transaction; gives the number of each and whether it is new. One that was removed is revived.
    /// One of an account that is known to ask not to be collected rests from the start. What is forgotten is not
    /// added; its number is 0.
    fn add_sources(&mut self, sources: &[Source]) -> Result<Vec<(SourceId, bool)>, StoreError>;
    /// The whole record.
    fn source(&self, id: SourceId) -> Result<Option<Source>, StoreError>;
    /// Writes the whole record outside a visit.
    fn put_source(&mut self, source: &Source) -> Result<(), StoreError>;
    /// All sources above this number, slim, in order of number.
    fn each_slot(&self, above: SourceId, each: &mut dyn FnMut(SourceSlot) -> Flow) -> Result<(), StoreError>;
    /// All sources, whole, in order of number.
    fn each_source(&self, each: &mut dyn FnMut(Source) -> Flow) -> Result<(), StoreError>;
    /// Sources that a person may mean by this: number, handle, root id, or address of the root.
    fn find_sources(&self, reference: &str) -> Result<Vec<Source>, StoreError>;
    /// Sets the state of these sources.
    fn set_state(&mut self, ids: &[SourceId], state: SourceState) -> Result<(), StoreError>;
    /// A source is visited this often from now on, or as the policy says again. Its next visit is due
    /// at this instant at the latest.
    fn pin(&mut self, id: SourceId, every: Option<Span>, due_at: Timestamp) -> Result<(), StoreError>;
    /// A post, an account or a list by its number.
    fn object(&self, number: u64) -> Result<Option<ObjectRow>, StoreError>;

    // Control, robots, settings.

    /// Leaves a message for the running process.
    fn push_control(&mut self, verb: &str, argument: &str) -> Result<u64, StoreError>;
    /// Messages above this number.
    fn controls_above(&self, number: u64) -> Result<Vec<Control>, StoreError>;
    /// The robots.
    fn robots(&self) -> Result<Vec<RobotRow>, StoreError>;
    /// Sets a robot's state.
    fn set_robot(&mut self, kind: RobotKind, state: RobotState) -> Result<(), StoreError>;
    /// Sets the credential a robot is to use.
    fn set_robot_credential(&mut self, kind: RobotKind, name: Option<&str>) -> Result<(), StoreError>;
    /// A setting.
    fn setting(&self, key: &str) -> Result<Option<String>, StoreError>;
    /// Writes a setting.
    fn set_setting(&mut self, key: &str, value: &str) -> Result<(), StoreError>;
    /// The settings whose keys begin so, in order of key.
    fn settings_under(&self, prefix: &str) -> Result<Vec<(String, String)>, StoreError>;
    /// Writes settings, all or none; one without a value is removed.
    fn set_settings(&mut self, settings: &[(String, Option<String>)]) -> Result<(), StoreError>;
    /// Reserves `count` visit numbers that no other process has or will get; gives the first.
    fn reserve_visits(&mut self, count: u64) -> Result<u64, StoreError>;

    // The change log.

    /// Changes above this number, in order, at most `limit`.
    fn changes_above(&self, number: u64, limit: usize) -> Result<Vec<Change>, StoreError>;
    /// Changes of accounts above this number, in order, at most `limit`, and the number up to which
    /// there are no others: for consumers whom posts do not concern.
    fn account_changes_above(&self, number: u64, limit: usize) -> Result<(Vec<Change>, u64), StoreError>;
    /// The number of the newest change; 0 before the first.
    fn last_change(&self) -> Result<u64, StoreError>;
    /// Where a consumer of the log stands; 0 at first.
    fn cursor(&self, consumer: &str) -> Result<u64, StoreError>;
    /// Moves a consumer.
    fn set_cursor(&mut self, consumer: &str, number: u64) -> Result<(), StoreError>;

    // Reading.

    /// Posts in order of number, newest version each.
    fn each_post(&self, filter: &Filter, each: &mut dyn FnMut(PostRow) -> Flow) -> Result<(), StoreError>;
    /// One post.
    fn post(&self, number: u64) -> Result<Option<PostRow>, StoreError>;
    /// The post of this id.
    fn post_of(&self, network: &NetworkName, id: &str) -> Result<Option<PostRow>, StoreError>;
    /// The account of this id.
    fn account_of(&self, network: &NetworkName, id: &str) -> Result<Option<AccountRow>, StoreError>;
    /// Accounts in order of number.
    fn each_account(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(AccountRow) -> Flow,
    ) -> Result<(), StoreError>;
    /// Relations.
    fn each_relation(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(RelationRow) -> Flow,
    ) -> Result<(), StoreError>;
    /// Lists of forums (front pages, boards, threads) in order of number.
    fn each_list(&self, filter: &Filter, each: &mut dyn FnMut(ListRow) -> Flow) -> Result<(), StoreError>;
    /// Pages of threads on this network that are worth another look by now, the longest due first.
    fn stale_pages(
        &self,
        network: &NetworkName,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<StalePage>, StoreError>;
    /// Posting times since then of the lists of this type on a network: of threads their posts, of boards and front
    /// pages the posts of the threads in them. The `lists_max` liveliest lists, the newest `times_max` of each.
    fn list_times(
        &self,
        network: &NetworkName,
        kind: ListTimesKind,
        bounds: ListTimesBounds,
    ) -> Result<Vec<ListTimes>, StoreError>;
    /// Posting times of a source, newest first, at most [`RHYTHM_MAX`](crate::browse::RHYTHM_MAX).
    fn posting_times(&self, source: &Source) -> Result<Vec<Timestamp>, StoreError>;
    /// Posts whose text matches, best first.
    fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, StoreError>;
    /// Brings the search indexes up to date by at most `limit` changes and `limit` names of sources; gives
    /// the larger number of those it took.
    fn index(&mut self, limit: usize) -> Result<usize, StoreError>;
    /// The numbers.
    fn counts(&self) -> Result<Counts, StoreError>;

    // Constraints.

    /// Parks objects that a constraint cannot judge yet.
    fn park(&mut self, parked: &[Parked]) -> Result<(), StoreError>;
    /// All parked objects, in order of address.
    fn each_parked(&self, each: &mut dyn FnMut(Parked) -> Flow) -> Result<(), StoreError>;
    /// The parked object of this address.
    fn parked(&self, address: &str) -> Result<Option<Parked>, StoreError>;
    /// Takes these off the list.
    fn unpark(&mut self, addresses: &[String]) -> Result<(), StoreError>;
    /// Drops what was parked before this; gives how many.
    fn sweep_parked(&mut self, before: Timestamp) -> Result<u64, StoreError>;

    // Care.

    /// Marks this account, post or source (address or handle) as forgotten, by keyed hashes and for good: nothing of it is
    /// stored from now on, whoever shows it. Its sources go at once; the rest is erased by [`Store::erase_some`].
    /// An account may be named by its address before anything of it was seen.
    fn mark_forgotten(&mut self, reference: &str) -> Result<Forgetting, StoreError>;
    /// Erases some of what is marked as forgotten, in one short transaction, and says what; `None` when nothing is left.
    fn erase_some(&mut self) -> Result<Option<Erased>, StoreError>;
    /// Takes back that something is forgotten; what was erased does not come back by that. An address of the type `handle`
    /// names an account by its handle. Gives how many hashes went.
    fn unforget(&mut self, reference: &str) -> Result<u64, StoreError>;
    /// Erases everything of this account, post or source (address or handle), for good, and says what.
    fn forget(&mut self, reference: &str) -> Result<Erased, StoreError> {
        let mut erased = self.mark_forgotten(reference)?.erased;
        while let Some(more) = self.erase_some()? {
            erased += more;
        }
        Ok(erased)
    }
    /// Drops posts older than the retention of the source they came from; gives how many.
    fn expire(&mut self, now: Timestamp) -> Result<u64, StoreError>;
}
