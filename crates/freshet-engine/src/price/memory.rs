//! The memory of prices: what the next process, and `explain` and `plan`, must know.
//!
//! Kept in the store's settings: the pool, the price and correction of every scope, and the
//! sources of every tariff by grade. Small whatever the number of sources: a tariff has at most 255
//! grades, and the [`TARIFFS_MAX`] with the most sources are kept. What cannot be read is passed
//! over: prices are found again within an hour.

use std::sync::Arc;

use freshet_policy::group::Group;
use freshet_policy::{DEFAULT_POLICY, Demand, Grade, Market, Pacing, Policy, Pool, policy_named};
use freshet_store::api::{Store, StoreError};
use freshet_store::setting::{Setting, SettingValue};
use freshet_types::{NetworkName, QuotaKey, RobotKind, Span, Timestamp};
use serde::{Deserialize, Serialize};

use super::key::{ScopeKey, TariffKey};
use super::tariff::{Bill, RESERVE_UNDECLARED};
use super::{Forecast, Prices, Tariff};

/// Setting under which the store keeps it.
pub(crate) const PRICES: Setting<Memory> = Setting::new("prices");
/// Most tariffs written down: some 500 KB of text at the very most.
const TARIFFS_MAX: usize = 1000;

/// Everything that is written down.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    pub saved_at: Timestamp,
    /// The policy that was in force.
    pub policy: String,
    pub pacing: Option<(Span, Span)>,
    /// What was asked for, by its name.
    pub objective: String,
    /// What the sources have in common.
    pub pool: Pool,
    pub scopes: Vec<ScopeMemory>,
    pub tariffs: Vec<TariffMemory>,
    /// What was foretold, oldest first.
    pub forecasts: Vec<Forecast>,
}

/// One scope.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScopeMemory {
    pub key: QuotaKey,
    /// A network declared it.
    pub is_declared: bool,
    /// Units a second that flow in.
    pub budget_per_s: f64,
    /// Post-seconds for a unit.
    pub price: f64,
    /// The controller's correction.
    pub share: f64,
}

/// One tariff.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TariffMemory {
    /// Of which server.
    pub network: NetworkName,
    /// For which robot.
    pub robot: RobotKind,
    /// Scope (its place in the list) and units of a visit.
    pub bills: Vec<(u32, f64)>,
    /// Grade and how many sources have it.
    pub grades: Vec<(u8, u32)>,
    /// What a visit costs, in post-seconds.
    pub price: f64,
    /// How many times the ceiling a source may stay unvisited.
    pub stretch: f64,
    /// No plan leaves a source unvisited for much longer, in hours.
    #[serde(default)]
    pub gap_h_max: Option<f64>,
    /// Sources that one call can ask about.
    #[serde(default = "alone")]
    pub group: f64,
    /// Posts that such a call shows of them all; 0 where it only tells who has news.
    #[serde(default)]
    pub group_page: f64,
}

fn alone() -> f64 {
    1.0
}

impl SettingValue for Memory {
    fn to_stored(&self) -> String {
        serde_json::to_string(self).expect("prices are plain data")
    }

    fn from_stored(text: &str) -> Result<Self, String> {
        Ok(Self::from_text(text))
    }
}

impl Memory {
    /// What was written down; nothing where that cannot be read.
    pub fn from_text(text: &str) -> Self {
        let mut memory = serde_json::from_str::<Self>(text).unwrap_or_else(|error| {
            tracing::warn!("the stored prices cannot be read and are found anew: {error}");
            Self::default()
        });
        let is_sound = |value: f64| value.is_finite() && value >= 0.0;
        memory.scopes.iter_mut().for_each(|it| {
            it.price = if is_sound(it.price) { it.price } else { 0.0 };
            it.share = if is_sound(it.share) { it.share.clamp(0.05, 20.0) } else { 1.0 };
            it.budget_per_s = if is_sound(it.budget_per_s) { it.budget_per_s } else { 0.0 };
        });
        memory.tariffs.iter_mut().for_each(|it| {
            it.price = if is_sound(it.price) { it.price.max(1e-9) } else { RESERVE_UNDECLARED };
            it.stretch = if is_sound(it.stretch) { it.stretch.clamp(1.0, 1e6) } else { 1.0 };
        });
        memory.forecasts.retain(|it| is_sound(it.lag_s) && is_sound(it.visits_per_h));
        memory.pool.refresh();
        memory
    }

    /// What the last run wrote down; nothing before the first.
    pub fn from_store(store: &dyn Store) -> Result<Self, StoreError> {
        Ok(PRICES.get(store)?.unwrap_or_default())
    }

    /// The policy that was in force, with its bounds; the default one before the first run.
    pub fn policy(&self) -> Arc<dyn Policy> {
        let usual = Pacing::default();
        let (floor, ceiling) = self.pacing.unwrap_or((usual.floor, usual.ceiling));
        let pacing = Pacing { floor, ceiling, ..usual };
        let named = policy_named(&self.policy, pacing).or_else(|| policy_named(DEFAULT_POLICY, pacing));
        named.expect("the default policy has a name")
    }

    /// The tariff of a robot at a server.
    pub fn tariff(&self, network: &NetworkName, robot: RobotKind) -> Option<&TariffMemory> {
        self.tariffs.iter().find(|it| it.robot == robot && it.network == *network)
    }

