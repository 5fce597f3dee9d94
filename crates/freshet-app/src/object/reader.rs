//! From rows of the store to objects of the model, by the definition of their network.
//!
//! Values, single links and links to other networks come with the object; collections are read in parts. Which rows tell a
//! collection follows from its type and name ([`association`]); of a collection that no row tells, the members were stored as links.

use std::collections::BTreeMap;
use std::sync::Arc;

use freshet_network::networks::{Network, Registry};
use freshet_network::robot::ACCOUNT;
use freshet_network::snapi::build::Builder;
use freshet_report::time::UnixNumber;
use freshet_store::api::{Store, StoreError};
use freshet_store::browse::{Association, MemberQuery};
use freshet_store::row::{LinkQuery, ListRow};
use freshet_types::list::is_list;
use freshet_types::object::LinkTarget;
use freshet_types::{
    Address, LinkType, Object, Observation, Primitive, PrimitiveKind, Schema, Thing, Timestamp,
};
use serde_json::Value;

/// Single links of one object that are read beside those of its row.
const SINGLE_MAX: usize = 100;

/// Reads objects of one store.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) registry: &'a Registry,
}

/// An object as it is stored, without its collections.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) object: Object,
    /// Its number in the store.
    pub(crate) number: u64,
    pub(crate) seen_at: Option<Timestamp>,
    pub(crate) deleted_at: Option<Timestamp>,
    /// What is stored and not declared.
    pub(crate) complaints: Vec<String>,
}

/// A part of a collection.
pub(crate) struct Members {
    pub(crate) members: Vec<Address>,
    /// How many there are, as far as they were counted.
    pub(crate) count: usize,
}

/// An object as a row tells it: with its number, when it was seen, and since when it is deleted.
type Stored = (Object, u64, Timestamp, Option<Timestamp>);

impl<'a> Reader<'a> {
    pub(crate) fn new(store: &'a dyn Store, registry: &'a Registry) -> Self {
        Self { store, registry }
    }

