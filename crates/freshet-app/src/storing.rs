//! What is seen and not kept: setting it, saying so, and taking out what was kept before.
//!
//! That nothing is kept is a person's word about a network or a source. Where nobody takes what is not kept, it reaches nobody: everybody who
//! sets it or runs with it is told.

use freshet_report::explain::Fact;
use freshet_report::networks::KeepingReport;
use freshet_report::status::NotKeptStatus;
use freshet_store::api::{Store, StoreError};
use freshet_store::control::Control;
use freshet_store::row::Storing;
use freshet_store::subscription::{Kind, State, SubscriptionRow};
use freshet_types::Source;

use crate::config::Globals;
use crate::data::Data;
use crate::networks::servers_meant;
use crate::viewers;

/// The word that people type for it.
pub const NEVER: &str = "never";

/// What a word means that arguments have checked.
pub fn keeping(word: &str) -> Storing {
    if word == NEVER { Storing::Never } else { Storing::Keep }
}

/// Sets what becomes of what is seen on a network, or on all servers of a definition, from now on; `erases` also takes out the content of
/// what is stored.
pub fn set(globals: &Globals, name: &str, keeping: Storing, erases: bool) -> anyhow::Result<KeepingReport> {
    let mut data = Data::open(globals)?;
    let meant = servers_meant(&data.store, name)?;
    for network in &meant {
        data.store.set_keeping(network, keeping)?;
    }
    data.store.push_control(&Control::Settings("store".to_owned()))?;
    viewers::share_rules(&mut data)?;
    let mut erased_count = None;
    if erases {
        let count = erased_count.insert(0);
        for network in &meant {
            while let more @ 1.. = data.store.empty_some(network)? {
                *count += more;
            }
        }
        while data.store.erase_some()?.is_some() {}
        viewers::each(&mut data, |_, own, _| {
            for network in &meant {
                while let more @ 1.. = own.empty_some(network)? {
                    *count += more;
                }
            }
            while own.erase_some()?.is_some() {}
            Ok(())
        })?;
    }
    Ok(KeepingReport {
        networks: meant.iter().map(ToString::to_string).collect(),
        store: if keeping == Storing::Never { NEVER } else { "keep" }.to_owned(),
        erased_count,
        is_taken: is_taken(&data.store)?,
    })
}

/// Whether a subscription takes posts.
fn is_taken(store: &dyn Store) -> Result<bool, StoreError> {
    let takes = |row: &SubscriptionRow| {
        row.subscription.state == State::Running && row.subscription.kinds.contains(&Kind::Posts)
    };
    Ok(store.subscriptions()?.iter().any(takes))
}

/// Whatever keeps nothing; nothing where everything is kept.
pub fn status(store: &dyn Store) -> Result<Option<NotKeptStatus>, StoreError> {
    let found = store.not_kept()?;
    if found.is_empty() {
        return Ok(None);
    }
    let is_taken = is_taken(store)?;
    Ok(Some(NotKeptStatus { networks: found.networks, sources_count: found.sources_count, is_taken }))
}

/// What a source's explanation says of it.
pub(crate) fn fact(store: &dyn Store, source: &Source) -> Result<Option<Fact>, StoreError> {
    let is_network = store.not_kept()?.networks.contains(&source.network);
    if !is_network && !store.are_unkept(&[source.id])?.contains(&true) {
        return Ok(None);
    }
    Ok(Some(Fact::NotKept { is_network, is_taken: is_taken(store)? }))
}

/// What is not kept, in a sentence.
pub fn sentence(it: &NotKeptStatus) -> String {
    let mut whose: Vec<String> = it.networks.iter().map(ToString::to_string).collect();
    if it.sources_count > 0 {
        whose.push(crate::text::count(it.sources_count, "source"));
    }
    let whose = whose.join(", ");
    if it.is_taken {
        return format!("content of {whose} goes to subscribers and is not kept");
    }
    format!("nothing keeps the content of {whose} and nobody takes it; {ADVICE}")
}

/// What to do where nobody takes what is not kept.
pub const ADVICE: &str = "`freshet subscriptions add` makes somebody take posts";
