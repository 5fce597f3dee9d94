//! Constraints between step 6 (read) and step 8 (apply): what is wanted goes into the store.
//!
//! Each object of an upload that a constraint speaks of is judged [SocWeb, section 3.2]: *yes* is
//! stored, *no* is withheld, *cannot tell* is withheld and parked until the property that is
//! missing arrives: with another look at the object, with an object it links to, or because the
//! store knows that one already. Parking and releasing travel in the uploads themselves, so they
//! are part of the one transaction, and the parking in memory can be read back from the store.
//!
//! Withheld is not hidden: the page did show it, so coverage counts it as seen (the core has
//! computed that already), and what is stored of it is kept up to date and not missing. Without
//! constraints nothing is looked at here.

mod known;
pub mod setting;

use std::sync::Arc;

use freshet_network::constraint::{Answer, Constraints, Parked, Parking, Shown, Verdict};
use freshet_network::networks::{Network, Networks};
use freshet_network::robot::ACCOUNT;
use freshet_network::snapi::build::Builder;
use freshet_store::api::{Flow, Store, StoreError};
use freshet_store::row::{self, Applied, Upload, Withheld};
use freshet_types::{Address, Map, Object, Post, Schema, SourceId, Span, Timestamp, VisitId};

use crate::compare::compare;

/// Released objects stored in one transaction, so that a change of the constraints holds nobody up.
const RELEASED_BATCH: usize = 1000;

/// Judges what uploads bring.
#[derive(Debug)]
pub(crate) struct Constrainer {
    networks: Arc<Networks>,
    constraints: Constraints,
    parking: Parking,
    /// The store failed after the parking here had changed: the store's word counts.
    is_doubtful: bool,
}

/// What the constraints make of one upload.
#[derive(Debug, Default)]
struct Sifted {
    withheld: Withheld,
    parked: Vec<row::Parked>,
    unparked: Vec<String>,
}

impl Constrainer {
    /// No constraints yet; everything is wanted.
    pub(crate) fn new(networks: Arc<Networks>) -> Self {
        let (constraints, parking) = (Constraints::default(), Parking::default());
        Self { networks, constraints, parking, is_doubtful: false }
    }

    /// Replaces the constraints; everything that is parked is read from the store and judged anew.
    pub(crate) fn replace(
        &mut self,
        store: &mut dyn Store,
        constraints: Constraints,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.constraints = constraints;
        self.is_doubtful = true;
        let mut unparked = self.read_back(store)?;
        let (mut wanted, mut addresses) = (Vec::new(), Vec::new());
        for verdict in self.parking.judge_all(&self.constraints, now) {
            match verdict {
                Verdict::Wanted(parked) => {
                    addresses.push(parked.object.address.to_string());
                    wanted.push(parked);
                }
                Verdict::Unwanted(address) => unparked.push(address.to_string()),
                Verdict::Waits(_) => {}
            }
        }
        let mut released = Vec::with_capacity(wanted.len());
        for (parked, stored) in wanted.into_iter().zip(store.parked_of(&addresses)?) {
            let source = stored.and_then(|row| row.source);
            released.push(release(store, *parked, source, (VisitId(0), now))?);
        }
        store.unpark(&unparked)?;
        released.chunks(RELEASED_BATCH).try_for_each(|some| store.apply(some, compare).map(drop))?;
        self.is_doubtful = false;
        Ok(())
    }

    /// Fills the parking with what the store has; gives what found no place or cannot be read.
    fn read_back(&mut self, store: &dyn Store) -> Result<Vec<String>, StoreError> {
        self.parking = Parking::default();
        let mut unparked = Vec::new();
        store.each_parked(&mut |row| {
            match Parked::from_json(&row.object) {
                Ok(parked) => {
                    unparked.extend(self.parking.park(parked).map(|left| left.object.address.to_string()));
                }
                Err(error) => {
                    tracing::warn!("what was parked of `{}` cannot be read: {error}", row.address);
                    unparked.push(row.address);
                }
            }
            Flow::Continue(())
        })?;
        Ok(unparked)
    }

    /// Step 8 of 10 with constraints: judges the uploads and applies what is wanted of them. After an
    /// error the uploads are as they were, and may be applied again.
    pub(crate) fn apply(
        &mut self,
        store: &mut dyn Store,
        uploads: &mut Vec<Upload>,
    ) -> Result<Vec<(VisitId, Applied)>, StoreError> {
        if self.is_doubtful {
            self.read_back(store)?;
            self.is_doubtful = false;
        }
        let own_count = uploads.len();
        let result = self.judge_and_apply(store, uploads);
        if result.is_err() {
            self.is_doubtful = true;
            uploads.truncate(own_count);
            for upload in uploads {
                upload.withheld = Withheld::default();
                upload.parked.clear();
                upload.unparked.clear();
            }
        }
        result
    }

