//! The rim: tokio, threads and the wall around the pure core.
//!
//! One loop owns the core. Fetchers are tasks, the dumper is a thread, people speak through the
//! store's control table, and time comes from the clock that was handed in. Stopping is
//! graceful within [`DRAIN_MAX`] (`drive/end.rs`); being killed instead loses nothing, only the work under way.
//! A store that fails for a while ends nothing: nothing new is begun until it works again (`drive/trouble.rs`).

mod end;
mod fits;
mod forums;
mod relearn;
mod trouble;

pub use relearn::OnUnread;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc as std_mpsc;
use std::time::{Duration, Instant};

use freshet_fetch::Fetch;
use freshet_frontier::Coordinator;
use freshet_network::networks::Networks;
use freshet_policy::Policy;
use freshet_report::RunStatus;
use freshet_store::api::{Store, StoreError};
use freshet_store::control::{Control, SourcesChange};
use freshet_store::row::SourceSlot;
use freshet_types::{Clock, SourceId, Timestamp};
use tokio::sync::{mpsc, watch};

use crate::constrain::setting::{self, SettingError};
use crate::core::{Core, CoreOptions, CredentialChoice, Effect, Event, Moment, Restored, VISITS_RESERVED};
use crate::deliver::{Subscribers, Subscription};
use crate::dump::{Dumper, Job, Signals, Told};
use crate::feed::{FeedError, Feeder};
use crate::fetcher::{self, FetcherHandle, FetcherKit};
use crate::history::History;
use crate::price::PRICES;
use crate::quota::{LEDGER, LEDGER_BEFORE, Ledger};
use crate::relearn::RELEARN;
use crate::report::{self, Setting};
use fits::Fits;
use forums::Forums;
use relearn::Relearner;
use trouble::Troubles;

/// How often people's wishes are looked for: they are seen within a second.
const CONTROL_EVERY: Duration = Duration::from_millis(250);
/// How often the live report is written, at most; whoever draws may want it more often.
const REPORT_EVERY: Duration = Duration::from_millis(500);
/// Wall time between two times of writing the prices down: whoever is killed loses little by it.
const PRICES_EVERY: Duration = Duration::from_secs(10);
/// Longest that a graceful stop lasts, also where the store takes nothing and subscribers do not read.
const DRAIN_MAX: Duration = Duration::from_secs(10);
/// The share of it that is kept for subscribers, who may not read; what is left comes with the next run.
const FAREWELL_SHARE: f64 = 0.3;
/// Longest that the start of a run waits for a store that cannot be written.
const START_MAX: Duration = Duration::from_secs(10);
/// Sources told to the core at once.
const SLOTS_CHUNK: usize = 10_000;
/// Longest sleep of the loop, so that a clock that jumps is noticed.
const SLEEP_MAX: Duration = Duration::from_millis(250);
/// Shortest one; the timer knows no less.
const SLEEP_MIN: Duration = Duration::from_millis(1);
/// Wall time between two ticks of the core, however busy it is: leases end, prices are told.
const TICK_EVERY: Duration = SLEEP_MAX;
/// Effects carried out before the loop looks at everything else again: each source that is loaded
/// and goes back, because its price rose, makes room for the next.
const EFFECTS_MAX: usize = 4096;

/// Why a run ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The writer failed.
    #[error(transparent)]
    Writer(#[from] FeedError),
    /// A constraint cannot be used.
    #[error(transparent)]
    Constraints(#[from] SettingError),
    /// The store took nothing until the end.
    #[error(
        "the run ended while the store could not be written ({why}): {uploads_count} pages and ends of visits were not \
         stored; nothing is lost, the next `freshet run` visits their sources again"
    )]
    Unwritten {
        /// Uploads that were not written.
        uploads_count: usize,
        /// What was wrong with the store, as far as it said.
        why: String,
    },
    /// The writer thread died.
    #[error("the writer thread ended unexpectedly; the store is unharmed, start again")]
    WriterGone,
}

