//! Step 8 of 10 in bulk: the dump pool and its dumper, the only writer of the store.
//!
//! Fetchers produce, the dumper consumes [SocWeb, section 4.1]. It commits whatever has
//! gathered since the last commit in one transaction, so that commits grow with the load and a
//! lone page never waits. Between commits it feeds the robots' rings from the change log and
//! brings the search index up to date; both stand on log cursors, so being killed is no loss.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use freshet_network::constraint::Constraints;
use freshet_store::api::{Store, StoreError};
use freshet_store::row::Upload;
use freshet_types::{Clock, Observation, Span, Timestamp};
use tokio::sync::mpsc::UnboundedSender;

use crate::constrain::{Constrainer, setting};
use crate::core::Event;
use crate::deliver::{DeliverError, Subscription};
use crate::feed::{AHEAD_MAX, FeedError, Feeder};
use crate::history::HISTORY_KEY;
use crate::price::PRICES_KEY;
use crate::quota::Reservation;
use crate::relearn::RELEARN_KEY;
use crate::report::Rings;

/// Rows committed at once, so that readers and other writers get their turn.
const GROUP_ROWS_MAX: usize = 20_000;
/// How often the rings are tended while there is work.
const FEED_EVERY: Duration = Duration::from_millis(200);
/// How often the rings write down where they stand.
const SYNC_EVERY: Duration = Duration::from_secs(2);
/// Without work for so long, the dumper turns to the search index.
const IDLE_AFTER: Duration = Duration::from_millis(100);
/// Changes indexed at once.
const INDEX_BATCH: usize = 2_000;
/// Batches delivered to one subscriber between two commits: a new one has the whole log to catch up.
const BATCHES_MAX: usize = 10;
/// Longest that the end of a run waits for subscribers; what is left comes with the next run.
const FAREWELL_MAX: Duration = Duration::from_secs(3);
/// How often old posts and parked objects are swept.
const SWEEP_EVERY: Span = Span::HOUR;

/// What the dumper is asked to do.
#[derive(Debug)]
pub enum Job {
    /// Commit this.
    Apply(Box<Upload>),
    /// From now on, these constraints.
    Constraints(Constraints),
    /// Write the live report for `freshet status`.
    Report(String),
    /// Write down what was granted of the quotas, before it is used.
    Ledger(Box<Reservation>),
    /// Write down the prices.
    Prices(String),
    /// Write down the recent past, for charts.
    History(String),
    /// Write down what came of learning forums anew.
    Relearnt(String),
    /// Reserve this many visit numbers.
    Reserve(u64),
    /// Commit what is left and end.
    Stop,
}

/// What the dumper tells.
#[derive(Debug)]
pub enum Told {
    /// Something for the core.
    Event(Event),
    /// How many ids wait in the rings.
    Rings(Rings),
    /// Visit numbers, reserved.
    Reserved(std::ops::Range<u64>),
    /// What was applied, to be freed by threads that have the time: this one is waited for.
    Spent(Vec<Upload>),
    /// It cannot go on.
    Failed(FeedError),
}

/// The only writer.
pub struct Dumper {
    store: Box<dyn Store>,
    feeder: Feeder,
    constrainer: Constrainer,
    clock: Arc<dyn Clock>,
    told: UnboundedSender<Told>,
    /// Sources that are due and not begun, as the core last counted them.
    due_count: Arc<AtomicUsize>,
    fed_at: Option<Instant>,
    synced_at: Option<Instant>,
    swept_at: Timestamp,
    is_indexed: bool,
    subscriptions: Vec<Subscription>,
}

impl std::fmt::Debug for Dumper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dumper").field("feeder", &self.feeder).finish_non_exhaustive()
    }
}

impl Dumper {
    /// A dumper over this store.
    pub fn new(
        store: Box<dyn Store>,
        feeder: Feeder,
        clock: Arc<dyn Clock>,
        told: UnboundedSender<Told>,
        due_count: Arc<AtomicUsize>,
    ) -> Self {
        let swept_at = Timestamp::MIN;
        Self {
            store,
            constrainer: Constrainer::new(feeder.networks()),
            feeder,
            clock,
            told,
            due_count,
            fed_at: None,
            synced_at: None,
            swept_at,
            is_indexed: false,
            subscriptions: Vec::new(),
        }
    }

