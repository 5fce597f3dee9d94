//! Step 9 of 10: deliver. The change log from a cursor, to a subscriber, at least once.
//!
//! A subscription has a name; under it the store remembers how far the subscriber has got. A batch is handed over first
//! ([`Outlet::deliver`]), the cursor moves after it was acknowledged: dying in between delivers twice, never zero times. What
//! a batch holds is `deliver/batch.rs`'s business: an object once, as it is now, however often it changed.
//!
//! A [`Subscriber`] is a state machine: each [step](Subscriber::step) is handed the store and the moment. Under tokio each
//! has a thread and a connection of its own (`drive/subscribers.rs`): whoever does not read holds up neither the store nor
//! the end of a run; the simulator steps them on its virtual clock. A subscriber that takes nothing is opened anew and gets
//! what it missed. One whose buffer has a bound loses the oldest once it is too far behind, and
//! every loss is counted and told to it.

mod batch;
mod bus;
mod command;
mod file;
mod progress;
mod socket;
pub mod way;
mod webhook;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use freshet_network::networks::Networks;
use freshet_store::api::{Store, StoreError};
use freshet_store::subscription::{Standing, SubscriptionRow, Way};

use crate::core::Moment;
use crate::spell::Spell;
pub use batch::{Batch, test_batch};
use batch::{Choice, Gathered};
pub use progress::Progress;
use progress::Taken;
pub use socket::{Reader, Readers, Told};

/// Changes that are dropped in one step, so that others get their turn.
const DROPPED_AT_ONCE: u64 = 100_000;
/// Longest wait before a program is started or an address is told again.
const WAIT_MAX_MS: u64 = 300_000;

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
    Refused {
        name: String,
        /// What it said.
        why: String,
    },
}

/// What a receiver says to a batch that it was handed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ack {
    /// It has all of it, and can lose it only by itself.
    Taken,
    /// It wants nothing any more, now or later, and why.
    Gone(String),
}

/// An open way to a receiver.
pub trait Outlet: Send {
    /// Hands over a batch and waits for the answer. After an error the outlet is closed, and the batch comes again through
    /// another one: the receiver may have all of it, a part, or nothing.
    fn deliver(&mut self, batch: &Batch) -> Result<Ack, String>;
}

/// How a subscriber is opened, at first and after every failure.
pub type Open = Box<dyn FnMut() -> Result<Box<dyn Outlet>, DeliverError> + Send>;

/// Tells an outlet that waits for its receiver to give up at once.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Nobody wants it any more.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether that is so.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Somebody who wants to hear of changes.
pub struct Subscriber {
    choice: Choice,
    open: Open,
    /// Where it is open.
    outlet: Option<Box<dyn Outlet>>,
    /// Changes that it may be behind before the oldest are dropped.
    buffer_max: Option<u64>,
    /// It had everything once since it began: what it is behind now it did not take in time.
    was_current: bool,
    progress: Arc<Progress>,
    spell: Spell,
    stop: Stop,
}

impl std::fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscriber").field("name", &self.progress.name()).finish_non_exhaustive()
    }
}

/// What came of a step.
#[derive(Debug)]
pub enum Stepped {
    /// A batch was delivered or dropped: there may be more.
    Delivered,
    /// It has everything.
    Idle,
    /// Something failed that may pass; it is tried again at this wall time.
    Failed(u64),
    /// The store failed for good, or the receiver wants nothing any more: it gets nothing more.
    Ended,
}

impl Subscriber {
    /// A subscriber of this name that gets posts as they are exported.
    pub fn new(name: impl Into<String>, open: Open) -> Self {
        Self::choosing(Progress::new(&name.into(), None), Choice::exported(), open)
    }

    /// That of a subscription in the store; `open` leads to its receiver.
    pub fn of(row: &SubscriptionRow, networks: &Arc<Networks>, open: Open) -> Result<Self, String> {
        let it = &row.subscription;
        let choice = Choice::new(&it.kinds, &it.filters, networks).map_err(|error| error.to_string())?;
        let progress = Progress::new(&it.name, Some(row.standing.clone()));
        let spell = match it.way {
            Way::Webhook { .. } | Way::Nats { .. } | Way::Command(_) => Spell::up_to(WAIT_MAX_MS),
            // A reader wakes whoever waits for it, so no wait need be short for its sake.
            Way::File(_) | Way::Stdout | Way::Websocket => Spell::default(),
        };
        Ok(Self { buffer_max: it.buffer_max, spell, ..Self::choosing(progress, choice, open) })
    }

    /// One that gets what it chose.
    fn choosing(progress: Progress, choice: Choice, open: Open) -> Self {
        Self {
            choice,
            open,
            outlet: None,
            buffer_max: None,
            was_current: false,
            progress: Arc::new(progress),
            spell: Spell::default(),
            stop: Stop::default(),
        }
    }

