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
use super::viewers::Desks;
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
    /// The writers of the stores of viewers.
    desks: Desks,
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
        let (subscribers, pass, desks) = (Roster::default(), Arc::default(), Desks::default());
        Self { writer, store, wall, told, is_given_up, subscribers, pass, desks }
    }

    /// Stores how far these subscribers have got, and lets what is not kept pass to them.
    pub(super) fn with_subscribers(
        mut self,
        (subscribers, pass): (Roster, Arc<Pass>),
    ) -> Result<Self, StoreError> {
        self.store.pass_through(&pass)?;
        Ok(Self { subscribers, pass, ..self })
    }

    /// Writes what viewers see into their stores.
    pub(super) fn with_viewers(self, desks: Desks) -> Self {
        Self { desks, ..self }
    }

    /// Works until told to stop, or until the store fails for good.
    pub(super) fn run(mut self, jobs: &Receiver<Job>) {
        if let Err(error) = self.work(jobs) {
            // Nobody listening means that the engine is gone already.
            let _ = self.told.send(Told::Failed(error));
        }
    }

    fn work(&mut self, jobs: &Receiver<Job>) -> Result<(), FeedError> {
        while !self.is_given_up.load(Ordering::Relaxed) && !self.is_done() {
            match jobs.recv_timeout(Duration::from_millis(IDLE_AFTER_MS)) {
                Ok(job) => self.accept(job),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            while !self.writer.is_full()
                && let Ok(job) = jobs.try_recv()
            {
                self.accept(job);
            }
            self.note_cursors();
            let (told, moment) = (&self.told, self.wall.moment());
            let mut tell = |news| {
                // Nobody listening means that the engine is gone already.
                let _ = told.send(news);
            };
            self.writer.turn(&mut *self.store, moment, &mut tell)?;
            self.desks.turn(moment, &mut tell)?;
        }
        Ok(())
    }

    /// All that waited is written, in every store, after it was told to stop.
    fn is_done(&self) -> bool {
        self.writer.is_done() && self.desks.are_done()
    }

    /// Gives a job to whom it concerns: what a viewer saw goes to that viewer's writer, and nowhere else.
    fn accept(&mut self, job: Job) {
        if let Some(job) = self.desks.accept(job) {
            self.writer.accept(job);
        }
    }

    fn note_cursors(&mut self) {
        let subscribers = lock(&self.subscribers);
        for progress in subscribers.iter() {
            if let Some(job) = progress.news().and_then(|job| self.desks.accept(job)) {
                self.writer.accept(job);
            }
        }
        // Those of viewers follow logs of their own, and nothing passes to them.
        let of_all = subscribers.iter().filter(|progress| !progress.is_of_viewer());
        self.pass.settle(of_all.map(|progress| progress.cursor()));
    }
}
