//! Moves the real engine on a virtual clock: a simulated month in seconds, the same every time.
//!
//! It carries out the core's effects one by one (the world answers in memory, the store commits
//! in memory or on disk); answers arrive a little later, so that visits overlap as they do on
//! the wire. When nothing is left to do it moves the clock to the next instant at which
//! something happens. There is no thread, no socket and no sleep. Every request stands in the
//! [journal](Driver::journal), for those who judge the manners of a crawl.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use freshet_engine::constrain::Constrainer;
use freshet_engine::core::{Core, CoreOptions, Effect, Event, Moment, Restored, STALE_MAX};
use freshet_engine::feed::{FeedError, Feeder};
use freshet_engine::fetcher::{FetcherKit, carry_out};
use freshet_engine::price::PRICES;
use freshet_engine::quota::{LEDGER, LEDGER_BEFORE, Ledger};
use freshet_engine::relearn::Notes;
use freshet_engine::visit::{Fetched, Order};
use freshet_fetch::Fetch;
use freshet_network::constraint::Constraints;
use freshet_network::networks::Networks;
use freshet_policy::Policy;
use freshet_store::api::{Flow, Store, StoreError};
use freshet_store::row::Upload;
use freshet_types::{Clock, Fault, FaultKind, RobotKind, RobotState, SourceId, SourceState, Span, Timestamp};
use futures::FutureExt;

use crate::clock::VirtualClock;

/// How many sources may be due before the rings are left alone.
const AHEAD_MAX: usize = 1000;
/// Longest jump of the clock, so that leases and robots are looked at now and then.
const JUMP_MAX: Span = Span::MINUTE;
/// How often the rings are tended, as the dumper does: not after every commit.
const FEED_EVERY: Span = Span::from_secs(5);
/// How often posts beyond their retention are dropped.
const EXPIRE_EVERY: Span = Span::HOUR;
/// How often the prices are written down.
const PRICES_EVERY: Span = Span::MINUTE;
/// Visit numbers reserved for one driver.
const VISITS_RESERVED: u64 = 10_000_000;
/// Spreads the answers over the latency; any odd number does.
const SPREAD: u64 = 7919;

/// One request as it was sent.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Through which endpoint.
    pub endpoint: Arc<str>,
    /// About what.
    pub root: String,
    /// When it left.
    pub sent_at: Timestamp,
    /// When its answer arrived; `None` if it never did.
    pub answered_at: Option<Timestamp>,
}

/// The engine in a world of its own.
#[derive(Debug)]
pub struct Driver<S> {
    /// The state machine under way.
    pub core: Core,
    /// Where everything is kept.
    pub store: S,
    /// Every request so far.
    pub journal: Vec<Exchange>,
    kit: FetcherKit,
    clock: VirtualClock,
    feeder: Option<Feeder>,
    latency: Span,
    effects: VecDeque<Effect>,
    /// Answers on their way, by arrival.
    answers: BTreeMap<(Timestamp, usize), Fetched>,
    started_at: Timestamp,
    expired_at: Timestamp,
    noted_at: Timestamp,
    constrainer: Constrainer,
    fed_at: Timestamp,
    /// The log or a ring may have something for the robots.
    is_hungry: bool,
    steps: u64,
}

/// What a driver is made of beside the store.
#[derive(Debug)]
pub struct DriverKit {
    /// Who answers; a request that it leaves pending is never answered, or given up where its patience is limited.
    pub fetch: Arc<dyn Fetch>,
    /// The clock that it moves.
    pub clock: VirtualClock,
    /// The networks.
    pub networks: Arc<Networks>,
    /// When to look again.
    pub policy: Arc<dyn Policy>,
    /// Limits.
    pub options: CoreOptions,
    /// The robots' rings, where robots are to be fed.
    pub feeder: Option<Feeder>,
    /// Longest way of an answer.
    pub latency: Span,
}

