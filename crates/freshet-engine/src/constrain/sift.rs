//! What the constraints make of one upload: each object that the page shows is let in, withheld, or parked.
//!
//! A constraint about storing speaks of everything; one about discovering of newcomers only, which the page shows or names beside
//! what it lists.

use std::sync::Arc;

use freshet_network::constraint::{Answer, Parked, Purpose, Shown};
use freshet_network::robot::ACCOUNT;
use freshet_network::snapi::build::Builder;
use freshet_store::api::{Store, StoreError};
use freshet_store::row::{self, Upload, Withheld};
use freshet_types::{Address, End, NetworkName, Object, Post, Schema, Set};

use super::{Case, Constrainer, known, stored_form};

/// What the constraints make of one upload.
#[derive(Debug, Default)]
pub(super) struct Sifted {
    pub(super) withheld: Withheld,
    pub(super) parked: Vec<row::Parked>,
    pub(super) unparked: Vec<String>,
}

/// An object as a page shows it.
struct Sight {
    object: Object,
    depth: u16,
    shown: Shown,
    /// The page does not list it: it stands inside another object, or is the author of one.
    is_beside: bool,
}

impl Constrainer {
    /// Whether a constraint about storing or about newcomers speaks of objects of this type here.
    fn is_judged(&self, network: &NetworkName, kind: &str, is_beside: bool) -> bool {
        self.judge.speaks_of(Purpose::Store, kind, network)
            || (is_beside && self.judge.speaks_of(Purpose::Discover, kind, network))
    }

    pub(super) fn sift(
        &mut self,
        store: &dyn Store,
        schema: &Schema,
        upload: &Upload,
    ) -> Result<Sifted, StoreError> {
        let mut sifted = Sifted::default();
        let seen = &upload.observation;
        let mut builder = Builder::new(&upload.network, schema, seen);
        for post in &seen.posts {
            let is_beside = post.is_embedded;
            if !self.is_judged(&upload.network, &post.kind, is_beside) {
                continue;
            }
            let depth = upload.depth.saturating_add(u16::from(is_beside));
            let mut object = builder.post(post);
            builder.add_clinks(&mut object);
            let sight = Sight { object, depth, shown: Shown::Post(post.clone()), is_beside };
            if !self.admit(store, upload, sight, &mut sifted)? {
                sifted.withheld.hold_post(&post.kind, &post.id);
            }
        }
        for account in &seen.accounts {
            let is_beside = own_account(upload) != Some(&*account.id);
            if !self.is_judged(&upload.network, ACCOUNT, is_beside) {
                continue;
            }
            let depth = upload.depth.saturating_add(u16::from(is_beside));
            let mut object = builder.account(account);
            builder.add_clinks(&mut object);
            let sight = Sight { object, depth, shown: Shown::Account(account.clone()), is_beside };
            if !self.admit(store, upload, sight, &mut sifted)? {
                sifted.withheld.accounts.insert(account.id.clone());
            }
        }
        for thing in &seen.things {
            if !self.is_judged(&upload.network, &thing.kind, true) {
                continue;
            }
            let depth = upload.depth.saturating_add(1);
            let mut object = builder.thing(thing);
            builder.add_clinks(&mut object);
            let sight = Sight { object, depth, shown: Shown::Thing(thing.clone()), is_beside: true };
            if !self.admit(store, upload, sight, &mut sifted)? {
                sifted.withheld.things.insert(End { kind: Arc::clone(&thing.kind), id: thing.id.clone() });
            }
        }
        self.sift_named(store, upload, &mut sifted)?;
        Ok(sifted)
    }

    /// Judges newcomers that the page only names: the author of a post, who follows whom.
    fn sift_named(&self, store: &dyn Store, upload: &Upload, sifted: &mut Sifted) -> Result<(), StoreError> {
        if !self.judge.speaks_of(Purpose::Discover, ACCOUNT, &upload.network) {
            return Ok(());
        }
        let seen = &upload.observation;
        let shown: Set<&str> = seen.accounts.iter().map(|account| account.id.as_str()).collect();
        let is_named = |id: &&str| !id.is_empty() && !shown.contains(id) && own_account(upload) != Some(*id);
        let named: Set<&str> = named_accounts(upload).filter(is_named).collect();
        for id in named {
            let object = Object::new(Address::new(&upload.network, ACCOUNT, id));
            let depth = upload.depth.saturating_add(1);
            let told = self.judge.judge(
                store,
                Purpose::Discover,
                Case { object: &object, depth, now: upload.seen_at },
            )?;
            if told.answer == Answer::No && store.account_of(&upload.network, id)?.is_none() {
                sifted.withheld.accounts.insert(id.to_owned());
            }
        }
        Ok(())
    }

