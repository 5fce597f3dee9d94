//! What a run does for the weights that all sources share: now and then it has them fitted on its own posts. Step 10 of 10.
//!
//! A sample of sources is read from the store, a few at a time so that the run goes on; the fit takes a second or so and is
//! [work](super::Work) that the shell does beside the run. When it was fitted is remembered with
//! the weights, among the prices: a restart does not begin again.

use std::collections::VecDeque;
use std::sync::Arc;

use freshet_policy::mixture::evidence::Evidence;
use freshet_types::{SourceId, Span, Timestamp};

use super::work::{Fitting, Work};
use super::{Output, Runner};
use crate::question::Question;

/// Time between two fits.
const FIT_EVERY: Span = Span::from_ms(3 * 86_400_000);
/// Where too little was known, it is tried again after so long.
const TRY_EVERY: Span = Span::from_ms(6 * 3_600_000);
/// Sources that a fit looks at.
const SAMPLE_MAX: usize = 1024;
/// Sources that are read at once.
const READ_AT_ONCE: usize = 8;
/// Wall time between two readings, in milliseconds.
const READ_EVERY_MS: u64 = 50;

/// What is kept for it.
#[derive(Debug, Default)]
pub(super) struct Fits {
    /// Sources that are still to be read; while there are some, or evidence, a fit is under way.
    wanted: VecDeque<SourceId>,
    evidence: Vec<Evidence>,
    tried_at: Option<Timestamp>,
    read_ms: u64,
    /// So many of them are being read.
    reading_count: usize,
}

impl Fits {
    fn is_due(&self, fitted_at: Option<Timestamp>, now: Timestamp) -> bool {
        // What was fitted at a time that has not come yet was fitted by another clock.
        let is_fresh = fitted_at.is_some_and(|at| at <= now && now - at < FIT_EVERY);
        !is_fresh && self.tried_at.is_none_or(|at| now - at >= TRY_EVERY)
    }

    /// What could not be read is read again.
    pub(super) fn give_up_reading(&mut self) {
        self.reading_count = 0;
    }
}

impl Runner {
    /// Reads on for the fit that is under way, or begins one if it is time.
    pub(super) fn tend_fits(&mut self) {
        if self.fits.reading_count > 0 || !self.is_time(self.fits.read_ms, READ_EVERY_MS) {
            return;
        }
        self.fits.read_ms = self.moment.wall_ms;
        let now = self.moment.now;
        if self.fits.wanted.is_empty() {
            if self.fits.is_due(self.core.prices().pool().fitted_at(), now) {
                self.fits.tried_at = Some(now);
                self.fits.wanted = self.core.sample(SAMPLE_MAX).into();
            }
            return;
        }
        let ids: Vec<SourceId> = self.fits.wanted.iter().take(READ_AT_ONCE).copied().collect();
        self.fits.reading_count = ids.len();
        self.ask(Question::Evidence(ids, now));
    }

    /// Takes in what was read; after the last of it the fit is computed.
    pub(super) fn add_evidence(&mut self, evidence: Vec<Evidence>) {
        self.fits.evidence.extend(evidence);
        let count = std::mem::take(&mut self.fits.reading_count).min(self.fits.wanted.len());
        self.fits.wanted.drain(..count);
        if self.fits.wanted.is_empty() {
            let fitting = Fitting {
                policy: Arc::clone(&self.policy),
                evidence: std::mem::take(&mut self.fits.evidence),
                pool: self.core.prices().pool().clone(),
                now: self.moment.now,
            };
            self.want(Output::Work(Work::Fit(Box::new(fitting))));
        }
    }
}
