//! Planning: from a lag to calls an hour, and back, by what was learned of the sources.
//!
//! Every source in the store is graded by its learned rate and its weight; at one price for all, each
//! is visited every √(2·price/weight·rate), within floor and ceiling ([`freshet_policy::demand`]).
//! The price is chosen so that the mean lag, or the calls, are those asked for. Rates are taken as
//! constant: a crawl that knows the hours does somewhat better than planned, never seen bursts
//! make it somewhat worse.

mod foretold;
mod scope;

use freshet_engine::price::Memory;
use freshet_policy::{Demand, Pacing};
use freshet_report::plan::{PlanPoint, PlanReport};
use freshet_types::Span;

use crate::data::Data;
use crate::failure::Failure;
use scope::Planned;

/// The budgets of the short table, as shares of the one asked about.
const TABLE: [f64; 7] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
/// A lag that is missed by more than this share is out of reach.
const MISSED: f64 = 0.02;

/// The plan that is asked for.
pub fn report(data: &Data, args: &PlanWish) -> anyhow::Result<PlanReport> {
    let memory = Memory::from_store(&data.store)?;
    let policy = memory.policy();
    let scopes = scope::read(&data.store, &memory, &*policy)?;
    if scopes.iter().all(|it| it.demand.count() == 0) {
        let failure = Failure::misuse("there is nothing to plan with: no list of posts is watched");
        return Err(failure.hint("add some with `freshet add`, and let `freshet run` learn").into());
    }
    let all = Whole::new(&scopes, policy.pacing());
    let price = match (args.lag, args.calls_per_hour) {
        (Some(lag), _) => all.demand.price_for_lag(lag.secs_f64(), all.pacing),
        (None, Some(calls)) => all.price_for_calls(calls),
        (None, None) => all.price_for_calls(scopes.iter().map(Planned::calls_now_per_h).sum()),
    };
    let foretold = foretold::compare(&data.store, &memory.forecasts)?;
    Ok(PlanReport { foretold, ..at_price(args, &all, scopes, price) })
}

/// All sources under one price.
struct Whole {
    demand: Demand,
    pacing: Pacing,
    /// Requests of a visit, on average over visits.
    calls_per_visit: f64,
    others_per_h: f64,
}

impl Whole {
    fn new(scopes: &[Planned], pacing: Pacing) -> Self {
        let mut demand = Demand::default();
        for it in scopes {
            demand.merge(&it.demand);
        }
        let weight = |it: &Planned| it.demand.visits_per_s(1e3, pacing);
        let visits: f64 = scopes.iter().map(weight).sum();
        let calls: f64 = scopes.iter().map(|it| weight(it) * it.calls_per_visit).sum();
        let calls_per_visit = if visits > 0.0 { calls / visits } else { 1.0 };
        let others_per_h = scopes.iter().map(|it| it.others_per_h).sum();
        Self { demand, pacing, calls_per_visit, others_per_h }
    }

    fn price_for_calls(&self, calls_per_h: f64) -> f64 {
        let visits_per_s = (calls_per_h - self.others_per_h) / self.calls_per_visit / 3600.0;
        self.demand.price_for_visits(visits_per_s, 1e3, self.pacing)
    }

    fn calls_per_h(&self, price: f64) -> f64 {
        self.demand.visits_per_s(price, self.pacing) * 3600.0 * self.calls_per_visit + self.others_per_h
    }

    fn lag_s(&self, price: f64) -> f64 {
        self.demand.lag_s(price, self.pacing)
    }
}

/// What is wanted of a plan; nothing is the present.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanWish {
    /// The mean time from post to visit.
    pub lag: Option<Span>,
    /// Requests an hour over all networks.
    pub calls_per_hour: Option<f64>,
}

/// The plan at this price.
fn at_price(args: &PlanWish, all: &Whole, scopes: Vec<Planned>, price: f64) -> PlanReport {
    let (calls_per_hour, lag_s) = (all.calls_per_h(price), all.lag_s(price));
    let point = |share: &f64| {
        let price = all.price_for_calls(calls_per_hour * share);
        PlanPoint { calls_per_hour: all.calls_per_h(price), lag_s: all.lag_s(price) }
    };
    let mut table: Vec<PlanPoint> = TABLE.iter().map(point).collect();
    table.dedup_by(|one, other| (one.calls_per_hour / other.calls_per_hour - 1.0).abs() < MISSED);
    let scopes: Vec<_> = scopes.into_iter().map(|it| it.row(price, all.pacing)).collect();
    let over: Vec<_> = scopes.iter().filter(|it| it.is_over).map(|it| it.network.as_str()).collect();
    let is_missed = |wanted: f64, got: f64| (got / wanted - 1.0).abs() > MISSED;
    let Pacing { floor, ceiling, .. } = all.pacing;
    let note = match (args.lag, args.calls_per_hour) {
        _ if !over.is_empty() => Some(format!("more than quota or budget allow: {}", over.join(", "))),
        (Some(lag), _) if is_missed(lag.secs_f64(), lag_s) => {
            Some(format!("no list is visited more often than every {floor}, or less than {ceiling}"))
        }
        (None, Some(calls)) if calls_per_hour > calls * (1.0 + MISSED) => {
            Some(format!("the ceiling ({ceiling}) and profiles alone need {calls_per_hour:.0} calls an hour"))
        }
        (None, Some(calls)) if is_missed(calls, calls_per_hour) => {
            Some(format!("with a floor of {floor} only {calls_per_hour:.0} calls an hour are of use"))
        }
        _ => None,
    };
    PlanReport {
        calls_per_hour,
        lag_s,
        others_per_hour: all.others_per_h,
        sources_count: all.demand.count(),
        posts_per_day: scopes.iter().map(|it| it.posts_per_day).sum(),
        price_post_s: price,
        note,
        scopes,
        table,
        foretold: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