    /// Whether the object goes into the store; if not yet, it is parked.
    fn admit(
        &mut self,
        store: &dyn Store,
        upload: &Upload,
        sight: Sight,
        sifted: &mut Sifted,
    ) -> Result<bool, StoreError> {
        let Sight { object, depth, shown, is_beside } = sight;
        let address = object.address.clone();
        // A tombstone has nothing to be judged by, and deletes what is stored.
        let is_gone = matches!(&shown, Shown::Post(Post { is_deleted: true, .. }));
        let case = Case { object: &object, depth, now: upload.seen_at };
        let is_new = || Ok::<_, StoreError>(!is_gone && !known::is_known(store, &address)?);
        if is_beside && self.judge.speaks_of(Purpose::Discover, &address.kind, &address.network) && is_new()?
        {
            let told = self.judge.judge(store, Purpose::Discover, case)?;
            if told.answer == Answer::No {
                return Ok(false);
            }
        }
        // Whatever the answer, what is stored is kept up to date: members need not be read for that.
        if self.asks_for_members && !is_gone && known::is_stored(store, &shown, &address)? {
            return Ok(true);
        }
        let (answer, known) = if is_gone {
            (Answer::No, None)
        } else {
            let told = self.judge.judge(store, Purpose::Store, case)?;
            (told.patiently(), told.known)
        };
        let Answer::CannotTell { missing } = answer else {
            sifted
                .unparked
                .extend(self.parking.unpark(&address).map(|parked| parked.object.address.to_string()));
            return Ok(answer == Answer::Yes);
        };
        // What is parked is written down as it was seen.
        let is_outside = matches!(&shown, Shown::Post(it) if upload.outside.has_post(&it.kind, &it.id));
        if is_outside || known::is_stored(store, &shown, &address)? || !store.keeps(upload)? {
            return Ok(false);
        }
        let (finder, object) = (upload.robot, known.unwrap_or(object));
        let arrival =
            Parked { finder, shown: Some(shown), ..Parked::new(object, missing, upload.seen_at, depth) };
        let before = self.parking.get(&address).cloned();
        let left = self.parking.park(arrival);
        sifted.unparked.extend(left.map(|left| left.object.address.to_string()));
        // A page shows the same posts again and again; only news of them are written down.
        let after = self.parking.get(&address).filter(|after| before.as_ref() != Some(after));
        let source = upload.source.as_ref().map(|source| source.id);
        sifted.parked.extend(after.map(|after| stored_form(after, source)));
        Ok(false)
    }

    /// The objects of this upload that something waits for.
    pub(super) fn awaited(&self, schema: &Schema, upload: &Upload) -> Vec<Object> {
        if self.parking.is_empty() {
            return Vec::new();
        }
        let seen = &upload.observation;
        let mut builder = Builder::new(&upload.network, schema, seen);
        let is_awaited =
            |kind: &str, id: &str| self.parking.is_about(&Address::new(&upload.network, kind, id));
        let posts = seen.posts.iter().filter(|post| !post.is_deleted && is_awaited(&post.kind, &post.id));
        let mut objects: Vec<Object> = posts.map(|post| builder.post(post)).collect();
        let accounts = seen.accounts.iter().filter(|account| is_awaited(ACCOUNT, &account.id));
        objects.extend(accounts.map(|account| builder.account(account)));
        let things = seen.things.iter().filter(|thing| is_awaited(&thing.kind, &thing.id));
        objects.extend(things.map(|thing| builder.thing(thing)));
        objects
    }
}

/// Ids of accounts that an upload names: authors, who follows whom, ends of links.
fn named_accounts(upload: &Upload) -> impl Iterator<Item = &str> {
    let seen = &upload.observation;
    let authors = seen.posts.iter().filter_map(|post| post.author.as_deref());
    let related = seen.relations.iter().flat_map(|it| [it.source.as_str(), it.target.as_str()]);
    let ends = seen.links.iter().flat_map(|link| [&link.from, &link.to]);
    let linked = ends.filter(|end| &*end.kind == ACCOUNT).map(|end| end.id.as_str());
    authors.chain(related).chain(linked)
}

/// The account whose source this is: it is not a step away.
fn own_account(upload: &Upload) -> Option<&str> {
    let source = upload.source.as_ref().filter(|source| &*source.root_kind == ACCOUNT);
    source.map(|source| source.root_id.as_str())
}
