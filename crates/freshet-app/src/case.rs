//! SocWeb's two use-cases [SocWeb, sections 5.2 and 5.3], set up on a data directory: definitions, rules, robots, and what they gave.
//!
//! | case | what is crawled |
//! |---|---|
//! | spider | people found by their names, with their whole history; their friends, but not the friends of those; photos of recent albums that many talk about; people are visited again only if they post much |
//! | world | the same people, and every video that they share: its facts, comments and channel, from the network it lives on, under that network's own quota |
//!
//! Everything here is what a person does with `freshet find`, `constraints` and `robots`, and the report names those commands, so that
//! the cases can be copied for real networks. The networks themselves are simulated; whoever calls serves them.

use anyhow::Context as _;
use freshet_network::networks::Networks;
use freshet_report::case::{CaseReport, ObjectCount};
use freshet_report::run::RunStatus;
use freshet_sim::society;
use freshet_store::row::{InstanceRow, OnDelete};
use freshet_types::{Instance, NetworkName, RobotKind};

use crate::config::Globals;
use crate::constraints::{self, Wish};
use crate::data::{self, Data};
use crate::find::{self, FindWish};
use crate::networks::to_toml;
use crate::robots::{self, Verb};

/// The shipped definition of the network that the videos live on.
const VIDEOS: &str = "youtube";
/// Accounts that one name is searched for.
const FOUND_MAX: usize = 20;

/// A use-case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Spider,
    World,
}

impl Case {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spider => "spider",
            Self::World => "world",
        }
    }

    /// Steps from what was found that robots go: to friends, or to nobody.
    pub fn depth_max(self) -> u16 {
        match self {
            Self::Spider => 1,
            Self::World => 0,
        }
    }

    /// The robots that work beside those that always do.
    fn robots(self) -> &'static [RobotKind] {
        match self {
            Self::Spider => &[RobotKind::Relation, RobotKind::Link],
            Self::World => &[RobotKind::Across],
        }
    }

    /// Type, expression, and what it decides.
    fn constraints(self) -> &'static [(&'static str, &'static str, &'static str)] {
        match self {
            Self::Spider => society::SPIDER_RULES,
            Self::World => society::WORLD_RULES,
        }
    }

    /// What a person would type for the same, after the names were searched for.
    pub fn commands(self) -> Vec<String> {
        let rule = |(kind, text, purpose): &(&str, &str, &str)| {
            format!("freshet constraints add {kind} '{text}' --for {purpose}")
        };
        let robots = self.robots().iter().map(|robot| format!("freshet robots start {robot}"));
        robots.chain(self.constraints().iter().map(rule)).collect()
    }
}

/// Where the two simulated networks answer.
#[derive(Clone, Debug)]
pub struct Bases {
    pub graph: String,
    pub videos: String,
}

/// Writes the definitions, permits both servers, starts the robots and states the rules.
pub fn set_up(globals: &Globals, data: &mut Data, case: Case, bases: &Bases) -> anyhow::Result<()> {
    let videos = Networks::shipped().definition(VIDEOS).context("the definition of the videos is shipped")?;
    let mut videos = videos.written();
    videos.base.clone_from(&bases.videos);
    videos.endpoints.values_mut().for_each(|endpoint| endpoint.needs_credential = false);
    std::fs::create_dir_all(data.networks_dir())?;
    std::fs::write(data.networks_dir().join("graph.toml"), society::GRAPH)?;
    std::fs::write(data.networks_dir().join("youtube.toml"), to_toml(&videos))?;
    let instance =
        Instance { network: NetworkName::from(VIDEOS), base: bases.videos.clone(), allow_private: true };
    data.store.put_instance(&InstanceRow { instance, on_delete: OnDelete::default() })?;
    let networks = data::networks(globals)?;
    for (type_name, expression, purpose) in case.constraints() {
        constraints::add(data, &networks, Wish { type_name, expression, purpose })?;
    }
    for robot in case.robots() {
        robots::steer(&mut data.store, Verb::Start, *robot)?;
    }
    Ok(())
}

/// Adds whom the network finds by these names; gives how many there were.
pub fn seed(globals: &Globals, bases: &Bases, names: &[String]) -> anyhow::Result<usize> {
    let mut found_count = 0;
    for name in names {
        let wish = FindWish {
            network: format!("graph:{}", bases.graph),
            query: name.clone(),
            limit: FOUND_MAX,
            adds: true,
            allow_private: true,
        };
        found_count += find::find(globals, &wish)?.accounts.len();
    }
    Ok(found_count)
}

/// What is stored at the end.
pub fn report(
    data: &Data,
    case: Case,
    (names_count, found_count): (usize, usize),
    run: RunStatus,
) -> anyhow::Result<CaseReport> {
    let counted = data.store.count_by_kind()?.into_iter();
    let objects = counted
        .map(|it| ObjectCount { network: it.network.to_string(), kind: it.kind, count: it.count })
        .collect();
    Ok(CaseReport { case: case.name().to_owned(), names_count, found_count, objects, run })
}
