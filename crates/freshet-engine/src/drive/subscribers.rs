//! The threads of the subscribers: one each, so that none waits for another, and nobody else for any of them.
//!
//! A thread takes batches from its own cursor and tells through [`Progress`] how far it has got; the writer stores that. It
//! may be stuck for ever, in a write or in opening a pipe that nobody reads. Then the end of a run leaves it
//! behind: what it had not delivered comes with the next run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use freshet_report::run::SubscriberStatus;
use freshet_store::api::StoreError;

use super::Wall;
use crate::core::Moment;
use crate::deliver::{Progress, Stepped, Subscription};

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
    pub(crate) fn start(subscriptions: Vec<Subscription>, wall: &Wall) -> Result<Self, StoreError> {
        let is_ending = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        for mut subscription in subscriptions {
            subscription.subscriber.resume(&*subscription.store)?;
            let progress = subscription.subscriber.progress();
            let (on_end, ended) = channel();
            let work =
                Work { subscription, wall: wall.clone(), is_ending: Arc::clone(&is_ending), _on_end: on_end };
            let thread = std::thread::Builder::new()
                .name("subscriber".to_owned())
                .spawn(move || work.run())
                .expect("the system can start one more thread");
            threads.push(Handle { progress, thread, ended });
        }
        Ok(Self { threads, is_ending })
    }

    /// How far each has got, for the writer.
    pub(crate) fn progress(&self) -> Vec<Arc<Progress>> {
        self.threads.iter().map(|handle| Arc::clone(&handle.progress)).collect()
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
        self.threads.iter().map(|handle| handle.progress.view(last_change, moment)).collect()
    }

    /// Lets all of them catch up with the log, until `deadline` at the latest.
    pub(crate) fn farewell(&self, deadline: Instant) {
        self.end();
        for handle in &self.threads {
            // An error means that the thread has ended; one that has not is left behind.
            let left = deadline.saturating_duration_since(Instant::now());
            if matches!(handle.ended.recv_timeout(left), Err(std::sync::mpsc::RecvTimeoutError::Timeout)) {
                let name = handle.progress.name();
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
    wall: Wall,
    is_ending: Arc<AtomicBool>,
    _on_end: Sender<()>,
}

impl Work {
    fn run(mut self) {
        let Subscription { subscriber, store } = &mut self.subscription;
        loop {
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