    /// Delivers the change log to these between commits.
    pub fn with_subscriptions(mut self, subscriptions: Vec<Subscription>) -> Self {
        self.subscriptions = subscriptions;
        self
    }

    /// Works until told to stop, or until the store fails.
    pub fn run(mut self, jobs: &Receiver<Job>) {
        if let Err(error) = self.work(jobs) {
            // Nobody listening means that the engine is gone already.
            let _ = self.told.send(Told::Failed(error));
        }
    }

    fn work(&mut self, jobs: &Receiver<Job>) -> Result<(), FeedError> {
        loop {
            let first = match jobs.recv_timeout(IDLE_AFTER) {
                Ok(job) => job,
                Err(RecvTimeoutError::Timeout) => {
                    self.idle()?;
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            let mut uploads = Vec::new();
            let mut rows = 0;
            let mut job = Some(first);
            let mut stops = false;
            while let Some(next) = job.take() {
                match next {
                    Job::Apply(upload) => {
                        rows += row_count(&upload.observation) + 1;
                        uploads.push(*upload);
                    }
                    Job::Constraints(constraints) => self.constrain(&mut uploads, constraints)?,
                    Job::Report(report) => self.store.set_setting("status", &report)?,
                    Job::Ledger(reservation) => self.reserve_quotas(&reservation)?,
                    Job::Prices(prices) => self.store.set_setting(PRICES_KEY, &prices)?,
                    Job::History(history) => self.store.set_setting(HISTORY_KEY, &history)?,
                    Job::Relearnt(notes) => self.store.set_setting(RELEARN_KEY, &notes)?,
                    Job::Reserve(count) => self.reserve(count)?,
                    Job::Stop => stops = true,
                }
                if rows < GROUP_ROWS_MAX && !stops {
                    job = jobs.try_recv().ok();
                }
            }
            self.apply(uploads)?;
            if stops {
                self.feeder.sync()?;
                let began = Instant::now();
                return self.deliver(|_| began.elapsed() > FAREWELL_MAX);
            }
            self.feed()?;
        }
    }

    /// What came before the change is judged by the old constraints.
    fn constrain(&mut self, uploads: &mut Vec<Upload>, constraints: Constraints) -> Result<(), StoreError> {
        self.apply(std::mem::take(uploads))?;
        self.constrainer.replace(&mut *self.store, constraints, self.clock.now())
    }

    fn apply(&mut self, mut uploads: Vec<Upload>) -> Result<(), StoreError> {
        if uploads.is_empty() {
            return Ok(());
        }
        let confirmed = self.constrainer.apply(&mut *self.store, &mut uploads)?;
        self.is_indexed = false;
        let _ = self.told.send(Told::Event(Event::Applied(confirmed)));
        let _ = self.told.send(Told::Spent(uploads));
        Ok(())
    }

    /// At once, not with the pages that have gathered: requests wait for it.
    fn reserve_quotas(&mut self, reservation: &Reservation) -> Result<(), StoreError> {
        self.store.set_settings(&reservation.settings)?;
        let _ = self.told.send(Told::Event(Event::Reserved(reservation.number)));
        Ok(())
    }

    fn reserve(&mut self, count: u64) -> Result<(), StoreError> {
        let first = self.store.reserve_visits(count)?;
        let _ = self.told.send(Told::Reserved(first..first + count));
        Ok(())
    }

    fn feed(&mut self) -> Result<(), FeedError> {
        if self.fed_at.is_some_and(|at| at.elapsed() < FEED_EVERY) {
            return Ok(());
        }
        self.fed_at = Some(Instant::now());
        self.deliver(|batches| batches >= BATCHES_MAX)?;
        if self.synced_at.is_none_or(|at| at.elapsed() > SYNC_EVERY) {
            self.synced_at = Some(Instant::now());
            self.feeder.sync()?;
            let _ = self.told.send(Told::Rings(self.feeder.lengths()));
        }
        let room = AHEAD_MAX.saturating_sub(self.due_count.load(Ordering::Relaxed));
        let slots = self.feeder.tend(&mut *self.store, room)?;
        if !slots.is_empty() {
            let _ = self.told.send(Told::Event(Event::Slots(slots)));
        }
        Ok(())
    }

    /// Delivers to each subscriber until it has all, or so many batches are enough. One that takes no
    /// more is dropped with a warning; the crawl goes on.
    fn deliver(&mut self, is_enough: impl Fn(usize) -> bool) -> Result<(), FeedError> {
        for mut subscription in std::mem::take(&mut self.subscriptions) {
            let mut batches = 0;
            let outcome = loop {
                if is_enough(batches) {
                    break Ok(());
                }
                match subscription.deliver(&mut *self.store) {
                    Ok(0) => break Ok(()),
                    Ok(_) => batches += 1,
                    Err(error) => break Err(error),
                }
            };
            match outcome {
                Ok(()) => self.subscriptions.push(subscription),
                Err(DeliverError::Store(error)) => return Err(error.into()),
                Err(error) => tracing::warn!("a subscription is dropped: {error}"),
            }
        }
        Ok(())
    }

    fn idle(&mut self) -> Result<(), FeedError> {
        self.feed()?;
        if !self.is_indexed {
            self.is_indexed = self.store.index(INDEX_BATCH)? < INDEX_BATCH;
        }
        let now = self.clock.now();
        if now - self.swept_at > SWEEP_EVERY {
            self.swept_at = now;
            self.store.expire(now)?;
            let parked_max = setting::parked_max(&*self.store)?;
            self.constrainer.sweep(&mut *self.store, now, parked_max)?;
        }
        Ok(())
    }
}

fn row_count(observation: &Observation) -> usize {
    observation.posts.len() + observation.accounts.len() + observation.relations.len()
}

#[cfg(test)]
mod tests {
    use freshet_frontier::Coordinator;
    use freshet_network::networks::Networks;
    use freshet_sink::{Record, Sink, SinkError};
    use freshet_store::sqlite::SqliteStore;
    use freshet_types::{NetworkName, Post, SystemClock, VisitId};

    use super::*;

    /// Takes every record and keeps none.
    struct Taker;

    impl Sink for Taker {
        fn write(&mut self, _: &dyn Record) -> Result<(), SinkError> {
            Ok(())
        }

        fn flush(&mut self) -> Result<(), SinkError> {
            Ok(())
        }

        fn finish(self: Box<Self>) -> Result<(), SinkError> {
            Ok(())
        }
    }

    #[test]
    fn a_subscriber_with_much_to_catch_up_gets_it_in_parts() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = SqliteStore::in_memory().unwrap();
        let post = |id: u32| Post { id: id.to_string(), kind: "post".into(), ..Post::default() };
        let mut upload =
            Upload::new(VisitId(1), NetworkName::from("mastodon:a.example"), Timestamp::from_secs(1));
        upload.observation.posts.extend((0..3500).map(post));
        store.apply(&[upload], |_, _| None).unwrap();
        let networks = Arc::new(Networks::shipped());
        let feeder = Feeder::new(Coordinator::open(dir.path(), 1000).unwrap(), networks, 0);
        let (tell, _told) = tokio::sync::mpsc::unbounded_channel();
        let due_count = Arc::new(AtomicUsize::new(0));
        let mut dumper = Dumper::new(Box::new(store), feeder, Arc::new(SystemClock), tell, due_count)
            .with_subscriptions(vec![Subscription::new("taker", Box::new(Taker))]);
        let mut left = Vec::new();
        for batches_max in [0, 2, 100] {
            dumper.deliver(|batches| batches >= batches_max).unwrap();
            let cursor = dumper.store.cursor("deliver:taker").unwrap();
            left.push(dumper.store.changes_above(cursor, 10_000).unwrap().len());
        }
        assert_eq!(left, [3500, 1500, 0]);
    }
}
