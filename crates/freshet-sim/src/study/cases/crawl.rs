//! One crawl of the simulated society by the whole engine on a virtual clock, as `freshet demo` sets it up.
//!
//! The two definitions are those of the demo; the quotas of the video site are lifted, since a day's units would be spent in minutes and hide
//! what connections do. Names are searched for through the search endpoint, as `freshet find` does.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

use freshet_engine::constrain::setting::{Rule, set_rules};
use freshet_engine::core::CoreOptions;
use freshet_engine::feed::Feeder;
use freshet_frontier::Coordinator;
use freshet_network::constraint::Purpose;
use freshet_network::networks::Networks;
use freshet_network::robot::{self, ACCOUNT};
use freshet_policy::{DEFAULT_POLICY, Pacing, policy_named};
use freshet_store::api::{Flow, Store};
use freshet_store::row::{Filter, InstanceRow, OnDelete};
use freshet_store::{Access, MEMORY, Options};
use freshet_types::{
    Clock as _, Holder, Instance, Intent, NetworkName, RobotKind, RobotState, Set, Source, Span, Target,
};
use futures::FutureExt;

use crate::crowd::{Crowd, Provider};
use crate::driver::{Driver, DriverKit};
use crate::experiment::ExperimentError;
use crate::society::{self, GRAPH, Society};
use crate::study::StudyError;
use crate::{Standing, VirtualClock, World, WorldFetch};

/// How the video site is read.
const VIDEOS: &str = include_str!("../../../../../networks/youtube.toml");
const SEED: u64 = 1;
/// Ids that the rings keep in memory.
const RINGS_MAX: usize = 10_000;
/// Connections that each provider serves at once, as the paper found.
const CONNECTIONS: usize = 3;
/// From a request to the first byte, and what a connection carries: the video site answers faster, as in the paper.
const GRAPH_PACE: (Span, f64) = (Span::from_ms(400), 50_000.0);
const VIDEOS_PACE: (Span, f64) = (Span::from_ms(200), 100_000.0);

/// What is crawled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    people: u32,
    /// One in so many lends their name; 1 means all people are added themselves.
    named_every: usize,
    depth_max: u16,
    robots: &'static [RobotKind],
    rules: &'static [(&'static str, &'static str, &'static str)],
}

impl Case {
    pub(super) fn spider(people: u32, named_every: usize) -> Self {
        let robots = &[RobotKind::Relation, RobotKind::Link];
        Self { people, named_every, depth_max: 1, robots, rules: society::SPIDER_RULES }
    }

    /// Everybody, and the videos that they share.
    pub(super) fn world(people: u32) -> Self {
        let robots = &[RobotKind::Across];
        Self { people, named_every: 1, depth_max: 0, robots, rules: society::WORLD_RULES }
    }
}

/// Who crawls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crew {
    pub(super) fetcher_count: usize,
    /// Visits that are under way at once, over all of them.
    pub(super) visits_max: usize,
}

impl Crew {
    /// Fetchers that have as many requests under way as there is work.
    pub(super) fn many_handed(fetcher_count: usize) -> Self {
        Self { fetcher_count, ..Self::single_handed(CoreOptions::default().visits_max) }
    }

    /// Each has one request under way, as one of the paper.
    pub(super) fn single_handed(fetcher_count: usize) -> Self {
        Self { fetcher_count, visits_max: fetcher_count }
    }
}

/// A crawl under way.
pub(super) struct Crawl {
    driver: Driver<Box<dyn Store>>,
    pub(super) crowd: Arc<Crowd>,
    graph: Arc<Mutex<World>>,
    found: Set<String>,
    pub(super) names_count: usize,
    pub(super) found_count: usize,
    _rings: tempfile::TempDir,
}

fn failed(error: impl Display) -> StudyError {
    ExperimentError::Live(error.to_string()).into()
}

