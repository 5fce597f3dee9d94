//! What a run does for the weights that all sources share: now and then it has them fitted on its own posts. Step 10 of 10.
//!
//! A sample of sources is read from the store, a few at a time so that the loop goes on; the fit takes a second or so and has
//! a thread of its own, which tells the core by an event like everybody else. When it was fitted is remembered with
//! the weights, among the prices: a restart does not begin again.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use freshet_policy::Policy;
use freshet_policy::mixture::evidence::Evidence;
use freshet_store::api::StoreError;
use freshet_types::{Source, SourceId, Span, Timestamp};
use tokio::sync::mpsc::UnboundedSender;

use super::Driver;
use crate::core::Event;

/// Time between two fits.
const FIT_EVERY: Span = Span::from_ms(3 * 86_400_000);
/// Where too little was known, it is tried again after so long.
const TRY_EVERY: Span = Span::from_ms(6 * 3_600_000);
/// Posts of so long are evidence: twice what a fit looks at, for the slow sums' sake.
const KEPT: Span = Span::from_ms(56 * 86_400_000);
/// Sources that a fit looks at.
const SAMPLE_MAX: usize = 1024;
/// Sources that are read at once.
const READ_AT_ONCE: usize = 8;
/// Wall time between two readings.
const READ_EVERY: Duration = Duration::from_millis(50);

/// What is kept for it.
#[derive(Debug)]
pub(super) struct Fits {
    policy: Arc<dyn Policy>,
    events: UnboundedSender<Event>,
    /// Sources that are still to be read; while there are some, or evidence, a fit is under way.
    wanted: VecDeque<SourceId>,
    evidence: Vec<Evidence>,
    tried_at: Option<Timestamp>,
    read_at: Instant,
}

impl Fits {
    pub(super) fn new(policy: Arc<dyn Policy>, events: UnboundedSender<Event>) -> Self {
        let (wanted, evidence) = (VecDeque::new(), Vec::new());
        Self { policy, events, wanted, evidence, tried_at: None, read_at: Instant::now() }
    }

    fn is_due(&self, fitted_at: Option<Timestamp>, now: Timestamp) -> bool {
        // What was fitted at a time that has not come yet was fitted by another clock.
        let is_fresh = fitted_at.is_some_and(|at| at <= now && now - at < FIT_EVERY);
        !is_fresh && self.tried_at.is_none_or(|at| now - at >= TRY_EVERY)
    }
}

impl Driver {
    /// Reads on for the fit that is under way, or begins one if it is time.
    pub(super) fn tend_fits(&mut self) -> Result<(), StoreError> {
        if self.fits.read_at.elapsed() < READ_EVERY {
            return Ok(());
        }
        self.fits.read_at = Instant::now();
        let now = self.clock.now();
        if self.fits.wanted.is_empty() {
            if self.fits.is_due(self.core.prices().pool().fitted_at(), now) {
                self.fits.tried_at = Some(now);
                self.fits.wanted = self.core.sample(SAMPLE_MAX).into();
            }
            return Ok(());
        }
        let ids: Vec<SourceId> = self.fits.wanted.iter().copied().take(READ_AT_ONCE).collect();
        let sources: Vec<Source> = self.reader.sources(&ids)?.into_iter().flatten().collect();
        let times = self.reader.posting_times_of(&sources)?;
        let seen = sources.into_iter().zip(times);
        self.fits.evidence.extend(seen.filter_map(|(source, posts)| evidence(source, posts, now)));
        // Last, so that those that could not be read are read again.
        self.fits.wanted.drain(..ids.len());
        if self.fits.wanted.is_empty() {
            self.fit(now);
        }
        Ok(())
    }

    fn fit(&mut self, now: Timestamp) {
        let evidence = std::mem::take(&mut self.fits.evidence);
        let (policy, events) = (Arc::clone(&self.fits.policy), self.fits.events.clone());
        let pool = self.core.prices().pool().clone();
        std::thread::spawn(move || {
            if let Some(mixture) = policy.refit(&evidence, &pool, now) {
                // Nobody listening means that the run has ended.
                let _ = events.send(Event::Fitted(Box::new(mixture)));
            }
        });
    }
}

/// What the newest stretch of a source that is proven complete shows; nothing where there is none.
fn evidence(source: Source, mut posts: Vec<Timestamp>, now: Timestamp) -> Option<Evidence> {
    let newest = source.coverage.intervals.iter().max_by_key(|interval| interval.until)?;
    let since = newest.oldest.at.max(now - KEPT);
    let until = newest.until;
    posts.retain(|at| (since..=until).contains(at));
    posts.reverse();
    Some(Evidence { model: source.model, posts, since, until })
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshet_types::{Interval, Mark, NetworkName, RobotKind, VisitId};

    #[test]
    fn only_the_newest_stretch_without_a_hole_is_evidence() {
        let at = |day: i64| Timestamp::from_secs(day * 86_400);
        let mark = |day: i64| Mark { id: day.to_string(), at: at(day) };
        let interval = |oldest: i64, newest: i64| Interval {
            newest: mark(newest),
            oldest: mark(oldest),
            until: at(newest + 1),
            below: None,
            is_bottom: false,
            visit: VisitId(1),
        };
        let mut source = Source::new(&NetworkName::from("net"), "list", RobotKind::Status, "account", "7");
        assert_eq!(evidence(source.clone(), vec![at(3)], at(90)), None);
        source.coverage.intervals = vec![interval(80, 88), interval(2, 60)];
        let found = evidence(source, vec![at(88), at(84), at(80), at(59), at(2)], at(90)).unwrap();
        assert_eq!((found.since, found.until), (at(80), at(89)));
        assert_eq!(found.posts, [at(80), at(84), at(88)]);
    }
}
