//! Judging again what a page has touched: owners of collections that got or lost members, and objects that robots may not follow yet.
//!
//! It runs after the commit, so that the store's answer has the members in it. What could not be done then is done at the next
//! start, when everything that waits is judged anew.

use std::sync::Arc;

use freshet_network::constraint::{Purpose, Verdict};
use freshet_network::robot::ACCOUNT;
use freshet_store::api::{Store, StoreError};
use freshet_store::row::{Applied, Upload};
use freshet_types::{Address, LinkType, Object, Schema, Set};

use super::{Constrainer, join, release, stored_form};
use crate::compare::compare;
use crate::focus;

/// Addresses of one commit that are judged again; a commit holds a few hundred pages at most.
const TOUCHED_MAX: usize = 50_000;

impl Constrainer {
    /// Judges again whoever waits for members that these uploads have brought, and has held objects judged again.
    pub(super) fn judge_touched(
        &mut self,
        store: &mut dyn Store,
        uploads: &[Upload],
        applied: &mut [Applied],
    ) -> Result<(), StoreError> {
        if self.asks_for_members && !self.parking.is_empty() {
            for (upload, applied) in uploads.iter().zip(applied.iter_mut()) {
                self.release_owners(store, upload, applied)?;
            }
        }
        self.hasten(store, uploads)
    }

    /// Stores what waited for more members, and has them now.
    fn release_owners(
        &mut self,
        store: &mut dyn Store,
        upload: &Upload,
        applied: &mut Applied,
    ) -> Result<(), StoreError> {
        let Some(network) = self.judge.network(&upload.network) else { return Ok(()) };
        let mut released = Vec::new();
        for address in owners(upload, &network.schema) {
            if !self.parking.is_about(&address) {
                continue;
            }
            for verdict in self.offer(store, &Object::new(address), upload.seen_at)? {
                match verdict {
                    Verdict::Wanted(parked) => {
                        // One that is not in the store's list was forgotten meanwhile.
                        if let Some(row) = store.parked(&parked.object.address.to_string())? {
                            let seen = (upload.visit, upload.seen_at);
                            let more = release(store, *parked, row.source, seen)?;
                            released.push(Upload { epoch: upload.epoch, ..more });
                        }
                    }
                    Verdict::Unwanted(address) => store.unpark(&[address.to_string()])?,
                    Verdict::Waits(address) => {
                        let waits = self.parking.get(&address).map(|it| stored_form(it, None));
                        store.park(waits.as_slice())?;
                    }
                }
            }
        }
        if !released.is_empty() {
            focus::sift(store, &mut released)?;
            store.apply(&released, compare)?.into_iter().for_each(|more| join(applied, more));
        }
        Ok(())
    }

    /// Has objects judged again that robots make no sources of, where a page showed something of them.
    fn hasten(&self, store: &mut dyn Store, uploads: &[Upload]) -> Result<(), StoreError> {
        if !self.judge.constraints().has(Purpose::Follow) {
            return Ok(());
        }
        let mut touched = Set::default();
        for upload in uploads {
            let Some(network) = self.judge.network(&upload.network) else { continue };
            let is_meant = |it: &Address| self.judge.speaks_of(Purpose::Follow, &it.kind, &upload.network);
            touched.extend(touched_by(upload, &network.schema).filter(is_meant).take(TOUCHED_MAX));
        }
        let mut numbers = Vec::new();
        for address in touched.iter().take(TOUCHED_MAX) {
            let (kind, id) = (&*address.kind, address.id.as_str());
            let found = if kind == ACCOUNT {
                store.account_of(&address.network, id)?.map(|row| row.object)
            } else if let Some(row) = store.post_of(&address.network, kind, id)? {
                Some(row.object)
            } else {
                store
                    .things_of(&address.network, &[(kind, id)])?
                    .into_iter()
                    .flatten()
                    .next()
                    .map(|it| it.object)
            };
            numbers.extend(found);
        }
        if numbers.is_empty() { Ok(()) } else { store.hasten_held(Some(&numbers)) }
    }
}

/// The link from an answer to what it answers.
const REPLY_TO: &str = "reply_to";

/// Everything that an upload tells something new of.
pub(crate) fn touched_by(upload: &Upload, schema: &Schema) -> impl Iterator<Item = Address> {
    let seen = &upload.observation;
    let network = &upload.network;
    let posts = seen.posts.iter().map(|post| Address::new(network, &post.kind, &post.id));
    let accounts = seen.accounts.iter().map(|account| Address::new(network, ACCOUNT, &account.id));
    let things = seen.things.iter().map(|thing| Address::new(network, &thing.kind, &thing.id));
    posts.chain(accounts).chain(things).chain(owners(upload, schema))
}

/// Owners of collections that an upload may have changed, each once.
fn owners(upload: &Upload, schema: &Schema) -> Set<Address> {
    let seen = &upload.observation;
    let mut owners = Set::default();
    let mut note = |kind: &str, id: &str| {
        if !id.is_empty() {
            owners.insert(Address::new(&upload.network, kind, id));
        }
    };
    for post in &seen.posts {
        if let Some(author) = &post.author {
            note(ACCOUNT, author);
        }
        let links = schema.types.get(&*post.kind).map(|it| &it.links);
        let reply = links.and_then(|links| links.get(REPLY_TO));
        if let (Some(id), Some(LinkType::C(kind))) = (&post.reply_to, reply) {
            note(kind, id);
        }
    }
    for relation in &seen.relations {
        note(ACCOUNT, &relation.source);
        note(ACCOUNT, &relation.target);
    }
    for link in seen.links.iter().filter(|link| link.is_member) {
        note(&link.from.kind, &link.from.id);
    }
    if let Some(swept) = &upload.relations_swept {
        note(ACCOUNT, &swept.account);
    }
    if let Some(swept) = &upload.links_swept {
        note(&Arc::clone(&swept.from.kind), &swept.from.id);
    }
    owners
}
