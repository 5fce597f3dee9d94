//! Judging an object by its constraints and by what the store knows: linked objects, and members of collections.
//!
//! The store is asked only where the object alone does not decide, and for no more than an expression names: what is linked, a few
//! steps far, then the members of the collections, the newest [`MEMBERS_MAX`] of each. An answer about members is one about what
//! is known now. A *no* that stands on members may become a *yes* when there are more ([`Told::awaits_members`]); a *yes* stays.

use std::sync::Arc;

use freshet_network::constraint::{AT, Answer, Asked, Constraint, Constraints, Purpose};
use freshet_network::effect;
use freshet_network::networks::{Network, Networks};
use freshet_network::robot::ACCOUNT;
use freshet_network::snapi::build::Builder;
use freshet_store::api::{Store, StoreError};
use freshet_store::row::{Collection, Member, NewestQuery};
use freshet_types::{Address, NetworkName, Object, Observation, Timestamp};

use super::known;

/// Members of a collection that one judgement looks at, the newest.
const MEMBERS_MAX: usize = 1_000;
/// The same where a loop goes through them inside a loop: the work grows with the square.
const NESTED_MEMBERS_MAX: usize = 100;

/// The constraints in force, and the networks they speak of.
#[derive(Clone, Debug)]
pub struct Judge {
    networks: Arc<Networks>,
    constraints: Constraints,
}

/// What is judged, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case<'a> {
    pub(crate) object: &'a Object,
    /// Steps from what a person added.
    pub(crate) depth: u16,
    pub(crate) now: Timestamp,
}

/// A judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub answer: Answer,
    /// The constraint that decided, where it is not a yes.
    pub by: Option<String>,
    /// It is a no because of the members that a collection has now.
    pub awaits_members: bool,
    /// The object with what the store knows of what it links to, where that was looked up; without members.
    pub known: Option<Object>,
}

impl Told {
    /// The answer for whoever can wait: what more members may turn into a yes cannot be told yet.
    pub(super) fn patiently(&self) -> Answer {
        if !self.awaits_members {
            return self.answer.clone();
        }
        let by = self.by.as_deref().unwrap_or_default();
        Answer::CannotTell { missing: format!("more members for `{by}`") }
    }
}

impl Judge {
    /// A judge by these constraints.
    pub fn new(networks: Arc<Networks>, constraints: Constraints) -> Self {
        Self { networks, constraints }
    }

    /// The constraints that it judges by.
    pub(crate) fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// The network of this name.
    pub(super) fn network(&self, name: &NetworkName) -> Option<Arc<Network>> {
        self.networks.snapshot().get(name.definition()).map(Arc::clone)
    }

    /// The constraints of a purpose that speak of this type there.
    pub(crate) fn speaking_of<'a>(
        &'a self,
        purpose: Purpose,
        kind: &'a str,
        network: &'a NetworkName,
    ) -> impl Iterator<Item = &'a Constraint> {
        self.constraints.speaking_of(purpose, kind, network.definition())
    }

    /// Whether a constraint of this purpose speaks of this type there.
    pub(crate) fn speaks_of(&self, purpose: Purpose, kind: &str, network: &NetworkName) -> bool {
        self.speaking_of(purpose, kind, network).next().is_some()
    }

    /// Whether any constraint of this purpose asks for members of a collection.
    pub(super) fn asks_for_members(&self, purpose: Purpose) -> bool {
        let registry = self.networks.snapshot();
        let asks = |it: &Constraint| registry.iter().any(|network| !it.asked(&network.schema).is_empty());
        self.constraints.iter().any(|constraint| constraint.purpose() == purpose && asks(constraint))
    }

    /// Judges an object for a purpose.
    pub(crate) fn judge(
        &self,
        store: &dyn Store,
        purpose: Purpose,
        case: Case<'_>,
    ) -> Result<Told, StoreError> {
        let Case { object, depth, now } = case;
        let told = |(answer, by): (Answer, Option<&Constraint>)| Told {
            answer,
            by: by.map(|constraint| constraint.text().to_owned()),
            awaits_members: false,
            known: None,
        };
        let alone = told(self.constraints.judge_for(purpose, object, depth, now));
        let Some(network) = self.network(&object.address.network) else { return Ok(alone) };
        if !matches!(alone.answer, Answer::CannotTell { .. }) {
            return Ok(alone);
        }
        let known = known::completed(store, &network.schema, object)?;
        let linked = told(self.constraints.judge_for(purpose, &known, depth, now));
        let linked = Told { known: Some(known), ..linked };
        let (Some(known), Answer::CannotTell { .. }) = (&linked.known, &linked.answer) else {
            return Ok(linked);
        };
        let asked = self.asked(purpose, object, &network);
        if asked.is_empty() {
            return Ok(linked);
        }
        let filled = filled(store, &network, known, &asked)?;
        let full = told(self.constraints.judge_for(purpose, &filled, depth, now));
        let awaits_members = full.answer == Answer::No;
        Ok(Told { awaits_members, known: linked.known, ..full })
    }

    /// Judges an object as it is stored.
    pub fn judge_stored(
        &self,
        store: &dyn Store,
        purpose: Purpose,
        address: &Address,
        (depth, now): (u16, Timestamp),
    ) -> Result<Told, StoreError> {
        let object = match self.network(&address.network) {
            Some(network) => known::stored(store, &network.schema, address)?,
            None => None,
        };
        let object = object.unwrap_or_else(|| Object::new(address.clone()));
        self.judge(store, purpose, Case { object: &object, depth, now })
    }

    /// The collections that constraints about this object ask for.
    fn asked(&self, purpose: Purpose, object: &Object, network: &Network) -> Vec<Asked> {
        let mut all: Vec<Asked> = Vec::new();
        let about = self.speaking_of(purpose, &object.address.kind, &object.address.network);
        for asked in about.flat_map(|constraint| constraint.asked(&network.schema)) {
            match all.iter_mut().find(|known| known.path == asked.path && known.link == asked.link) {
                Some(known) => {
                    known.is_read |= asked.is_read;
                    known.is_nested |= asked.is_nested;
                }
                None => all.push(asked),
            }
        }
        all
    }
}

