//! Prices: what a call of each quota is worth now, found so that the quota is spent evenly and wholly.
//!
//! Part of steps 1 (plan) and 2 (schedule) of 10. Theory: with a price C on every visit, a source
//! is visited when the waiting that a visit ends outweighs C, which for a constant rate is every
//! √(2C/wλ); the price at which all sources together want what a quota gives is the multiplier
//! of that quota, hence also the worth of one more call ([`freshet_policy::demand`]).
//!
//! | idea | here |
//! |---|---|
//! | quota scope: a bucket of the ledger, or a server's politeness | [`scope`](self) `Scope` |
//! | tariff: the scopes that a robot's visits to a server pay, and their sources by grade | `Tariff` |
//! | price of a visit: Σ units · price of the scope, at least the reserve | [`Prices::market`] |
//!
//! No pass over all sources: a source keeps one byte (its grade) in its slot, moves by one count
//! when it was visited, and learns a new price when it comes due; one that fell in price is pulled
//! forward by a round in bounded steps (`core/timing.rs`). A price is found anew, from counts
//! only, when it is asked for and [`scope::PRICED_EVERY`] old. Pure: no clock, no I/O.

mod forecast;
mod key;
mod memory;
mod meter;
mod scope;
mod tariff;

use freshet_policy::group::Group;
use freshet_policy::mixture::Mixture;
use freshet_policy::{Grade, Market, Objective, Pacing, Policy, price};
use freshet_types::{
    Map, NetworkName, Politeness, QuotaKey, QuotaNeed, RobotKind, ServerKey, Span, Timestamp,
};

pub use forecast::Forecast;
pub use key::ScopeKey;
pub(crate) use key::TariffKey;
pub(crate) use memory::PRICES;
pub use memory::{Memory, ScopeMemory, TariffMemory};
pub(crate) use scope::Use;
use scope::{PRICED_EVERY, Scope};
use tariff::{RESERVE_DECLARED, RESERVE_UNDECLARED, Tariff};

use crate::calendar::Compiled;
use crate::quota::Ledger;

/// The rule's name of a server's politeness, beside the names that networks give to their quotas.
pub const POLITENESS: &str = "manners";
/// A server without a pause answers so fast: so many calls a second for each that may be open.
const ANSWER_TIME: Span = Span::SECOND;
/// Where the ceiling cannot be kept, nobody waits longer than so many rounds through all sources.
const ROUNDS_MAX: f64 = 4.0;
/// Rounds in which prices of scopes that are paid together settle.
const SETTLE_ROUNDS: usize = 3;
/// A fall by this factor pulls sources forward.
const FALL: f64 = 1.3;
/// The most that lists of members take of a server's calls where these are scarce, and the most that profiles take.
const MEMBERS_SHARE: f64 = 0.1;
const PROFILES_SHARE: f64 = 0.1;
/// The same for pages of news that are asked for again and again.
const POLLS_SHARE: f64 = 0.1;
/// A quota is as good as spent when so much of it is used: a margin is always left (docs/gotchas.md).
const FULL_SHARE: f64 = 0.7;
/// A scope as reports show it.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceView {
    /// Which bucket; the rule is [`POLITENESS`] where it is a server's.
    pub key: QuotaKey,
    /// Post-seconds for a unit: also what one more unit would save.
    pub price: f64,
    /// Units an hour that flow in.
    pub budget_per_h: f64,
    /// Units an hour that news take.
    pub news_per_h: f64,
    /// Units an hour that all else takes.
    pub others_per_h: f64,
    /// Sources that pay here.
    pub sources_count: u64,
}

/// All prices.
#[derive(Debug)]
pub struct Prices {
    market: Market,
    pacing: Pacing,
    has_price: bool,
    policy: &'static str,
    scopes: Vec<Scope>,
    by_key: Map<QuotaKey, ScopeKey>,
    tariffs: Vec<Tariff>,
    /// Network of each server, and its scope of politeness.
    servers: Vec<(NetworkName, ScopeKey)>,
    /// What an earlier process knew of tariffs whose server has not been told of yet.
    inherited: Map<(NetworkName, RobotKind), Tariff>,
    refreshed_at: Option<Timestamp>,
    has_fallen: bool,
    forecasts: Vec<Forecast>,
    /// When the last was made, or the first could have been.
    foretold_since: Option<Timestamp>,
    /// Which days are not like others.
    calendars: Compiled,
}

