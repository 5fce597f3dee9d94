//! What the store knows already, for constraints that ask beyond the page.
//!
//! A timeline shows authors in a short form; their profile, with the followers that a constraint
//! asks for, was stored an hour ago. What the page says wins over what is stored.

use freshet_network::constraint::{STEPS_MAX, Shown};
use freshet_network::robot::ACCOUNT;
use freshet_network::snapi::build::Builder;
use freshet_store::api::{Store, StoreError};
use freshet_store::row::LinkQuery;
use freshet_types::object::LinkTarget;
use freshet_types::{Address, LinkType, NetworkName, Object, Observation, Schema, Set};

/// Linked objects looked up for one judgement; a post links to an author and a few posts.
const LINKED_MAX: usize = 16;
/// c-links that the row of an object tells.
const ROW_TOLD: [&str; 5] = ["author", "reply_to", "root", "repost_of", "quote_of"];

/// Values of a post that are there were they empty, and mean nothing where its content is not kept.
const UNKEPT: [&str; 2] = ["text", "tags"];

/// The object with what the store knows of the objects it links to, and they in turn.
///
/// Links may lead round in a circle: each object is looked up once, and at most so many steps far as a constraint may go.
pub(super) fn completed(store: &dyn Store, schema: &Schema, object: &Object) -> Result<Object, StoreError> {
    let mut completed = object.clone();
    add_clinks(store, schema, &mut completed)?;
    let mut met = Set::default();
    met.insert(object.address.clone());
    for _ in 0..STEPS_MAX {
        let mut addresses = Vec::new();
        collect(&completed, &object.address.network, &met, &mut addresses);
        addresses.truncate(LINKED_MAX.saturating_sub(met.len()));
        for address in addresses {
            if let Some(known) = stored(store, schema, &address)? {
                completed.absorb(&known);
            }
            met.insert(address);
        }
    }
    completed.absorb(object);
    Ok(completed)
}

/// An object as it is stored.
pub(super) fn stored(
    store: &dyn Store,
    schema: &Schema,
    address: &Address,
) -> Result<Option<Object>, StoreError> {
    let (network, kind, id) = (&address.network, &*address.kind, address.id.as_str());
    let nothing = Observation::default();
    let mut builder = Builder::new(network, schema, &nothing);
    let found = if kind == ACCOUNT {
        store.account_of(network, id)?.map(|row| builder.account(&row.account))
    } else if let Some(row) = store.post_of(network, kind, id)? {
        let mut post = builder.post(&row.post);
        // What is not kept is not known, which is not the same as empty.
        if row.unkept.is_some() {
            for name in UNKEPT {
                post.plinks.remove(name);
            }
        }
        Some(post)
    } else {
        let thing = store.things_of(network, &[(kind, id)])?.into_iter().next().flatten();
        thing.map(|row| builder.thing(&row.thing))
    };
    // Where types share their ids, it may be of another.
    let Some(mut found) = found.filter(|found| found.address == *address) else { return Ok(None) };
    add_clinks(store, schema, &mut found)?;
    Ok(Some(found))
}

/// Adds the c-links of an object that no row tells, and that it does not have yet.
fn add_clinks(store: &dyn Store, schema: &Schema, object: &mut Object) -> Result<(), StoreError> {
    let Address { network, kind, id } = object.address.clone();
    let Some(object_type) = schema.types.get(&*kind) else { return Ok(()) };
    for (name, link) in &object_type.links {
        let is_told = ROW_TOLD.contains(&name.as_str()) || object.clinks.contains_key(name);
        if is_told || !matches!(link, LinkType::C(_)) {
            continue;
        }
        let query = LinkQuery {
            network: &network,
            object: (&kind, &id),
            is_inward: false,
            name: Some(name),
            with_cancelled: false,
            limit: 1,
        };
        for row in store.links_of(&query)? {
            let target = Object::new(Address::new(&network, &row.link.to.kind, &row.link.to.id));
            // What the definition declares otherwise by now is no such link any more.
            object.link(schema, name, LinkTarget::One(target)).ok();
        }
    }
    Ok(())
}

/// Whether it has a row, were it a bare one.
pub(super) fn is_known(store: &dyn Store, address: &Address) -> Result<bool, StoreError> {
    let (network, kind, id) = (&address.network, &*address.kind, address.id.as_str());
    if kind == ACCOUNT {
        return Ok(store.account_of(network, id)?.is_some());
    }
    let is_thing = || Ok(store.things_of(network, &[(kind, id)])?.into_iter().flatten().next().is_some());
    if store.post_of(network, kind, id)?.is_some() { Ok(true) } else { is_thing() }
}

/// Whether more than its name is stored.
pub(super) fn is_stored(store: &dyn Store, shown: &Shown, address: &Address) -> Result<bool, StoreError> {
    Ok(match shown {
        Shown::Post(post) => store.post_of(&address.network, &post.kind, &post.id)?.is_some(),
        Shown::Account(account) => {
            let known = store.account_of(&address.network, &account.id)?.map(|row| row.account);
            known.is_some_and(|it| it.handle.is_some() || it.name.is_some() || it.followers_count.is_some())
        }
        Shown::Thing(thing) => {
            let found = store.things_of(&address.network, &[(&thing.kind, &thing.id)])?;
            found.into_iter().flatten().next().is_some()
        }
    })
}

/// Addresses of everything in this network that the object links to and that was not met.
fn collect(object: &Object, network: &NetworkName, met: &Set<Address>, addresses: &mut Vec<Address>) {
    for linked in object.clinks.values() {
        let address = &linked.address;
        if address.network == *network && !met.contains(address) && !addresses.contains(address) {
            addresses.push(address.clone());
        }
        collect(linked, network, met, addresses);
    }
}
