//! The shell around the runner: tokio, threads and real clocks. Nothing is decided here.
//!
//! One loop owns the [`Runner`]: it hands in what fetchers, writer, people and time bring, and carries out what the runner wants.
//! Fetchers are tasks, the writer is a thread (`drive/threads.rs`), and so is each subscriber (`drive/subscribers.rs`). Being killed
//! loses nothing, only the work under way.

mod streams;
pub(crate) mod subscribers;
mod threads;
mod viewers;
mod wall;

pub use crate::runner::{RunError, RunOptions};
pub use subscribers::Subscribe;
pub(crate) use wall::Wall;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc as std_mpsc;
use std::time::{Duration, Instant};

use freshet_fetch::Fetch;
use freshet_frontier::Coordinator;
use freshet_network::networks::Networks;
use freshet_policy::Policy;
use freshet_report::RunStatus;
use freshet_store::Options;
use freshet_store::api::{Store, StoreError};
use freshet_store::pass::Pass;
use freshet_store::viewers::{Overlays, Viewers};
use freshet_types::{Clock, NetworkName};
use tokio::sync::{mpsc, oneshot, watch};

use crate::core::{CredentialChoice, Event};
use crate::deliver::Subscription;
use crate::feed::Feeder;
use crate::fetcher::{self, FetcherHandle, FetcherKit};
use crate::order::FetcherId;
use crate::question::{self, Question};
use crate::relearn::{Ask, Errand};
use crate::runner::{Input, Look, Numbers, Output, Past, Runner, RunnerKit};
use crate::writer::{Job, Told, Writer};
use streams::Streams;
use subscribers::Subscribers;
use threads::WriterThread;
use viewers::Desks;

/// Longest that the start of a run waits for a store that cannot be written.
const START_MAX: Duration = Duration::from_secs(10);
/// Longest sleep of the loop, so that a clock that jumps is noticed.
const SLEEP_MAX: Duration = Duration::from_millis(250);
/// Shortest one; the timer knows no less.
const SLEEP_MIN: Duration = Duration::from_millis(1);
/// Outputs carried out before the loop looks at everything else again: each source that is loaded
/// and goes back, because its price rose, makes room for the next.
const OUTPUTS_MAX: usize = 4096;

/// Called when a forum is to be learned anew.
pub type OnUnread = Box<dyn FnMut(Errand) + Send>;

