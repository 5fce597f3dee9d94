//! Step 8 of 10 in bulk: the dump pool and its dumper, the only writer of the store.
//!
//! Fetchers produce, the dumper consumes [SocWeb, section 4.1]. It commits whatever has
//! gathered since the last commit in one transaction, so that commits grow with the load and a
//! lone page never waits. Between commits it feeds the robots' rings from the change log, moves the
//! cursors of subscribers and brings the search index up to date; all stand on log cursors, so being killed is no loss.
//!
//! Invariant: a store that fails for a while (locked, full, no files) ends nothing. What could not be written stays in the
//! pile (`dump/pile.rs`) and is tried again; the driver is told, and asks for nothing more meanwhile.
//! Ring files that cannot be written hold up the robots only.

mod pile;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use freshet_network::constraint::Constraints;
use freshet_store::api::{Store, StoreError};
use freshet_store::row::Upload;
use freshet_types::{Clock, Span, Timestamp};
use tokio::sync::mpsc::UnboundedSender;

use crate::constrain::{Constrainer, setting};
use crate::core::Event;
use crate::deliver::Progress;
use crate::feed::{AHEAD_MAX, FeedError, Feeder};
use crate::quota::Reservation;
use crate::report::Rings;
use crate::spell::Spell;
use pile::{Group, Pile};

/// How often the rings are tended while there is work.
const FEED_EVERY: Duration = Duration::from_millis(200);
/// How often the rings write down where they stand.
const SYNC_EVERY: Duration = Duration::from_secs(2);
/// Without work for so long, the dumper turns to the search index.
const IDLE_AFTER: Duration = Duration::from_millis(100);
/// Changes indexed at once.
const INDEX_BATCH: usize = 2_000;
/// How often old posts and parked objects are swept.
const SWEEP_EVERY: Span = Span::HOUR;

/// What the dumper is asked to do.
#[derive(Debug)]
pub enum Job {
    /// Commit this.
    Apply(Box<Upload>),
    /// From now on, these constraints.
    Constraints(Constraints),
    /// Write the live report for `freshet status`.
    Report(String),
    /// Write down what was granted of the quotas, before it is used.
    Ledger(Box<Reservation>),
    /// Write down the prices.
    Prices(String),
    /// Write down the recent past, for charts.
    History(String),
    /// Write down what came of learning forums anew.
    Relearnt(String),
    /// Reserve this many visit numbers.
    Reserve(u64),
    /// Commit what is left and end.
    Stop,
}

/// A part of the run that can be in trouble; the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Writing to the store.
    Store,
    /// Reading from it.
    Reading,
    /// The files of the robots' rings.
    Rings,
    /// The clock was set back.
    Clock,
}

impl Part {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Reading => "reading",
            Self::Rings => "rings",
            Self::Clock => "clock",
        }
    }
}

/// What the dumper tells.
#[derive(Debug)]
pub enum Told {
    /// Something for the core.
    Event(Event),
    /// How many ids wait in the rings.
    Rings(Rings),
    /// Visit numbers, reserved.
    Reserved(std::ops::Range<u64>),
    /// What was applied, to be freed by threads that have the time: this one is waited for.
    Spent(Vec<Upload>),
    /// Something fails that may pass: what, and what to do about it. It is tried again.
    Trouble(Part, String, &'static str),
    /// It works again.
    Mended(Part),
    /// It cannot go on.
    Failed(FeedError),
}

/// What driver and dumper know of each other without a message.
#[derive(Debug, Default)]
pub struct Signals {
    /// Sources that are due and not begun, as the core last counted them.
    pub due_count: AtomicUsize,
    /// The driver waits no longer: nothing is tried again.
    pub is_given_up: AtomicBool,
}

/// The only writer.
pub struct Dumper {
    store: Box<dyn Store>,
    feeder: Feeder,
    constrainer: Constrainer,
    clock: Arc<dyn Clock>,
    told: UnboundedSender<Told>,
    signals: Arc<Signals>,
    pile: Pile,
    /// Whether the store takes nothing.
    spell: Spell,
    /// Whether the rings cannot be written.
    ring_spell: Spell,
    fed_at: Option<Instant>,
    synced_at: Option<Instant>,
    swept_at: Timestamp,
    is_indexed: bool,
    /// The subscribers, each with the cursor that is stored.
    subscribers: Vec<(Arc<Progress>, u64)>,
}

impl std::fmt::Debug for Dumper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dumper").field("feeder", &self.feeder).finish_non_exhaustive()
    }
}

