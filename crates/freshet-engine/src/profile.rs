//! Profiles: how much an account says it posts is what is expected of it before any look. Part of step 10 (learn) of 10.
//!
//! No request is made for it. A look-up by handle shows the profile, pages of posts show their author, and what other robots brought
//! (a profile, a list of followers) is in the store. It is taken in once, as the prior of the source's model
//! ([`freshet_policy::prior`]); later looks know better than a profile that is read again.

use freshet_policy::stored::{prior_of, with_prior};
use freshet_policy::{ChangeRate, Prior, change::ChangeModel as _};
use freshet_store::api::{Store, StoreError};
use freshet_types::{Account, Map, NetworkName, RobotKind, Source, Timestamp};

use crate::walk::ACCOUNT;

/// With so many posts of its own to learn from, a source is not asked for its profile in the store.
const POSTS_FEW: u32 = 2;

/// Takes in what a page shows of the account whose posts the source lists.
pub(crate) fn note(source: &mut Source, accounts: &[Account], at: Timestamp) {
    if is_open(source)
        && let Some(account) = accounts.iter().find(|account| account.id == source.root_id)
    {
        take_in(source, account, at);
    }
}

/// Takes in what the store knows of the accounts of sources that are hardly known.
pub(crate) fn recall(
    store: &dyn Store,
    sources: &mut [Option<Source>],
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut meant: Map<NetworkName, Vec<&mut Source>> = Map::default();
    for source in sources.iter_mut().flatten().filter(|source| is_open(source) && is_hardly_known(source)) {
        meant.entry(source.network.clone()).or_default().push(source);
    }
    for (network, sources) in meant {
        let ids: Vec<&str> = sources.iter().map(|source| source.root_id.as_str()).collect();
        let rows = store.accounts_of(&network, &ids)?;
        for (source, row) in sources.into_iter().zip(rows) {
            if let Some(row) = row {
                take_in(source, &row.account, now);
            }
        }
    }
    Ok(())
}

/// Whether a profile can say something of this source, and none has.
fn is_open(source: &Source) -> bool {
    source.robot == RobotKind::Status
        && &*source.root_kind == ACCOUNT
        && !source.root_id.is_empty()
        && prior_of(&source.model).is_none()
}

fn is_hardly_known(source: &Source) -> bool {
    ChangeRate::from_bytes(&source.model).evidence().0 < POSTS_FEW
}

fn take_in(source: &mut Source, account: &Account, at: Timestamp) {
    let told = account.posts_count.zip(account.created_at);
    if let Some(prior) = told.and_then(|(count, created_at)| Prior::of(count, created_at, at)) {
        source.model = with_prior(&source.model, prior);
    }
}

#[cfg(test)]
mod tests {
    use freshet_types::Span;

    use super::*;

    const NOW: Timestamp = Timestamp::from_secs(1_700_000_000);

    /// Posts a day that a source is left to expect by a page with this account.
    fn check(source: &Source, account: &Account, expected_per_day: Option<f64>) {
        let mut source = source.clone();
        note(&mut source, &[Account { id: "9".to_owned(), ..Account::default() }, account.clone()], NOW);
        let per_day = prior_of(&source.model).map(|prior| prior.told_per_s() * Span::DAY.secs_f64());
        let is_near = match (per_day, expected_per_day) {
            (Some(got), Some(expected)) => (got - expected).abs() < 0.01,
            (got, expected) => got == expected,
        };
        assert!(is_near, "{per_day:?}, not {expected_per_day:?}, of {account:?}");
    }

    #[test]
    fn a_page_tells_of_the_account_whose_posts_it_lists() {
        let of =
            |robot, kind: &str, id: &str| Source::new(&NetworkName::from("net"), "list", robot, kind, id);
        let list = of(RobotKind::Status, ACCOUNT, "7");
        let account = Account {
            id: "7".to_owned(),
            posts_count: Some(600),
            created_at: Some(NOW - Span::DAY * 200.0),
            ..Account::default()
        };
        check(&list, &account, Some(3.0));
        check(&list, &Account { id: "8".to_owned(), ..account.clone() }, None);
        check(&list, &Account { posts_count: None, ..account.clone() }, None);
        check(&list, &Account { posts_count: Some(-3), ..account.clone() }, None);
        check(&list, &Account { created_at: None, ..account.clone() }, None);
        check(&list, &Account { created_at: Some(NOW + Span::DAY), ..account.clone() }, None);
        check(&of(RobotKind::User, ACCOUNT, "7"), &account, None);
        check(&of(RobotKind::Status, "tag", "7"), &account, None);
        check(&of(RobotKind::Status, ACCOUNT, ""), &Account { id: String::new(), ..account.clone() }, None);
        let mut known = list.clone();
        note(&mut known, std::slice::from_ref(&account), NOW);
        check(&known, &Account { posts_count: Some(6_000), ..account }, Some(3.0));
    }
}
