//! Step 9 of 10: deliver. The change log from a cursor, to a subscriber, at least once.
//!
//! A subscription has a name; under it the store remembers how far the subscriber has got.
//! Records are written and flushed first, the cursor moves after: dying in between delivers
//! twice, never zero times. A post is delivered as it is now, once per batch, however often it
//! changed; a post that was erased since is left out.

mod file;

use freshet_sink::{Sink, SinkError};
use freshet_store::api::{Store, StoreError};
use freshet_types::Set;

use crate::record::post_record;

/// Changes delivered between two moves of the cursor.
const BATCH: usize = 1000;

/// Why delivery stopped.
#[derive(Debug, thiserror::Error)]
pub enum DeliverError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file of a subscription cannot be used.
    #[error("`{path}` cannot be delivered to: {why}")]
    File {
        /// Which file.
        path: String,
        /// What is wrong with it.
        why: std::io::Error,
    },
    /// The subscriber does not take it.
    #[error("`{name}` takes no more: {why}")]
    Sink {
        /// Which subscription.
        name: String,
        /// What it said.
        why: SinkError,
    },
}

/// Somebody who wants every new, edited and deleted post.
pub struct Subscription {
    name: String,
    sink: Box<dyn Sink>,
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Subscription {
    /// A subscription of this name into a sink for posts.
    pub fn new(name: impl Into<String>, sink: Box<dyn Sink>) -> Self {
        Self { name: name.into(), sink }
    }

    /// Delivers one batch; gives how many changes were taken from the log, 0 at its end.
    pub fn deliver(&mut self, store: &mut dyn Store) -> Result<usize, DeliverError> {
        let consumer = format!("deliver:{}", self.name);
        let changes = store.changes_above(store.cursor(&consumer)?, BATCH)?;
        let Some(last) = changes.last() else { return Ok(0) };
        let mut delivered: Set<u64> = Set::default();
        for change in &changes {
            if !delivered.insert(change.object) {
                continue;
            }
            if let Some(row) = store.post(change.object)? {
                self.sink.write(&post_record(row)).map_err(|why| self.refused(why))?;
            }
        }
        self.sink.flush().map_err(|why| self.refused(why))?;
        store.set_cursor(&consumer, last.number)?;
        Ok(changes.len())
    }

    fn refused(&self, why: SinkError) -> DeliverError {
        DeliverError::Sink { name: self.name.clone(), why }
    }
}
