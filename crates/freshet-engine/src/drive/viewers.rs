//! The writers of the stores of viewers: one each, with the constraints of all, on the thread of the writer.
//!
//! Invariant: what was read as a viewer reaches the writer of that viewer's store or none. Where the store is gone, because the credential was
//! removed, nothing of it is stored, and the core is told so.

use std::collections::BTreeMap;
use std::sync::Arc;

use freshet_network::constraint::Constraints;
use freshet_network::networks::Networks;
use freshet_store::subscription::BETWEEN;
use freshet_store::viewers::{Overlay, Viewers};
use freshet_store::{Access, Options};
use freshet_types::Viewer;

use crate::core::{Event, Moment};
use crate::feed::FeedError;
use crate::writer::{self, Job, Tell, Told, Writer};

/// One writer, and the store that it writes.
#[derive(Debug)]
struct Desk {
    writer: Writer,
    overlay: Overlay,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Desks {
    kit: Option<(Arc<Networks>, Viewers, Options)>,
    open: BTreeMap<Viewer, Desk>,
    /// The constraints of the run, once they were told.
    constraints: Option<Constraints>,
    /// Uploads that nobody stores.
    refused: Vec<Told>,
    is_stopping: bool,
}

impl Desks {
    /// Those of these viewers; each is opened when there is something to write.
    pub(super) fn new(networks: Arc<Networks>, viewers: Option<(Viewers, Options)>) -> Self {
        Self { kit: viewers.map(|(viewers, options)| (networks, viewers, options)), ..Self::default() }
    }

    /// Takes a job that concerns a viewer; gives it back where it concerns everybody, or everybody too.
    pub(super) fn accept(&mut self, job: Job) -> Option<Job> {
        match job {
            Job::Apply(upload) if upload.viewer.is_some() => {
                let viewer = upload.viewer.clone().unwrap_or_default();
                if let Some(desk) = self.desk(&viewer) {
                    desk.writer.accept(Job::Apply(upload));
                } else {
                    let refused = writer::refused(&upload);
                    self.refused.push(Told::Event(Event::Applied(vec![refused])));
                }
                return None;
            }
            Job::Standing(name, standing) if name.contains(BETWEEN) => {
                let (viewer, name) = name.split_once(BETWEEN).unwrap_or_default();
                if let Some(desk) = self.desk(viewer) {
                    desk.writer.accept(Job::Standing(name.to_owned(), standing));
                }
                return None;
            }
            _ => {}
        }
        match &job {
            Job::Constraints(constraints) => {
                // What is too old, or waited for other rules, is seen to though nothing new comes.
                let names = self.kit.as_ref().map(|(_, viewers, _)| viewers.names()).unwrap_or_default();
                for name in names {
                    self.desk(&name);
                }
                self.constraints = Some(constraints.clone());
                for desk in self.open.values_mut() {
                    desk.writer.accept(Job::Constraints(constraints.clone()));
                }
            }
            Job::Stop => {
                self.is_stopping = true;
                self.open.values_mut().for_each(|desk| desk.writer.accept(Job::Stop));
            }
            _ => {}
        }
        Some(job)
    }

    /// The writer of a viewer's store, which is opened where it is there.
    fn desk(&mut self, viewer: &str) -> Option<&mut Desk> {
        if self.open.get(viewer).is_some_and(|desk| !desk.overlay.is_there()) {
            self.close(viewer);
        }
        if !self.open.contains_key(viewer) {
            let (networks, viewers, options) = self.kit.as_ref()?;
            // One that is there and cannot be opened is as good as removed: its sources are visited again.
            let overlay = viewers.open(viewer, Access::Write, *options);
            let overlay = overlay.inspect_err(|error| tracing::warn!("nothing is stored: {error}")).ok()?;
            let name = overlay.viewer.clone();
            let mut writer = Writer::of_viewer(Arc::clone(networks), name.clone());
            if let Some(constraints) = &self.constraints {
                writer.accept(Job::Constraints(constraints.clone()));
            }
            if self.is_stopping {
                writer.accept(Job::Stop);
            }
            self.open.insert(name, Desk { writer, overlay });
        }
        self.open.get_mut(viewer)
    }

    /// Lets go of a store that is gone, with what waited for it.
    fn close(&mut self, viewer: &str) {
        if let Some(mut desk) = self.open.remove(viewer) {
            let refused = desk.writer.give_up();
            if !refused.is_empty() {
                self.refused.push(Told::Event(Event::Applied(refused)));
            }
        }
    }

    /// Lets each write what waits for it.
    pub(super) fn turn(&mut self, moment: Moment, tell: Tell<'_>) -> Result<(), FeedError> {
        let mut gone = Vec::new();
        for (viewer, desk) in &mut self.open {
            match desk.writer.turn(&mut *desk.overlay.store, moment, tell) {
                _ if !desk.overlay.is_there() => gone.push(viewer.clone()),
                done => done?,
            }
        }
        for viewer in &gone {
            self.close(viewer);
        }
        self.refused.drain(..).for_each(tell);
        Ok(())
    }

    /// All that waited is written, after they were told to stop.
    pub(super) fn are_done(&self) -> bool {
        self.refused.is_empty() && self.open.values().all(|desk| desk.writer.is_done())
    }
}
