//! The engine against worlds on a virtual clock. The scene is set here; the plays are in `tests/`.

mod budgets;
mod calendars;
mod consent;
mod constraints;
mod control;
mod crash;
mod faults;
mod faulty;
mod firehose;
mod focused;
mod forum_site;
mod gathering;
mod grouped;
mod kill;
mod merged;
mod month;
mod pages;
mod path;
mod prices;
mod probes;
mod quota;
mod receiver;
mod receivers;
mod robots;
mod scarce;
mod streams;
mod thirty_days;
mod threads;
mod tokens;
mod unkept;
mod weights;
mod windows;
mod wire;

use std::sync::Mutex;

use freshet_engine::feed::Feeder;
use freshet_fetch::Fetch;
use freshet_frontier::Coordinator;
use freshet_network::robot;
use freshet_policy::{Pacing, policy_named};
use freshet_store::api::Flow;
use freshet_store::pass::PASS_BYTES_MAX;
use freshet_store::row::{AccountRow, Filter, InstanceRow, OnDelete, PostRow, RelationRow};
use freshet_store::testing;
use freshet_types::{Instance, Map, NetworkName, Set, Source, SourceState};

use self::faulty::Fate;
use super::*;
use crate::{World, WorldFetch, WorldOptions, invariant};

const HOST: &str = "world.test";
/// Posts on a page of an account's list, by Mastodon's definition.
const REACH: usize = 40;
/// What a visit may be late by: quota waits, retries, latency.
const SLACK: Span = Span::HOUR;
const LATENCY: Span = Span::from_ms(400);

/// A world, the clock it runs by, and how it is crawled.
struct Scene {
    world: Arc<Mutex<World>>,
    clock: VirtualClock,
    networks: Arc<Networks>,
    rings: tempfile::TempDir,
    ceiling: Span,
    depth_max: u16,
    fetch: Option<Arc<dyn Fetch>>,
    policy: &'static str,
    credentials: Vec<Holder>,
    uses_streams: bool,
    /// Most bytes that wait for subscribers where nothing is kept.
    pass_bytes_max: usize,
    group_max: usize,
    trace: trace::Trace,
}

impl Scene {
    fn new(options: WorldOptions, ceiling: Span) -> Self {
        let world = World::new(options).unwrap();
        Self {
            clock: VirtualClock::new(world.now()),
            world: Arc::new(Mutex::new(world)),
            networks: Arc::new(Networks::shipped()),
            rings: tempfile::tempdir().unwrap(),
            ceiling,
            depth_max: 0,
            fetch: None,
            policy: "change-rate",
            credentials: Vec::new(),
            uses_streams: false,
            pass_bytes_max: PASS_BYTES_MAX,
            group_max: usize::MAX,
            trace: trace::Trace::default(),
        }
    }

    /// A few lively accounts, two more than are added: a crawl has read all of it within minutes, so that many can be played.
    fn small(seed: u64, added_count: usize) -> Self {
        let options = WorldOptions {
            seed,
            accounts: added_count as u32 + 2,
            posts_per_day: 6.0,
            history: Span::DAY * 2.0,
            ..WorldOptions::default()
        };
        Self::new(options, Span::MINUTE * 30.0)
    }