/// The object with the members of these collections.
fn filled(
    store: &dyn Store,
    network: &Network,
    object: &Object,
    asked: &[Asked],
) -> Result<Object, StoreError> {
    let mut filled = object.clone();
    for asked in asked {
        let collection = match effect::collection(network, &asked.owner, &asked.link) {
            Some(effect::Collection::Posts) => Collection::Posts,
            Some(effect::Collection::Replies) => Collection::Replies,
            Some(effect::Collection::Followers) => Collection::Followers,
            Some(effect::Collection::Following) => Collection::Following,
            Some(effect::Collection::Linked) => Collection::Linked(&asked.link),
            Some(effect::Collection::Shown) | None => continue,
        };
        let owner = asked.path.iter().try_fold(&mut filled, |object, link| object.clinks.get_mut(link));
        let Some(owner) = owner else { continue };
        let limit = if asked.is_nested { NESTED_MEMBERS_MAX } else { MEMBERS_MAX };
        let query =
            NewestQuery { object: (&*owner.address.kind, owner.address.id.as_str()), collection, limit };
        let members = store.newest_members(&owner.address.network, &query)?;
        let members = objects(store, network, &owner.address.network, &members, asked.is_read)?;
        owner.colinks.insert(asked.link.clone(), members);
    }
    Ok(filled)
}

/// The members as objects, each with the time when it came; with their values where those are asked for.
fn objects(
    store: &dyn Store,
    network: &Network,
    name: &NetworkName,
    members: &[Member],
    is_read: bool,
) -> Result<Vec<Object>, StoreError> {
    let nothing = Observation::default();
    let mut builder = Builder::new(name, &network.schema, &nothing);
    let mut objects: Vec<Object> =
        members.iter().map(|member| builder.bare(&member.end.kind, &member.end.id)).collect();
    if is_read {
        let is_account = |member: &&Member| &*member.end.kind == ACCOUNT;
        let ids: Vec<&str> = members.iter().filter(is_account).map(|it| it.end.id.as_str()).collect();
        let others = members.iter().filter(|member| !is_account(member));
        let names: Vec<_> = others.map(|it| (&*it.end.kind, it.end.id.as_str())).collect();
        let mut accounts = store.accounts_of(name, &ids)?.into_iter();
        let mut posts = store.posts_of(name, &names)?.into_iter();
        for (object, member) in objects.iter_mut().zip(members) {
            let found = if is_account(&member) {
                accounts.next().flatten().map(|row| builder.account(&row.account))
            } else if let Some(row) = posts.next().flatten() {
                Some(builder.post(&row.post))
            } else {
                let name_of = [(&*member.end.kind, member.end.id.as_str())];
                let thing = store.things_of(name, &name_of)?.into_iter().next().flatten();
                thing.map(|row| builder.thing(&row.thing))
            };
            if let Some(found) = found {
                *object = found;
            }
        }
    }
    for (object, member) in objects.iter_mut().zip(members) {
        object.plinks.insert(AT.to_owned(), member.at.into());
    }
    Ok(objects)
}