/// Everything a run is made of.
pub struct Kit {
    /// The store for writing; the writer's thread owns it.
    pub writer: Box<dyn Store>,
    /// The store for reading.
    pub reader: Box<dyn Store>,
    /// Those who read as themselves, each with a store of its own, and how the writer opens these; `None`: there are none.
    pub viewers: Option<(Viewers, Options)>,
    pub rings: Coordinator,
    /// How requests are sent.
    pub fetch: Arc<dyn Fetch>,
    /// The clock of the crawl.
    pub clock: Arc<dyn Clock>,
    pub networks: Arc<Networks>,
    /// When to look again.
    pub policy: Arc<dyn Policy>,
    /// Which credential a robot uses.
    pub credential: CredentialChoice,
    /// Who gets every change, beside those whom the store names.
    pub subscriptions: Vec<Subscription>,
    /// Makes subscribers of those whom the store names.
    pub subscribe: Subscribe,
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

/// Runs until `stop` turns true or the time is up; gives the last report.
///
/// Every report is also sent to `view`, for whoever draws.
pub async fn run(
    kit: Kit,
    options: RunOptions,
    mut stop: watch::Receiver<bool>,
    view: watch::Sender<RunStatus>,
) -> Result<RunStatus, RunError> {
    let mut driver = Driver::start(kit, &options, view)?;
    let mut is_stopping = false;
    loop {
        if !is_stopping && *stop.borrow() {
            is_stopping = true;
            driver.input(Input::Stop)?;
        }
        let has_more = driver.perform()?;
        if driver.last_report.is_some() {
            return driver.part();
        }
        let sleep = if has_more { SLEEP_MIN } else { driver.sleep() };
        tokio::select! {
            Some(event) = driver.events.recv() => driver.input(Input::Event(event))?,
            told = driver.told.recv() => driver.on_told(told)?,
            _ = stop.changed(), if !is_stopping => {}
            Some(ask) = driver.asks.recv() => driver.on_ask(ask)?,
            // Not while the writer is behind: then the streams are not read on either.
            Some(event) = driver.streams.recv(), if driver.runner.core().takes_streams() => {
                driver.input(Input::Event(event))?;
            }
            () = tokio::time::sleep(sleep) => driver.tick()?,
        }
        driver.drain_arrived()?;
    }
}

/// What the store sets aside for a run: a lock is waited for, as everywhere, but not for ever, since nobody sees a run that
/// has not begun.
fn reserve_first(writer: &mut dyn Store) -> Result<Numbers, StoreError> {
    let began = Instant::now();
    loop {
        match Numbers::reserve(writer) {
            Err(error) if error.trouble().is_some() && began.elapsed() < START_MAX => {
                std::thread::park_timeout(SLEEP_MAX);
            }
            done => return done,
        }
    }
}

struct Driver {
    runner: Runner,
    outputs: VecDeque<Output>,
    reader: Box<dyn Store>,
    /// The stores of viewers, for reading.
    overlays: Overlays,
    wall: Wall,
    fetchers: Vec<FetcherHandle>,
    /// What fetchers and work beside the run bring.
    events: mpsc::UnboundedReceiver<Event>,
    bring: mpsc::UnboundedSender<Event>,
    /// What servers send by themselves.
    streams: Streams,
    told: mpsc::UnboundedReceiver<Told>,
    jobs: std_mpsc::Sender<Job>,
    writer: Option<std::thread::JoinHandle<()>>,
    /// The writer has said all that it had to say.
    has_writer_ended: bool,
    is_given_up: Arc<AtomicBool>,
    subscribers: Subscribers,
    on_poll: Box<dyn FnMut() + Send>,
    on_unread: OnUnread,
    /// What whoever learns a forum anew wants.
    asks: mpsc::UnboundedReceiver<Ask>,
    ask: mpsc::UnboundedSender<Ask>,
    /// Who waits for the grant of a request, oldest first.
    grants: Vec<(NetworkName, oneshot::Sender<()>)>,
    view: watch::Sender<RunStatus>,
    /// The run has ended.
    last_report: Option<RunStatus>,
}

impl Driver {
    /// Starts threads and tasks, and loads what the store knows.
    fn start(mut kit: Kit, options: &RunOptions, view: watch::Sender<RunStatus>) -> Result<Self, RunError> {
        let wall = Wall::new(kit.clock);
        let numbers = reserve_first(&mut *kit.writer)?;
        let past = Past::read(&*kit.reader, wall.moment().now)?;
        let (bring, events) = mpsc::unbounded_channel();
        let (tell, told) = mpsc::unbounded_channel();
        let (jobs, todo) = std_mpsc::channel();
        let (ask, asks) = mpsc::unbounded_channel();
        let is_given_up = Arc::new(AtomicBool::new(false));
        let pass = Arc::new(Pass::default());
        let subscribers = Subscribers::start(kit.subscriptions, kit.subscribe, (&wall, &pass))?;
        let feeder = Feeder::new(kit.rings, Arc::clone(&kit.networks), options.depth_max);
        let writer = Writer::new(Arc::clone(&kit.networks), Some(feeder));
        let viewers = kit.viewers.as_ref().map(|(viewers, _)| viewers.clone());
        let desks = Desks::new(Arc::clone(&kit.networks), kit.viewers);
        let writer = WriterThread::new(writer, kit.writer, wall.clone(), tell, Arc::clone(&is_given_up))
            .with_subscribers((subscribers.roster(), pass))?
            .with_viewers(desks);
        let writer = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || writer.run(&todo))
            .expect("the system can start one more thread");
        let fetcher_kit = FetcherKit {
            networks: Arc::clone(&kit.networks),
            fetch: kit.fetch,
            clock: Arc::clone(wall.clock()),
            keeps_raw: options.keeps_raw,
            readers: Some(fetcher::readers::Readers::default()),
        };
        let streams = Streams::new(fetcher_kit.clone());
        let count = u32::try_from(options.core.fetcher_count.max(1)).unwrap_or(u32::MAX);
        let fetchers =
            (0..count).map(|id| fetcher::start(FetcherId(id), fetcher_kit.clone(), bring.clone())).collect();
        let (networks, policy, credential) = (kit.networks, kit.policy, kit.credential);
        let runner_kit = RunnerKit { networks, policy, credential };
        let mut driver = Self {
            runner: Runner::new(runner_kit, options, past, numbers, wall.moment()),
            outputs: VecDeque::new(),
            reader: kit.reader,
            overlays: Overlays::new(viewers, Options::default()),
            wall,
            fetchers,
            events,
            bring,
            streams,
            told,
            jobs,
            writer: Some(writer),
            has_writer_ended: false,
            is_given_up,
            subscribers,
            on_poll: kit.on_poll,
            on_unread: kit.on_unread,
            asks,
            ask,
            grants: Vec::new(),
            view,
            last_report: None,
        };
        for id in 0..count {
            driver.input(Input::Event(Event::FetcherJoined(FetcherId(id))))?;
        }
        driver.input(Input::Start)?;
        while !driver.runner.is_loaded() {
            driver.perform()?;
        }
        Ok(driver)
    }

    /// Hands something to the runner. A writer that has nobody to wait for it any longer is told.
    fn input(&mut self, input: Input) -> Result<(), RunError> {
        let handled = self.runner.handle(input, self.wall.moment(), &mut self.outputs);
        if handled.is_err() {
            self.is_given_up.store(true, Ordering::Relaxed);
        }
        handled
    }

    fn tick(&mut self) -> Result<(), RunError> {
        self.input(Input::Tick(self.wall.clock().ahead()))
    }