    fn network() -> NetworkName {
        NetworkName::new("mastodon", Some(HOST))
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The world as it is now.
    fn with_world<T>(&self, look: impl FnOnce(&World) -> T) -> T {
        let mut world = self.world.lock().unwrap();
        world.advance_to(self.clock.now());
        look(&world)
    }

    /// Ids of the first accounts.
    fn accounts(&self, count: usize) -> Set<String> {
        self.with_world(|world| world.accounts().take(count).map(|account| account.id.to_string()).collect())
    }

    /// The sources that a person gets by adding the first accounts; every other one by its handle.
    fn sources(&self, count: usize) -> Vec<Source> {
        let connector = self.networks.connector("mastodon").unwrap();
        let named: Vec<(String, String)> = self.with_world(|world| {
            world.accounts().take(count).map(|one| (one.id.to_string(), one.handle.to_owned())).collect()
        });
        let mut sources = Vec::new();
        for (place, (id, handle)) in named.into_iter().enumerate() {
            for kind in [RobotKind::Status, RobotKind::User] {
                for source in robot::sources_for(&*connector, &Self::network(), kind, "account", &id, 0) {
                    let by_handle =
                        Source { root_id: String::new(), handle: Some(handle.clone()), ..source.clone() };
                    sources.push(if place % 2 == 0 { source } else { by_handle });
                }
            }
        }
        sources
    }

    fn store(&self, count: usize) -> Box<dyn Store> {
        furnish(testing::memory(), &self.sources(count))
    }

    fn start<S: Store>(&self, store: S) -> Driver<S> {
        self.try_start(store).unwrap()
    }

    fn try_start<S: Store>(&self, store: S) -> Result<Driver<S>, RunError> {
        let rings = Coordinator::open(self.rings.path(), 10_000).unwrap();
        let pacing =
            Pacing { floor: Span::MINUTE * 5.0, ceiling: self.ceiling, ceiling_share: Pacing::WANTED_SHARE };
        let world = WorldFetch::new(Arc::clone(&self.world), Arc::new(self.clock.clone()));
        let kit = DriverKit {
            fetch: self.fetch.clone().unwrap_or_else(|| Arc::new(world)),
            clock: self.clock.clone(),
            networks: Arc::clone(&self.networks),
            policy: policy_named(self.policy, pacing).unwrap(),
            options: CoreOptions {
                ceiling: self.ceiling,
                uses_streams: self.uses_streams,
                group_max: self.group_max,
                ..CoreOptions::default()
            },
            credentials: self.credentials.clone(),
            feeder: Some(Feeder::new(rings, Arc::clone(&self.networks), self.depth_max)),
            latency: LATENCY,
            crowd: None,
            pass_bytes_max: self.pass_bytes_max,
            trace: self.trace.clone(),
        };
        Driver::start(store, kit)
    }

    /// Lets a process run until then, or until it dies of its fate; nothing else may end it.
    fn run_until<S: Store>(&self, driver: &mut Driver<S>, fate: &Fate, until: Timestamp) {
        while self.now() < until && !fate.is_dead() {
            if let Err(error) = driver.run_steps(1) {
                assert!(fate.is_dead(), "{error}");
            }
        }
    }

    /// What must hold of posts however the crawl went.
    fn check_posts<S: Store>(&self, store: &S, authors: &Set<String>) {
        let settled_at = self.now() - self.ceiling - SLACK;
        let stored = posts(store);
        let facts = self.with_world(invariant::facts);
        expect_none("lost", &invariant::nothing_lost(&facts, &stored, authors, settled_at));
        expect_none("invented", &invariant::nothing_invented(&facts, &stored));
        expect_none("changes", &invariant::changes_known(&facts, &stored, authors, REACH, settled_at));
    }

    fn refused_count(&self) -> u64 {
        self.with_world(|world| world.counters().refused_count)
    }
}

/// Adds the server and these sources.
fn furnish<S: Store>(mut store: S, sources: &[Source]) -> S {
    let base = format!("https://{HOST}");
    let instance = Instance { network: Scene::network(), base, allow_private: false };
    store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).unwrap();
    store.add_sources(sources).unwrap();
    store
}

fn expect_none(what: &str, complaints: &[String]) {
    let shown: Vec<_> = complaints.iter().take(10).collect();
    assert!(complaints.is_empty(), "{what}: {} complaints, among them {shown:#?}", complaints.len());
}

fn posts<S: Store>(store: &S) -> Vec<PostRow> {
    let mut rows = Vec::new();
    store
        .each_post(&Filter::default(), &mut |row| {
            rows.push(row);
            Flow::Continue(())
        })
        .unwrap();
    rows
}

fn stored_accounts<S: Store>(store: &S) -> Vec<AccountRow> {
    let mut rows = Vec::new();
    store
        .each_account(&Filter::default(), &mut |row| {
            rows.push(row);
            Flow::Continue(())
        })
        .unwrap();
    rows
}

fn relations<S: Store>(store: &S) -> Vec<RelationRow> {
    let mut rows = Vec::new();
    store
        .each_relation(&Filter::default(), &mut |row| {
            rows.push(row);
            Flow::Continue(())
        })
        .unwrap();
    rows
}

fn all_sources<S: Store + ?Sized>(store: &S) -> Vec<Source> {
    let mut rows = Vec::new();
    store
        .each_source(&mut |source| {
            rows.push(source);
            Flow::Continue(())
        })
        .unwrap();
    rows
}
