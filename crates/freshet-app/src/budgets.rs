//! Budgets: what a person allows, for everything, a network, a server or a forum.
//!
//! They are one setting of the store; a run that is under way sees a change within a second. What each is used for stands in
//! the live report of the last run.

use freshet_engine::budget::{ALL, BUDGET, BUDGETS_MAX, Budgets, USUAL_CALLS, USUAL_PAGES};
use freshet_engine::price::POLITENESS;
use freshet_network::networks::Networks;
use freshet_report::budgets::{BudgetLine, BudgetsReport};
use freshet_report::run::PriceStatus;
use freshet_types::{Instance, NetworkName, Rate};
use url::Url;

use crate::data::Data;
use crate::failure::Failure;
use crate::status::live_report;

/// Usual budgets that a list names.
const USUAL_MAX: usize = 100;

/// Sets one; one of the same scope is replaced.
pub fn set(data: &mut Data, networks: &Networks, scope: &str, rate: &str) -> anyhow::Result<()> {
    let rate: Rate = rate.parse().map_err(|error| Failure::misuse(format!("{error}")))?;
    let scope = scope_of(data, networks, scope)?;
    let mut budgets = Budgets::from_store(&data.store)?;
    if budgets.0.len() >= BUDGETS_MAX && !budgets.0.contains_key(&scope) {
        let failure = Failure::misuse(format!("there are {BUDGETS_MAX} budgets already"));
        return Err(failure.hint("one for the whole network covers its servers").into());
    }
    budgets.0.insert(scope, rate);
    Ok(budgets.put(&mut data.store)?)
}

/// Takes one away.
pub fn remove(data: &mut Data, networks: &Networks, scope: &str) -> anyhow::Result<()> {
    let mut budgets = Budgets::from_store(&data.store)?;
    let exact = NetworkName::from(scope.trim());
    let scope = if budgets.0.contains_key(&exact) { exact } else { scope_of(data, networks, scope)? };
    if budgets.0.remove(&scope).is_none() {
        let failure = Failure::misuse(format!("no budget was set for `{scope}`"));
        return Err(failure.hint("`freshet budget list` shows those that were").into());
    }
    Ok(budgets.put(&mut data.store)?)
}

/// Takes all of them away.
pub fn clear(data: &mut Data) -> anyhow::Result<()> {
    Ok(Budgets::default().put(&mut data.store)?)
}

/// All budgets in force, with what the last run knew of them.
pub fn list(data: &Data, networks: &Networks) -> anyhow::Result<BudgetsReport> {
    let budgets = Budgets::from_store(&data.store)?;
    let prices = live_report(&data.store)?.map(|run| run.work.prices).unwrap_or_default();
    let set = budgets.0.iter().map(|(scope, rate)| line(scope, *rate, false, &prices));
    let mut lines: Vec<BudgetLine> = set.collect();
    let usual = |instance: Instance| {
        let definition = networks.definition(instance.network.definition());
        let has_quotas = definition.as_ref().is_some_and(|definition| !definition.quotas.is_empty());
        let rate =
            if definition.is_none_or(|definition| definition.is_page) { USUAL_PAGES } else { USUAL_CALLS };
        let is_meant = !has_quotas && !budgets.is_set_for(&instance.network);
        is_meant.then_some((instance.network, rate))
    };
    let instances = data.store.instances()?.into_iter().map(|row| row.instance);
    let mut usual: Vec<(NetworkName, Rate)> = instances.filter_map(usual).collect();
    usual.sort_by(|(one, _), (other, _)| one.cmp(other));
    let more_count = usual.len().saturating_sub(USUAL_MAX) as u64;
    lines.extend(usual.iter().take(USUAL_MAX).map(|(scope, rate)| line(scope, *rate, true, &prices)));
    let (usual_pages, usual_calls) = (USUAL_PAGES.to_string(), USUAL_CALLS.to_string());
    Ok(BudgetsReport { budgets: lines, usual_pages, usual_calls, more_count })
}

fn line(scope: &NetworkName, rate: Rate, is_usual: bool, prices: &[PriceStatus]) -> BudgetLine {
    let own = prices.iter().find(|price| price.rule == BUDGET && price.network == *scope);
    BudgetLine {
        scope: scope.clone(),
        rate: rate.to_string(),
        per_h: rate.per_h(),
        is_usual,
        quota_per_h: quota_per_h(scope, prices),
        used_per_h: own.map(|price| price.news_per_h + price.others_per_h),
        saved_post_s_per_h: own.map(|price| price.saved_post_s_per_h),
    }
}

/// What the tightest quotas of all servers of a scope allow together.
fn quota_per_h(scope: &NetworkName, prices: &[PriceStatus]) -> Option<f64> {
    let is_meant = |network: &NetworkName| {
        scope.as_str() == ALL
            || network == scope
            || (scope.host().is_none() && network.definition() == scope.as_str())
    };
    let mut tightest: std::collections::BTreeMap<&NetworkName, f64> = std::collections::BTreeMap::new();
    let quotas = prices.iter().filter(|price| price.rule != BUDGET && price.rule != POLITENESS);
    for price in quotas.filter(|price| is_meant(&price.network)) {
        let per_h = tightest.entry(&price.network).or_insert(f64::INFINITY);
        *per_h = per_h.min(price.budget_per_h);
    }
    (!tightest.is_empty()).then(|| tightest.values().sum())
}

/// What a person means: everything, a network, a server by its name, or a server or forum by an address of it.
pub(crate) fn scope_of(data: &Data, networks: &Networks, text: &str) -> anyhow::Result<NetworkName> {
    let text = text.trim();
    let name = NetworkName::from(text);
    let is_known = |name: &NetworkName| {
        networks.definition(name.definition()).is_some() || networks.connector_for(name).is_some()
    };
    if text == ALL || (!text.contains('/') && is_known(&name)) {
        return Ok(name);
    }
    let host = |text: &str| {
        let url = Url::parse(text).ok()?;
        Some((url.host_str()?.to_owned(), url.port_or_known_default()))
    };
    let wanted = host(text).or_else(|| host(&format!("https://{text}")));
    let mut instances = data.store.instances()?.into_iter().map(|row| row.instance);
    let found = instances.find(|instance| wanted.is_some() && host(&instance.base) == wanted);
    found.map(|instance| instance.network).ok_or_else(|| {
        let failure = Failure::misuse(format!("there is no network, server or forum `{text}` here"));
        failure
            .hint("`all`, a name of `freshet networks list`, or the address of a server that was added with `freshet add`")
            .into()
    })
}
