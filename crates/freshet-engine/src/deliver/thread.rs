//! The threads of the subscribers: one each, so that none waits for another, and nobody else for any of them.
//!
//! A thread takes batches from its own cursor and tells through [`Progress`] how far it has got; the dumper stores that. It
//! may be stuck for ever, in a write or in opening a pipe that nobody reads. Then the end of a run leaves it
//! behind: what it had not delivered comes with the next run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use freshet_report::run::SubscriberStatus;
use freshet_store::api::StoreError;
use freshet_types::Clock;

use super::{DeliverError, Progress, Subscription};
use crate::spell::Spell;

/// How often a subscriber that has everything looks for news.
const NEWS_EVERY: Duration = Duration::from_millis(200);

/// The subscribers of a run. Dropping it tells their threads to end, and waits for none.
#[derive(Debug)]
pub(crate) struct Subscribers {
    threads: Vec<Handle>,
    is_ending: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Handle {
    progress: Arc<Progress>,
    thread: std::thread::JoinHandle<()>,
    /// Closed when the thread has ended.
    ended: Receiver<()>,
}

impl Subscribers {
    /// Starts a thread for each.
    pub(crate) fn start(
        subscriptions: Vec<Subscription>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, StoreError> {
        let is_ending = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        for subscription in subscriptions {
            let progress = Arc::new(Progress::new(&subscription.name, subscription.cursor()?));
            let (on_end, ended) = channel();
            let work = Work {
                subscription,
                progress: Arc::clone(&progress),
                clock: Arc::clone(clock),
                is_ending: Arc::clone(&is_ending),
                spell: Spell::default(),
                _on_end: on_end,
            };
            let thread = std::thread::Builder::new()
                .name("subscriber".to_owned())
                .spawn(move || work.run())
                .expect("the system can start one more thread");
            threads.push(Handle { progress, thread, ended });
        }
        Ok(Self { threads, is_ending })
    }

    /// How far each has got, for the dumper.
    pub(crate) fn progress(&self) -> Vec<Arc<Progress>> {
        self.threads.iter().map(|handle| Arc::clone(&handle.progress)).collect()
    }

    /// For the report; `last_change` gives the newest number of the log, where there are subscribers at all.
    pub(crate) fn views(&self, last_change: impl FnOnce() -> Option<u64>) -> Vec<SubscriberStatus> {
        if self.threads.is_empty() {
            return Vec::new();
        }
        let last_change = last_change();
        self.threads.iter().map(|handle| handle.progress.view(last_change)).collect()
    }

    /// Lets all of them catch up with the log, until `deadline` at the latest.
    pub(crate) fn farewell(&self, deadline: Instant) {
        self.end();
        for handle in &self.threads {
            // An error means that the thread has ended; one that has not is left behind.
            let left = deadline.saturating_duration_since(Instant::now());
            if matches!(handle.ended.recv_timeout(left), Err(std::sync::mpsc::RecvTimeoutError::Timeout)) {
                let name = &handle.progress.name;
                tracing::warn!("`{name}` does not take what it was given; the next run delivers the rest");
            }
        }
    }

    fn end(&self) {
        self.is_ending.store(true, Ordering::Release);
        self.threads.iter().for_each(|handle| handle.thread.thread().unpark());
    }
}

impl Drop for Subscribers {
    fn drop(&mut self) {
        self.end();
    }
}

struct Work {
    subscription: Subscription,
    progress: Arc<Progress>,
    clock: Arc<dyn Clock>,
    is_ending: Arc<AtomicBool>,
    spell: Spell,
    _on_end: Sender<()>,
}

impl Work {
    fn run(mut self) {
        loop {
            // Asked first: what was committed before the end began is delivered.
            let is_ending = self.is_ending.load(Ordering::Acquire);
            let pause = match self.step() {
                Ok(true) => continue,
                Ok(false) => NEWS_EVERY,
                Err(DeliverError::Store(error)) if error.trouble().is_none() => {
                    tracing::warn!("`{}` gets nothing more: {error}", self.progress.name);
                    return self.progress.failed(error.to_string());
                }
                Err(error) => self.suffer(&error),
            };
            if is_ending {
                return;
            }
            std::thread::park_timeout(pause);
        }
    }

    /// Delivers a batch; gives whether there was one.
    fn step(&mut self) -> Result<bool, DeliverError> {
        let cursor = self.progress.cursor();
        self.progress.begin(self.clock.now());
        let reached = self.subscription.deliver(cursor)?;
        if self.spell.worked() {
            tracing::info!("`{}` takes deliveries again", self.progress.name);
        }
        self.progress.took(reached);
        Ok(reached > cursor)
    }

    /// Notes what went wrong; gives how long to wait before the next try.
    fn suffer(&mut self, error: &DeliverError) -> Duration {
        self.progress.failed(error.to_string());
        if self.spell.failed() {
            tracing::warn!("{error}; it is tried again, and nothing is left out");
        }
        self.spell.left()
    }
}