    fn judge_and_apply(
        &mut self,
        store: &mut dyn Store,
        uploads: &mut Vec<Upload>,
    ) -> Result<Vec<(VisitId, Applied)>, StoreError> {
        let own_count = uploads.len();
        let released = self.judge(store, uploads)?;
        let (causes, released): (Vec<usize>, Vec<Upload>) = released.into_iter().unzip();
        uploads.extend(released);
        let mut applied = store.apply(uploads, compare)?;
        // The core waits for one answer for each upload it made; what was released joins its cause.
        let more = applied.split_off(own_count);
        for (cause, more) in causes.into_iter().zip(more) {
            applied[cause].new_posts.extend(more.new_posts);
            applied[cause].new_account_count += more.new_account_count;
        }
        for (upload, applied) in
            uploads.iter().zip(&mut applied).filter(|(upload, _)| !upload.withheld.posts.is_empty())
        {
            let is_withheld = |post: &&Post| !post.is_embedded && upload.withheld.posts.contains(&post.id);
            let withheld = upload.observation.posts.iter().filter(is_withheld);
            applied.withheld_posts = withheld.filter_map(|post| post.created_at).collect();
        }
        Ok(uploads.iter().map(|upload| upload.visit).zip(applied).collect())
    }

    /// Drops what has waited longer than `max_age`; gives how many objects that were.
    pub(crate) fn drop_expired(
        &mut self,
        store: &mut dyn Store,
        now: Timestamp,
        max_age: Span,
    ) -> Result<u64, StoreError> {
        self.parking.expire(now, max_age);
        store.drop_parked(now - max_age)
    }

    /// Marks what is withheld, parked and unparked; gives what is released, each with the place of
    /// the upload that caused it.
    fn judge(
        &mut self,
        store: &dyn Store,
        uploads: &mut [Upload],
    ) -> Result<Vec<(usize, Upload)>, StoreError> {
        if self.constraints.is_empty() && self.parking.is_empty() {
            return Ok(Vec::new());
        }
        for upload in uploads.iter_mut() {
            let Some(network) = self.network(upload) else { continue };
            let sifted = self.sift(store, &network.schema, upload)?;
            upload.withheld = sifted.withheld;
            upload.parked.extend(sifted.parked);
            upload.unparked.extend(sifted.unparked);
        }
        let parked_now: Map<String, Option<SourceId>> = uploads
            .iter()
            .flat_map(|upload| upload.parked.iter().map(|row| (row.address.clone(), row.source)))
            .collect();
        let (mut wanted, mut addresses) = (Vec::new(), Vec::new());
        // Afterwards, so that what one page parks finds what a page before it in this batch brings.
        for (cause, upload) in uploads.iter_mut().enumerate() {
            let Some(network) = self.network(upload) else { continue };
            for object in self.awaited(&network.schema, upload) {
                for verdict in self.parking.offer(&object, &self.constraints, upload.seen_at) {
                    match verdict {
                        Verdict::Wanted(parked) => {
                            addresses.push(parked.object.address.to_string());
                            wanted.push((cause, upload.epoch, parked, (upload.visit, upload.seen_at)));
                        }
                        Verdict::Unwanted(address) => upload.unparked.push(address.to_string()),
                        Verdict::Waits(address) => {
                            upload.parked.extend(self.parking.get(&address).map(|it| stored_form(it, None)));
                        }
                    }
                }
            }
        }
        let mut released = Vec::with_capacity(wanted.len());
        let stored = store.parked_of(&addresses)?;
        for (((cause, epoch, parked, seen), stored), address) in
            wanted.into_iter().zip(stored).zip(&addresses)
        {
            let source = stored.map(|row| row.source).or_else(|| parked_now.get(address).copied());
            // Neither stored nor on its way there: it was forgotten meanwhile.
            if let Some(source) = source {
                let upload = release(store, *parked, source, seen)?;
                released.push((cause, Upload { epoch, ..upload }));
            }
        }
        Ok(released)
    }

    fn network(&self, upload: &Upload) -> Option<Arc<Network>> {
        self.networks.snapshot().get(upload.network.definition()).map(Arc::clone)
    }

