//! One network in a plan: its sources by grade, and what its quotas allow.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use freshet_engine::importance::Importance;
use freshet_engine::price::Memory;
use freshet_engine::schedule::PROFILE_GAP;
use freshet_policy::group::Group;
use freshet_policy::{Demand, Grade, Pacing, Policy};
use freshet_report::plan::PlanScope;
use freshet_store::api::{Store, StoreError};
use freshet_types::{NetworkName, RobotKind, RobotState, SourceState};

/// The sources of one network.
#[derive(Debug)]
pub(super) struct Planned {
    network: NetworkName,
    pub(super) demand: Demand,
    pub(super) calls_per_visit: f64,
    /// Calls an hour of the robots that have a pace of their own.
    pub(super) others_per_h: f64,
    posts_per_s: f64,
    quota_per_h: Option<f64>,
    price_now: f64,
    pacing: Pacing,
    /// What one call can do for several sources.
    pub(super) group: Group,
}

impl Planned {
    fn new(network: &NetworkName, memory: &Memory, pacing: Pacing) -> Self {
        let tariff = memory.tariff(network, RobotKind::Status);
        let market = memory.market(network, RobotKind::Status);
        Self {
            network: network.clone(),
            demand: Demand::default(),
            calls_per_visit: tariff.map_or(1.0, |it| it.calls_per_visit(memory)),
            others_per_h: 0.0,
            posts_per_s: 0.0,
            quota_per_h: tariff.and_then(|it| it.quota_per_h(memory)),
            price_now: market.price,
            group: market.group,
            pacing,
        }
    }

    pub(super) fn calls_per_h(&self, price: f64) -> f64 {
        let calls_per_s = self.demand.calls_per_s(price, self.pacing, self.group);
        calls_per_s * 3600.0 * self.calls_per_visit + self.others_per_h
    }

    /// At the price of the last run.
    pub(super) fn calls_now_per_h(&self) -> f64 {
        self.calls_per_h(self.price_now)
    }

    pub(super) fn row(self, price: f64, pacing: Pacing) -> PlanScope {
        let calls_per_hour = self.calls_per_h(price);
        PlanScope {
            sources_count: self.demand.count(),
            posts_per_day: self.posts_per_s * 86_400.0,
            calls_per_hour,
            lag_s: lag_s(self.demand.waiting(price, pacing, self.group), self.demand.posts_per_s()),
            is_over: self.quota_per_h.is_some_and(|quota| calls_per_hour > quota),
            quota_per_hour: self.quota_per_h,
            network: self.network.to_string(),
        }
    }
}

/// The mean lag of so many posts a second, of which so many wait at any time; 0 where nobody posts.
pub(super) fn lag_s(waiting: f64, posts_per_s: f64) -> f64 {
    if posts_per_s > 0.0 { waiting / posts_per_s } else { 0.0 }
}

/// Reads all sources, network by network; one pass, nothing kept of a source but its grade.
pub(super) fn read(
    store: &dyn Store,
    memory: &Memory,
    policy: &dyn Policy,
    importance: &Importance,
) -> Result<Vec<Planned>, StoreError> {
    let pacing = policy.pacing();
    let other_gap_s = PROFILE_GAP.min(pacing.ceiling).secs_f64().max(1.0);
    let market = memory.market(&NetworkName::from(""), RobotKind::Status);
    let mut planned: BTreeMap<String, Planned> = BTreeMap::new();
    let resting: Vec<RobotKind> =
        store.robots()?.iter().filter(|row| row.state != RobotState::Running).map(|row| row.kind).collect();
    store.each_source(&mut |source| {
        if source.state != SourceState::Active || resting.contains(&source.robot) {
            return ControlFlow::Continue(());
        }
        let fresh = || Planned::new(&source.network, memory, pacing);
        let it = planned.entry(source.network.to_string()).or_insert_with(fresh);
        match source.robot {
            RobotKind::Status => {
                let rate_per_s = policy.rate_per_s(&source.model, &market);
                it.posts_per_s += rate_per_s;
                // As a run weighs it: a person's word times what people ask about.
                let weight = f64::from(source.weight) * importance.of_source(&source).factor;
                it.demand.add(Grade::of(weight, rate_per_s));
            }
            RobotKind::User | RobotKind::Relation | RobotKind::Tag => {
                it.others_per_h += 3600.0 / other_gap_s;
            }
            // Most threads are over, and most posts have their likes: their looks grow ever rarer.
            RobotKind::Comment | RobotKind::Link | RobotKind::Across => {}
        }
        ControlFlow::Continue(())
    })?;
    Ok(planned.into_values().collect())
}
