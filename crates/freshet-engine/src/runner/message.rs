//! The messages of the runner's one door: inputs in, outputs out, each at a moment.
//!
//! Whatever moves a run (tokio, the virtual clock, tests) knows these types and [`super::Runner`], nothing else. What the run
//! reads from the store is an output, and its answer an input; so is long work, which reads and writes nothing.

use freshet_report::run::{RunStatus, SubscriberStatus};
use freshet_store::api::StoreError;
use freshet_store::row::Upload;
use freshet_store::subscription::SubscriptionRow;
use freshet_types::{NetworkName, Span};

use super::work::Work;
use crate::core::Event;
use crate::fetcher::FetcherState;
use crate::order::{FetcherId, Order, OrderId};
use crate::question::{Question, Reply};
use crate::stream::{StreamId, StreamOrder};
use crate::writer::{Job, Told};

/// Everything that can make a run do something.
#[derive(Debug)]
pub enum Input {
    /// The run begins: it loads what the store knows.
    Start,
    /// Time has passed; how far the clock of the crawl is ahead of the one that it follows.
    Tick(Span),
    /// Something for the core: from a fetcher, from [`Work`], from whoever learns a forum anew.
    Event(Event),
    /// The writer tells something.
    Told(Told),
    /// What a question came to.
    Reply(Question, Result<Reply, StoreError>),
    /// Somebody has left a wish in the store: it is looked for at once.
    Wish,
    /// What the shell sees of fetchers and subscribers, for a report.
    Looked(Look),
    /// Somebody wants the run to end.
    Stop,
    /// The subscribers have caught up, or their time is over.
    Parted(Look),
    /// The writer has ended.
    WriterEnded,
}

/// Everything a run can want.
#[derive(Debug)]
pub enum Output {
    /// Let this fetcher carry out this order; the answer is an [`Input::Event`].
    Fetch(FetcherId, Box<Order>),
    /// Tell this fetcher that nobody waits for the answer to this order any more.
    Cancel(FetcherId, OrderId),
    /// Give the writer this job.
    Job(Job),
    /// Read this, and answer with [`Input::Reply`].
    Ask(Question),
    /// Compute this beside the run; what comes of it is an [`Input::Event`].
    Work(Work),
    /// Open this stream; what comes of it are [`Input::Event`]s.
    OpenStream(Box<StreamOrder>),
    /// Close this stream.
    CloseStream(StreamId),
    /// Look for definitions that changed on disk.
    Reload,
    /// Let somebody learn this forum anew.
    Relearn(NetworkName),
    /// The oldest request that waits to be granted for this network may leave.
    Granted(NetworkName),
    /// From now on these are the subscriptions: those that run get changes, and nobody else.
    Subscriptions(Vec<SubscriptionRow>),
    /// A report is due: answer with [`Input::Looked`].
    Look,
    /// A new report, for whoever draws.
    Report(Box<RunStatus>),
    /// What was applied, to be freed.
    Free(Vec<Upload>),
    /// Let the subscribers catch up until this wall time at the latest, and answer with [`Input::Parted`].
    Part(u64),
    /// The run has ended; its last report.
    Ended(Box<RunStatus>),
}

/// What the shell sees.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// What the fetchers are doing.
    pub fetchers: Vec<FetcherState>,
    /// How far the subscribers have got.
    pub subscribers: Vec<SubscriberStatus>,
}