impl<S: Store> Driver<S> {
    /// Starts an engine on what the store knows, as a process that was just started does.
    pub fn start(mut store: S, kit: DriverKit) -> Result<Self, StoreError> {
        let first = store.reserve_visits(VISITS_RESERVED)?;
        let credential = Arc::new(|_: &_, _, named: Option<&str>| named.map(Arc::from));
        let numbers = first..first + VISITS_RESERVED;
        let constrainer = Constrainer::new(Arc::clone(&kit.networks));
        let now = kit.clock.now();
        let core = Core::new(kit.networks, kit.policy, credential, kit.options, numbers, now);
        let ledger = Ledger::from_settings(LEDGER.all(&store)?, LEDGER_BEFORE.get(&store)?.as_deref(), now);
        let restored = Restored { ledger, prices: PRICES.get(&store)?, relearnt: Notes::default() };
        let clock: Arc<dyn Clock> = Arc::new(kit.clock.clone());
        let fetcher = FetcherKit { fetch: kit.fetch, clock, keeps_raw: false, readers: None };
        let mut driver = Self {
            core,
            store,
            journal: Vec::new(),
            kit: fetcher,
            clock: kit.clock,
            feeder: kit.feeder,
            constrainer,
            latency: kit.latency,
            effects: VecDeque::new(),
            answers: BTreeMap::new(),
            started_at: now,
            expired_at: now,
            noted_at: now,
            fed_at: Timestamp::MIN,
            is_hungry: true,
            steps: 0,
        };
        driver.tell(Event::Restored(Box::new(restored)));
        driver.load()?;
        Ok(driver)
    }

    /// Tells the core of the servers, sources and robots in the store.
    pub fn load(&mut self) -> Result<(), StoreError> {
        let instances = self.store.instances()?.into_iter().map(|row| row.instance).collect();
        let robots = self.store.robots()?;
        let mut slots = Vec::new();
        self.store.each_slot(SourceId(0), &mut |slot| {
            slots.push(slot);
            Flow::Continue(())
        })?;
        for event in [Event::Instances(instances), Event::Robots(robots), Event::Slots(slots)] {
            self.tell(event);
        }
        Ok(())
    }

    /// Switches a robot, as `freshet robots` does.
    pub fn set_robot(&mut self, robot: RobotKind, state: RobotState) -> Result<(), StoreError> {
        self.store.set_robot(robot, state)?;
        let robots = self.store.robots()?;
        self.tell(Event::Robots(robots));
        self.is_hungry = true;
        Ok(())
    }

    /// Takes sources off the list, as `freshet remove` does.
    pub fn remove(&mut self, ids: &[SourceId]) -> Result<(), StoreError> {
        self.store.set_state(ids, SourceState::Removed)?;
        self.load()
    }

    /// From now on only what satisfies these is stored.
    pub fn constrain(&mut self, constraints: Constraints) -> Result<(), StoreError> {
        self.constrainer.replace(&mut self.store, constraints, self.clock.now())
    }

    /// Runs until the clock shows `until`.
    pub fn run_until(&mut self, until: Timestamp) -> Result<(), FeedError> {
        while self.clock.now() < until {
            if !self.step()? {
                self.steps += 1;
                self.pass_time(until)?;
            }
        }
        Ok(())
    }

    /// Runs for so long.
    pub fn run_for(&mut self, span: Span) -> Result<(), FeedError> {
        self.run_until(self.clock.now() + span)
    }

