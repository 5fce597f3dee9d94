//! The end of a run: subscribers catch up, the dumper writes what is left, and neither is waited for too long.
//!
//! Both have threads of their own, so one that is stuck (in a pipe that nobody reads, in a lock of another program) is left behind.
//! A dumper that gets on is waited for as long as it does.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use freshet_report::RunStatus;

use super::{Driver, RunError};
use crate::core::{Effect, Event};
use crate::dump::{Job, Told};

/// A dumper that has just committed something may take so long for the next: a full group takes a second or two.
const COMMIT_MAX: Duration = Duration::from_secs(5);

impl Driver {
    /// Ends the run by `deadline`, or as soon after it as the dumper no longer gets on; gives the last report. Subscribers
    /// have `farewell` of that to take the rest.
    pub(super) async fn end(mut self, deadline: Instant, farewell: Duration) -> Result<RunStatus, RunError> {
        self.subscribers.farewell((Instant::now() + farewell).min(deadline));
        let report = self.report();
        self.effects.clear();
        self.feed_core(Event::Farewell);
        let is_ledger = |effect| match effect {
            Effect::Reserve(reservation) => Some(Job::Ledger(reservation)),
            _ => None,
        };
        let farewell = std::mem::take(&mut self.effects).into_iter().filter_map(is_ledger);
        let jobs = farewell.chain([Job::Report(report.to_text()), self.prices(), Job::Stop]);
        for job in jobs.collect::<Vec<_>>() {
            // A dumper that is gone has told why, which is heard below.
            let _ = self.jobs.send(job);
        }
        let mut deadline = deadline.max(Instant::now());
        loop {
            match tokio::time::timeout_at(deadline.into(), self.told.recv()).await {
                Ok(Some(Told::Failed(error))) => return Err(error.into()),
                Ok(Some(told)) => {
                    if matches!(&told, Told::Event(Event::Applied(_))) {
                        deadline = deadline.max(Instant::now() + COMMIT_MAX);
                    }
                    self.hear(told)?;
                }
                Ok(None) => break,
                Err(_) => return Err(self.give_up()),
            }
        }
        if let Some(dumper) = self.dumper.take() {
            dumper.join().map_err(|_| RunError::WriterGone)?;
        }
        Ok(report)
    }

    /// Leaves the dumper behind; a visit that it has not written is still due in the store.
    fn give_up(&self) -> RunError {
        self.signals.is_given_up.store(true, Ordering::Relaxed);
        let why = self.troubles.of_store().unwrap_or("it did not answer in time").to_owned();
        RunError::Unwritten { uploads_count: self.core.upload_count(), why }
    }
}
