//! Streams as reports show them.

use freshet_types::{NetworkName, Span, Timestamp};

use super::super::Core;
use super::Stage;

/// What happened on a stream since the start.
#[derive(Clone, Debug, Default)]
pub(super) struct StreamTally {
    pub(super) messages_count: u64,
    /// Posts never seen before.
    pub(super) posts_count: u64,
    /// Messages that could not be used.
    pub(super) dropped_count: u64,
    /// Posts of sources that nobody watches.
    pub(super) unwatched_count: u64,
    /// Sources that became due by a message.
    pub(super) hints_count: u64,
    pub(super) connects_count: u64,
    pub(super) breaks_count: u64,
    /// When the server last said something.
    pub(super) heard_at: Option<Timestamp>,
    /// From posting to hearing, of the newest post.
    pub(super) lag: Option<Span>,
    /// Why it is not connected.
    pub(super) why: Option<String>,
}

/// A stream in a report.
#[derive(Clone, Debug)]
pub(crate) struct StreamView {
    pub(crate) network: NetworkName,
    pub(crate) name: String,
    pub(crate) transport: &'static str,
    /// The lists that it sends whole, and those of which it sends some.
    pub(crate) complete: Vec<String>,
    pub(crate) hinted: Vec<String>,
    /// Connected since then.
    pub(crate) connected_at: Option<Timestamp>,
    /// Without a hole since then.
    pub(crate) covers_since: Option<Timestamp>,
    pub(crate) heard_at: Option<Timestamp>,
    pub(crate) retry_at: Option<Timestamp>,
    pub(crate) lag: Option<Span>,
    pub(crate) messages_count: u64,
    pub(crate) posts_count: u64,
    pub(crate) dropped_count: u64,
    pub(crate) unwatched_count: u64,
    pub(crate) hints_count: u64,
    pub(crate) reconnects_count: u64,
    /// Requests that it took in this run, and visits that it spared.
    pub(crate) spent: f64,
    pub(crate) spared: f64,
    pub(crate) why: Option<String>,
}

impl Core {
    /// All streams, at most so many.
    pub(crate) fn stream_views(&self, max: usize) -> Vec<StreamView> {
        let lists = |stream: &super::Stream, proof: freshet_types::Proof| {
            let of = stream.info.covers.iter().filter(|cover| cover.proof == proof);
            of.map(|cover| cover.endpoint.to_string()).collect()
        };
        let view =
            |((key, name), stream): (&(freshet_types::ServerKey, std::sync::Arc<str>), &super::Stream)| {
                let connected_at = match stream.stage {
                    Stage::Connected { at, .. } => Some(at),
                    _ => stream.poll.since,
                };
                let tally = &stream.tally;
                let (spent, spared) = stream.worth.sums(stream.until);
                StreamView {
                    network: self.servers.network(*key).clone(),
                    name: name.to_string(),
                    transport: stream.info.transport.name(),
                    complete: lists(stream, freshet_types::Proof::Complete),
                    hinted: lists(stream, freshet_types::Proof::Hint),
                    connected_at,
                    covers_since: stream.since.filter(|_| connected_at.is_some()),
                    heard_at: tally.heard_at,
                    retry_at: matches!(stream.stage, Stage::Idle).then_some(stream.retry_at),
                    lag: tally.lag,
                    messages_count: tally.messages_count,
                    posts_count: tally.posts_count,
                    dropped_count: tally.dropped_count,
                    unwatched_count: tally.unwatched_count,
                    hints_count: tally.hints_count,
                    reconnects_count: tally.connects_count.saturating_sub(1),
                    spent,
                    spared,
                    why: tally.why.clone(),
                }
            };
        self.streams.all.iter().take(max).map(view).collect()
    }

    /// Whether what streams bring can be taken in now: whoever moves them does not read on while it cannot.
    pub fn takes_streams(&self) -> bool {
        !self.is_held && self.upload_count < self.options.uploads_max
    }
}
