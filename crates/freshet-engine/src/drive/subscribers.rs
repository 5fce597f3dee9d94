//! The threads of the subscribers: one each, so that none waits for another, and nobody else for any of them.
//!
//! A thread takes batches from its own cursor and tells through [`Progress`] how far it has got; the writer stores that. It
//! may be stuck for ever, in a write or in opening a pipe that nobody reads. Then the end of a run leaves it
//! behind: what it had not delivered comes with the next run.
//!
//! Who runs follows the subscriptions in the store ([`Subscribers::follow`]). One that is stopped is told to give up and not
//! waited for; whoever takes its place waits for it, so that no two ever write to the same receiver.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use freshet_report::run::SubscriberStatus;
use freshet_store::api::StoreError;
use freshet_store::pass::Pass;
use freshet_store::subscription::{SUBSCRIPTIONS_MAX, State, SubscriptionRow};

use super::Wall;
use crate::core::Moment;
use crate::deliver::{Progress, Stepped, Stop, Subscription, heir};

/// How often a subscriber that has everything looks for news.
const NEWS_EVERY: Duration = Duration::from_millis(200);
/// How often somebody who waits for a predecessor asks whether it has ended.
const ENDED_EVERY: Duration = Duration::from_millis(50);

/// Makes a subscriber with a connection of its own, or says why it cannot.
pub type Subscribe = Box<dyn FnMut(&SubscriptionRow) -> Result<Subscription, String> + Send>;

/// How far each has got, for the writer.
pub(crate) type Roster = Arc<Mutex<Vec<Arc<Progress>>>>;

/// The subscribers of a run. Dropping it tells their threads to end, and waits for none.
pub(crate) struct Subscribers {
    threads: Vec<Handle>,
    roster: Roster,
    is_ending: Arc<AtomicBool>,
    wall: Wall,
    /// Through which they get what is not kept.
    pass: Arc<Pass>,
    subscribe: Subscribe,
}

impl std::fmt::Debug for Subscribers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscribers").field("threads", &self.threads).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Handle {
    progress: Arc<Progress>,
    stop: Stop,
    /// It follows a row of the store.
    is_row: bool,
    thread: std::thread::Thread,
    /// Closed when the thread has ended.
    ended: Receiver<()>,
}

impl Handle {
    fn has_ended(&self) -> bool {
        matches!(self.ended.try_recv(), Err(TryRecvError::Disconnected))
    }

    fn wake(&self) {
        self.thread.unpark();
    }
}

impl Subscribers {
    /// Starts a thread for each of these; others follow the store.
    pub(crate) fn start(
        subscriptions: Vec<Subscription>,
        subscribe: Subscribe,
        (wall, pass): (&Wall, &Arc<Pass>),
    ) -> Result<Self, StoreError> {
        let mut subscribers = Self {
            threads: Vec::new(),
            roster: Roster::default(),
            is_ending: Arc::new(AtomicBool::new(false)),
            wall: wall.clone(),
            pass: Arc::clone(pass),
            subscribe,
        };
        for mut subscription in subscriptions {
            subscription.subscriber.resume(&*subscription.store)?;
            subscription.store.pass_through(pass)?;
            subscribers.begin(subscription, None);
        }
        Ok(subscribers)
    }

    /// From now on these subscriptions, as far as they run. One that cannot be started is told of and left out.
    pub(crate) fn follow(&mut self, rows: &[SubscriptionRow]) {
        let runs = |row: &&SubscriptionRow| row.subscription.state == State::Running;
        let wanted: Vec<&SubscriptionRow> = rows.iter().filter(runs).take(SUBSCRIPTIONS_MAX).collect();
        let is_wanted = |handle: &Handle| {
            let is_it = |row: &&&SubscriptionRow| {
                row.subscription.name == handle.progress.name()
                    && row.standing.generation == handle.progress.standing().generation
            };
            !handle.is_row || wanted.iter().any(|row| is_it(&row)) && !handle.has_ended()
        };
        let (kept, left): (Vec<Handle>, Vec<Handle>) =
            std::mem::take(&mut self.threads).into_iter().partition(is_wanted);
        self.threads = kept;
        for handle in &left {
            handle.stop.stop();
            handle.wake();
        }
        let mut left: Vec<Option<Handle>> = left.into_iter().map(Some).collect();
        for row in wanted {
            let name = row.subscription.name.as_str();
            if self.threads.iter().any(|handle| handle.is_row && handle.progress.name() == name) {
                continue;
            }
            let is_before =
                |it: &&mut Option<Handle>| it.as_ref().is_some_and(|it| it.progress.name() == name);
            let before = left.iter_mut().find(is_before).and_then(Option::take);
            let subscription = (self.subscribe)(row).and_then(|mut it| {
                it.store.pass_through(&self.pass).map_err(|error| error.to_string())?;
                Ok(it)
            });
            match subscription {
                Ok(subscription) => self.begin(subscription, before),
                Err(why) => tracing::warn!("`{name}` gets nothing: {why}"),
            }
        }
        self.list();
    }

