//! Two stores read as one: what everybody may see, and over it what one viewer sees.
//!
//! | question | answer |
//! |---|---|
//! | about objects and links | both; where both have an object, the viewer's |
//! | about sources | both; their numbers are given once over all stores |
//! | about the change log | that of everybody first, then the viewer's, whose numbers stand above [`OWN`] |
//! | about quotas, robots, constraints, settings | the store that all share |
//! | about subscriptions | the viewer's alone |
//!
//! What a person changes goes where the thing is that is changed; what is added is the viewer's. Pages are never written through this
//! ([`Apply`](crate::api::Apply) goes to the viewer's store alone), and a run does not use it: it reads and writes each store for itself.
//!
//! | room | roles |
//! |---|---|
//! | [`objects`] | reading rows, and the change log |
//! | [`around`] | looking around |
//! | [`wishes`] | sources, and all that people change |

mod around;
mod objects;
mod wishes;

use freshet_types::{Source, SourceId, Viewer};

use crate::api::{Rows, Store, StoreError};

/// The number above which those of the viewer's objects and changes stand. Below 2^53, so that numbers survive JSON.
pub(crate) const OWN: u64 = 1 << 52;

/// What one viewer sees.
#[derive(Debug)]
pub struct Viewed {
    public: Box<dyn Store>,
    own: Box<dyn Store>,
    viewer: Viewer,
    /// Sources of everybody are not shown: somebody changes what the viewer has.
    is_for_changes: bool,
}

impl Viewed {
    /// The store of everybody, and that of the viewer over it.
    pub fn new(public: Box<dyn Store>, own: Box<dyn Store>, viewer: &str) -> Self {
        Self { public, own, viewer: viewer.into(), is_for_changes: false }
    }

    /// The same for whoever changes something.
    #[must_use]
    pub fn for_changes(self) -> Self {
        Self { is_for_changes: true, ..self }
    }

    /// What is the viewer's alone.
    pub fn own(&self) -> &dyn Store {
        &*self.own
    }

    /// The viewer's source of this number.
    fn own_source(&self, id: SourceId) -> Result<Option<Source>, StoreError> {
        Ok(self.own.source(id)?.map(|source| self.mine(source)))
    }

    fn mine(&self, source: Source) -> Source {
        Source { viewer: Some(self.viewer.clone()), ..source }
    }

    /// A page of rows by number: those of everybody first, without those that the viewer sees differently, then the viewer's.
    fn rows<T>(
        &self,
        above: u64,
        read: impl Fn(&dyn Store, u64) -> Result<Rows<T>, StoreError>,
        unseen: impl FnOnce(&dyn Store, Vec<T>) -> Result<Vec<T>, StoreError>,
        renumber: impl Fn(&mut T, u64),
    ) -> Result<Rows<T>, StoreError> {
        if above < OWN {
            let page = read(&*self.public, above)?;
            let next = Some(page.next.unwrap_or(OWN));
            return Ok(Rows { rows: unseen(&*self.own, page.rows)?, next });
        }
        let mut page = read(&*self.own, above - OWN)?;
        page.rows.iter_mut().for_each(|row| renumber(row, OWN));
        Ok(Rows { next: page.next.map(|next| next + OWN), ..page })
    }

    /// What these numbers mean, each in its store, in the order asked for.
    fn numbered<T>(
        &self,
        numbers: &[u64],
        read: impl Fn(&dyn Store, &[u64]) -> Result<Vec<Option<T>>, StoreError>,
    ) -> Result<Vec<Option<T>>, StoreError> {
        let of = |is_own: bool| -> Vec<u64> {
            let some = numbers.iter().filter(|number| (**number >= OWN) == is_own);
            some.map(|number| number & (OWN - 1)).collect()
        };
        let mut public = read(&*self.public, &of(false))?.into_iter();
        let mut own = read(&*self.own, &of(true))?.into_iter();
        let next = |number: &u64| if *number >= OWN { own.next() } else { public.next() };
        Ok(numbers.iter().map(next).map(Option::flatten).collect())
    }
}

/// The viewer's answers, and where there is none, those of everybody.
fn over<T>(own: Vec<Option<T>>, public: Vec<Option<T>>) -> Vec<Option<T>> {
    own.into_iter().zip(public).map(|(own, public)| own.or(public)).collect()
}

/// Both, each once.
fn both<T: PartialEq>(mut own: Vec<T>, public: Vec<T>, limit: usize) -> Vec<T> {
    for one in public {
        if !own.contains(&one) {
            own.push(one);
        }
    }
    own.truncate(limit);
    own
}

#[cfg(test)]
mod tests;
