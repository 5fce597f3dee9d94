//! The shell around the engine's runner on a virtual clock: a simulated month in seconds, the same every time.
//!
//! It carries out what the [`Runner`] wants one by one: the world answers in memory, the [`Writer`] commits to a store in memory
//! or on disk, subscribers take their batches. Answers arrive a little later, so that visits overlap as they do on the wire. When
//! nothing is left to do it moves the clock to the next instant at which something happens. There is no thread, no socket and no
//! sleep, and nothing is decided here: what a run does is the same as under tokio. Every request stands in the
//! [journal](Driver::journal), for those who judge the politeness of a crawl. Where debug assertions are on, orders, answers and
//! uploads go through the form in which they travel between processes, and back.

mod streams;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use freshet_engine::core::{AskedAs, Core, CoreOptions, Event, Moment};
use freshet_engine::deliver::{Stepped, Subscriber};
use freshet_engine::feed::Feeder;
use freshet_engine::fetcher::{FetcherKit, carry_out};
use freshet_engine::order::{Fetched, FetcherId, Order};
use freshet_engine::question::{self, Question};
use freshet_engine::runner::{Input, Look, Numbers, Output, Past, RunError, RunOptions, Runner, RunnerKit};
use freshet_engine::stream::{StreamId, StreamOrder};
use freshet_engine::wire::{self, Message};
use freshet_engine::writer::{Job, Told, Writer};
use freshet_fetch::Fetch;
use freshet_fetch::stream::Frames;
use freshet_network::constraint::Constraints;
use freshet_network::networks::Networks;
use freshet_policy::Policy;
use freshet_report::RunStatus;
use freshet_store::api::{Store, StoreError};
use freshet_store::control::{Control, SourcesChange};
use freshet_store::pass::{PASS_BYTES_MAX, Pass};
use freshet_store::subscription::{State, SubscriptionRow};
use freshet_types::{
    Clock, Fault, FaultKind, Holder, NetworkName, RobotKind, RobotState, SourceId, SourceState, Span,
    Timestamp,
};
use futures::FutureExt;

use crate::clock::VirtualClock;
use crate::crowd::Crowd;

/// Longest jump of the clock, so that leases and wishes are looked at now and then.
const JUMP_MAX: Span = Span::MINUTE;
/// The same while a stream is open: what it sends is noticed at such instants.
const JUMP_LISTENING: Span = Span::from_secs(15);
/// Virtual time between two reports: nobody watches, so they are drawn to show that they can be.
const REPORT_EVERY: Duration = Duration::from_hours(1);
/// Spreads the answers over the latency; any odd number does.
const SPREAD: u64 = 7919;

/// One request as it was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// With which network.
    pub network: NetworkName,
    /// Through which endpoint.
    pub endpoint: Arc<str>,
    pub root: String,
    /// When it left.
    pub sent_at: Timestamp,
    /// When its answer arrived; `None` if it never did.
    pub answered_at: Option<Timestamp>,
}

/// The engine in a world of its own.
#[derive(Debug)]
pub struct Driver<S> {
    /// Where everything is kept.
    pub store: S,
    /// Every request so far.
    pub journal: Vec<Exchange>,
    /// The newest report.
    pub report: Box<RunStatus>,
    runner: Runner,
    writer: Writer,
    outputs: VecDeque<Output>,
    subscribers: Vec<Subscribed>,
    subscribe: Option<Subscribing>,
    /// Through which they get what is not kept.
    pass: Arc<Pass>,
    /// Messages are written in their wire form and read back on their way.
    pub loops_back: bool,
    kit: FetcherKit,
    clock: VirtualClock,
    latency: Span,
    crowd: Option<Arc<Crowd>>,
    /// Streams that are open, each with its order.
    streams: BTreeMap<StreamId, (StreamOrder, Box<dyn Frames>)>,
    /// Answers on their way, by arrival.
    answers: BTreeMap<(Timestamp, usize), Fetched>,
    started_at: Timestamp,
    steps: u64,
    is_ended: bool,
    #[cfg(test)]
    trace: trace::Trace,
}

/// Makes a subscriber of a subscription in the store.
pub type SubscribeBy = Box<dyn FnMut(&SubscriptionRow) -> Subscriber>;