/// Everything a run is made of.
pub struct Kit {
    /// The store for writing; the dumper owns it.
    pub writer: Box<dyn Store>,
    /// The store for reading.
    pub reader: Box<dyn Store>,
    /// The rings.
    pub rings: Coordinator,
    /// How requests are sent.
    pub fetch: Arc<dyn Fetch>,
    /// The clock of the crawl.
    pub clock: Arc<dyn Clock>,
    /// The networks.
    pub networks: Arc<Networks>,
    /// When to look again.
    pub policy: Arc<dyn Policy>,
    /// Which credential a robot uses.
    pub credential: CredentialChoice,
    /// Who gets every change.
    pub subscriptions: Vec<Subscription>,
    /// Called a few times a second, to reload definitions that changed on disk.
    pub on_poll: Box<dyn FnMut() + Send>,
    /// Called when nothing of a forum's pages can be read any more, so that it is learned anew.
    pub on_unread: OnUnread,
}

impl std::fmt::Debug for Kit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kit").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// Choices of one run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// End by itself after so long on the wall.
    pub lasts: Option<Duration>,
    /// Steps from what a person added that robots may go.
    pub depth_max: u16,
    /// Answers are kept as received.
    pub keeps_raw: bool,
    /// The core's limits.
    pub core: CoreOptions,
    /// Wall time between two reports; zero takes the usual.
    pub report_every: Duration,
    /// Longest that a graceful stop lasts; zero takes the usual.
    pub drain_max: Duration,
}

impl RunOptions {
    /// Longest that a stop lasts in all, and how much of that is for subscribers.
    fn patience(&self) -> (Duration, Duration) {
        let whole = if self.drain_max.is_zero() { DRAIN_MAX } else { self.drain_max };
        (whole, whole.mul_f64(FAREWELL_SHARE))
    }
}

/// Runs until `stop` turns true or the time is up; gives the last report.
///
/// Every report is also sent to `view`, for whoever draws.
pub async fn run(
    kit: Kit,
    options: RunOptions,
    mut stop: watch::Receiver<bool>,
    view: watch::Sender<RunStatus>,
) -> Result<RunStatus, RunError> {
    let mut driver = Driver::start(kit, &options)?;
    view.send_replace(driver.last_report.clone());
    let (patience, farewell) = options.patience();
    let began = Instant::now();
    let mut drained_at: Option<Instant> = None;
    loop {
        let has_more = driver.perform()?;
        let is_up = options.lasts.is_some_and(|lasts| began.elapsed() >= lasts);
        if drained_at.is_none() && (is_up || *stop.borrow()) {
            drained_at = Some(Instant::now());
            driver.feed_core(Event::Drain);
            driver.perform()?;
        }
        if drained_at.is_some_and(|at| driver.core.is_idle() || at.elapsed() + farewell > patience) {
            break;
        }
        if driver.poll()? {
            view.send_replace(driver.last_report.clone());
        }
        let left = options.lasts.map_or(SLEEP_MAX, |lasts| lasts.saturating_sub(began.elapsed()));
        let sleep = if has_more { SLEEP_MIN } else { driver.sleep().min(left.max(SLEEP_MIN)) };
        tokio::select! {
            Some(event) = driver.uploads.recv() => driver.feed_core(event),
            Some(told) = driver.told.recv() => driver.hear(told)?,
            _ = stop.changed(), if drained_at.is_none() => {}
            Some(ask) = driver.relearner.heard.recv() => driver.hear_ask(ask),
            () = tokio::time::sleep(sleep) => driver.tick(),
        }
        driver.hear_more()?;
        driver.keep_time();
    }
    let drained_at = drained_at.unwrap_or_else(Instant::now);
    let report = driver.end(drained_at + patience, farewell).await?;
    view.send_replace(report.clone());
    Ok(report)
}

/// What an earlier process had written down.
fn restored(reader: &dyn Store, now: Timestamp) -> Result<Restored, StoreError> {
    let ledger = Ledger::from_settings(LEDGER.all(reader)?, LEDGER_BEFORE.get(reader)?.as_deref(), now);
    let mut relearnt = RELEARN.get(reader)?.unwrap_or_default();
    // Written by a clock that was ahead of today's: the next try is not put off for longer than usual.
    relearnt.0.values_mut().for_each(|note| note.at = note.at.min(now));
    Ok(Restored { ledger, prices: PRICES.get(reader)?, relearnt })
}

