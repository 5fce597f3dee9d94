//! The thread of the writer: it waits for jobs, and lets the writer have its turns.
//!
//! It also carries how far subscribers have got to the writer, which stores it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use freshet_store::api::{Store, StoreError};
use freshet_store::pass::Pass;
use tokio::sync::mpsc::UnboundedSender;

use super::Wall;
use super::subscribers::{Roster, lock};
use crate::feed::FeedError;
use crate::writer::{IDLE_AFTER_MS, Job, Told, Writer};

/// The writer at work.
pub(super) struct WriterThread {
    pub(super) writer: Writer,
    pub(super) store: Box<dyn Store>,
    pub(super) wall: Wall,
    pub(super) told: UnboundedSender<Told>,
    /// Nobody waits for it any longer: nothing is tried again.
    pub(super) is_given_up: Arc<AtomicBool>,
    /// The subscribers there are at the moment, and what passes to them.
    subscribers: Roster,
    pass: Arc<Pass>,
}

impl WriterThread {
    /// A writer over this store.
    pub(super) fn new(
        writer: Writer,
        store: Box<dyn Store>,
        wall: Wall,
        told: UnboundedSender<Told>,
        is_given_up: Arc<AtomicBool>,
    ) -> Self {
        Self { writer, store, wall, told, is_given_up, subscribers: Roster::default(), pass: Arc::default() }
    }

    /// Stores how far these subscribers have got, and lets what is not kept pass to them.
    pub(super) fn with_subscribers(
        mut self,
        (subscribers, pass): (Roster, Arc<Pass>),
    ) -> Result<Self, StoreError> {
        self.store.pass_through(&pass)?;
        Ok(Self { subscribers, pass, ..self })
    }

    /// Works until told to stop, or until the store fails for good.
    pub(super) fn run(mut self, jobs: &Receiver<Job>) {
        if let Err(error) = self.work(jobs) {
            // Nobody listening means that the engine is gone already.
            let _ = self.told.send(Told::Failed(error));
        }
    }

    fn work(&mut self, jobs: &Receiver<Job>) -> Result<(), FeedError> {
        while !self.is_given_up.load(Ordering::Relaxed) && !self.writer.is_done() {
            match jobs.recv_timeout(Duration::from_millis(IDLE_AFTER_MS)) {
                Ok(job) => self.writer.accept(job),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            while !self.writer.is_full()
                && let Ok(job) = jobs.try_recv()
            {
                self.writer.accept(job);
            }
            self.note_cursors();
            let told = &self.told;
            self.writer.turn(&mut *self.store, self.wall.moment(), &mut |news| {
                // Nobody listening means that the engine is gone already.
                let _ = told.send(news);
            })?;
        }
        Ok(())
    }

    fn note_cursors(&mut self) {
        let subscribers = lock(&self.subscribers);
        for progress in subscribers.iter() {
            if let Some(job) = progress.news() {
                self.writer.accept(job);
            }
        }
        self.pass.settle(subscribers.iter().map(|progress| progress.cursor()));
    }
}