    /// Whether a constraint speaks of objects of this type here.
    fn is_judged(&self, upload: &Upload, kind: &str) -> bool {
        self.constraints.iter().any(|constraint| {
            constraint.type_name() == kind
                && constraint.network().is_none_or(|name| name == upload.network.definition())
        })
    }

    fn sift(&mut self, store: &dyn Store, schema: &Schema, upload: &Upload) -> Result<Sifted, StoreError> {
        let mut sifted = Sifted::default();
        let seen = &upload.observation;
        let mut builder = Builder::new(&upload.network, schema, seen);
        for post in &seen.posts {
            if !self.is_judged(upload, &post.kind) {
                continue;
            }
            let depth = upload.depth.saturating_add(u16::from(post.is_embedded));
            let shown = Shown::Post(post.clone());
            let object = builder.post(post);
            if !self.admit(store, schema, upload, (object, depth, shown), &mut sifted)? {
                sifted.withheld.posts.insert(post.id.clone());
            }
        }
        if self.is_judged(upload, ACCOUNT) {
            for account in &seen.accounts {
                let is_own = own_account(upload) == Some(&*account.id);
                let depth = upload.depth.saturating_add(u16::from(!is_own));
                let shown = Shown::Account(account.clone());
                let object = builder.account(account);
                if !self.admit(store, schema, upload, (object, depth, shown), &mut sifted)? {
                    sifted.withheld.accounts.insert(account.id.clone());
                }
            }
        }
        Ok(sifted)
    }

    /// Whether the object goes into the store; if not yet, it is parked.
    fn admit(
        &mut self,
        store: &dyn Store,
        schema: &Schema,
        upload: &Upload,
        (mut object, depth, shown): (Object, u16, Shown),
        sifted: &mut Sifted,
    ) -> Result<bool, StoreError> {
        let address = object.address.clone();
        // A tombstone has nothing to be judged by, and deletes what is stored.
        let is_gone = matches!(&shown, Shown::Post(Post { is_deleted: true, .. }));
        let judge = |object: &Object| self.constraints.judge(object, depth, upload.seen_at);
        let mut answer = if is_gone { Answer::No } else { judge(&object) };
        if matches!(answer, Answer::CannotTell { .. }) {
            object = known::completed(store, schema, &object)?;
            answer = judge(&object);
        }
        let Answer::CannotTell { missing } = answer else {
            sifted
                .unparked
                .extend(self.parking.unpark(&address).map(|parked| parked.object.address.to_string()));
            return Ok(answer == Answer::Yes);
        };
        if known::is_stored(store, &shown, &address)? {
            return Ok(false);
        }
        let finder = upload.robot;
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
    fn awaited(&self, schema: &Schema, upload: &Upload) -> Vec<Object> {
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
        objects
    }
}

/// An upload that stores what waited, as the page of this source showed it.
fn release(
    store: &dyn Store,
    parked: Parked,
    source: Option<SourceId>,
    (visit, seen_at): (VisitId, Timestamp),
) -> Result<Upload, StoreError> {
    let address = parked.object.address;
    let mut upload = Upload::new(visit, address.network.clone(), seen_at);
    upload.brought_by = source;
    upload.robot = parked.finder;
    upload.depth = parked.depth;
    match parked.shown {
        // It came into the store in another way, and what waited here is older.
        Some(shown) if known::is_stored(store, &shown, &address)? => {}
        Some(Shown::Post(post)) => {
            upload.depth -= u16::from(post.is_embedded).min(parked.depth);
            upload.observation.posts.push(post);
        }
        Some(Shown::Account(account)) => {
            // The store counts accounts as one step further than the page.
            upload.depth = parked.depth.saturating_sub(1);
            upload.observation.accounts.push(account);
        }
        None => {}
    }
    upload.unparked.push(address.to_string());
    Ok(upload)
}

/// The account whose source this is: it is not a step away.
fn own_account(upload: &Upload) -> Option<&str> {
    let source = upload.source.as_ref().filter(|source| &*source.root_kind == ACCOUNT);
    source.map(|source| source.root_id.as_str())
}

fn stored_form(parked: &Parked, source: Option<SourceId>) -> row::Parked {
    row::Parked {
        address: parked.object.address.to_string(),
        missing: parked.missing.clone(),
        parked_at: parked.parked_at,
        object: parked.to_json(),
        source,
    }
}

#[cfg(test)]
mod tests;