    /// Carries out what the runner wants, as much as goes in one turn; gives whether that left some. Reading answers at once.
    fn perform(&mut self) -> Result<bool, RunError> {
        let mut carried_out = 0;
        while carried_out < OUTPUTS_MAX {
            let Some(output) = self.outputs.pop_front() else { return Ok(false) };
            carried_out += match &output {
                Output::Ask(Question::Sources(ids, _)) => ids.len(),
                _ => 1,
            };
            self.carry_out(output)?;
        }
        Ok(!self.outputs.is_empty())
    }

    fn carry_out(&mut self, output: Output) -> Result<(), RunError> {
        match output {
            Output::Fetch(fetcher, order) => {
                if !self.fetchers[fetcher.0 as usize].give(order) {
                    self.input(Input::Event(Event::FetcherLeft(fetcher)))?;
                }
            }
            Output::Cancel(fetcher, order) => self.fetchers[fetcher.0 as usize].cancel(order),
            Output::Job(job) => self.give(job)?,
            Output::Ask(question) => {
                let reply = question::answer_with(&*self.reader, &mut self.overlays, &question);
                self.input(Input::Reply(question, reply))?;
            }
            Output::Work(work) => {
                let bring = self.bring.clone();
                std::thread::spawn(move || {
                    if let Some(event) = work.run() {
                        // Nobody listening means that the run has ended.
                        let _ = bring.send(event);
                    }
                });
            }
            Output::OpenStream(order) => self.streams.open(*order),
            Output::CloseStream(id) => self.streams.close(id),
            Output::Reload => (self.on_poll)(),
            Output::Relearn(network) => (self.on_unread)(Errand::new(network, self.ask.clone())),
            Output::Granted(network) => {
                if let Some(at) = self.grants.iter().position(|(of, _)| *of == network) {
                    // One that no longer listens has ended.
                    let _ = self.grants.remove(at).1.send(());
                }
            }
            Output::Subscriptions(rows) => self.subscribers.follow(&rows),
            Output::Look => {
                let look = self.look();
                self.input(Input::Looked(look))?;
            }
            Output::Report(report) => drop(self.view.send_replace(*report)),
            Output::Free(uploads) => drop(tokio::spawn(async move { drop(uploads) })),
            Output::Part(until_ms) => {
                self.subscribers.farewell(self.wall.instant(until_ms));
                let look = self.look();
                self.input(Input::Parted(look))?;
            }
            Output::Ended(report) => self.last_report = Some(*report),
        }
        Ok(())
    }

    /// What fetchers and subscribers are at.
    fn look(&self) -> Look {
        let last_change = || self.reader.last_change().ok();
        Look {
            fetchers: self.fetchers.iter().map(FetcherHandle::state).collect(),
            subscribers: self.subscribers.views(last_change, self.wall.moment()),
        }
    }

    /// Gives the writer a job. One that is gone has said why, if nobody has listened yet.
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

    /// The writer tells something; nothing more comes when it has ended.
    fn on_told(&mut self, told: Option<Told>) -> Result<(), RunError> {
        self.has_writer_ended |= told.is_none();
        self.input(told.map_or(Input::WriterEnded, Input::Told))
    }

    /// Whoever learns a forum anew wants something.
    fn on_ask(&mut self, ask: Ask) -> Result<(), RunError> {
        let event = match ask {
            Ask::Grant(request, reply) => {
                self.grants.push((request.network.clone(), reply));
                Event::GrantWanted(request)
            }
            Ask::Ended(network, outcome) => {
                self.grants.retain(|(of, _)| *of != network);
                Event::RelearnEnded(network, outcome)
            }
        };
        self.input(Input::Event(event))
    }

    /// Takes in whatever else has arrived, so that outputs are carried out in bulk.
    fn drain_arrived(&mut self) -> Result<(), RunError> {
        while let Ok(event) = self.events.try_recv() {
            self.input(Input::Event(event))?;
        }
        while let Ok(told) = self.told.try_recv() {
            self.on_told(Some(told))?;
        }
        Ok(())
    }

    fn sleep(&self) -> Duration {
        let wake_at = self.runner.wake_at().map(|at| self.wall.until_at(at));
        let wake_ms = self.runner.wake_ms().map(|at_ms| self.wall.until(at_ms));
        let wake = [wake_at, wake_ms].into_iter().flatten().min();
        wake.map_or(SLEEP_MAX, |wake| wake.clamp(SLEEP_MIN, SLEEP_MAX))
    }

    /// Waits for the thread of the writer where it has ended its work, and leaves it behind where it has not; gives the last report.
    fn part(mut self) -> Result<RunStatus, RunError> {
        if let Some(writer) = self.writer.take().filter(|_| self.has_writer_ended) {
            writer.join().map_err(|_| RunError::WriterGone)?;
        }
        let report = self.last_report.take().unwrap_or_default();
        self.view.send_replace(report.clone());
        Ok(report)
    }
}

#[cfg(test)]
mod tests;