    fn begin(&mut self, subscription: Subscription, before: Option<Handle>) {
        let (progress, stop) = (subscription.subscriber.progress(), subscription.subscriber.stop());
        let (on_end, ended) = channel();
        let is_row = progress.has_row();
        let work = Work {
            subscription,
            before,
            wall: self.wall.clone(),
            is_ending: Arc::clone(&self.is_ending),
            stop: stop.clone(),
            _on_end: on_end,
        };
        let thread = std::thread::Builder::new()
            .name("subscriber".to_owned())
            .spawn(move || work.run())
            .expect("the system can start one more thread");
        self.threads.push(Handle { progress, stop, is_row, thread: thread.thread().clone(), ended });
        self.list();
    }

    fn list(&self) {
        *lock(&self.roster) = self.threads.iter().map(|handle| Arc::clone(&handle.progress)).collect();
    }

    /// How far each has got, for the writer.
    pub(crate) fn roster(&self) -> Roster {
        Arc::clone(&self.roster)
    }

    /// For the report; `last_change` gives the newest number of the log, where there are subscribers at all.
    pub(crate) fn views(
        &self,
        last_change: impl FnOnce() -> Option<u64>,
        moment: Moment,
    ) -> Vec<SubscriberStatus> {
        if self.threads.is_empty() {
            return Vec::new();
        }
        let last_change = last_change();
        // The log that a viewer's follows is another one, of which nobody here knows the end.
        let log = |progress: &Progress| last_change.filter(|_| !progress.is_of_viewer());
        self.threads.iter().map(|it| it.progress.view(log(&it.progress), moment)).collect()
    }

    /// Lets all of them catch up with the log, until `deadline` at the latest.
    pub(crate) fn farewell(&self, deadline: Instant) {
        self.end();
        for handle in &self.threads {
            // An error means that the thread has ended; one that has not is left behind.
            let left = deadline.saturating_duration_since(Instant::now());
            if matches!(handle.ended.recv_timeout(left), Err(RecvTimeoutError::Timeout)) {
                let name = handle.progress.name();
                tracing::warn!("`{name}` does not take what it was given; the next run delivers the rest");
            }
        }
    }

    fn end(&self) {
        self.is_ending.store(true, Ordering::Release);
        self.threads.iter().for_each(Handle::wake);
    }
}

impl Drop for Subscribers {
    fn drop(&mut self) {
        self.end();
        self.threads.iter().for_each(|handle| handle.stop.stop());
    }
}

/// A lock that outlives whoever died with it.
pub(super) fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Work {
    subscription: Subscription,
    /// Whose place it takes.
    before: Option<Handle>,
    wall: Wall,
    is_ending: Arc<AtomicBool>,
    stop: Stop,
    _on_end: Sender<()>,
}

impl Work {
    fn run(mut self) {
        while let Some(before) = &self.before
            && !before.has_ended()
        {
            if self.stop.is_stopped() || self.is_ending.load(Ordering::Acquire) {
                return;
            }
            std::thread::park_timeout(ENDED_EVERY);
        }
        let Subscription { subscriber, store } = &mut self.subscription;
        if let Some(before) = self.before.take() {
            heir(&before.progress, &subscriber.progress());
        }
        while !self.stop.is_stopped() {
            // Asked first: what was committed before the end began is delivered.
            let is_ending = self.is_ending.load(Ordering::Acquire);
            let pause = match subscriber.step(&**store, self.wall.moment()) {
                Stepped::Delivered => continue,
                Stepped::Idle => NEWS_EVERY,
                Stepped::Failed(retry_ms) => self.wall.until(retry_ms),
                Stepped::Ended => return,
            };
            if is_ending {
                return;
            }
            std::thread::park_timeout(pause);
        }
    }
}

#[cfg(test)]
mod tests;