impl Crawl {
    /// Sets it up. With `at_once`, so many requests may be under way at one server, whatever the definitions say.
    pub(super) fn start(case: Case, crew: Crew, at_once: Option<usize>) -> Result<Self, StudyError> {
        let society = Society::new(SEED, case.people).map_err(failed)?;
        let clock = VirtualClock::new(society.graph.now());
        let names = names(&society.graph, case.named_every);
        let graph = Arc::new(Mutex::new(society.graph));
        let provider = |network, world: &Arc<Mutex<World>>, (round_trip, bytes_per_s)| Provider {
            network,
            fetch: Arc::new(WorldFetch::new(Arc::clone(world), Arc::new(clock.clone()))),
            connections: CONNECTIONS,
            round_trip,
            bytes_per_s,
        };
        let videos = Arc::new(Mutex::new(society.videos));
        let providers =
            vec![provider("graph", &graph, GRAPH_PACE), provider("youtube", &videos, VIDEOS_PACE)];
        let networks = Arc::new(networks(at_once)?);
        let found = find(&networks, &providers[0], &names, &clock)?;
        let crowd = Arc::new(Crowd::new(clock.clone(), providers));
        let rings = tempfile::tempdir().map_err(failed)?;
        let coordinator = Coordinator::open(rings.path(), RINGS_MAX).map_err(failed)?;
        let pacing = Pacing::default();
        let policy = policy_named(DEFAULT_POLICY, pacing).expect("the usual policy is there");
        let mut kit = DriverKit::new(Arc::clone(&crowd) as _, clock, Arc::clone(&networks), policy);
        let Crew { fetcher_count, visits_max } = crew;
        kit.options =
            CoreOptions { fetcher_count, visits_max, ceiling: pacing.ceiling, ..CoreOptions::default() };
        kit.credentials = vec![Holder::alone("key".into())];
        kit.feeder = Some(Feeder::new(coordinator, Arc::clone(&networks), case.depth_max));
        kit.crowd = Some(Arc::clone(&crowd));
        let store = furnished(&networks, &found, case.rules)?;
        let mut driver = Driver::start(store, kit).map_err(failed)?;
        driver.loops_back = false;
        for robot in case.robots {
            driver.set_robot(*robot, RobotState::Running).map_err(failed)?;
        }
        let (names_count, found_count) = (names.len(), found.len());
        Ok(Self { driver, crowd, graph, found, names_count, found_count, _rings: rings })
    }

    pub(super) fn run_for(&mut self, span: Span) -> Result<(), StudyError> {
        self.driver.run_for(span).map_err(failed)
    }

    /// How many objects of a type are stored.
    pub(super) fn stored(&self, definition: &str, kind: &str) -> Result<u64, StudyError> {
        let counts = self.driver.store.count_by_kind().map_err(failed)?.into_iter();
        let meant = counts.filter(|it| it.network.definition() == definition && *it.kind == *kind);
        Ok(meant.map(|it| it.count).sum())
    }

    /// Of those who were found: whose posts anybody may see now.
    pub(super) fn public_count(&self) -> usize {
        let world = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        let is_found = |id: u64| self.found.contains(&id.to_string());
        world.accounts().filter(|it| it.standing == Standing::Public && is_found(it.id)).count()
    }

    /// Stored posts of each author on the network of posts.
    pub(super) fn posts_by_author(&self) -> Result<Vec<f64>, StudyError> {
        let mut counts: BTreeMap<String, f64> = BTreeMap::new();
        let mut add = |author: Option<String>| *counts.entry(author.unwrap_or_default()).or_default() += 1.0;
        let read = self.driver.store.each_post(&Filter::default(), &mut |row| {
            if row.network.definition() == "graph" && &*row.post.kind == "post" {
                add(row.post.author);
            }
            Flow::Continue(())
        });
        read.map_err(failed)?;
        Ok(counts.into_values().collect())
    }
}

