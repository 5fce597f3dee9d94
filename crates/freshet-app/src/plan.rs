//! Planning: from a lag to calls an hour, and back, by what was learned of the sources.
//!
//! Every source in the store is graded by its learned rate and its weight, importance included; at one price for all, each
//! is visited every √(2·price/weight·rate), within floor and ceiling ([`freshet_policy::demand`]).
//! The price is chosen so that the mean lag, or the calls, are those asked for. Rates are taken as
//! constant: a crawl that knows the hours does somewhat better than planned, never seen bursts
//! make it somewhat worse.

mod foretold;
mod scope;

use freshet_engine::importance::Importance;
use freshet_engine::price::Memory;
use freshet_policy::{Pacing, price};
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
    let importance = Importance::read(&data.store, data.now_for_report(None))?;
    let scopes = scope::read(&data.store, &memory, &*policy, &importance)?;
    if scopes.iter().all(|it| it.demand.count() == 0) {
        let failure = Failure::misuse("there is nothing to plan with: no list of posts is watched");
        return Err(failure.hint("add some with `freshet add`, and let `freshet run` learn").into());
    }
    let all = Whole { scopes, pacing: policy.pacing() };
    let price = match (args.lag, args.calls_per_hour) {
        (Some(lag), _) => all.price_for_lag(lag.secs_f64()),
        (None, Some(calls)) => all.price_for_calls(calls),
        (None, None) => all.price_for_calls(all.scopes.iter().map(Planned::calls_now_per_h).sum()),
    };
    let foretold = foretold::compare(&data.store, &memory.forecasts)?;
    Ok(PlanReport { foretold, ..at_price(args, all, price) })
}

/// All sources under one price.
struct Whole {
    scopes: Vec<Planned>,
    pacing: Pacing,
}

impl Whole {
    fn price_for_calls(&self, calls_per_h: f64) -> f64 {
        price::find(calls_per_h, 1e3, |price| self.calls_per_h(price))
    }

    fn price_for_lag(&self, lag_s: f64) -> f64 {
        // The lag rises with the price, its inverse falls as `find` wants it.
        price::find(1.0 / lag_s.max(1e-9), 1.0, |price| 1.0 / self.lag_s(price).max(1e-9))
    }

    fn calls_per_h(&self, price: f64) -> f64 {
        self.scopes.iter().map(|it| it.calls_per_h(price)).sum()
    }

    fn lag_s(&self, price: f64) -> f64 {
        let waiting = |it: &Planned| it.demand.waiting(price, self.pacing, it.group);
        let posts_per_s = self.scopes.iter().map(|it| it.demand.posts_per_s()).sum();
        scope::lag_s(self.scopes.iter().map(waiting).sum(), posts_per_s)
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
fn at_price(args: &PlanWish, all: Whole, price: f64) -> PlanReport {
    let (calls_per_hour, lag_s) = (all.calls_per_h(price), all.lag_s(price));
    let point = |share: &f64| {
        let price = all.price_for_calls(calls_per_hour * share);
        PlanPoint { calls_per_hour: all.calls_per_h(price), lag_s: all.lag_s(price) }
    };
    let mut table: Vec<PlanPoint> = TABLE.iter().map(point).collect();
    table.dedup_by(|one, other| (one.calls_per_hour / other.calls_per_hour - 1.0).abs() < MISSED);
    let sources_count = all.scopes.iter().map(|it| it.demand.count()).sum();
    let others_per_hour = all.scopes.iter().map(|it| it.others_per_h).sum();
    let scopes: Vec<_> = all.scopes.into_iter().map(|it| it.row(price, all.pacing)).collect();
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
        others_per_hour,
        sources_count,
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