/// The same, where nobody looks into it.
struct Subscribing(SubscribeBy);

impl std::fmt::Debug for Subscribing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Subscribing")
    }
}

/// A subscriber, and when it looks for news.
#[derive(Debug)]
struct Subscribed {
    subscriber: Subscriber,
    /// Wall time before which it does not try.
    retry_ms: u64,
    is_ended: bool,
}

/// What a driver is made of beside the store.
#[derive(Debug)]
pub struct DriverKit {
    /// Who answers; a request that it leaves pending is never answered, or given up where its patience is limited.
    pub fetch: Arc<dyn Fetch>,
    /// The clock that it moves.
    pub clock: VirtualClock,
    pub networks: Arc<Networks>,
    /// When to look again.
    pub policy: Arc<dyn Policy>,
    pub options: CoreOptions,
    /// What requests may show, in turn.
    pub credentials: Vec<Holder>,
    /// The robots' rings, where robots are to be fed.
    pub feeder: Option<Feeder>,
    /// Longest way of an answer.
    pub latency: Span,
    /// The providers that decide instead how long an answer takes; `fetch` is then the same.
    pub crowd: Option<Arc<Crowd>>,
    /// Most bytes that wait for subscribers where nothing is kept.
    pub pass_bytes_max: usize,
    #[cfg(test)]
    trace: trace::Trace,
}

impl DriverKit {
    /// One without robots' rings, whose answers arrive at once.
    pub fn new(
        fetch: Arc<dyn Fetch>,
        clock: VirtualClock,
        networks: Arc<Networks>,
        policy: Arc<dyn Policy>,
    ) -> Self {
        Self {
            fetch,
            clock,
            networks,
            policy,
            options: CoreOptions::default(),
            credentials: Vec::new(),
            feeder: None,
            latency: Span::ZERO,
            crowd: None,
            pass_bytes_max: PASS_BYTES_MAX,
            #[cfg(test)]
            trace: trace::Trace::default(),
        }
    }
}