impl Dumper {
    /// A dumper over this store.
    pub fn new(
        store: Box<dyn Store>,
        feeder: Feeder,
        clock: Arc<dyn Clock>,
        told: UnboundedSender<Told>,
        signals: Arc<Signals>,
    ) -> Self {
        let swept_at = Timestamp::MIN;
        Self {
            store,
            constrainer: Constrainer::new(feeder.networks()),
            feeder,
            clock,
            told,
            signals,
            pile: Pile::default(),
            spell: Spell::default(),
            ring_spell: Spell::default(),
            fed_at: None,
            synced_at: None,
            swept_at,
            is_indexed: false,
            subscribers: Vec::new(),
        }
    }

    /// Stores how far these subscribers have got.
    pub fn with_subscribers(mut self, subscribers: Vec<Arc<Progress>>) -> Self {
        self.subscribers = subscribers
            .into_iter()
            .map(|progress| {
                let stored = progress.cursor();
                (progress, stored)
            })
            .collect();
        self
    }

    /// Works until told to stop, or until the store fails for good.
    pub fn run(mut self, jobs: &Receiver<Job>) {
        if let Err(error) = self.work(jobs) {
            // Nobody listening means that the engine is gone already.
            let _ = self.told.send(Told::Failed(error));
        }
    }

