//! Step 9 of 10: deliver. The change log from a cursor, to a subscriber, at least once.
//!
//! A subscription has a name; under it the store remembers how far the subscriber has got.
//! Records are written and flushed first, the cursor moves after: dying in between delivers
//! twice, never zero times. A post is delivered as it is now, once per batch, however often it
//! changed; a post that was erased since is left out.
//!
//! A [`Subscriber`] is a state machine: each [step](Subscriber::step) is handed the store and the moment. Under tokio each
//! has a thread and a connection of its own (`drive/subscribers.rs`): whoever does not read holds up neither the store nor
//! the end of a run; the simulator steps them on its virtual clock. A subscriber that takes nothing is opened anew and gets
//! what it missed.

mod file;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use freshet_report::run::SubscriberStatus;
use freshet_report::time::UnixFloat;
use freshet_sink::{Sink, SinkError};
use freshet_store::api::{Store, StoreError};
use freshet_types::Set;

use crate::core::Moment;
use crate::record::post_record;
use crate::spell::Spell;

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
        path: String,
        /// What is wrong with it.
        why: std::io::Error,
    },
    /// The subscriber does not take it.
    #[error("`{name}` takes no more: {why}")]
    Sink {
        name: String,
        /// What it said.
        why: SinkError,
    },
}

/// How a subscriber is opened, at first and after every failure.
pub type Open = Box<dyn FnMut() -> Result<Box<dyn Sink>, DeliverError> + Send>;

/// Somebody who wants every new, edited and deleted post.
pub struct Subscriber {
    name: String,
    open: Open,
    /// Where it is open.
    sink: Option<Box<dyn Sink>>,
    progress: Arc<Progress>,
    spell: Spell,
}

impl std::fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscriber").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What came of a step.
#[derive(Debug)]
pub enum Stepped {
    /// A batch was delivered: there may be more.
    Delivered,
    /// It has everything.
    Idle,
    /// Something failed that may pass; it is tried again at this wall time.
    Failed(u64),
    /// The store failed for good: it gets nothing more.
    Ended,
}

impl Subscriber {
    /// A subscriber of this name, into sinks for posts.
    pub fn new(name: impl Into<String>, open: Open) -> Self {
        let name = name.into();
        let progress = Arc::new(Progress::new(&name, 0));
        Self { name, open, sink: None, progress, spell: Spell::default() }
    }

    /// Goes on from where the store has it.
    pub fn resume(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        self.progress.cursor.store(store.cursor(&consumer(&self.name))?, Ordering::Release);
        Ok(())
    }

    /// How far it has got.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Delivers one batch, if there is one.
    pub fn step(&mut self, store: &dyn Store, moment: Moment) -> Stepped {
        let cursor = self.progress.cursor();
        self.progress.begin(moment);
        match self.deliver(store, cursor) {
            Ok(reached) => {
                if self.spell.worked() {
                    tracing::info!("`{}` takes deliveries again", self.name);
                }
                self.progress.on_delivered(reached);
                if reached > cursor { Stepped::Delivered } else { Stepped::Idle }
            }
            Err(DeliverError::Store(error)) if error.trouble().is_none() => {
                tracing::warn!("`{}` gets nothing more: {error}", self.name);
                self.progress.failed(error.to_string());
                Stepped::Ended
            }
            Err(error) => {
                self.progress.failed(error.to_string());
                if self.spell.failed(moment) {
                    tracing::warn!("{error}; it is tried again, and nothing is left out");
                }
                Stepped::Failed(self.spell.retry_ms().unwrap_or(moment.wall_ms))
            }
        }
    }

    /// Delivers one batch of what comes after `cursor`; gives the number of its last change, `cursor` itself at the end of
    /// the log. After an error the subscriber is opened anew, lest half a line stays in between.
    pub(crate) fn deliver(&mut self, store: &dyn Store, cursor: u64) -> Result<u64, DeliverError> {
        let delivered = self.try_deliver(store, cursor);
        if delivered.is_err() {
            self.sink = None;
        }
        delivered
    }

    fn try_deliver(&mut self, store: &dyn Store, cursor: u64) -> Result<u64, DeliverError> {
        let changes = store.changes_above(cursor, BATCH)?;
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
            for row in store.posts_numbered(some)?.into_iter().flatten() {
                sink.write(&post_record(row)).map_err(refused)?;
            }
        }
        sink.flush().map_err(refused)?;
        Ok(last.number)
    }
}

/// A subscriber with a connection of its own, through which it reads the log.
pub struct Subscription {
    pub(crate) subscriber: Subscriber,
    pub(crate) store: Box<dyn Store>,
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").field("subscriber", &self.subscriber).finish_non_exhaustive()
    }
}

impl Subscription {
    /// A subscription of this name into sinks for posts; it reads the log through `store`.
    pub fn new(name: impl Into<String>, store: Box<dyn Store>, open: Open) -> Self {
        Self { subscriber: Subscriber::new(name, open), store }
    }
}

/// Under which name the store remembers how far a subscriber has got.
fn consumer(name: &str) -> String {
    format!("deliver:{name}")
}

/// A subscriber that has taken nothing for so long, on the wall, is shown as one that is stuck.
const STALLED_AFTER_MS: u64 = 5_000;

/// How far a subscriber has got, for whoever lets the writer store it, and for the report.
#[derive(Debug)]
pub struct Progress {
    name: String,
    cursor: AtomicU64,
    state: Mutex<State>,
}

/// What a subscriber is at.
#[derive(Debug, Default)]
struct State {
    /// Since when the present batch is under way.
    busy_since: Option<Moment>,
    /// What went wrong last, until it works again.
    failure: Option<String>,
}

impl Progress {
    /// A subscriber that stands at this change.
    pub(crate) fn new(name: &str, cursor: u64) -> Self {
        Self { name: name.to_owned(), cursor: AtomicU64::new(cursor), state: Mutex::default() }
    }

    /// Whose it is.
    pub fn name(&self) -> &str {
        &self.name
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
    fn begin(&self, moment: Moment) {
        self.state().busy_since.get_or_insert(moment);
    }

    /// It has taken everything up to here.
    fn on_delivered(&self, cursor: u64) {
        self.cursor.store(cursor, Ordering::Release);
        *self.state() = State::default();
    }

    fn failed(&self, why: String) {
        self.state().failure = Some(why);
    }

    /// For the report: how many changes it is behind the newest one, and since when it takes nothing.
    pub fn view(&self, last_change: Option<u64>, moment: Moment) -> SubscriberStatus {
        let state = self.state();
        let is_stuck = |since: &Moment| moment.wall_ms.saturating_sub(since.wall_ms) > STALLED_AFTER_MS;
        let stalled = state.busy_since.filter(is_stuck);
        SubscriberStatus {
            name: self.name.clone(),
            behind: last_change.map(|last| last.saturating_sub(self.cursor())),
            stalled_since: stalled.map(|since| UnixFloat(since.now)),
            why: state.failure.clone(),
        }
    }
}