    /// Takes at most `steps` steps, each an effect carried out or the clock moved.
    pub fn run_steps(&mut self, steps: u64) -> Result<(), FeedError> {
        let end = self.steps + steps;
        while self.steps < end {
            if !self.step()? {
                self.steps += 1;
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

    /// Ends as a process that was asked to does: what was reserved and not used is given back.
    pub fn stop(mut self) -> Result<S, StoreError> {
        self.effects.clear();
        self.tell(Event::Farewell);
        for effect in std::mem::take(&mut self.effects) {
            if let Effect::Reserve(farewell) = effect {
                self.store.set_settings(&farewell.settings)?;
            }
        }
        Ok(self.store)
    }

    fn tell(&mut self, event: Event) {
        let now = self.clock.now();
        let wall_ms = u64::try_from((now - self.started_at).ms()).unwrap_or(0);
        self.effects.extend(self.core.handle(event, Moment { now, wall_ms }));
    }

    /// Carries out one thing the core wants; `false` if it wants nothing.
    fn step(&mut self) -> Result<bool, FeedError> {
        let Some(effect) = self.effects.pop_front() else { return Ok(false) };
        self.steps += 1;
        match effect {
            Effect::Load(id) => {
                let source = self.store.source(id)?.map(Box::new);
                self.tell(Event::Loaded(id, source));
            }
            Effect::Fetch(fetcher, order) => self.fetch(fetcher, *order),
            Effect::Apply(upload) => self.apply(*upload)?,
            Effect::Reserve(reservation) => {
                self.store.set_settings(&reservation.settings)?;
                self.tell(Event::Reserved(reservation.number));
            }
            Effect::ReserveVisits(count) => {
                let first = self.store.reserve_visits(count)?;
                self.tell(Event::VisitNumbers(first..first + count));
            }
            Effect::Note(key, text) => self.store.set_setting(key, &text)?,
            Effect::ReadStale(network) => {
                let pages = self.store.stale_pages(&network, self.clock.now(), STALE_MAX)?;
                if !pages.is_empty() {
                    self.tell(Event::Stale(network, pages));
                }
            }
            Effect::Relearn(network) => {
                self.tell(Event::RelearnEnded(network, Err("nobody learns forums here".to_owned())));
            }
            Effect::Granted(_) => {}
        }
        Ok(true)
    }

    fn fetch(&mut self, fetcher: usize, order: Order) {
        let place = self.journal.len();
        let sent_at = self.clock.now();
        let (endpoint, root) = (Arc::clone(&order.endpoint), order.root.clone());
        let (visit, patience) = (order.visit, order.request.patience);
        let fetched = carry_out(fetcher, &self.kit, order).now_or_never();
        let spread_ms = (place as u64 * SPREAD) % (self.latency.ms().max(0) as u64 + 1);
        let arrives_at = sent_at + Span::from_ms(spread_ms as i64);
        let answered_at = fetched.is_some().then_some(arrives_at);
        self.journal.push(Exchange { endpoint, root, sent_at, answered_at });
        if let (None, Some(patience)) = (&fetched, patience) {
            let result = Err(Fault::new(FaultKind::Timeout, "no answer in time"));
            let received_at = sent_at + patience;
            let took_ms = u64::try_from(patience.ms()).unwrap_or(0);
            let given_up = Fetched { visit, fetcher, took_ms, received_at, extra_count: 0, result };
            self.answers.insert((received_at, place), given_up);
        }
        if let Some(fetched) = fetched {
            let fetched = Fetched { took_ms: spread_ms, received_at: arrives_at, ..fetched };
            self.answers.insert((arrives_at, place), fetched);
        }
    }

    /// Commits this upload and all that wait with it in one transaction, as the dumper does.
    fn apply(&mut self, first: Upload) -> Result<(), FeedError> {
        let mut uploads = vec![first];
        let waiting = std::mem::take(&mut self.effects);
        for effect in waiting {
            match effect {
                Effect::Apply(upload) => uploads.push(*upload),
                other => self.effects.push_back(other),
            }
        }
        let confirmed = self.constrainer.apply(&mut self.store, &mut uploads)?;
        self.tell(Event::Applied(confirmed));
        self.is_hungry = true;
        self.feed()
    }

    fn feed(&mut self) -> Result<(), FeedError> {
        let (Some(feeder), now) = (&mut self.feeder, self.clock.now()) else { return Ok(()) };
        if !self.is_hungry || now - self.fed_at < FEED_EVERY {
            return Ok(());
        }
        self.fed_at = now;
        let (_, due_count, _) = self.core.queue_sizes();
        let slots = feeder.tend(&mut self.store, AHEAD_MAX.saturating_sub(due_count))?;
        self.is_hungry = due_count >= AHEAD_MAX || !slots.is_empty();
        if !slots.is_empty() {
            self.tell(Event::Slots(slots));
        }
        Ok(())
    }

    /// Moves the clock to the next instant at which something happens, and lets it happen.
    fn pass_time(&mut self, until: Timestamp) -> Result<(), FeedError> {
        let now = self.clock.now();
        let arrival = self.answers.first_key_value().map(|(&(at, _), _)| at);
        let next = [self.core.wake_at(), arrival, Some(until)].into_iter().flatten().min();
        let next = next.map_or(now, |at| at.min(now + JUMP_MAX));
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
            self.tell(Event::Fetched(arrived));
        }
        self.tell(Event::Tick);
        self.feed()?;
        if now - self.noted_at >= PRICES_EVERY {
            self.noted_at = now;
            self.store.set_setting(PRICES.key(), &self.core.prices().to_text(now))?;
        }
        if now - self.expired_at > EXPIRE_EVERY {
            self.expired_at = now;
            self.store.expire(now)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