impl<S: Store> Driver<S> {
    /// Starts an engine on what the store knows, as a process that was just started does.
    pub fn start(mut store: S, kit: DriverKit) -> Result<Self, RunError> {
        let numbers = Numbers::reserve(&mut store)?;
        let started_at = kit.clock.now();
        let moment = Moment { now: started_at, wall_ms: 0 };
        let past = Past::read(&store, started_at)?;
        let options = RunOptions { core: kit.options, report_every: REPORT_EVERY, ..RunOptions::default() };
        let credentials = kit.credentials;
        let runner_kit = RunnerKit {
            networks: Arc::clone(&kit.networks),
            policy: kit.policy,
            credential: Arc::new(move |_: &_, _, asked_as: AskedAs<'_>| match asked_as {
                AskedAs::Everybody { named: Some(name) } | AskedAs::Viewer(name) => {
                    vec![Holder::alone(name.into())]
                }
                AskedAs::Everybody { named: None } => credentials.clone(),
            }),
        };
        let clock: Arc<dyn Clock> = Arc::new(kit.clock.clone());
        let networks = Arc::clone(&kit.networks);
        let count = u32::try_from(options.core.fetcher_count).unwrap_or(u32::MAX);
        let pass = Arc::new(Pass::with_bound(kit.pass_bytes_max));
        store.pass_through(&pass)?;
        let mut driver = Self {
            store,
            journal: Vec::new(),
            report: Box::default(),
            runner: Runner::new(runner_kit, &options, past, numbers, moment),
            writer: Writer::new(kit.networks, kit.feeder),
            outputs: VecDeque::new(),
            subscribers: Vec::new(),
            subscribe: None,
            pass,
            kit: FetcherKit { networks, fetch: kit.fetch, clock, keeps_raw: false, readers: None },
            loops_back: cfg!(debug_assertions),
            clock: kit.clock,
            latency: kit.latency,
            crowd: kit.crowd,
            streams: BTreeMap::new(),
            answers: BTreeMap::new(),
            started_at,
            steps: 0,
            is_ended: false,
            #[cfg(test)]
            trace: kit.trace,
        };
        for id in 0..count {
            driver.input(Input::Event(Event::FetcherJoined(FetcherId(id))))?;
        }
        driver.input(Input::Start)?;
        while !driver.runner.is_loaded() && driver.step()? {}
        driver.steps = 0;
        Ok(driver)
    }

    /// The state machine under way.
    pub fn core(&self) -> &Core {
        self.runner.core()
    }

    /// Delivers every change to this subscriber from now on, from where the store has it.
    pub fn subscribe(&mut self, mut subscriber: Subscriber) -> Result<(), StoreError> {
        subscriber.resume(&self.store)?;
        self.subscribers.push(Subscribed { subscriber, retry_ms: 0, is_ended: false });
        Ok(())
    }

    /// Makes subscribers of the subscriptions in the store from now on, and whenever people change them.
    pub fn subscribe_by(&mut self, subscribe: SubscribeBy) -> Result<(), RunError> {
        self.subscribe = Some(Subscribing(subscribe));
        self.wish(&Control::Subscriptions)
    }

    /// From now on these subscriptions, as far as they run.
    fn follow(&mut self, rows: &[SubscriptionRow]) {
        let Some(Subscribing(subscribe)) = &mut self.subscribe else { return };
        let is_of_row = |it: &Subscribed| it.subscriber.progress().standing().generation > 0;
        let (mut old, mut rest): (Vec<_>, Vec<_>) = self.subscribers.drain(..).partition(is_of_row);
        for row in rows.iter().filter(|row| row.subscription.state == State::Running) {
            let is_same = |it: &Subscribed| {
                let progress = it.subscriber.progress();
                progress.name() == row.subscription.name
                    && progress.standing().generation == row.standing.generation
                    && !it.is_ended
            };
            match old.iter().position(is_same) {
                Some(place) => rest.push(old.swap_remove(place)),
                None => rest.push(Subscribed { subscriber: subscribe(row), retry_ms: 0, is_ended: false }),
            }
        }
        self.subscribers = rest;
    }

    /// Tells the core of the servers and sources in the store, as a command does that has changed them.
    pub fn load(&mut self) -> Result<(), RunError> {
        self.wish(&Control::Sources(SourcesChange::Added(0)))
    }

    /// Switches a robot, as `freshet robots` does.
    pub fn set_robot(&mut self, robot: RobotKind, state: RobotState) -> Result<(), RunError> {
        self.store.set_robot(robot, state)?;
        self.wish(&Control::Robots(robot))
    }

    /// Takes sources off the list, as `freshet remove` does.
    pub fn remove(&mut self, ids: &[SourceId]) -> Result<(), RunError> {
        self.store.set_state(ids, SourceState::Removed)?;
        self.load()
    }

    /// From now on only what satisfies these is stored.
    pub fn constrain(&mut self, constraints: Constraints) -> Result<(), RunError> {
        self.writer.accept(Job::Constraints(constraints));
        self.turn()
    }

    /// Leaves a wish in the store, and lets the run see it at once.
    fn wish(&mut self, control: &Control) -> Result<(), RunError> {
        self.store.push_control(control)?;
        self.input(Input::Wish)
    }

    /// Runs until the clock shows `until`.
    pub fn run_until(&mut self, until: Timestamp) -> Result<(), RunError> {
        while self.clock.now() < until {
            if !self.step()? {
                self.pass_time(until)?;
            }
        }
        Ok(())
    }

    /// Runs for so long.
    pub fn run_for(&mut self, span: Span) -> Result<(), RunError> {
        self.run_until(self.clock.now() + span)
    }

    /// Takes at most `steps` steps, each an output carried out, a turn of the writer or the clock moved. What a run does every
    /// minute, whether anything happens or not, is no step.
    #[cfg(test)]
    pub(crate) fn run_steps(&mut self, steps: u64) -> Result<(), RunError> {
        let end = self.steps + steps;
        while self.steps < end {
            if !self.step()? {
                self.pass_time(Timestamp::MAX)?;
            }
        }
        Ok(())
    }

    /// Steps taken so far; many more than there is to do mean a loop that does nothing.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Ends as a killed process does: nothing is flushed, all but the store is lost.
    pub fn kill(self) -> S {
        self.store
    }

    /// Ends as a process that was asked to does: it drains, subscribers catch up, and the writer writes what is left.
    pub fn stop(mut self) -> Result<S, RunError> {
        self.input(Input::Stop)?;
        while !self.is_ended {
            if !self.step()? {
                self.pass_time(Timestamp::MAX)?;
            }
        }
        Ok(self.store)
    }

    fn moment(&self) -> Moment {
        let now = self.clock.now();
        Moment { now, wall_ms: u64::try_from((now - self.started_at).ms()).unwrap_or(0) }
    }

    /// When this wall time is on the virtual clock.
    fn at(&self, wall_ms: u64) -> Timestamp {
        self.started_at + Span::from_ms(i64::try_from(wall_ms).unwrap_or(i64::MAX))
    }

    fn input(&mut self, input: Input) -> Result<(), RunError> {
        let moment = self.moment();
        #[cfg(test)]
        self.trace.note("in", &input);
        #[cfg(test)]
        let waiting_count = self.outputs.len();
        let handled = self.runner.handle(input, moment, &mut self.outputs);
        #[cfg(test)]
        self.outputs.iter().skip(waiting_count).for_each(|output| self.trace.note("out", output));
        handled
    }

    /// Does one thing that waits; `false` if nothing does.
    fn step(&mut self) -> Result<bool, RunError> {
        let moment = self.moment();
        if let Some(output) = self.outputs.pop_front() {
            self.steps += u64::from(!is_routine(&output));
            self.carry_out(output)?;
        } else if self.writer.wake_ms().is_some_and(|at_ms| at_ms <= moment.wall_ms) && !self.writer.is_done()
        {
            self.steps += 1;
            self.turn()?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn carry_out(&mut self, output: Output) -> Result<(), RunError> {
        match output {
            Output::Fetch(fetcher, order) => self.fetch(fetcher, *order),
            // Its answer is on its way, or never comes; the core drops it.
            Output::Cancel(..) => {}
            Output::Job(Job::Apply(upload)) => {
                let upload = self.pass(*upload);
                self.writer.accept(Job::Apply(Box::new(upload)));
            }
            Output::Job(job) => self.writer.accept(job),
            Output::Ask(question) => {
                let reply = question::answer(&self.store, &question);
                self.input(Input::Reply(question, reply))?;
            }
            Output::Work(work) => {
                if let Some(event) = work.run() {
                    self.input(Input::Event(event))?;
                }
            }
            Output::Subscriptions(rows) => self.follow(&rows),
            Output::OpenStream(order) => self.open_stream(*order)?,
            Output::CloseStream(id) => drop(self.streams.remove(&id)),
            Output::Look => {
                let look = self.look();
                self.input(Input::Looked(look))?;
            }
            Output::Part(until_ms) => {
                self.deliver_all(until_ms);
                let look = self.look();
                self.input(Input::Parted(look))?;
            }
            Output::Relearn(network) => {
                let outcome = Err("nobody learns forums in a simulation".to_owned());
                self.input(Input::Event(Event::RelearnEnded(network, outcome)))?;
            }
            Output::Report(report) => self.report = report,
            Output::Ended(report) => (self.report, self.is_ended) = (report, true),
            Output::Reload | Output::Granted(_) | Output::Free(_) => {}
        }
        Ok(())
    }

    /// Lets the writer have a turn, and tells the runner of it.
    fn turn(&mut self) -> Result<(), RunError> {
        let moment = self.moment();
        let mut told: Vec<Told> = Vec::new();
        let done = self.writer.turn(&mut self.store, moment, &mut |news| told.push(news));
        for news in told {
            self.input(Input::Told(news))?;
        }
        if let Err(error) = done {
            self.input(Input::Told(Told::Failed(error)))?;
        }
        if self.writer.is_done() { self.input(Input::WriterEnded) } else { Ok(()) }
    }

    /// Lets subscribers take what there is, and tells the writer how far they have got.
    fn deliver(&mut self) {
        let moment = self.moment();
        for it in &mut self.subscribers {
            while !it.is_ended && it.retry_ms <= moment.wall_ms {
                match it.subscriber.step(&self.store, moment) {
                    Stepped::Delivered => {}
                    Stepped::Idle => break,
                    Stepped::Failed(retry_ms) => it.retry_ms = retry_ms,
                    Stepped::Ended => it.is_ended = true,
                }
            }
            if let Some(job) = it.subscriber.progress().news() {
                #[cfg(test)]
                self.trace.note("subscriber", &job);
                self.writer.accept(job);
            }
        }
        self.pass.settle(self.subscribers.iter().map(|it| it.subscriber.progress().cursor()));
    }

    /// Lets subscribers catch up at the end; one that fails has no time to try again.
    fn deliver_all(&mut self, _until_ms: u64) {
        self.deliver();
    }

    fn look(&self) -> Look {
        let last_change = if self.subscribers.is_empty() { None } else { self.store.last_change().ok() };
        let moment = self.moment();
        let view = |it: &Subscribed| it.subscriber.progress().view(last_change, moment);
        Look { fetchers: Vec::new(), subscribers: self.subscribers.iter().map(view).collect() }
    }

    /// The message as it arrives.
    fn pass<T: Message>(&self, message: T) -> T {
        if self.loops_back { wire::loop_back(&message) } else { message }
    }

    fn fetch(&mut self, fetcher: FetcherId, order: Order) {
        let order = self.pass(order);
        let index = self.journal.len();
        let sent_at = self.clock.now();
        let (endpoint, root) = (Arc::clone(&order.endpoint), order.root.clone());
        let (id, patience) = (order.id, order.request.patience);
        let network = order.request.network.clone();
        let fetched = carry_out(fetcher, &self.kit, order).now_or_never();
        let spread_ms = (index as u64 * SPREAD) % (self.latency.ms().max(0) as u64 + 1);
        let spread_at = sent_at + Span::from_ms(spread_ms as i64);
        let arrives_at = self.crowd.as_ref().map_or(spread_at, |crowd| crowd.arrives_at());
        let took_ms = u64::try_from((arrives_at - sent_at).ms()).unwrap_or(0);
        let answered_at = fetched.is_some().then_some(arrives_at);
        self.journal.push(Exchange { network, endpoint, root, sent_at, answered_at });
        if let (None, Some(patience)) = (&fetched, patience) {
            let result = Err(Fault::new(FaultKind::Timeout, "no answer in time"));
            let received_at = sent_at + patience;
            let took_ms = u64::try_from(patience.ms()).unwrap_or(0);
            let given_up = Fetched { order: id, fetcher, took_ms, received_at, extra_count: 0, result };
            self.answers.insert((received_at, index), given_up);
        }
        if let Some(fetched) = fetched {
            let fetched = Fetched { took_ms, received_at: arrives_at, ..self.pass(fetched) };
            self.answers.insert((arrives_at, index), fetched);
        }
    }

    /// Moves the clock to the next instant at which something happens, and lets it happen.
    fn pass_time(&mut self, until: Timestamp) -> Result<(), RunError> {
        self.steps += 1;
        let now = self.clock.now();
        let arrival = self.answers.first_key_value().map(|(&(at, _), _)| at);
        let wakes_ms = [self.runner.wake_ms(), self.writer.wake_ms()].into_iter().flatten().min();
        let wall = wakes_ms.map(|at_ms| self.at(at_ms));
        let next = [self.runner.wake_at(), wall, arrival, Some(until)].into_iter().flatten().min();
        let jump_max = if self.streams.is_empty() { JUMP_MAX } else { JUMP_LISTENING };
        let next = next.map_or(now, |at| at.min(now + jump_max));
        self.clock.set(if arrival.is_some_and(|at| at <= now) {
            now
        } else {
            next.max(now + Span::from_ms(1))
        });
        let now = self.clock.now();
        let mut arrived = Vec::new();
        while let Some(entry) = self.answers.first_entry()
            && entry.key().0 <= now
        {
            arrived.push(entry.remove());
        }
        if !arrived.is_empty() {
            self.input(Input::Event(Event::Fetched(arrived)))?;
        }
        self.listen()?;
        self.deliver();
        self.input(Input::Tick(self.clock.ahead()))?;
        self.turn()
    }
}

/// Whether a run wants this every minute, whatever happens.
fn is_routine(output: &Output) -> bool {
    match output {
        Output::Reload | Output::Look | Output::Report(_) | Output::Free(_) => true,
        Output::Ask(question) => matches!(question, Question::Controls(_) | Question::Importance(_)),
        Output::Job(job) => matches!(job, Job::Prices(_) | Job::Report(_) | Job::History(_) | Job::Room(_)),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod trace;
