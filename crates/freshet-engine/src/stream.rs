//! The messages about streams between the core and whoever carries them out: an order to open, what comes, how it ended.
//!
//! The third shape beside asking and reading. [`Hearing`] turns frames into a batch by the connector that the order names, whoever
//! moves the frames (tokio's shell, the simulator's); [`sift`] leaves of a batch what is of a watched source, before it is stored. What
//! is opened, who is covered and when to try again is decided in `core/streams.rs`.

use std::sync::Arc;

use freshet_fetch::stream::{Frame, Opened};
use freshet_store::api::{Store, StoreError};
use freshet_store::row::{SourceSlot, StreamRow, Upload, WatchedQuery, WatchedRow};
use freshet_types::{
    Complaint, Connector, DefinitionVersion, Fault, Heard, Instance, NetworkName, Observation, Proof,
    Request, Response, Set, Span, StreamTarget, Timestamp, Transport,
};

/// Messages in one batch: enough to fill a transaction, few enough to be seen soon.
pub(crate) const MESSAGES_MAX: usize = 256;
/// Complaints kept of one batch; the rest is counted.
const COMPLAINTS_MAX: usize = 20;
/// A source that a hint is about was not visited for at least so long: who posts ten times a minute is visited once.
const HINT_GAP: Span = Span::MINUTE;
/// Sources that one batch may be about.
const WATCHED_MAX: usize = 10_000;

/// One connection of one stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u64);

/// Which stream.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamName {
    pub network: NetworkName,
    pub name: Arc<str>,
}

/// What the core must know of a stream before it opens it.
#[derive(Clone, Debug)]
pub struct StreamAsk {
    pub stream: StreamName,
    /// The lists that it covers.
    pub endpoints: Vec<Arc<str>>,
    /// Roots that a connection names at most; with 0, whether there is a source at all.
    pub named_max: usize,
}

/// What the store knows of it.
#[derive(Debug)]
pub struct StreamFound {
    pub stream: StreamName,
    pub row: Option<StreamRow>,
    /// Roots of its sources, as many as a connection may name.
    pub roots: Vec<String>,
}

/// A stream to be opened.
#[derive(Clone, Debug)]
pub struct StreamOrder {
    pub id: StreamId,
    pub request: Request,
    pub transport: Transport,
    /// The version of the definition it was made by.
    pub version: DefinitionVersion,
    pub instance: Arc<Instance>,
    pub name: Arc<str>,
}

/// What came through a connection since the last batch; without messages, that it is alive.
#[derive(Debug, Default)]
pub struct StreamBatch {
    pub observation: Observation,
    /// Objects that are said to be gone: type and id.
    pub deleted: Vec<(String, String)>,
    /// Where a later connection goes on after this batch.
    pub cursor: Option<String>,
    pub complaints: Vec<Complaint>,
    pub received_at: Timestamp,
    pub messages_count: u64,
    /// Messages that could not be used.
    pub dropped_count: u64,
}

/// How a connection ended, or why there was none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    /// It closed or broke, or the server could not be reached: it is tried again soon.
    Broken(String),
    /// The server said no, or has no such stream: it is tried again late.
    Refused(String),
    /// Too many requests; not before so long.
    TooMany(String, Option<Span>),
}

impl StreamEnd {
    /// What a fault means.
    pub fn of_fault(fault: &Fault) -> Self {
        let why = fault.message.clone();
        if fault.is_retryable() { Self::Broken(why) } else { Self::Refused(why) }
    }

    /// What an answer means that is no stream.
    pub(crate) fn of_answer(response: &Response) -> Self {
        let status = response.status;
        let why = format!("the server answered {status} where a stream was asked for");
        match status {
            429 | 503 => {
                let wait = response.header("retry-after").and_then(|text| text.trim().parse::<u32>().ok());
                Self::TooMany(why, wait.map(|secs| Span::from_secs(i64::from(secs))))
            }
            500..=599 => Self::Broken(why),
            _ => Self::Refused(why),
        }
    }

    /// What came of opening where no stream did.
    pub fn of_opening(opened: &Result<Opened, Fault>) -> Option<Self> {
        match opened {
            Ok(Opened::Stream(_)) => None,
            Ok(Opened::Refused(response)) => Some(Self::of_answer(response)),
            Err(fault) => Some(Self::of_fault(fault)),
        }
    }
}

/// A batch in the making.
#[derive(Debug, Default)]
pub struct Hearing {
    batch: StreamBatch,
}

