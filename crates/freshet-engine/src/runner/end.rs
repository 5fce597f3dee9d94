//! The end of a run: what is under way ends, subscribers catch up, the writer writes what is left, and none of them is waited
//! for too long.
//!
//! Subscribers and writer have threads of their own, so one that is stuck (in a pipe that nobody reads, in a lock of another
//! program) is left behind. A writer that gets on is waited for as long as it does.

use freshet_report::RunStatus;

use super::{Look, Output, RunError, RunOptions, Runner, ms};
use crate::core::Event;
use crate::writer::Job;

/// Longest that a graceful stop lasts, in milliseconds of wall time, also where the store takes nothing and subscribers do not
/// read.
const DRAIN_MAX_MS: u64 = 10_000;
/// The share of it that is kept for subscribers, who may not read; what is left comes with the next run.
const FAREWELL_SHARE: f64 = 0.3;
/// A writer that has just committed something may take so long for the next: a full group takes a second or two.
const COMMIT_MAX_MS: u64 = 5_000;

/// How far the end has come.
#[derive(Debug)]
pub(super) struct Stage {
    at: At,
    /// Longest that the end lasts.
    patience_ms: u64,
    /// How much of that is for subscribers.
    farewell_ms: u64,
}

#[derive(Debug)]
enum At {
    /// It has not begun.
    Running,
    /// Nothing new is begun since this wall time.
    Draining(u64),
    /// Subscribers have time until the end is over at this wall time.
    Parting(u64),
    /// The writer was told to stop, and is waited for until this wall time; the last report.
    Closing(u64, Box<RunStatus>),
    Ended,
}

impl Stage {
    pub(super) fn new(options: &RunOptions) -> Self {
        let patience_ms = if options.drain_max.is_zero() { DRAIN_MAX_MS } else { ms(options.drain_max) };
        Self { at: At::Running, patience_ms, farewell_ms: (patience_ms as f64 * FAREWELL_SHARE) as u64 }
    }

    /// The end has not begun.
    pub(super) fn is_running(&self) -> bool {
        matches!(self.at, At::Running)
    }

    /// The writer was told to stop.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self.at, At::Closing(..) | At::Ended)
    }

    /// When the next step of the end is due, whatever happens.
    pub(super) fn deadline_ms(&self) -> Option<u64> {
        match self.at {
            At::Draining(since_ms) => Some(since_ms + self.patience_ms - self.farewell_ms + 1),
            At::Closing(deadline_ms, _) => Some(deadline_ms + 1),
            At::Running | At::Parting(_) | At::Ended => None,
        }
    }
}

impl Runner {
    /// Begins nothing new from now on.
    pub(super) fn begin_end(&mut self) {
        if self.stage.is_running() {
            self.stage.at = At::Draining(self.moment.wall_ms);
            self.feed_core(Event::Drain);
        }
    }

    /// Takes the next step of the end, where it is time.
    pub(super) fn go_on_ending(&mut self) -> Result<(), RunError> {
        let wall_ms = self.moment.wall_ms;
        match self.stage.at {
            At::Running if self.lasts_ms.is_some_and(|lasts_ms| wall_ms >= lasts_ms) => self.begin_end(),
            At::Draining(since_ms) => {
                let over_ms = since_ms + self.stage.patience_ms;
                if self.core.is_idle() || wall_ms + self.stage.farewell_ms > over_ms {
                    self.stage.at = At::Parting(over_ms);
                    self.want(Output::Part((wall_ms + self.stage.farewell_ms).min(over_ms)));
                }
            }
            At::Closing(deadline_ms, _) if wall_ms > deadline_ms => return self.leave_writer(),
            At::Running | At::Parting(_) | At::Closing(..) | At::Ended => {}
        }
        Ok(())
    }

    /// Gives the writer its last jobs.
    pub(super) fn close(&mut self, look: Look) {
        let At::Parting(over_ms) = self.stage.at else { return };
        let report = self.report(look);
        self.feed_core(Event::Farewell);
        for job in [Job::Report(report.to_text()), self.prices(), Job::Stop] {
            self.give(job);
        }
        self.stage.at = At::Closing(over_ms.max(self.moment.wall_ms), Box::new(report));
    }

    /// A writer that commits something gets on, and is waited for.
    pub(super) fn note_progress(&mut self, event: &Event) {
        if let (At::Closing(deadline_ms, _), Event::Applied(_)) = (&mut self.stage.at, event) {
            *deadline_ms = (*deadline_ms).max(self.moment.wall_ms + COMMIT_MAX_MS);
        }
    }

    /// The writer has ended: at the end of a run because it has written everything, at any other time because it died.
    pub(super) fn on_writer_ended(&mut self) -> Result<(), RunError> {
        match std::mem::replace(&mut self.stage.at, At::Ended) {
            At::Closing(_, report) => {
                self.want(Output::Ended(report));
                Ok(())
            }
            _ => Err(RunError::WriterGone),
        }
    }

    /// Leaves the writer behind; a visit that it has not written is still due in the store. Where every page is stored, the run
    /// has come to its end: what the writer still holds (the last report, prices, where rings stand) the next run makes anew.
    fn leave_writer(&mut self) -> Result<(), RunError> {
        let why = self.troubles.of_store().unwrap_or("it did not answer in time").to_owned();
        let uploads_count = self.core.upload_count();
        if uploads_count > 0 {
            return Err(RunError::Unwritten { uploads_count, why });
        }
        tracing::warn!("every page is stored, but the store did not take the last report of the run: {why}");
        if let At::Closing(_, report) = std::mem::replace(&mut self.stage.at, At::Ended) {
            self.want(Output::Ended(report));
        }
        Ok(())
    }
}
