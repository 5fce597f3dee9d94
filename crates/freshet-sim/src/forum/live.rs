//! The engine as a row beside the policies: the whole product crawls the forum, from its portal on.
//!
//! Walk, ledger, prices, learning and storing are those of `run`, on a virtual clock; the forum answers with HTML and the definition
//! is mined from some of its pages ([`site`]). The pages a day are the budget that a person sets, so the crawl has exactly the
//! bandwidth that the other rows have. What is measured is measured at the forum: what each answered page showed, and when, whatever
//! the engine believes of it. Refused pages count as pages. What it does not do: faults, and pages of robots.txt.

mod site;

use std::sync::Arc;

use freshet_engine::budget::Budgets;
use freshet_engine::core::CoreOptions;
use freshet_engine::runner::RunError;
use freshet_network::networks::Networks;
use freshet_network::robot;
use freshet_policy::{DEFAULT_POLICY, Pacing, policy_named};
use freshet_store::row::{InstanceRow, OnDelete};
use freshet_store::{Access, MEMORY, Options};
use freshet_types::{Rate, RobotKind, Source, Span, Timestamp};

use super::history::History;
use super::measure::Figures;
use super::setup::Setup;
use crate::VirtualClock;
use crate::driver::{Driver, DriverKit};
pub use site::Answered;
use site::LiveSite;
#[cfg(test)]
pub(crate) use site::mined;

/// The name of this row.
pub const NAME: &str = "live";
/// Longest way of an answer.
const LATENCY: Span = Span::from_ms(400);

/// What a crawl came to.
#[derive(Clone, Debug)]
pub struct Crawl {
    pub figures: Figures,
    /// Every page that was asked for, in order.
    pub answers: Vec<Answered>,
}

/// Why the engine could not crawl.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The run ended.
    #[error("the engine stopped: {0}")]
    Run(#[from] RunError),
    /// No definition can be mined.
    #[error("the pages of the forum at its start are not enough to learn from")]
    Unlearned,
}

/// Crawls a forum. The history is borrowed for ever, since the engine keeps whom it asks: whoever calls leaks it, once.
pub fn run(history: &'static History, setup: &Setup) -> Result<Crawl, LiveError> {
    let failed = |error: freshet_store::api::StoreError| LiveError::Run(error.into());
    let clock = VirtualClock::new(setup.start);
    let site = Arc::new(LiveSite::new(history, *setup, Arc::new(clock.clone())));
    let (network, reference) = site.network().ok_or(LiveError::Unlearned)?;
    let name = reference.instance.network.clone();
    let id = reference.root_id.clone().unwrap_or_default();
    let sources: Vec<Source> = RobotKind::ALL
        .into_iter()
        .flat_map(|kind| robot::sources_for(&*network.connector, &name, kind, &reference.root_kind, &id, 0))
        .collect();
    let networks = Arc::new(Networks::shipped());
    networks.add(vec![network]);
    let mut store = freshet_store::open(MEMORY, Access::Write, Options::default()).map_err(failed)?;
    let row = InstanceRow { instance: reference.instance, on_delete: OnDelete::Keep };
    store.put_instance(&row).and_then(|()| store.add_sources(&sources)).map_err(failed)?;
    let budget = Rate::per_day(setup.pages_per_day.round().max(1.0) as u32);
    Budgets([(name, budget)].into()).put(&mut store).map_err(failed)?;
    let pacing = Pacing::default();
    let policy = policy_named(DEFAULT_POLICY, pacing).ok_or(LiveError::Unlearned)?;
    let mut kit = DriverKit::new(Arc::clone(&site) as _, clock, networks, policy);
    kit.options = CoreOptions { ceiling: pacing.ceiling, ..CoreOptions::default() };
    kit.latency = LATENCY;
    let mut driver = Driver::start(store, kit)?;
    driver.loops_back = false;
    driver.run_until(Timestamp::from_ms((setup.end_s() * 1000.0) as i64))?;
    Ok(Crawl { figures: site.figures(), answers: site.answers() })
}

#[cfg(test)]
mod tests;