    fn network(&self, address: &Address) -> Option<&'a Arc<Network>> {
        self.registry.get(address.network.definition())
    }

    pub(crate) fn schema(&self, address: &Address) -> Option<&'a Schema> {
        self.network(address).map(|network| &*network.schema)
    }

    /// The links that the type of an object may have.
    pub(crate) fn links(&self, address: &Address) -> Option<&'a BTreeMap<String, LinkType>> {
        self.schema(address)?.types.get(&*address.kind).map(|it| &it.links)
    }

    /// The number of what is stored of it, whatever is defined.
    pub(crate) fn number(&self, address: &Address) -> Result<Option<u64>, StoreError> {
        let Address { network, kind, id } = address;
        let names = [(&**kind, id.as_str())];
        if &**kind == ACCOUNT {
            return Ok(self.store.account_of(network, id)?.map(|row| row.object));
        }
        if is_list(kind) {
            let lists = self.store.lists_of(network, &names)?;
            return Ok(lists.into_iter().flatten().next().map(|row| row.object));
        }
        if let Some(row) = self.store.post_of(network, kind, id)? {
            return Ok(Some(row.object));
        }
        let things = self.store.things_of(network, &names)?;
        Ok(things.into_iter().flatten().next().map(|row| row.object))
    }

    /// An object with its values and single links; `None` where it is not stored, or has no definition.
    pub(crate) fn known(&self, address: &Address) -> Result<Option<Known>, StoreError> {
        let Some(schema) = self.schema(address) else { return Ok(None) };
        let nothing = Observation::default();
        let mut builder = Builder::new(&address.network, schema, &nothing);
        let Some((mut object, number, seen_at, deleted_at)) = self.row(address, &mut builder)? else {
            return Ok(None);
        };
        let mut complaints: Vec<String> = Vec::new();
        for row in self.single_links(&object.address)? {
            let to = Object::new(Address::new(&address.network, &row.link.to.kind, row.link.to.id));
            if let Err(refused) = object.link(schema, &row.link.name, LinkTarget::One(to)) {
                complaints.push(refused.to_string());
            }
        }
        complaints.extend(builder.into_complaints().into_iter().map(|it| it.what));
        Ok(Some(Known { object, number, seen_at: Some(seen_at), deleted_at, complaints }))
    }

    fn row(&self, address: &Address, builder: &mut Builder<'_>) -> Result<Option<Stored>, StoreError> {
        let Address { network, kind, id } = address;
        let names = [(&**kind, id.as_str())];
        if &**kind == ACCOUNT {
            let row = self.store.account_of(network, id)?;
            return Ok(row.map(|row| (builder.account(&row.account), row.object, row.seen_at, None)));
        }
        if is_list(kind) {
            let row = self.store.lists_of(network, &names)?.into_iter().flatten().next();
            return Ok(row.map(|row| (builder.thing(&thing_of(&row)), row.object, row.seen_at, None)));
        }
        if let Some(row) = self.store.post_of(network, kind, id)? {
            return Ok(Some((builder.post(&row.post), row.object, row.seen_at, row.deleted_at)));
        }
        let row = self.store.things_of(network, &names)?.into_iter().flatten().next();
        Ok(row.map(|row| (builder.thing(&row.thing), row.object, row.seen_at, None)))
    }

    /// Links to one object that no row tells.
    fn single_links(&self, address: &Address) -> Result<Vec<freshet_store::row::LinkRow>, StoreError> {
        let Some(links) = self.links(address) else { return Ok(Vec::new()) };
        let single = links.iter().filter(|(_, link)| matches!(link, LinkType::C(_)));
        let mut rows = Vec::new();
        for (name, _) in single.take(SINGLE_MAX) {
            let query = LinkQuery {
                network: &address.network,
                object: (&address.kind, &address.id),
                is_inward: false,
                name: Some(name),
                with_cancelled: false,
                limit: 1,
            };
            rows.extend(self.store.links_of(&query)?.into_iter().filter(|row| !row.link.is_member));
        }
        Ok(rows)
    }

    /// A part of a collection of an object in its network.
    pub(crate) fn members(
        &self,
        address: &Address,
        name: &str,
        offset: usize,
        limit: usize,
    ) -> Result<Members, StoreError> {
        let nothing = Members { members: Vec::new(), count: 0 };
        let Some(LinkType::Co(of)) = self.links(address).and_then(|links| links.get(name)) else {
            return Ok(nothing);
        };
        let Some(network) = self.network(address) else { return Ok(nothing) };
        let query = MemberQuery {
            network: &address.network,
            object: (&address.kind, &address.id),
            association: association(network, &address.kind, name, of),
            offset,
            limit,
        };
        let page = self.store.members(&query)?;
        let member = |(kind, id): (String, String)| Address::new(&address.network, &kind, id);
        Ok(Members { members: page.members.into_iter().map(member).collect(), count: page.count })
    }

    /// The values of an object, instants as unix seconds.
    pub(crate) fn values(&self, object: &Object) -> BTreeMap<String, Value> {
        let links = self.links(&object.address);
        let value = |(name, value): (&String, &Primitive)| {
            let is_time = links.and_then(|links| links.get(name)) == Some(&LinkType::P(PrimitiveKind::Time));
            (name.clone(), written(value, is_time))
        };
        object.plinks.iter().map(value).collect()
    }
}

/// A value as reports have it.
fn written(value: &Primitive, is_time: bool) -> Value {
    match value {
        Primitive::Int(ms) if is_time => {
            serde_json::to_value(UnixNumber::of(Timestamp::from_ms(*ms))).unwrap_or_default()
        }
        value => value.into(),
    }
}

/// A list of a forum, in the form of all other things.
fn thing_of(row: &ListRow) -> Thing {
    let title = row.title.as_deref().map(|title| ("title".into(), Primitive::from(title)));
    let active_at = row.active_at.map(|at| ("active_at".into(), Primitive::from(at)));
    Thing {
        id: row.id.clone(),
        kind: row.kind.as_str().into(),
        plinks: title.into_iter().chain(active_at).collect(),
        ..Thing::default()
    }
}

/// Where the members of a collection stand.
fn association<'n>(network: &Network, kind: &str, name: &'n str, of: &'n str) -> Association<'n> {
    let endpoints = network.connector.endpoints().iter();
    // Whatever an endpoint stores as members has rows of its own.
    let mut stored = endpoints.filter(|it| *it.root_kind == *kind).filter_map(|it| it.link.as_deref());
    if stored.any(|link| link == name) {
        return Association::Named(name);
    }
    match (kind, name) {
        (ACCOUNT, "followers") => Association::Followers,
        (ACCOUNT, "following" | "follows") => Association::Following,
        (ACCOUNT, "tags") => Association::Tags,
        (ACCOUNT, "reposts") => Association::Repeated,
        (ACCOUNT, "posts" | "comments" | "topics") => Association::Written(of),
        (kind, _) if is_list(kind) => Association::Contained(of),
        (_, "replies" | "comments" | "posts") if kind != "tag" && kind != "server" => Association::Answers,
        (_, "reposts") => Association::Reposts,
        (_, "quotes") => Association::Quotes,
        _ => Association::Named(name),
    }
}
