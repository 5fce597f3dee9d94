//! Step 9 of 10: deliver. The change log from a cursor, to a subscriber, at least once.
//!
//! A subscription has a name; under it the store remembers how far the subscriber has got.
//! Records are written and flushed first, the cursor moves after: dying in between delivers
//! twice, never zero times. A post is delivered as it is now, once per batch, however often it
//! changed; a post that was erased since is left out.
//!
//! Each subscription has a thread and a connection of its own (`deliver/thread.rs`): whoever does not read holds up
//! neither the store nor the end of a run. A subscriber that takes nothing is opened anew and gets what it missed.

mod file;
mod thread;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use freshet_report::run::SubscriberStatus;
use freshet_report::time::UnixFloat;
use freshet_sink::{Sink, SinkError};
use freshet_store::api::{Store, StoreError};
use freshet_types::{Set, Timestamp};

pub(crate) use thread::Subscribers;

use crate::record::post_record;

/// Changes delivered between two moves of the cursor.
const BATCH: usize = 1000;
/// Posts that are read at once: few enough to stand in memory whatever their size.
const READ_AT_ONCE: usize = 100;

/// Why delivery stopped.
#[derive(Debug, thiserror::Error)]
pub enum DeliverError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file of a subscription cannot be used.
    #[error("`{path}` cannot be delivered to: {why}")]
    File {
        /// Which file.
        path: String,
        /// What is wrong with it.
        why: std::io::Error,
    },
    /// The subscriber does not take it.
    #[error("`{name}` takes no more: {why}")]
    Sink {
        /// Which subscription.
        name: String,
        /// What it said.
        why: SinkError,
    },
}

/// How a subscriber is opened, at first and after every failure.
pub type Open = Box<dyn FnMut() -> Result<Box<dyn Sink>, DeliverError> + Send>;

/// Somebody who wants every new, edited and deleted post.
pub struct Subscription {
    name: String,
    store: Box<dyn Store>,
    open: Open,
    /// Where it is open.
    sink: Option<Box<dyn Sink>>,
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Subscription {
    /// A subscription of this name into sinks for posts; it reads the log through `store`.
    pub fn new(name: impl Into<String>, store: Box<dyn Store>, open: Open) -> Self {
        Self { name: name.into(), store, open, sink: None }
    }

    /// Where the store has it.
    fn cursor(&self) -> Result<u64, StoreError> {
        self.store.cursor(&consumer(&self.name))
    }

    /// Delivers one batch of what comes after `cursor`; gives the number of its last change, `cursor` itself at the end of
    /// the log. After an error the subscriber is opened anew, lest half a line stays in between.
    fn deliver(&mut self, cursor: u64) -> Result<u64, DeliverError> {
        let delivered = self.try_deliver(cursor);
        if delivered.is_err() {
            self.sink = None;
        }
        delivered
    }

    fn try_deliver(&mut self, cursor: u64) -> Result<u64, DeliverError> {
        let changes = self.store.changes_above(cursor, BATCH)?;
        let Some(last) = changes.last() else { return Ok(cursor) };
        if self.sink.is_none() {
            self.sink = Some((self.open)()?);
        }
        let sink = self.sink.as_mut().expect("it was opened a moment ago");
        let refused = |why: SinkError| DeliverError::Sink { name: self.name.clone(), why };
        let mut delivered: Set<u64> = Set::default();
        let is_first = |object: &u64| delivered.insert(*object);
        let objects: Vec<u64> = changes.iter().map(|change| change.object).filter(is_first).collect();
        for some in objects.chunks(READ_AT_ONCE) {
            for row in self.store.posts_numbered(some)?.into_iter().flatten() {
                sink.write(&post_record(row)).map_err(refused)?;
            }
        }
        sink.flush().map_err(refused)?;
        Ok(last.number)
    }
}

/// Under which name the store remembers how far a subscriber has got.
fn consumer(name: &str) -> String {
    format!("deliver:{name}")
}

/// A subscriber that has taken nothing for so long, on the wall, is shown as one that is stuck.
const STALLED_AFTER: Duration = Duration::from_secs(5);

/// How far a subscriber has got, for the dumper, which stores it, and for the report.
#[derive(Debug)]
pub struct Progress {
    name: String,
    cursor: AtomicU64,
    state: Mutex<State>,
}

/// What a subscriber is at.
#[derive(Debug, Default)]
struct State {
    /// Since when the present batch is under way, on the wall and by the clock of the crawl.
    busy_since: Option<(Instant, Timestamp)>,
    /// What went wrong last, until it works again.
    failure: Option<String>,
}

impl Progress {
    /// A subscriber that stands at this change.
    pub(crate) fn new(name: &str, cursor: u64) -> Self {
        Self { name: name.to_owned(), cursor: AtomicU64::new(cursor), state: Mutex::default() }
    }

    /// The last change that it has taken.
    pub fn cursor(&self) -> u64 {
        self.cursor.load(Ordering::Acquire)
    }

    /// Under which name the store remembers that.
    pub fn consumer(&self) -> String {
        consumer(&self.name)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A batch begins. One that is tried again has been under way since its first try.
    fn begin(&self, now: Timestamp) {
        self.state().busy_since.get_or_insert((Instant::now(), now));
    }

    /// It has taken everything up to here.
    fn took(&self, cursor: u64) {
        self.cursor.store(cursor, Ordering::Release);
        *self.state() = State::default();
    }

    fn failed(&self, why: String) {
        self.state().failure = Some(why);
    }

    /// For the report: how many changes it is behind the newest one, and since when it takes nothing.
    pub(crate) fn view(&self, last_change: Option<u64>) -> SubscriberStatus {
        let state = self.state();
        let stalled = state.busy_since.filter(|(at, _)| at.elapsed() > STALLED_AFTER);
        SubscriberStatus {
            name: self.name.clone(),
            behind: last_change.map(|last| last.saturating_sub(self.cursor())),
            stalled_since: stalled.map(|(_, at)| UnixFloat(at)),
            why: state.failure.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
