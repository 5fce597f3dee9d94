//! Constraints between step 6 (read) and step 8 (apply): what is wanted goes into the store.
//!
//! Each object of an upload that a constraint speaks of is judged [SocWeb, section 3.2]: *yes* is
//! stored, *no* is withheld, *cannot tell* is withheld and parked until the property that is
//! missing arrives: with another look at the object, with an object it links to, or because the
//! store knows that one already. Parking and releasing travel in the uploads themselves, so they
//! are part of the one transaction, and the parking in memory can be read back from the store.
//!
//! An answer may stand on the members of a collection, as they are known now (`constrain/judge.rs`). Pages bring members, so
//! after each commit whoever waits for more of them, and owns a collection that has changed, is judged again (`constrain/touched.rs`).
//!
//! Withheld is not hidden: the page did show it, so coverage counts it as seen (the core has
//! computed that already), and what is stored of it is kept up to date and not missing. Without
//! constraints nothing is looked at here, but for what lies outside a focus that is all that is collected ([`focus::sift`]).

mod judge;
mod known;
pub mod revisit;
pub mod setting;
mod sift;
pub(crate) mod touched;

use std::sync::Arc;

use freshet_network::constraint::{Answer, Constraints, Parked, Parking, Purpose, Shown, Verdict};
use freshet_network::networks::Networks;
use freshet_store::api::{Flow, Store, StoreError};
use freshet_store::row::{self, Applied, Upload, Withheld};
use freshet_types::{Map, Object, Post, SourceId, Span, Timestamp, VisitId};

use crate::compare::compare;
use crate::focus;

pub(crate) use judge::Case;
pub use judge::{Judge, Told};

/// Released objects stored in one transaction, so that a change of the constraints holds nobody up.
const RELEASED_BATCH: usize = 1000;

/// Judges what uploads bring.
#[derive(Debug)]
pub(crate) struct Constrainer {
    judge: Judge,
    networks: Arc<Networks>,
    parking: Parking,
    /// What waits may wait for members of a collection.
    asks_for_members: bool,
    /// The store failed after the parking here had changed: the store's word counts.
    is_doubtful: bool,
}

/// The judge, where the parking asks: it knows no store, so a store that fails is told afterwards.
struct Bench<'a> {
    judge: &'a Judge,
    store: &'a dyn Store,
    now: Timestamp,
    failure: Option<StoreError>,
}

impl Bench<'_> {
    fn answer(&mut self, object: &Object, depth: u16) -> Answer {
        match self.judge.judge(self.store, Purpose::Store, Case { object, depth, now: self.now }) {
            Ok(told) => told.patiently(),
            Err(error) => {
                let missing = error.to_string();
                self.failure.get_or_insert(error);
                Answer::CannotTell { missing }
            }
        }
    }
}

impl Constrainer {
    /// No constraints yet; everything is wanted.
    pub(crate) fn new(networks: Arc<Networks>) -> Self {
        let judge = Judge::new(Arc::clone(&networks), Constraints::default());
        Self { judge, networks, parking: Parking::default(), asks_for_members: false, is_doubtful: false }
    }

    /// Who judges.
    pub(crate) fn judge(&self) -> &Judge {
        &self.judge
    }

    /// These constraints were in force before: what is parked is read from the store and stays as it was judged.
    pub(crate) fn go_on_with(&mut self, constraints: Constraints) {
        self.judge = Judge::new(Arc::clone(&self.networks), constraints);
        self.asks_for_members = self.judge.asks_for_members(Purpose::Store);
        self.is_doubtful = true;
    }

    /// Replaces the constraints; everything that is parked is read from the store and judged anew.
    pub(crate) fn replace(
        &mut self,
        store: &mut dyn Store,
        constraints: Constraints,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.judge = Judge::new(Arc::clone(&self.networks), constraints);
        self.asks_for_members = self.judge.asks_for_members(Purpose::Store);
        self.is_doubtful = true;
        let mut unparked = self.read_back(store)?;
        let (mut wanted, mut addresses) = (Vec::new(), Vec::new());
        let mut bench = Bench { judge: &self.judge, store, now, failure: None };
        let verdicts = self.parking.judge_all(&mut |object, depth| bench.answer(object, depth));
        bench.failure.map_or(Ok(()), Err)?;
        for verdict in verdicts {
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
        focus::sift(store, &mut released)?;
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
        focus::sift(store, uploads)?;
        let released = self.judge_uploads(store, uploads)?;
        let (causes, mut released): (Vec<usize>, Vec<Upload>) = released.into_iter().unzip();
        focus::sift(store, &mut released)?;
        uploads.extend(released);
        let mut applied = store.apply(uploads, compare)?;
        // The core waits for one answer for each upload it made; what was released joins its cause.
        let more = applied.split_off(own_count);
        for (cause, more) in causes.into_iter().zip(more) {
            join(&mut applied[cause], more);
        }
        for (upload, applied) in
            uploads.iter().zip(&mut applied).filter(|(upload, _)| !upload.withheld.posts.is_empty())
        {
            let is_withheld =
                |post: &&Post| !post.is_embedded && upload.withheld.has_post(&post.kind, &post.id);
            let withheld = upload.observation.posts.iter().filter(is_withheld);
            applied.withheld_posts = withheld.filter_map(|post| post.created_at).collect();
        }
        // What the pages brought is stored: whatever fails from here on is done again after the next start, at the latest.
        if let Err(error) = self.judge_touched(store, &uploads[..own_count], &mut applied) {
            tracing::warn!("what waits for members of a collection is judged again later: {error}");
            self.is_doubtful = true;
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
    fn judge_uploads(
        &mut self,
        store: &dyn Store,
        uploads: &mut [Upload],
    ) -> Result<Vec<(usize, Upload)>, StoreError> {
        if self.judge.constraints().is_empty() && self.parking.is_empty() {
            return Ok(Vec::new());
        }
        for upload in uploads.iter_mut() {
            let Some(network) = self.judge.network(&upload.network) else { continue };
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
            let Some(network) = self.judge.network(&upload.network) else { continue };
            let awaited = self.awaited(&network.schema, upload);
            // What waits takes in what it is told, and is written down with it.
            if awaited.is_empty() || !store.keeps(upload)? {
                continue;
            }
            for object in awaited {
                for verdict in self.offer(store, &object, upload.seen_at)? {
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

    /// Something is known of an object: what waits for it is judged again.
    fn offer(
        &mut self,
        store: &dyn Store,
        object: &Object,
        now: Timestamp,
    ) -> Result<Vec<Verdict>, StoreError> {
        let mut bench = Bench { judge: &self.judge, store, now, failure: None };
        let verdicts = self.parking.offer(object, &mut |object, depth| bench.answer(object, depth));
        bench.failure.map_or(Ok(verdicts), Err)
    }
}

/// Takes what was released into the answer about the upload that caused it.
fn join(applied: &mut Applied, more: Applied) {
    applied.new_posts.extend(more.new_posts);
    applied.new_account_count += more.new_account_count;
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
        Some(Shown::Thing(thing)) => {
            upload.depth = parked.depth.saturating_sub(1);
            upload.observation.things.push(thing);
        }
        None => {}
    }
    upload.unparked.push(address.to_string());
    Ok(upload)
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
