//! A tariff: what visits of one robot to one server cost, and how many sources pay it.

use freshet_policy::group::Group;
use freshet_policy::{Demand, Grade, Pacing};

use super::key::ScopeKey;

/// What a visit must be worth where a network declares quotas: a call that saves ten post-seconds
/// is not worth a server's while, however much of a quota is left.
pub(super) const RESERVE_DECLARED: f64 = 10.0;
/// The same where it declares none: a source that posts every hour is visited every quarter of an
/// hour.
pub(super) const RESERVE_UNDECLARED: f64 = 112.5;
/// How fast the mean cost of a visit follows.
const PACE: f64 = 0.02;
/// Scopes that one tariff pays at most; a request needs three or four buckets.
const BILLS_MAX: usize = 16;

/// What a visit takes from one scope, on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bill {
    pub(super) scope: ScopeKey,
    pub(super) units: f64,
}

/// One tariff.
#[derive(Clone, Debug)]
pub(super) struct Tariff {
    pub(super) demand: Demand,
    pub(super) bills: Vec<Bill>,
    /// Sources that are watched, visited or not.
    pub(super) source_count: u64,
    /// Of the sources counted in the demand, those that an earlier process had counted.
    pub(super) inherited_count: u64,
    /// What a visit costs, in post-seconds.
    pub(super) price: f64,
    /// How many times the ceiling a source may stay unvisited.
    pub(super) stretch: f64,
    /// No plan leaves a source unvisited for much longer, in hours.
    pub(super) gap_h_max: f64,
    /// The price when the sources were last pulled forward.
    pub(super) told_price: f64,
    /// Sources that one call can ask about.
    pub(super) group: Group,
}

impl Default for Tariff {
    fn default() -> Self {
        Self {
            demand: Demand::default(),
            bills: Vec::new(),
            source_count: 0,
            inherited_count: 0,
            price: RESERVE_UNDECLARED,
            stretch: 1.0,
            gap_h_max: f64::INFINITY,
            told_price: 0.0,
            group: Group::NONE,
        }
    }
}

impl Tariff {
    /// A visit paid so much; gives the scopes that are new to this tariff.
    pub(super) fn charge(&mut self, paid: &[(ScopeKey, u32)]) -> Vec<ScopeKey> {
        for bill in &mut self.bills {
            let units = paid.iter().find(|(scope, _)| *scope == bill.scope).map_or(0, |(_, units)| *units);
            bill.units += PACE * (f64::from(units) - bill.units);
        }
        let mut fresh = Vec::new();
        for &(scope, units) in paid {
            let is_known = self.bills.iter().any(|bill| bill.scope == scope);
            if !is_known && self.bills.len() < BILLS_MAX {
                self.bills.push(Bill { scope, units: f64::from(units) });
                fresh.push(scope);
            }
        }
        fresh
    }

    /// A source's grade changed; `is_counted`: an earlier process may have counted it.
    pub(super) fn regrade(&mut self, before: Grade, after: Grade, is_counted: bool) {
        if before != Grade::NONE {
            self.demand.remove(before);
        } else if is_counted && self.inherited_count > 0 {
            self.inherited_count -= 1;
            self.demand.remove(after);
        }
        self.demand.add(after);
    }

    pub(super) fn units_of(&self, scope: ScopeKey) -> f64 {
        self.bills.iter().find(|bill| bill.scope == scope).map_or(0.0, |bill| bill.units)
    }

    /// Calls a second wanted at a price; sources that went while nobody looked are left out.
    pub(super) fn calls_per_s(&self, price: f64, pacing: Pacing) -> f64 {
        let counted = self.demand.count();
        let alive = if counted > 0 { (self.source_count as f64 / counted as f64).min(1.0) } else { 0.0 };
        self.demand.calls_per_s(price, self.stretched(pacing), self.group) * alive
    }

    /// The bounds that hold while the ceiling cannot be kept.
    pub(super) fn stretched(&self, pacing: Pacing) -> Pacing {
        Pacing { ceiling: pacing.ceiling * self.stretch, ..pacing }
    }
}