/// A price in a byte, in steps of 2^¼; 0 is unknown.
pub(crate) fn step_of(price: f64) -> u8 {
    // What is no price at all casts to 0: unknown.
    ((price / 1e-4).log2() * 4.0).round().clamp(1.0, 255.0) as u8
}

impl Prices {
    /// Before anything is known.
    pub fn new(policy: &dyn Policy, objective: Objective) -> Self {
        Self {
            market: Market::new(objective),
            pacing: policy.pacing(),
            has_price: policy.has_price(),
            policy: policy.name(),
            scopes: Vec::new(),
            by_key: Map::default(),
            tariffs: Vec::new(),
            servers: Vec::new(),
            inherited: Map::default(),
            refreshed_at: None,
            has_fallen: false,
            forecasts: Vec::new(),
            foretold_since: None,
            calendars: Compiled::default(),
        }
    }

    /// Whether the policy's decisions follow prices at all.
    pub(crate) fn has_price(&self) -> bool {
        self.has_price
    }

    /// What the sources have in common.
    pub fn pool(&self) -> &freshet_policy::Pool {
        &self.market.pool
    }

    /// From now on, these weights.
    pub(crate) fn set_mixture(&mut self, mixture: Mixture, now: Timestamp) {
        self.market.pool.set_mixture(mixture, now);
    }

    /// From now on, these calendars.
    pub(crate) fn set_calendars(&mut self, calendars: Compiled) {
        self.calendars = calendars;
    }

    /// A server, in the order of their keys.
    pub(crate) fn add_server(&mut self, network: &NetworkName, politeness: Politeness) {
        let key = QuotaKey { network: network.clone(), rule: POLITENESS.into(), holder: "ip".into() };
        let scope = self.scope(&key, false, polite_per_s(politeness));
        self.servers.push((network.clone(), scope));
        for robot in RobotKind::ALL {
            let tariff_key = TariffKey::at(self.tariffs.len());
            let tariff = self.inherited.remove(&(network.clone(), robot)).unwrap_or_default();
            for bill in &tariff.bills {
                self.scopes[bill.scope.index()].join(tariff_key, tariff.demand.count());
            }
            self.tariffs.push(tariff);
        }
    }