    fn work(&mut self, jobs: &Receiver<Job>) -> Result<(), FeedError> {
        while !self.signals.is_given_up.load(Ordering::Relaxed) {
            let is_idle = match jobs.recv_timeout(IDLE_AFTER) {
                Ok(job) => {
                    self.pile.take(job);
                    false
                }
                Err(RecvTimeoutError::Timeout) => self.pile.is_empty(),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            while !self.pile.is_full()
                && let Ok(job) = jobs.try_recv()
            {
                self.pile.take(job);
            }
            if self.spell.waits() {
                continue;
            }
            let done = self.turn(is_idle);
            self.heed(done)?;
            if self.pile.is_last && !self.spell.is_on() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Writes what waits; then it looks after what is derived from it.
    fn turn(&mut self, is_idle: bool) -> Result<(), FeedError> {
        self.write()?;
        if self.pile.is_last {
            self.move_cursors()?;
            if let Err(error) = self.feeder.sync() {
                tracing::warn!("where the rings stand is not written down, some ids come again: {error}");
            }
            return Ok(());
        }
        self.feed()?;
        if is_idle { self.idle() } else { Ok(()) }
    }

    /// Tells of trouble that may pass when it begins and when it is over; gives back what does not.
    fn heed(&mut self, done: Result<(), FeedError>) -> Result<(), FeedError> {
        match done {
            Ok(()) if self.spell.worked() => {
                tracing::info!("the store works again");
                let _ = self.told.send(Told::Mended(Part::Store));
            }
            Ok(()) => {}
            Err(error) if error.is_passing() => {
                if self.spell.failed() {
                    tracing::warn!("{error}; it is tried again, and nothing new is asked for meanwhile");
                    let told = Told::Trouble(Part::Store, error.to_string(), error.advice());
                    let _ = self.told.send(told);
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Writes all that waits; what fails stays in the pile.
    fn write(&mut self) -> Result<(), StoreError> {
        // Reservations first: requests wait for them.
        while let Some(reservation) = self.pile.reservations.front() {
            self.store.set_settings(&reservation.settings)?;
            let _ = self.told.send(Told::Event(Event::Reserved(reservation.number)));
            self.pile.reservations.pop_front();
        }
        while let Some(group) = self.pile.groups.front_mut() {
            match group {
                Group::Uploads(uploads, _) => {
                    let confirmed = self.constrainer.apply(&mut *self.store, uploads)?;
                    let uploads = std::mem::take(uploads);
                    let stale_count = confirmed.iter().filter(|(_, applied)| applied.is_stale).count();
                    if stale_count > 0 {
                        tracing::warn!(
                            "{stale_count} pages of sources that another run leads now are not stored"
                        );
                    }
                    self.is_indexed = false;
                    let _ = self.told.send(Told::Event(Event::Applied(confirmed)));
                    let _ = self.told.send(Told::Spent(uploads));
                }
                Group::Constraints(constraints) => {
                    let now = self.clock.now();
                    self.constrainer.replace(&mut *self.store, constraints.clone(), now)?;
                }
            }
            self.pile.groups.pop_front();
        }
        while let Some(entry) = self.pile.settings.first_entry() {
            self.store.set_setting(entry.key(), entry.get())?;
            entry.remove();
        }
        if let Some(count) = self.pile.reserve {
            let first = self.store.reserve_visits(count)?;
            self.pile.reserve = None;
            let _ = self.told.send(Told::Reserved(first..first + count));
        }
        Ok(())
    }

    /// Writes down how far the subscribers have got.
    fn move_cursors(&mut self) -> Result<(), StoreError> {
        for (progress, stored) in &mut self.subscribers {
            let reached = progress.cursor();
            if reached != *stored {
                self.store.set_cursor(&progress.consumer(), reached)?;
                *stored = reached;
            }
        }
        Ok(())
    }

    fn feed(&mut self) -> Result<(), FeedError> {
        if self.fed_at.is_some_and(|at| at.elapsed() < FEED_EVERY) {
            return Ok(());
        }
        self.fed_at = Some(Instant::now());
        self.move_cursors()?;
        if self.ring_spell.waits() {
            return Ok(());
        }
        match self.feed_rings() {
            Err(error @ FeedError::Ring(_)) if error.is_passing() => {
                if self.ring_spell.failed() {
                    tracing::warn!("{error}; the robots wait, the crawl goes on");
                    let told = Told::Trouble(Part::Rings, error.to_string(), error.advice());
                    let _ = self.told.send(told);
                }
            }
            Err(error) => return Err(error),
            Ok(()) if self.ring_spell.worked() => {
                let _ = self.told.send(Told::Mended(Part::Rings));
            }
            Ok(()) => {}
        }
        Ok(())
    }

    fn feed_rings(&mut self) -> Result<(), FeedError> {
        if self.synced_at.is_none_or(|at| at.elapsed() > SYNC_EVERY) {
            self.feeder.sync()?;
            self.synced_at = Some(Instant::now());
            let _ = self.told.send(Told::Rings(self.feeder.lengths()));
        }
        let room = AHEAD_MAX.saturating_sub(self.signals.due_count.load(Ordering::Relaxed));
        let slots = self.feeder.tend(&mut *self.store, room)?;
        if !slots.is_empty() {
            let _ = self.told.send(Told::Event(Event::Slots(slots)));
        }
        Ok(())
    }

    fn idle(&mut self) -> Result<(), FeedError> {
        if !self.is_indexed {
            self.is_indexed = self.store.index(INDEX_BATCH)? < INDEX_BATCH;
        }
        let now = self.clock.now();
        if now - self.swept_at > SWEEP_EVERY {
            self.store.expire(now)?;
            let parked_max = setting::parked_max(&*self.store)?;
            self.constrainer.sweep(&mut *self.store, now, parked_max)?;
            self.swept_at = now;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
