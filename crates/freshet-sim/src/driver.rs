//! Moves the real engine on a virtual clock: a simulated month in seconds, the same every time.
//!
//! It carries out the core's effects at once and in order (the world answers in memory, the
//! store commits in memory or on disk), and when nothing is left to do it moves the clock to
//! the instant the core asked to be woken at. There is no thread, no socket and no sleep.

use std::collections::VecDeque;
use std::sync::Arc;

use freshet_engine::constrain::Constrainer;
use freshet_engine::core::{Core, CoreOptions, Effect, Event};
use freshet_engine::feed::{FeedError, Feeder};
use freshet_engine::fetcher::{FetcherKit, carry_out};
use freshet_fetch::Fetch;
use freshet_network::constraint::Constraints;
use freshet_network::networks::Networks;
use freshet_policy::Policy;
use freshet_store::api::{Flow, Store, StoreError};
use freshet_store::row::Upload;
use freshet_types::{Clock, SourceId, Span, Timestamp};
use futures::FutureExt;

use crate::clock::VirtualClock;

/// How many sources may be due before the rings are left alone.
const AHEAD_MAX: usize = 1000;
/// Longest jump of the clock, so that leases and robots are looked at now and then.
const JUMP_MAX: Span = Span::MINUTE;
/// Visit numbers reserved for one driver.
const VISITS_RESERVED: u64 = 10_000_000;

/// The engine in a world of its own.
#[derive(Debug)]
pub struct Driver<S> {
    /// The state machine under way.
    pub core: Core,
    /// Where everything is kept.
    pub store: S,
    kit: FetcherKit,
    clock: VirtualClock,
    feeder: Option<Feeder>,
    constrainer: Constrainer,
    steps: u64,
}

/// What a driver is made of beside the store.
#[derive(Debug)]
pub struct DriverKit {
    /// Who answers.
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
}

impl<S: Store> Driver<S> {
    /// Starts an engine on what the store knows, as a process that was just started does.
    pub fn start(mut store: S, kit: DriverKit) -> Result<Self, StoreError> {
        let first = store.reserve_visits(VISITS_RESERVED)?;
        let credential = Arc::new(|_: &_, _| None);
        let numbers = first..first + VISITS_RESERVED;
        let constrainer = Constrainer::new(Arc::clone(&kit.networks));
        let core = Core::new(kit.networks, kit.policy, credential, kit.options, numbers, kit.clock.now());
        let clock: Arc<dyn Clock> = Arc::new(kit.clock.clone());
        let fetcher = FetcherKit { fetch: kit.fetch, clock, keeps_raw: false };
        let mut driver =
            Self { core, store, kit: fetcher, clock: kit.clock, feeder: kit.feeder, constrainer, steps: 0 };
        driver.load()?;
        Ok(driver)
    }

    /// Tells the core of the servers, sources and robots in the store.
    pub fn load(&mut self) -> Result<(), StoreError> {
        let instances = self.store.instances()?.into_iter().map(|row| row.instance).collect();
        let robots = self.store.robots()?.into_iter().map(|row| (row.kind, row.state)).collect();
        let mut slots = Vec::new();
        self.store.each_slot(SourceId(0), &mut |slot| {
            slots.push(slot);
            Flow::Continue(())
        })?;
        let now = self.clock.now();
        for event in [Event::Instances(instances), Event::Robots(robots), Event::Slots(slots)] {
            self.core.handle(event, now, 0);
        }
        Ok(())
    }

    /// From now on only what satisfies these is stored.
    pub fn constrain(&mut self, constraints: Constraints) -> Result<(), StoreError> {
        self.constrainer.replace(&mut self.store, constraints, self.clock.now())
    }

    /// Runs until the clock shows `until`.
    pub fn run_until(&mut self, until: Timestamp) -> Result<(), FeedError> {
        while self.clock.now() < until {
            if !self.step()? {
                let now = self.clock.now();
                let wake = self.core.wake_at().unwrap_or(until).min(now + JUMP_MAX).min(until);
                self.clock.set(wake.max(now + Span::from_ms(1)));
                self.core.handle(Event::Tick, self.clock.now(), 0);
            }
        }
        Ok(())
    }

    /// Carries out at most `steps` effects, then stops as if killed: nothing is flushed.
    pub fn run_steps(&mut self, steps: u64) -> Result<(), FeedError> {
        let end = self.steps + steps;
        while self.steps < end {
            if !self.step()? {
                let now = self.clock.now();
                let wake = self.core.wake_at().unwrap_or(now + JUMP_MAX).min(now + JUMP_MAX);
                self.clock.set(wake.max(now + Span::from_ms(1)));
                self.core.handle(Event::Tick, self.clock.now(), 0);
                self.steps += 1;
            }
        }
        Ok(())
    }

    /// Carries out what the core wants; `false` if it wants nothing.
    fn step(&mut self) -> Result<bool, FeedError> {
        let mut effects: VecDeque<Effect> = self.core.effects().collect();
        if effects.is_empty() {
            return Ok(false);
        }
        let mut uploads: Vec<Upload> = Vec::new();
        while let Some(effect) = effects.pop_front() {
            self.steps += 1;
            let now = self.clock.now();
            match effect {
                Effect::Load(id) => {
                    let source = self.store.source(id)?.map(Box::new);
                    self.core.handle(Event::Loaded(id, source), now, 0);
                }
                Effect::Fetch(fetcher, order) => {
                    let fetched = carry_out(fetcher, &self.kit, *order)
                        .now_or_never()
                        .expect("a world in memory answers at once");
                    self.core.handle(Event::Fetched(vec![fetched]), now, 0);
                }
                Effect::Apply(upload) => uploads.push(*upload),
            }
        }
        if !uploads.is_empty() {
            self.apply(uploads)?;
        }
        Ok(true)
    }

    fn apply(&mut self, uploads: Vec<Upload>) -> Result<(), FeedError> {
        let confirmed = self.constrainer.apply(&mut self.store, uploads)?;
        let now = self.clock.now();
        self.core.handle(Event::Applied(confirmed), now, 0);
        if let Some(feeder) = &mut self.feeder {
            let slots = feeder.tend(&mut self.store, AHEAD_MAX)?;
            if !slots.is_empty() {
                self.core.handle(Event::Slots(slots), now, 0);
            }
        }
        Ok(())
    }
}