    /// Scopes that are no longer wanted cost nothing any more, and nobody pays there.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&QuotaKey) -> bool) {
        let gone: Vec<ScopeKey> =
            self.by_key.iter().filter(|(key, _)| !is_kept(key)).map(|(_, scope)| *scope).collect();
        for scope in gone {
            let it = &mut self.scopes[scope.index()];
            self.by_key.remove(&it.key);
            it.price = 0.0;
            for tariff_key in std::mem::take(&mut it.tariffs) {
                self.tariffs[tariff_key.index()].bills.retain(|bill| bill.scope != scope);
                self.publish(tariff_key);
            }
            self.inherited.values_mut().for_each(|tariff| tariff.bills.retain(|bill| bill.scope != scope));
        }
    }

    /// The politeness of a server changed.
    pub(crate) fn set_politeness(&mut self, key: ServerKey, politeness: Politeness) {
        let scope = self.servers[key.index()].1;
        self.scopes[scope.index()].budget_per_s = polite_per_s(politeness);
    }

    /// One call can ask about so many sources of this tariff.
    pub(crate) fn set_group(&mut self, tariff_key: TariffKey, group: Group) {
        self.tariffs[tariff_key.index()].group = group;
    }

    /// A source came under this tariff, or left it.
    pub(crate) fn count(&mut self, tariff_key: TariffKey, is_more: bool) {
        let count = &mut self.tariffs[tariff_key.index()].source_count;
        *count = if is_more { *count + 1 } else { count.saturating_sub(1) };
    }

    /// A request leaves; what it takes is also noted in `paid`.
    pub(crate) fn spend<'a>(
        &mut self,
        tariff_key: TariffKey,
        spender: Use,
        needs: impl Iterator<Item = &'a QuotaNeed>,
        paid: &mut Vec<(ScopeKey, u32)>,
        now: Timestamp,
    ) {
        let politeness = self.servers[tariff_key.server().index()].1;
        let mut charge = |scopes: &mut [Scope], scope: ScopeKey, units: u32| {
            scopes[scope.index()].spend(f64::from(units), spender, now);
            match paid.iter_mut().find(|(known, _)| *known == scope) {
                Some((_, sum)) => *sum += units,
                None => paid.push((scope, units)),
            }
        };
        charge(&mut self.scopes, politeness, 1);
        for need in needs {
            let scope = self.scope(&need.key, true, 0.0);
            charge(&mut self.scopes, scope, need.units);
        }
    }

    /// A visit that the policy timed has ended; `lateness` is its gap over the planned one.
    pub(crate) fn visited(
        &mut self,
        tariff_key: TariffKey,
        paid: &[(ScopeKey, u32)],
        lateness: f64,
        now: Timestamp,
    ) {
        // What was paid to a scope that has gone since is nobody's business.
        let is_there = |scope: ScopeKey| self.by_key.get(&self.scopes[scope.index()].key) == Some(&scope);
        let paid: Vec<(ScopeKey, u32)> = paid.iter().copied().filter(|(scope, _)| is_there(*scope)).collect();
        let tariff = &mut self.tariffs[tariff_key.index()];
        let count = tariff.demand.count();
        for scope in tariff.charge(&paid) {
            self.scopes[scope.index()].join(tariff_key, count);
        }
        for (scope, units) in paid {
            self.scopes[scope.index()].want(f64::from(units), lateness, now);
        }
    }

    /// A source's grade changed; `is_counted`: an earlier process may have counted it.
    pub(crate) fn regrade(&mut self, tariff_key: TariffKey, before: Grade, after: Grade, is_counted: bool) {
        self.recount(tariff_key, |tariff| tariff.regrade(before, after, is_counted));
    }

    /// A source that was counted is gone.
    pub(crate) fn forget(&mut self, tariff_key: TariffKey, grade: Grade) {
        self.recount(tariff_key, |tariff| tariff.demand.remove(grade));
    }

    /// Changes how many sources a tariff counts; its scopes count along.
    fn recount(&mut self, tariff_key: TariffKey, change: impl FnOnce(&mut Tariff)) {
        let tariff = &mut self.tariffs[tariff_key.index()];
        let before = tariff.demand.count();
        change(tariff);
        let after = tariff.demand.count();
        for bill in tariff.bills.iter().filter(|_| after != before) {
            let count = &mut self.scopes[bill.scope.index()].graded_count;
            *count = (*count + after).saturating_sub(before);
        }
    }

    /// The market in which sources of this tariff are visited, brought up to date.
    pub(crate) fn market(&mut self, tariff_key: TariffKey, ledger: &Ledger, now: Timestamp) -> &mut Market {
        if self.is_stale(tariff_key, now) {
            self.find(tariff_key, ledger, now);
        }
        if self.refreshed_at.is_none_or(|at| now - at >= PRICED_EVERY) {
            self.refreshed_at = Some(now);
            self.market.pool.refresh();
            self.foretell(now);
        }
        let tariff = &self.tariffs[tariff_key.index()];
        (self.market.price, self.market.ceiling_stretch) = (tariff.price, tariff.stretch);
        (self.market.gap_h_max, self.market.group) = (tariff.gap_h_max, tariff.group);
        self.market.calendars = self.calendars.of(&self.servers[tariff_key.server().index()].0);
        &mut self.market
    }

    /// The scope that a tariff pays most to, if it pays at all.
    fn dearest(&self, tariff: &Tariff) -> Option<&Scope> {
        let paid = |bill: &tariff::Bill| bill.units * self.scopes[bill.scope.index()].price;
        let dearest = tariff.bills.iter().max_by(|one, other| paid(one).total_cmp(&paid(other)))?;
        Some(&self.scopes[dearest.scope.index()]).filter(|scope| scope.price > 0.0)
    }

    /// The price of a tariff as it was last found.
    pub(crate) fn price(&self, tariff_key: TariffKey) -> f64 {
        self.tariffs[tariff_key.index()].price
    }

    /// How many times the ceiling sources of a tariff may stay unvisited.
    pub(crate) fn stretch_of(&self, tariff_key: TariffKey) -> f64 {
        self.tariffs[tariff_key.index()].stretch
    }

    /// Whether the calls of a tariff are fewer than would be worth their while.
    pub(crate) fn is_scarce(&self, tariff_key: TariffKey) -> bool {
        let tariff = &self.tariffs[tariff_key.index()];
        self.has_price
            && self.dearest(tariff).is_some_and(|scope| scope.is_declared)
            && tariff.price > RESERVE_DECLARED
    }

    /// The time between two pages that a robot reads of a server whose calls are scarce, where the robot keeps to a share of them; `None`
    /// where there are enough for all, and for robots that take what they need.
    pub(crate) fn share_gap(&self, server: ServerKey, robot: RobotKind, now: Timestamp) -> Option<Span> {
        let share = match robot {
            RobotKind::Link => MEMBERS_SHARE,
            RobotKind::User => PROFILES_SHARE,
            _ => return None,
        };
        gap_of(self.scarcest(server, now)?, share)
    }

    /// The same for a page that is asked for again and again and takes from these quotas.
    pub(crate) fn poll_gap(&self, server: ServerKey, paid: &[QuotaKey], now: Timestamp) -> Option<Span> {
        let scope = self.scarcest(server, now)?;
        if paid.contains(&scope.key) { gap_of(scope, POLLS_SHARE) } else { None }
    }

    /// What makes the calls for a server's news scarce, where they are.
    fn scarcest(&self, server: ServerKey, now: Timestamp) -> Option<&Scope> {
        let news = TariffKey::new(server, RobotKind::Status);
        let tariff = self.tariffs.get(news.index())?;
        if self.has_price {
            self.dearest(tariff).filter(|_| self.is_scarce(news))
        } else {
            self.fullest(tariff, now)
        }
    }

    /// The declared scope of a tariff of which the largest part is used, where that is nearly all: whether calls are scarce under policies that
    /// know no price.
    fn fullest(&self, tariff: &Tariff, now: Timestamp) -> Option<&Scope> {
        let scopes = tariff.bills.iter().map(|bill| &self.scopes[bill.scope.index()]);
        let declared = scopes.filter(|scope| scope.is_declared && scope.budget_per_s > 0.0);
        let used = |scope: &Scope| (scope.news_per_s(now) + scope.others_per_s(now)) / scope.budget_per_s;
        let fullest = declared.max_by(|one, other| used(one).total_cmp(&used(other)))?;
        (used(fullest) >= FULL_SHARE).then_some(fullest)
    }

    /// The scope that all servers of a tariff's calls compete for, where the dearest is not one server's own.
    pub(crate) fn shared(&self, tariff_key: TariffKey) -> Option<ScopeKey> {
        let scope = self.dearest(&self.tariffs[tariff_key.index()])?;
        let is_shared = scope.tariffs.iter().any(|other| other.server() != tariff_key.server());
        self.by_key.get(&scope.key).copied().filter(|_| is_shared)
    }

    /// The tariffs of this robot that pay to a scope.
    pub(crate) fn payers(&self, scope: ScopeKey, robot: RobotKind) -> impl Iterator<Item = TariffKey> + '_ {
        self.scopes[scope.index()].tariffs.iter().copied().filter(move |key| key.robot() == robot)
    }

    /// When the declared quotas of a tariff have so many calls to give.
    pub(crate) fn ready_at(
        &self,
        tariff_key: TariffKey,
        calls: u32,
        ledger: &Ledger,
        now: Timestamp,
    ) -> Timestamp {
        let scopes =
            self.tariffs[tariff_key.index()].bills.iter().map(|bill| &self.scopes[bill.scope.index()]);
        let declared = scopes.filter(|scope| scope.is_declared);
        declared.filter_map(|scope| ledger.ready_at(&scope.key, calls, now)).max().unwrap_or(now)
    }

    /// When a scope has so many calls to give.
    pub(crate) fn scope_ready_at(
        &self,
        scope: ScopeKey,
        calls: u32,
        ledger: &Ledger,
        now: Timestamp,
    ) -> Timestamp {
        ledger.ready_at(&self.scopes[scope.index()].key, calls, now).unwrap_or(now)
    }

    /// Whether a price fell so far that sources should be pulled forward; asked once per fall.
    pub(crate) fn swap_fallen(&mut self) -> bool {
        std::mem::take(&mut self.has_fallen)
    }

    /// Every scope, for reports, in a fixed order.
    pub fn views(&self, now: Timestamp) -> Vec<PriceView> {
        let count = |scope: &Scope| {
            scope.tariffs.iter().map(|&tariff_key| self.tariffs[tariff_key.index()].source_count).sum()
        };
        let view = |scope: &Scope| PriceView {
            key: scope.key.clone(),
            price: scope.price,
            budget_per_h: scope.budget_per_s * 3600.0,
            news_per_h: scope.news_per_s(now) * 3600.0,
            others_per_h: scope.others_per_s(now) * 3600.0,
            sources_count: count(scope),
        };
        let mut views: Vec<_> = self.scopes.iter().map(view).collect();
        views.sort_by(|one, other| one.key.cmp(&other.key));
        views
    }

    fn scope(&mut self, key: &QuotaKey, is_declared: bool, budget_per_s: f64) -> ScopeKey {
        if let Some(&scope) = self.by_key.get(key) {
            return scope;
        }
        let scope = ScopeKey::at(self.scopes.len());
        self.scopes.push(Scope::new(key.clone(), is_declared, budget_per_s));
        self.by_key.insert(key.clone(), scope);
        scope
    }

    fn is_stale(&self, tariff_key: TariffKey, now: Timestamp) -> bool {
        self.tariffs[tariff_key.index()]
            .bills
            .iter()
            .any(|bill| self.scopes[bill.scope.index()].is_stale(now))
    }

    /// Finds the prices of all scopes that a tariff pays and that are old: one that many servers share is found once for all.
    fn find(&mut self, tariff_key: TariffKey, ledger: &Ledger, now: Timestamp) {
        let paid: Vec<ScopeKey> =
            self.tariffs[tariff_key.index()].bills.iter().map(|bill| bill.scope).collect();
        for &scope in &paid {
            let it = &mut self.scopes[scope.index()];
            if it.is_declared {
                it.budget_per_s = ledger.refill_per_s(&it.key, now).unwrap_or(it.budget_per_s);
            }
        }
        // A quota that an earlier process paid, and this one has not asked for yet, is not empty: its price stays as it was.
        let is_known = |it: &Scope| !it.is_declared || it.budget_per_s > 0.0;
        let is_due = |scope: &ScopeKey| {
            let it = &self.scopes[scope.index()];
            is_known(it) && it.is_stale(now)
        };
        let scopes: Vec<ScopeKey> = paid.into_iter().filter(is_due).collect();
        for &scope in &scopes {
            let it = &mut self.scopes[scope.index()];
            // A price that is asked for by growth alone came too soon to learn from.
            if self.has_price && it.priced_at.is_some_and(|at| now - at >= PRICED_EVERY) {
                it.correct(now);
            }
            if it.priced_at.is_none_or(|at| now - at >= PRICED_EVERY) {
                it.priced_at = Some(now);
            }
            it.priced_count = it.graded_count;
        }
        for _ in 0..SETTLE_ROUNDS {
            for &scope in &scopes {
                self.stretch(scope, now);
                self.settle(scope, now);
            }
        }
        let touched: Vec<TariffKey> =
            scopes.iter().flat_map(|&scope| self.scopes[scope.index()].tariffs.clone()).collect();
        for tariff_key in touched {
            self.publish(tariff_key);
        }
    }

    /// How much longer than the ceiling the sources of a scope must wait, where it is too short.
    fn stretch(&mut self, scope: ScopeKey, now: Timestamp) {
        let it = &self.scopes[scope.index()];
        let tariffs = it.tariffs.iter().map(|&tariff_key| &self.tariffs[tariff_key.index()]);
        let units = |tariff: &Tariff| tariff.source_count as f64 * tariff.units_of(scope);
        let (units, looks) = tariffs.fold((0.0, 0.0), |sum, tariff| {
            (sum.0 + units(tariff), sum.1 + units(tariff) / tariff.group.size)
        });
        let (target, ceiling_s) = (it.target_per_s(now).max(1e-12), self.pacing.ceiling.secs_f64().max(1.0));
        // One that a person wants is kept by probes as well, the usual one only where visits could keep it.
        let is_wanted = self.pacing.ceiling_share >= Pacing::WANTED_SHARE;
        let taken_per_s = if is_wanted { looks } else { units } / ceiling_s;
        let is_kept = taken_per_s <= target * self.pacing.ceiling_share;
        let rounds_s = ROUNDS_MAX * units / target;
        let it = &mut self.scopes[scope.index()];
        it.stretch = if is_kept { 1.0 } else { (rounds_s / ceiling_s).max(1.0) };
        it.gap_h_max = (rounds_s / 3600.0).max(self.pacing.floor.secs_f64() / 3600.0);
        let scopes = &self.scopes;
        for tariff_key in &scopes[scope.index()].tariffs {
            // Of the scopes that a tariff pays, the tightest rules.
            let tariff = &mut self.tariffs[tariff_key.index()];
            let paid = || tariff.bills.iter().map(|bill| &scopes[bill.scope.index()]);
            let priced = paid().filter(|scope| scope.priced_at.is_some());
            let gap_h_max = priced.map(|scope| scope.gap_h_max).fold(0.0, f64::max);
            tariff.stretch = paid().map(|scope| scope.stretch).fold(1.0, f64::max);
            tariff.gap_h_max = gap_h_max;
        }
    }

    /// The price of one scope, those of the others given.
    fn settle(&mut self, scope: ScopeKey, now: Timestamp) {
        let it = &self.scopes[scope.index()];
        let (goal, last, pacing) = (it.goal_per_s(now), it.price, self.pacing);
        let wanted = |unit_price: f64| -> f64 {
            let of = |&tariff_key: &TariffKey| {
                let tariff = &self.tariffs[tariff_key.index()];
                let units = tariff.units_of(scope);
                units * tariff.calls_per_s(self.cost(tariff, Some((scope, unit_price))), pacing)
            };
            it.tariffs.iter().map(of).sum()
        };
        let has_enough = wanted(0.0) <= goal;
        self.scopes[scope.index()].price =
            if has_enough { 0.0 } else { price::find(goal, last.max(1.0), wanted) };
    }

    /// What a visit costs; `other` replaces the price of one scope.
    fn cost(&self, tariff: &Tariff, other: Option<(ScopeKey, f64)>) -> f64 {
        let price_of = |scope: ScopeKey| match other {
            Some((replaced, price)) if replaced == scope => price,
            _ => self.scopes[scope.index()].price,
        };
        let sum: f64 = tariff.bills.iter().map(|bill| bill.units * price_of(bill.scope)).sum();
        let is_declared = tariff.bills.iter().any(|bill| self.scopes[bill.scope.index()].is_declared);
        sum.max(if is_declared { RESERVE_DECLARED } else { RESERVE_UNDECLARED })
    }

    fn publish(&mut self, tariff_key: TariffKey) {
        let price = self.cost(&self.tariffs[tariff_key.index()], None);
        let tariff = &mut self.tariffs[tariff_key.index()];
        tariff.price = price;
        if price * FALL < tariff.told_price {
            tariff.told_price = price;
            self.has_fallen = true;
        }
        tariff.told_price = tariff.told_price.max(price);
    }
}

/// The time between calls that take this share of a scope.
fn gap_of(scope: &Scope, share: f64) -> Option<Span> {
    let per_s = scope.budget_per_s * share;
    (per_s > 0.0).then(|| Span::from_secs_f64(per_s.recip()))
}

/// Calls a second that a server's politeness allows.
pub(crate) fn polite_per_s(politeness: Politeness) -> f64 {
    let at_once = f64::from(politeness.in_flight_max.max(1)) / ANSWER_TIME.secs_f64();
    let pause_s = politeness.pause.secs_f64();
    if pause_s > 0.0 { (1.0 / pause_s).min(at_once) } else { at_once }
}

#[cfg(test)]
mod tests;