    /// What ends its waiting.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Goes on from where the store has it. One with a row knows that already.
    pub fn resume(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        if !self.progress.has_row() {
            self.progress.begin_at(store.cursor(&self.progress.consumer())?);
        }
        Ok(())
    }

    /// How far it has got.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Delivers one batch, if there is one.
    pub fn step(&mut self, store: &dyn Store, moment: Moment) -> Stepped {
        self.progress.begin(moment);
        let cursor = self.progress.cursor();
        match self.shed(store, moment).and_then(|has_shed| Ok((has_shed, self.deliver(store, moment)?))) {
            Ok((_, Some(Ack::Gone(why)))) => {
                tracing::warn!("`{}` wants nothing any more: {why}", self.progress.name());
                self.progress.end(moment.now, &why);
                Stepped::Ended
            }
            Ok((has_shed, _)) => {
                if self.spell.worked() {
                    tracing::info!("`{}` takes deliveries again", self.progress.name());
                }
                let has_moved = has_shed || self.progress.cursor() > cursor;
                self.was_current |= !has_moved;
                if has_moved { Stepped::Delivered } else { Stepped::Idle }
            }
            Err(DeliverError::Store(error)) if error.trouble().is_none() => {
                tracing::warn!("`{}` gets nothing more: {error}", self.progress.name());
                self.progress.fail(moment.now, &error.to_string());
                Stepped::Ended
            }
            Err(error) => {
                self.progress.fail(moment.now, &error.to_string());
                if self.spell.failed(moment) {
                    let left_out = if self.buffer_max.is_some() { "" } else { ", and nothing is left out" };
                    tracing::warn!("{error}; it is tried again{left_out}");
                }
                Stepped::Failed(self.spell.retry_ms().unwrap_or(moment.wall_ms))
            }
        }
    }

    /// Drops the oldest changes of somebody who does not take them in time; gives whether there were any. What was there
    /// before it began is no reason: whoever asks for the past gets it.
    fn shed(&mut self, store: &dyn Store, moment: Moment) -> Result<bool, DeliverError> {
        let Some(buffer_max) = self.buffer_max.filter(|_| self.was_current || self.spell.is_on()) else {
            return Ok(false);
        };
        let keep_above = store.last_change()?.saturating_sub(buffer_max);
        let began = self.progress.cursor();
        let up_to = keep_above.min(began.saturating_add(DROPPED_AT_ONCE));
        while self.progress.cursor() < up_to {
            let cursor = self.progress.cursor();
            match self.choice.gather(store, cursor..up_to, moment.now)? {
                Some(Gathered { batch, .. }) => {
                    self.progress.on_dropped(batch.lines.len() as u64, batch.cursor);
                }
                // No line of the log stands between the two.
                None => self.progress.on_dropped(0, up_to),
            }
        }
        Ok(self.progress.cursor() > began)
    }

    /// Delivers one batch of what comes after the cursor, and moves it; nothing at the end of the log. After an error the
    /// subscriber is opened anew, lest half a line stays in between.
    pub(crate) fn deliver(&mut self, store: &dyn Store, moment: Moment) -> Result<Option<Ack>, DeliverError> {
        let cursor = self.progress.cursor();
        let Some(Gathered { mut batch, lost_count }) =
            self.choice.gather(store, cursor..u64::MAX, moment.now)?
        else {
            self.progress.on_current();
            return Ok(None);
        };
        let standing = self.progress.standing();
        let (count, told) = (batch.lines.len() as u64, standing.untold_count);
        if told > 0 {
            batch.lines.insert(0, batch::dropped_line(&standing));
        }
        if batch.lines.is_empty() {
            self.progress.on_delivered(batch.cursor, Taken::default());
            return Ok(Some(Ack::Taken));
        }
        let delivered = self.hand_over(&batch);
        match &delivered {
            Ok(Ack::Taken) => self.progress.on_delivered(batch.cursor, Taken { count, told, lost_count }),
            Ok(Ack::Gone(_)) | Err(_) => self.outlet = None,
        }
        delivered.map(Some)
    }

    fn hand_over(&mut self, batch: &Batch) -> Result<Ack, DeliverError> {
        let outlet = match &mut self.outlet {
            Some(outlet) => outlet,
            closed => closed.insert((self.open)()?),
        };
        outlet
            .deliver(batch)
            .map_err(|why| DeliverError::Refused { name: self.progress.name().to_owned(), why })
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
    /// This subscriber; it reads the log through `store`.
    pub fn new(subscriber: Subscriber, store: Box<dyn Store>) -> Self {
        Self { subscriber, store }
    }
}

/// How far somebody stands who is given up for another of the same subscription: the other goes on from there.
pub(crate) fn heir(old: &Progress, new: &Progress) {
    let (left, taken) = (old.standing(), new.standing());
    if left.generation == taken.generation && left.cursor > taken.cursor {
        new.go_on_from(Standing { is_ended: false, ..left });
    }
}

#[cfg(test)]
mod tests;
