//! Budgets: what a person allows freshet to ask, below what the networks allow. A quota is theirs, a budget is ours.
//!
//! A budget is a bucket of the ledger that every request of its scope takes one unit from, beside those of the quotas, so
//! it is spent evenly, never overdrawn, remembered by the next process, and has a price like any quota. What a server
//! announces or refuses says nothing of it.
//!
//! | scope | covers |
//! |---|---|
//! | `all` | every request |
//! | a network: `mastodon` | all its servers together |
//! | a server or forum: `mastodon:example.social` | that one |
//!
//! A request that no quota covers has the usual budget of its server ([`USUAL_PAGES`], [`USUAL_CALLS`]), unless a person set one for the server or
//! its network. What rides on a request (robots.txt, a login) counts too.

use std::collections::BTreeMap;

use freshet_store::api::{Store, StoreError};
use freshet_store::control::Control;
use freshet_store::setting::{Json, Setting};
use freshet_types::{NetworkName, QuotaKey, QuotaNeed, Rate, Request};

/// Setting that holds them: scopes and rates.
pub const BUDGETS: Setting<Json<Budgets>> = Setting::new("budgets");
/// The scope of everything.
pub const ALL: &str = "all";
/// The rule's name of a budget, beside the names that networks give to their quotas.
pub const BUDGET: &str = "budget";
/// What a server is asked at most for pages made for people (forums, feeds) where it names no quota and nobody said: one in five seconds.
pub const USUAL_PAGES: Rate = Rate::per_day(17_280);
/// The same for an API: ten a second.
pub const USUAL_CALLS: Rate = Rate::per_hour(36_000);
/// Budgets that can be set.
pub const BUDGETS_MAX: usize = 10_000;
/// Who holds a budget that a person set.
const YOU: &str = "you";
/// Who holds those that count where nobody did.
const USUAL: [&str; 2] = ["usual pages", "usual calls"];

/// All budgets that a person set.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Budgets(pub BTreeMap<NetworkName, Rate>);

impl Budgets {
    /// Those of a store; none before the first is set.
    pub fn from_store(store: &dyn Store) -> Result<Self, StoreError> {
        Ok(BUDGETS.get(store)?.unwrap_or_default().0)
    }

    /// Writes them down and tells a running process.
    pub fn put(&self, store: &mut dyn Store) -> Result<(), StoreError> {
        BUDGETS.put(store, &Json(self.clone()))?;
        store.push_control(&Control::Budgets)?;
        Ok(())
    }

    /// What a request takes from its budgets.
    pub(crate) fn needs(&self, request: &Request) -> Vec<QuotaNeed> {
        let server = &request.network;
        let network = NetworkName::from(server.definition());
        let mut scopes = vec![NetworkName::from(ALL), network];
        if server.host().is_some() {
            scopes.push(server.clone());
        }
        let set = scopes.into_iter().filter_map(|scope| Some((*self.0.get(&scope)?, scope)));
        let mut needs: Vec<QuotaNeed> = set.map(|(rate, scope)| need(scope, YOU, rate)).collect();
        if request.needs.is_empty() && !self.is_set_for(server) {
            let (holder, rate) =
                if request.is_page { (USUAL[0], USUAL_PAGES) } else { (USUAL[1], USUAL_CALLS) };
            needs.push(need(server.clone(), holder, rate));
        }
        needs
    }

    /// Whether a person set a budget for a server or its network.
    pub fn is_set_for(&self, server: &NetworkName) -> bool {
        let network = NetworkName::from(server.definition());
        self.0.contains_key(server) || self.0.contains_key(&network)
    }

    /// Whether this bucket is of a budget that is in force, or of none.
    pub(crate) fn keeps(&self, key: &QuotaKey) -> bool {
        if is_usual(key) {
            return !self.is_set_for(&key.network);
        }
        &*key.rule != BUDGET || &*key.holder != YOU || self.0.contains_key(&key.network)
    }
}

/// Whether a bucket is of the budget that counts where nobody set one.
pub(crate) fn is_usual(key: &QuotaKey) -> bool {
    &*key.rule == BUDGET && USUAL.contains(&&*key.holder)
}

fn need(scope: NetworkName, holder: &str, rate: Rate) -> QuotaNeed {
    let key = QuotaKey { network: scope, rule: BUDGET.into(), holder: holder.into() };
    QuotaNeed { key, limit: rate.count(), window: rate.window(), units: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Budgets that were set, a server, whether its network has quotas; the buckets that a request takes from.
    fn check(set: &[&str], server: &str, has_quota: bool, expected: &[&str]) {
        let rate = Rate::per_day(100);
        let budgets = Budgets(set.iter().map(|scope| (NetworkName::from(*scope), rate)).collect());
        let mut request = Request::get(&NetworkName::from(server), "https://one.test/".to_owned());
        if has_quota {
            request.needs.push(need("mastodon:one".into(), "ip", rate));
        }
        let needs = budgets.needs(&request);
        let found: Vec<String> =
            needs.iter().map(|it| format!("{} {}", it.key.network, it.key.holder)).collect();
        assert_eq!(found, expected, "{set:?} at {server}");
        assert!(needs.iter().all(|need| budgets.keeps(&need.key)));
        assert!(needs.iter().all(|need| !Budgets::default().keeps(&need.key) || is_usual(&need.key)));
    }

    #[test]
    fn a_request_takes_from_all_budgets_that_cover_it() {
        let one = "mastodon:one";
        check(&[], one, true, &[]);
        check(&["all"], one, true, &["all you"]);
        check(
            &["all", "mastodon", one, "mastodon:two", "rss"],
            one,
            true,
            &["all you", "mastodon you", "mastodon:one you"],
        );
        // Without a quota there is the usual budget, until a person says otherwise of the server or its network.
        check(&[], "rss:one", false, &["rss:one usual calls"]);
        check(&["all"], "rss:one", false, &["all you", "rss:one usual calls"]);
        check(&["rss"], "rss:one", false, &["rss you"]);
        check(&["rss:one"], "rss:one", false, &["rss:one you"]);
        check(&["forum"], "forum", false, &["forum you"]);
    }
}
