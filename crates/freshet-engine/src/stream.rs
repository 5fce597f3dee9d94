//! The messages about streams between the core and whoever carries them out: an order to open, what comes, how it ended.
//!
//! The third shape beside asking and reading. [`Hearing`] turns frames into a batch by the connector that the order names, whoever
//! moves the frames (tokio's shell, the simulator's); [`sift`] leaves of a batch what is of a watched source, before it is stored. What
//! is opened, who is covered and when to try again is decided in `core/streams.rs`.

use std::sync::Arc;

use freshet_fetch::stream::{Frame, Opened};
use freshet_store::api::{Store, StoreError};
use freshet_store::row::{SourceSlot, StreamMark, StreamRow, Upload, WatchedQuery, WatchedRow};
use freshet_types::{
    Complaint, Connector, Cover, CursorTrouble, DefinitionVersion, Fault, Heard, Instance, NetworkName,
    Observation, Proof, Request, Response, Set, Span, StreamTarget, Timestamp, Transport,
};

/// Messages in one batch: enough to fill a transaction, few enough to be seen soon.
pub(crate) const MESSAGES_MAX: usize = 256;
/// Posts and deletions in one batch, of messages that hold many each.
const SHOWN_MAX: usize = 4096;
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
    /// The server said that the cursor was no good.
    pub trouble: Option<CursorTrouble>,
    /// Roots whose lists are to be visited.
    pub revisit: Vec<String>,
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
        let says_nothing = heard.observation == Observation::default()
            && heard.deleted.is_empty()
            && heard.revisit.is_empty();
        batch.messages_count += 1;
        batch.dropped_count += u64::from(says_nothing && !heard.complaints.is_empty());
        batch.cursor = heard.cursor.or(batch.cursor.take());
        batch.trouble = heard.trouble.or(batch.trouble);
        // What comes later counts: a post that is there again after it was gone is not gone.
        if !batch.deleted.is_empty() {
            let is_there = |id: &String| heard.observation.posts.iter().any(|post| post.id == *id);
            batch.deleted.retain(|(_, id)| !is_there(id));
        }
        batch.deleted.extend(heard.deleted);
        batch.revisit.extend(heard.revisit);
        batch.observation.append(heard.observation);
        complain(batch, heard.complaints);
    }

    /// Whether no more goes into one batch.
    pub fn is_full(&self) -> bool {
        let shown_count =
            self.batch.observation.posts.len() + self.batch.deleted.len() + self.batch.revisit.len();
        self.batch.messages_count >= MESSAGES_MAX as u64 || shown_count >= SHOWN_MAX
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

/// What a batch is worth, once it is stored.
#[derive(Debug)]
pub struct Sifted {
    pub stream: StreamName,
    /// Posts of sources that nobody watches.
    pub unwatched_count: u64,
    /// Sources that are due because of what came.
    pub hints: Vec<SourceSlot>,
    /// How long the policy had planned between two visits to those that it is about, on average.
    pub gap: Option<Span>,
}

/// Of whom a batch is, of those who are watched.
#[derive(Debug, Default)]
struct Audience {
    /// The whole server is watched.
    takes_all: bool,
    /// Accounts whose posts are wanted.
    watched: Set<String>,
    hints: Vec<SourceSlot>,
    depth: u16,
    /// Planned gaps: their sum, and how many.
    gaps: (Span, u32),
}

/// Leaves of what a stream brought the posts of watched sources, and of accounts those who wrote them or are watched themselves.
/// After an error the upload is as it was, and may be sifted again.
pub(crate) fn sift(store: &dyn Store, upload: &mut Upload) -> Result<Option<Sifted>, StoreError> {
    let Some(mark) = upload.stream.clone() else { return Ok(None) };
    let stream = StreamName { network: upload.network.clone(), name: Arc::clone(&mark.name) };
    let Audience { takes_all, watched, hints, depth, gaps } = audience(store, upload, &mark)?;
    upload.depth = upload.depth.max(depth);
    let (mut is_kept, mut unwatched_count) = (false, 0);
    let seen = &mut upload.observation;
    seen.posts.retain(|post| {
        // What stands inside a post goes with it.
        if !post.is_embedded {
            is_kept = takes_all || post.author.as_ref().is_some_and(|author| watched.contains(author));
            unwatched_count += u64::from(!is_kept);
        }
        is_kept
    });
    let Observation { posts, mut accounts, .. } = std::mem::take(seen);
    if !accounts.is_empty() {
        let writers: Set<&String> = posts.iter().filter_map(|post| post.author.as_ref()).collect();
        accounts.retain(|account| writers.contains(&account.id) || watched.contains(&account.id));
    }
    *seen = Observation { posts, accounts, ..Observation::default() };
    let gap = (gaps.1 > 0).then(|| gaps.0 * (1.0 / f64::from(gaps.1)));
    Ok(Some(Sifted { stream, unwatched_count, hints, gap }))
}

/// Asks the store who of those that a batch is about is watched.
fn audience(store: &dyn Store, upload: &Upload, mark: &StreamMark) -> Result<Audience, StoreError> {
    let mut found = Audience::default();
    let Observation { posts, accounts, .. } = &upload.observation;
    let listed = posts.iter().filter(|post| !post.is_embedded);
    let authors: Set<&String> = listed.filter_map(|post| post.author.as_ref()).collect();
    let others: Set<&String> =
        accounts.iter().map(|account| &account.id).filter(|id| !authors.contains(id)).collect();
    for cover in &mark.covers {
        if cover.is_server {
            let query =
                WatchedQuery { network: &upload.network, endpoint: &cover.endpoint, roots: None, limit: 1 };
            let rows = if posts.is_empty() { Vec::new() } else { store.watched(&query)? };
            found.takes_all |= !rows.is_empty();
            found.add_rows(rows, cover, upload.seen_at);
            continue;
        }
        // Who is known to be watched need not be asked about again, unless that is to make a list due.
        let is_asked = |id: &&&String| cover.proof == Proof::Hint || !found.watched.contains(**id);
        let roots = sorted(authors.iter().filter(is_asked));
        let rows = watched_of(store, upload, cover, &roots)?;
        found.add_rows(rows, cover, upload.seen_at);
        let rows = watched_of(store, upload, cover, &sorted(others.iter()))?;
        found.watched.extend(rows.into_iter().map(|row| row.root_id));
        let rows = watched_of(store, upload, cover, &mark.revisit)?;
        // Nothing else shows what changed, so these are due at once.
        found.hints.extend(rows.into_iter().map(|row| SourceSlot { due_at: upload.seen_at, ..row.slot }));
    }
    Ok(found)
}

/// Ids in their order, so that the same batch asks the same.
fn sorted<'a>(ids: impl Iterator<Item = &'a &'a String>) -> Vec<String> {
    let mut ids: Vec<String> = ids.map(|id| (*id).clone()).collect();
    ids.sort_unstable();
    ids
}