/// The first visit numbers of a run: a lock is waited for, as everywhere, but not for ever, since nobody sees a run that
/// has not begun.
fn reserve_first(writer: &mut dyn Store) -> Result<u64, StoreError> {
    let began = Instant::now();
    loop {
        match writer.reserve_visits(VISITS_RESERVED) {
            Err(error) if error.trouble().is_some() && began.elapsed() < START_MAX => {
                std::thread::park_timeout(SLEEP_MAX);
            }
            done => return done,
        }
    }
}

struct Driver {
    core: Core,
    /// What the core wants and nobody has carried out yet.
    effects: Vec<Effect>,
    reader: Box<dyn Store>,
    clock: Arc<dyn Clock>,
    fetchers: Vec<FetcherHandle>,
    uploads: mpsc::UnboundedReceiver<Event>,
    told: mpsc::UnboundedReceiver<Told>,
    jobs: std_mpsc::Sender<Job>,
    dumper: Option<std::thread::JoinHandle<()>>,
    signals: Arc<Signals>,
    subscribers: Subscribers,
    troubles: Troubles,
    on_poll: Box<dyn FnMut() + Send>,
    setting: Setting,
    history: History,
    control_seen: u64,
    polled_at: Instant,
    reported_at: Instant,
    written_at: Instant,
    noted_at: Instant,
    ticked_at: Instant,
    forums: Forums,
    relearner: Relearner,
    fits: Fits,
    began: Instant,
    report_every: Duration,
    last_report: RunStatus,
}

impl Driver {
    fn start(mut kit: Kit, options: &RunOptions) -> Result<Self, RunError> {
        let first = reserve_first(&mut *kit.writer)?;
        let control_seen = kit.reader.controls_above(0)?.last().map_or(0, |control| control.number);
        let policy = Arc::clone(&kit.policy);
        let numbers = first..first + VISITS_RESERVED;
        let core = Core::new(
            Arc::clone(&kit.networks),
            kit.policy,
            kit.credential,
            options.core.clone(),
            numbers,
            kit.clock.now(),
        );
        let (upload, uploads) = mpsc::unbounded_channel();
        let (tell, told) = mpsc::unbounded_channel();
        let (jobs, todo) = std_mpsc::channel();
        let signals = Arc::new(Signals::default());
        let subscribers = Subscribers::start(kit.subscriptions, &kit.clock)?;
        let feeder = Feeder::new(kit.rings, kit.networks, options.depth_max);
        let dumper = Dumper::new(kit.writer, feeder, Arc::clone(&kit.clock), tell, Arc::clone(&signals))
            .with_subscribers(subscribers.progress());
        let dumper = std::thread::Builder::new()
            .name("dumper".to_owned())
            .spawn(move || dumper.run(&todo))
            .expect("the system can start one more thread");
        let fetcher_kit = FetcherKit {
            fetch: kit.fetch,
            clock: Arc::clone(&kit.clock),
            keeps_raw: options.keeps_raw,
            readers: Some(fetcher::readers::Readers::default()),
        };
        let fetchers = (0..options.core.fetcher_count.max(1))
            .map(|index| fetcher::start(index, fetcher_kit.clone(), upload.clone()))
            .collect();
        let setting = Setting::new(kit.clock.now(), policy.name());
        let now = Instant::now();
        let mut driver = Self {
            history: History::from_store(&*kit.reader)?,
            core,
            effects: Vec::new(),
            reader: kit.reader,
            clock: kit.clock,
            fetchers,
            uploads,
            told,
            jobs,
            dumper: Some(dumper),
            signals,
            subscribers,
            troubles: Troubles::default(),
            on_poll: kit.on_poll,
            setting,
            control_seen,
            polled_at: now,
            reported_at: now,
            written_at: now,
            noted_at: now,
            ticked_at: now,
            fits: Fits::new(Arc::clone(&policy), upload.clone()),
            forums: Forums::new(policy, upload),
            relearner: Relearner::new(kit.on_unread),
            began: now,
            report_every: if options.report_every.is_zero() { REPORT_EVERY } else { options.report_every },
            last_report: RunStatus::default(),
        };
        let restored = restored(&*driver.reader, driver.clock.now())?;
        driver.feed_core(Event::Restored(Box::new(restored)));
        driver.load_all()?;
        Ok(driver)
    }