    /// The market in which a source is visited; that of a stranger where nothing is known.
    pub fn market(&self, network: &NetworkName, robot: RobotKind) -> Market {
        let tariff = self.tariff(network, robot);
        Market {
            gap_h_max: tariff.and_then(|it| it.gap_h_max).unwrap_or(f64::INFINITY),
            pool: self.pool.clone(),
            price: tariff.map_or(RESERVE_UNDECLARED, |it| it.price),
            ceiling_stretch: tariff.map_or(1.0, |it| it.stretch),
            group: tariff.map_or(Group::NONE, |it| Group::new(it.group, it.group_page)),
            ..Market::new(self.objective.parse().unwrap_or_default())
        }
    }
}

impl TariffMemory {
    /// Requests of a visit, on average: each takes one from its server's politeness.
    pub fn calls_per_visit(&self, memory: &Memory) -> f64 {
        let is_politeness = |index: u32| memory.scopes.get(index as usize).is_some_and(|it| !it.is_declared);
        let units =
            self.bills.iter().find(|(index, _)| is_politeness(*index)).map_or(1.0, |(_, units)| *units);
        units.max(1.0)
    }

    /// Calls an hour that the tightest declared quota allows; `None` where there is none.
    pub fn quota_per_h(&self, memory: &Memory) -> Option<f64> {
        let calls = self.calls_per_visit(memory);
        let of = |&(index, units): &(u32, f64)| {
            let scope = memory.scopes.get(index as usize).filter(|it| it.is_declared && units > 0.0)?;
            Some(scope.budget_per_s * 3600.0 * calls / units)
        };
        self.bills.iter().filter_map(of).min_by(f64::total_cmp)
    }

    /// Its sources by grade.
    pub fn demand(&self) -> Demand {
        let mut demand = Demand::default();
        self.grades.iter().for_each(|&(grade, count)| demand.add_many(Grade(grade), count));
        demand
    }
}

impl Prices {
    /// What the next process must know, as text.
    pub fn to_text(&self, now: Timestamp) -> String {
        serde_json::to_string(&self.memory(now)).unwrap_or_default()
    }

    /// Goes on with what an earlier process had found; before any server is known.
    pub(crate) fn restore(&mut self, memory: Memory) {
        self.market.pool = memory.pool;
        self.forecasts = memory.forecasts;
        let mut keys = Vec::with_capacity(memory.scopes.len());
        for it in memory.scopes {
            let key = self.scope(&it.key, it.is_declared, it.budget_per_s);
            let scope = &mut self.scopes[key.index()];
            (scope.price, scope.share) = (it.price, it.share);
            keys.push(key);
        }
        for it in memory.tariffs {
            let tariff = inherited(&it, &keys);
            self.inherited.insert((it.network, it.robot), tariff);
        }
    }

    fn memory(&self, now: Timestamp) -> Memory {
        let all = self.tariffs.iter().enumerate().map(|(at, it)| (TariffKey::at(at), it));
        let mut tariffs: Vec<(TariffKey, &Tariff)> = all.filter(|(_, it)| !it.bills.is_empty()).collect();
        tariffs.sort_by_key(|(key, it)| (std::cmp::Reverse(it.demand.count()), *key));
        tariffs.truncate(TARIFFS_MAX);
        // Only the scopes that are paid are worth remembering.
        let mut numbers: Vec<ScopeKey> =
            tariffs.iter().flat_map(|(_, it)| &it.bills).map(|bill| bill.scope).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let index_of = |scope: ScopeKey| numbers.binary_search(&scope).map_or(0, |index| index as u32);
        let tariff = |(key, it): (TariffKey, &Tariff)| TariffMemory {
            network: self.servers[key.server().index()].0.clone(),
            robot: key.robot(),
            bills: it.bills.iter().map(|bill| (index_of(bill.scope), bill.units)).collect(),
            grades: it.demand.grades().map(|(grade, count)| (grade.0, count)).collect(),
            price: it.price,
            stretch: it.stretch,
            gap_h_max: it.gap_h_max.is_finite().then_some(it.gap_h_max),
            group: it.group.size,
            group_page: it.group.page,
        };
        let scope = |&key: &ScopeKey| {
            let it = &self.scopes[key.index()];
            let (key, is_declared, budget_per_s) = (it.key.clone(), it.is_declared, it.budget_per_s);
            ScopeMemory { key, is_declared, budget_per_s, price: it.price, share: it.share }
        };
        Memory {
            saved_at: now,
            policy: self.policy.to_owned(),
            pacing: Some((self.pacing.floor, self.pacing.ceiling)),
            objective: self.market.objective.name().to_owned(),
            pool: self.market.pool.clone(),
            scopes: numbers.iter().map(scope).collect(),
            tariffs: tariffs.into_iter().map(tariff).collect(),
            forecasts: self.forecasts.clone(),
        }
    }
}

/// A tariff as it is remembered; its bills name places in the list of remembered scopes, which have these keys.
fn inherited(memory: &TariffMemory, keys: &[ScopeKey]) -> Tariff {
    let demand = memory.demand();
    let bill = |&(index, units): &(u32, f64)| {
        Some(Bill { scope: *keys.get(index as usize)?, units: units.max(0.0) })
    };
    Tariff {
        inherited_count: demand.count(),
        demand,
        bills: memory.bills.iter().filter_map(bill).collect(),
        price: memory.price,
        stretch: memory.stretch,
        gap_h_max: memory.gap_h_max.filter(|gap| *gap > 0.0).unwrap_or(f64::INFINITY),
        ..Tariff::default()
    }
}