impl Audience {
    /// Takes in the sources that a list of a stream is for.
    fn add_rows(&mut self, rows: Vec<WatchedRow>, cover: &Cover, seen_at: Timestamp) {
        self.depth = rows.iter().map(|row| row.depth).fold(self.depth, u16::max);
        for (visited_at, row) in rows.iter().filter_map(|row| Some((row.visited_at?, row))) {
            let gap = (row.slot.due_at - visited_at).max(Span::ZERO);
            self.gaps = (self.gaps.0 + gap, self.gaps.1 + 1);
        }
        if cover.proof == Proof::Hint {
            self.hints.extend(rows.iter().filter_map(|row| hint(row, seen_at)));
        }
        if !cover.is_server {
            self.watched.extend(rows.into_iter().map(|row| row.root_id));
        }
    }
}

/// The sources of these roots that a stream covers.
fn watched_of(
    store: &dyn Store,
    upload: &Upload,
    cover: &Cover,
    roots: &[String],
) -> Result<Vec<WatchedRow>, StoreError> {
    if roots.is_empty() {
        return Ok(Vec::new());
    }
    let (network, endpoint) = (&upload.network, &*cover.endpoint);
    store.watched(&WatchedQuery { network, endpoint, roots: Some(roots), limit: WATCHED_MAX })
}

/// When a source is due because of a hint; one that was never visited is due anyway.
fn hint(row: &WatchedRow, seen_at: Timestamp) -> Option<SourceSlot> {
    let due_at = seen_at.max(row.visited_at? + HINT_GAP);
    Some(SourceSlot { due_at, ..row.slot.clone() })
}

#[cfg(test)]
mod tests;
