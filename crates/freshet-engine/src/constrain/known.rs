//! What the store knows already, for constraints that ask beyond the page.
//!
//! A timeline shows authors in a short form; their profile, with the followers that a constraint
//! asks for, was stored an hour ago. What the page says wins over what is stored.

use freshet_network::constraint::Shown;
use freshet_network::robot::ACCOUNT;
use freshet_network::snapi::build::Builder;
use freshet_store::api::{Store, StoreError};
use freshet_types::{Address, NetworkName, Object, Observation, Schema};

/// Linked objects looked up for one judgement; a post links to an author and a few posts.
const LINKED_MAX: usize = 16;

/// The object with what the store knows of the objects it links to.
pub(super) fn completed(store: &dyn Store, schema: &Schema, object: &Object) -> Result<Object, StoreError> {
    let network = object.address.network.clone();
    let mut addresses = Vec::new();
    collect(object, &network, &mut addresses);
    let nothing = Observation::default();
    let mut builder = Builder::new(&network, schema, &nothing);
    let mut completed = object.clone();
    let is_account = |address: &&Address| &*address.kind == ACCOUNT;
    let ids: Vec<_> = addresses.iter().filter(is_account).map(|address| address.id.as_str()).collect();
    let others = addresses.iter().filter(|address| !is_account(address));
    let names: Vec<_> = others.map(|address| (&*address.kind, address.id.as_str())).collect();
    let mut accounts = store.accounts_of(&network, &ids)?.into_iter();
    let mut posts = store.posts_of(&network, &names)?.into_iter();
    for address in &addresses {
        let known = match &*address.kind {
            ACCOUNT => accounts.next().flatten().map(|row| builder.account(&row.account)),
            _ => posts.next().flatten().map(|row| builder.post(&row.post)),
        };
        if let Some(known) = known.filter(|known| known.address == *address) {
            completed.absorb(&known);
        }
    }
    completed.absorb(object);
    Ok(completed)
}

/// Whether more than its name is stored.
pub(super) fn is_stored(store: &dyn Store, shown: &Shown, address: &Address) -> Result<bool, StoreError> {
    Ok(match shown {
        Shown::Post(post) => store.post_of(&address.network, &post.kind, &post.id)?.is_some(),
        Shown::Account(account) => {
            let known = store.account_of(&address.network, &account.id)?.map(|row| row.account);
            known.is_some_and(|it| it.handle.is_some() || it.name.is_some() || it.followers_count.is_some())
        }
    })
}

/// Addresses of everything in this network that the object links to, itself left out.
fn collect(object: &Object, network: &NetworkName, addresses: &mut Vec<Address>) {
    for linked in object.clinks.values() {
        let is_new = linked.address.network == *network && !addresses.contains(&linked.address);
        if is_new && addresses.len() < LINKED_MAX {
            addresses.push(linked.address.clone());
        }
        collect(linked, network, addresses);
    }
}