    /// Loads what the store knows, and writes the first report: whoever asks for the status now sees this run, not
    /// the last one.
    fn load_all(&mut self) -> Result<(), RunError> {
        self.load_constraints()?;
        self.load_robots()?;
        self.load_sources()?;
        self.last_report = self.report();
        self.give(Job::Report(self.last_report.to_text()))
    }

    fn feed_core(&mut self, event: Event) {
        let wall_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let moment = Moment { now: self.clock.now(), wall_ms };
        self.effects.extend(self.core.handle(event, moment));
    }

    fn tick(&mut self) {
        self.ticked_at = Instant::now();
        self.feed_core(Event::Tick);
    }

    /// Ticks when it is time, though events come too fast for the loop to sleep.
    fn keep_time(&mut self) {
        if self.ticked_at.elapsed() >= TICK_EVERY {
            self.tick();
        }
    }

    /// Carries out what the core wants, as much as goes in one turn; gives whether that left some.
    /// Loading answers at once.
    fn perform(&mut self) -> Result<bool, RunError> {
        let mut carried_out = 0;
        while carried_out < EFFECTS_MAX {
            let effects = std::mem::take(&mut self.effects);
            if effects.is_empty() {
                return Ok(false);
            }
            carried_out += effects.len();
            for effect in effects {
                match effect {
                    Effect::Load(id) => self.load(id)?,
                    Effect::Fetch(fetcher, order) => {
                        self.fetchers[fetcher].orders.send(order).expect("fetchers outlive the driver");
                    }
                    Effect::Apply(upload) => self.give(Job::Apply(upload))?,
                    Effect::Reserve(reservation) => self.give(Job::Ledger(reservation))?,
                    Effect::ReserveVisits(count) => self.give(Job::Reserve(count))?,
                    Effect::Note(_, text) => self.give(Job::Relearnt(text))?,
                    Effect::ReadStale(network) => self.read_stale(network)?,
                    Effect::Relearn(network) => self.relearner.begin(network),
                    Effect::Granted(network) => self.relearner.grant(&network),
                }
            }
        }
        Ok(!self.effects.is_empty())
    }

    /// Gives the dumper a job. One that is gone has said why, if nobody has listened yet.
    fn give(&mut self, job: Job) -> Result<(), RunError> {
        if self.jobs.send(job).is_ok() {
            return Ok(());
        }
        while let Ok(told) = self.told.try_recv() {
            if let Told::Failed(error) = told {
                return Err(error.into());
            }
        }
        Err(RunError::WriterGone)
    }