/// The first two words of some handles: the names that people know.
fn names(world: &World, every: usize) -> Vec<String> {
    let named = world.accounts().step_by(every);
    named.map(|account| account.handle.split('_').take(2).collect::<Vec<_>>().join(" ")).collect()
}

/// Both definitions; with `at_once`, without their politeness.
fn networks(at_once: Option<usize>) -> Result<Networks, StudyError> {
    let networks = Networks::shipped();
    let lifted = VIDEOS.replace("limit = 10000\n", "limit = 100000000\n");
    for (file, text) in [("graph.toml", GRAPH), ("youtube.toml", &lifted)] {
        let impolite = |line: &str| match at_once {
            Some(count) if line.starts_with("in_flight_max") => format!("in_flight_max = {count}\n"),
            Some(_) if line.starts_with("pause = ") => "pause = \"0s\"\n".to_owned(),
            _ if line.starts_with("limit = 36000") => "limit = 100000000\n".to_owned(),
            _ => line.to_owned(),
        };
        let text: String = text.split_inclusive('\n').map(impolite).collect();
        networks.apply_definition(file, &text).map_err(failed)?;
    }
    Ok(networks)
}

fn graph_name() -> NetworkName {
    NetworkName::new("graph", Some("graph.test"))
}

fn graph_instance() -> Instance {
    Instance { network: graph_name(), base: "https://graph.test".to_owned(), allow_private: false }
}

/// Ids of whom the network finds by these names.
fn find(
    networks: &Networks,
    provider: &Provider,
    names: &[String],
    clock: &VirtualClock,
) -> Result<Set<String>, StudyError> {
    let connector = networks.connector("graph").expect("its definition was applied");
    let instance = graph_instance();
    let mut found = Set::default();
    for name in names {
        let target = Target {
            instance: &instance,
            endpoint: "search",
            root: name,
            credential: None,
            validators: None,
        };
        let mut intent = Intent::First;
        loop {
            let request = connector.ask(&target, &intent).map_err(failed)?;
            let answered = provider.fetch.fetch(&request).now_or_never().expect("a world answers at once");
            let page = connector.read(&target, &intent, &answered.map_err(failed)?, clock.now());
            found.extend(page.observation.accounts.into_iter().map(|account| account.id));
            let Some(next) = page.next else { break };
            intent = Intent::Next(next);
        }
    }
    Ok(found)
}

/// A store with both servers, the rules, and whoever was found.
fn furnished(
    networks: &Networks,
    found: &Set<String>,
    rules: &[(&str, &str, &str)],
) -> Result<Box<dyn Store>, StudyError> {
    let mut store = freshet_store::open(MEMORY, Access::Write, Options::default()).map_err(failed)?;
    let videos = networks.instance_of(&NetworkName::from("youtube")).expect("it has one server");
    for instance in [graph_instance(), videos] {
        store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).map_err(failed)?;
    }
    let rules: Result<Vec<Rule>, StudyError> = rules.iter().map(|it| rule(*it)).collect();
    set_rules(&mut *store, &rules?).map_err(failed)?;
    let connector = networks.connector("graph").expect("its definition was applied");
    let sources = |id: &String| -> Vec<Source> {
        let of = |kind| robot::sources_for(&*connector, &graph_name(), kind, ACCOUNT, id, 0);
        [RobotKind::Status, RobotKind::User].into_iter().flat_map(of).collect()
    };
    let mut ids: Vec<&String> = found.iter().collect();
    ids.sort();
    let sources: Vec<Source> = ids.into_iter().flat_map(sources).collect();
    store.add_sources(&sources).map_err(failed)?;
    Ok(store)
}

fn rule((type_name, text, purpose): (&str, &str, &str)) -> Result<Rule, StudyError> {
    let purpose = Purpose::named(purpose).ok_or_else(|| failed(format!("`{purpose}` is no purpose")))?;
    Ok(Rule { purpose, ..Rule::new(type_name, text) })
}