impl Hearing {
    /// Takes in a frame, as its connector reads it.
    pub fn add_frame(
        &mut self,
        frame: Frame,
        connector: &dyn Connector,
        order: &StreamOrder,
        now: Timestamp,
    ) {
        let batch = &mut self.batch;
        let message = match frame {
            Frame::Alive => return,
            Frame::Dropped(why) => {
                batch.messages_count += 1;
                batch.dropped_count += 1;
                return complain(batch, vec![Complaint::new("message", why)]);
            }
            Frame::Message(message) => message,
        };
        let target = StreamTarget {
            instance: &order.instance,
            name: &order.name,
            credential: None,
            cursor: None,
            roots: &[],
        };
        let heard: Heard = connector.read_message(&target, &message, now);
        let says_nothing = heard.observation == Observation::default() && heard.deleted.is_empty();
        batch.messages_count += 1;
        batch.dropped_count += u64::from(says_nothing && !heard.complaints.is_empty());
        batch.cursor = heard.cursor.or(batch.cursor.take());
        batch.deleted.extend(heard.deleted);
        merge(&mut batch.observation, heard.observation);
        complain(batch, heard.complaints);
    }

    /// Whether no more goes into one batch.
    pub fn is_full(&self) -> bool {
        self.batch.messages_count >= MESSAGES_MAX as u64
    }

    /// What was taken in.
    pub fn finish(self, received_at: Timestamp) -> StreamBatch {
        StreamBatch { received_at, ..self.batch }
    }
}

fn complain(batch: &mut StreamBatch, complaints: Vec<Complaint>) {
    let room = COMPLAINTS_MAX.saturating_sub(batch.complaints.len());
    batch.complaints.extend(complaints.into_iter().take(room));
}

/// Adds what one message showed. Of an object that is shown twice the later form is stored, as of two pages.
fn merge(all: &mut Observation, one: Observation) {
    all.posts.extend(one.posts);
    all.accounts.extend(one.accounts);
    all.relations.extend(one.relations);
    all.tags.extend(one.tags);
    all.leads.extend(one.leads);
    all.things.extend(one.things);
    all.links.extend(one.links);
}

/// What a batch is worth, once it is stored.
#[derive(Debug)]
pub struct Sifted {
    pub stream: StreamName,
    /// Posts of sources that nobody watches.
    pub unwatched_count: u64,
    /// Sources that are due because of what came.
    pub hints: Vec<SourceSlot>,
}

/// Leaves of what a stream brought the posts of watched sources, and of accounts those who wrote them.
pub(crate) fn sift(store: &dyn Store, upload: &mut Upload) -> Result<Option<Sifted>, StoreError> {
    let Some(mark) = upload.stream.clone() else { return Ok(None) };
    let stream = StreamName { network: upload.network.clone(), name: Arc::clone(&mark.name) };
    let posts = std::mem::take(&mut upload.observation.posts);
    let listed = posts.iter().filter(|post| !post.is_embedded);
    let authors: Set<&String> = listed.filter_map(|post| post.author.as_ref()).collect();
    let mut authors: Vec<String> = authors.into_iter().cloned().collect();
    authors.sort_unstable();
    let (mut takes_all, mut watched, mut hints) = (false, Set::default(), Vec::new());
    for cover in mark.covers.iter().filter(|_| !posts.is_empty()) {
        let roots = (!cover.is_server).then_some(authors.as_slice());
        let limit = if cover.is_server { 1 } else { WATCHED_MAX };
        let query = WatchedQuery { network: &upload.network, endpoint: &cover.endpoint, roots, limit };
        let rows = store.watched(&query)?;
        takes_all |= cover.is_server && !rows.is_empty();
        upload.depth = rows.iter().map(|row| row.depth).fold(upload.depth, u16::max);
        if cover.proof == Proof::Hint {
            hints.extend(rows.iter().filter_map(|row| hint(row, upload.seen_at)));
        }
        if !cover.is_server {
            watched.extend(rows.into_iter().map(|row| row.root_id));
        }
    }
    let (mut is_kept, mut unwatched_count) = (false, 0);
    for post in posts {
        // What stands inside a post goes with it.
        if !post.is_embedded {
            is_kept = takes_all || post.author.as_ref().is_some_and(|author| watched.contains(author));
            unwatched_count += u64::from(!is_kept);
        }
        if is_kept {
            upload.observation.posts.push(post);
        }
    }
    let Observation { posts, mut accounts, .. } = std::mem::take(&mut upload.observation);
    let writers: Set<String> = posts.iter().filter_map(|post| post.author.clone()).collect();
    accounts.retain(|account| writers.contains(&account.id));
    upload.observation = Observation { posts, accounts, ..Observation::default() };
    Ok(Some(Sifted { stream, unwatched_count, hints }))
}

/// When a source is due because of a hint; one that was never visited is due anyway.
fn hint(row: &WatchedRow, seen_at: Timestamp) -> Option<SourceSlot> {
    let due_at = seen_at.max(row.visited_at? + HINT_GAP);
    Some(SourceSlot { due_at, ..row.slot.clone() })
}

#[cfg(test)]
mod tests;