    fn hear(&mut self, told: Told) -> Result<(), RunError> {
        match told {
            Told::Event(event) => self.feed_core(event),
            Told::Rings(rings) => self.setting.rings = rings,
            Told::Reserved(numbers) => self.feed_core(Event::VisitNumbers(numbers)),
            Told::Trouble(part, what, advice) => self.suffer(part, what, advice),
            Told::Mended(part) => self.mend(part),
            Told::Spent(uploads) => drop(tokio::spawn(async move { drop(uploads) })),
            Told::Failed(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Takes in whatever else has arrived, so that effects are carried out in bulk.
    fn hear_more(&mut self) -> Result<(), RunError> {
        while let Ok(event) = self.uploads.try_recv() {
            self.feed_core(event);
        }
        while let Ok(told) = self.told.try_recv() {
            self.hear(told)?;
        }
        Ok(())
    }

    fn sleep(&self) -> Duration {
        let wake = self.core.wake_at().map_or(SLEEP_MAX, |at| self.clock.wall_until(at));
        wake.clamp(SLEEP_MIN, SLEEP_MAX)
    }

    /// Looks for what people want; gives whether there is a new report.
    fn poll(&mut self) -> Result<bool, RunError> {
        if self.polled_at.elapsed() >= CONTROL_EVERY {
            self.polled_at = Instant::now();
            (self.on_poll)();
            self.mind_clock();
            self.read_again()?;
            let obeyed = self.obey();
            self.outlive(obeyed)?;
        }
        if !self.troubles.reading.waits() {
            let tended = self.tend_forums();
            self.outlive(tended)?;
            let tended = self.tend_fits();
            self.outlive(tended)?;
        }
        if self.noted_at.elapsed() >= PRICES_EVERY {
            self.noted_at = Instant::now();
            self.give(self.prices())?;
        }
        if self.history.take(self.core.tally(), self.clock.now(), self.began.elapsed()) {
            self.jobs.send(Job::History(self.history.to_text())).map_err(|_| RunError::WriterGone)?;
        }
        if self.reported_at.elapsed() < self.report_every {
            return Ok(false);
        }
        self.reported_at = Instant::now();
        self.last_report = self.report();
        if self.written_at.elapsed() >= REPORT_EVERY.max(self.report_every) {
            self.written_at = Instant::now();
            let text = self.last_report.to_text();
            self.give(Job::Report(text))?;
        }
        Ok(true)
    }

    fn prices(&self) -> Job {
        Job::Prices(self.core.prices().to_text(self.clock.now()))
    }

    /// Does what people asked for through the store.
    fn obey(&mut self) -> Result<(), RunError> {
        if self.troubles.reading.waits() {
            return Ok(());
        }
        let controls = self.reader.controls_above(self.control_seen)?;
        let Some(last) = controls.last() else { return Ok(()) };
        for row in &controls {
            if let Control::Unknown { verb, .. } = &row.control {
                tracing::warn!("the message `{verb}` of another version is not understood and passed over");
            }
        }
        if controls.iter().any(|row| matches!(row.control, Control::Constraints(_))) {
            match self.load_constraints() {
                Err(RunError::Constraints(error)) => {
                    tracing::warn!("the old constraints stay in force: {error}");
                }
                loaded => loaded?,
            }
        }
        if controls.iter().any(|row| matches!(row.control, Control::Robots(_))) {
            self.load_robots()?;
        }
        if controls.iter().any(|row| matches!(row.control, Control::Sources(_))) {
            self.load_sources()?;
        }
        for row in &controls {
            if let Control::Sources(SourcesChange::Pinned(id)) = row.control {
                self.hasten(id)?;
            }
        }
        // Last, so that a wish that could not be read is read again.
        self.control_seen = last.number;
        Ok(())
    }

    /// A source that was pinned is due as its new pace wants it.
    fn hasten(&mut self, pinned: SourceId) -> Result<(), StoreError> {
        let slot = self.reader.source(pinned)?.map(|it| SourceSlot {
            id: it.id,
            network: it.network,
            robot: it.robot,
            state: it.state,
            weight: it.weight,
            due_at: it.due_at,
        });
        self.feed_core(Event::Wanted(slot.into_iter().collect()));
        Ok(())
    }

    fn load_constraints(&mut self) -> Result<(), RunError> {
        let read = setting::constraints(&*self.reader, self.core.networks());
        let constraints = read.map_err(|error| match error {
            SettingError::Store(error) => RunError::Store(error),
            other => RunError::Constraints(other),
        })?;
        self.give(Job::Constraints(constraints))
    }

    fn load_robots(&mut self) -> Result<(), StoreError> {
        let robots = self.reader.robots()?;
        self.feed_core(Event::Robots(robots));
        Ok(())
    }

    fn load_sources(&mut self) -> Result<(), StoreError> {
        let instances = self.reader.instances()?.into_iter().map(|row| row.instance).collect();
        self.feed_core(Event::Instances(instances));
        let mut above = SourceId(0);
        loop {
            // In chunks, so that a million sources never stand in memory twice.
            let slots = self.reader.slots_above(above, SLOTS_CHUNK)?;
            let Some(last) = slots.last() else { return Ok(()) };
            above = last.id;
            self.feed_core(Event::Slots(slots));
        }
    }

    fn report(&mut self) -> RunStatus {
        self.setting.fetchers = self.fetchers.iter().map(FetcherHandle::state).collect();
        let (_, due, _) = self.core.queue_sizes();
        self.signals.due_count.store(due, Ordering::Relaxed);
        let mut report = report::report(&self.core, &self.setting, self.clock.now());
        report.work.trouble = self.troubles.view();
        report.work.subscribers = self.subscribers.views(|| self.reader.last_change().ok());
        report
    }
}

#[cfg(test)]
mod tests;
