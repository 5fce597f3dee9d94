//! The messages of the core's one door: events in, effects out, each at a moment.
//!
//! Whatever moves the core (tokio, the virtual clock, tests) knows these types and the queries of [`super::Core`],
//! nothing else. A reading of the store that the core needs is an effect, and its answer an event.

use std::ops::Range;

use freshet_policy::mixture::Mixture;
use freshet_store::control::GuestAsk;
use freshet_store::row::{Applied, RobotRow, SourceSlot, StalePage, Upload};
use freshet_types::{Instance, NetworkName, Request, Source, SourceId, Timestamp, VisitId};

use crate::budget::Budgets;
use crate::calendar::Compiled;
use crate::forum::Trained;
use crate::order::{Fetched, FetcherId, Order, OrderId};
use crate::pages::AgesOf;
use crate::price::Memory;
use crate::quota::{Ledger, Reservation};
use crate::relearn::Notes;
use crate::stream::{Sifted, StreamAsk, StreamBatch, StreamEnd, StreamFound, StreamId, StreamOrder};

/// When something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// By the clock of the crawl: what everything is planned by.
    pub now: Timestamp,
    /// Wall time since the start, in milliseconds: what leases end by.
    pub wall_ms: u64,
}

/// What an earlier process left in the store for the next one.
#[derive(Debug, Default)]
pub struct Restored {
    /// What was spent of the quotas.
    pub ledger: Ledger,
    /// The prices, where there were any.
    pub prices: Option<Memory>,
    /// What came of learning forums anew.
    pub relearnt: Notes,
    /// What old pages of forums have shown.
    pub(crate) rechecks: AgesOf,
}

/// Everything that can make the engine do something.
#[derive(Debug)]
pub enum Event {
    /// The core goes on with what an earlier process left. To be told once, before any server.
    Restored(Box<Restored>),
    /// Time has passed.
    Tick,
    /// Servers, all of them.
    Instances(Vec<Instance>),
    /// Sources that the scheduler does not know yet, or knows otherwise.
    Slots(Vec<SourceSlot>),
    /// A person wants these sooner than planned.
    Wanted(Vec<SourceSlot>),
    /// A source has another weight; the record says which.
    Weighed(Box<Source>),
    /// A source that was asked for; `None` if it is gone from the store.
    Loaded(SourceId, Option<Box<Source>>),
    /// A source that was asked for, and that a constraint holds back: it is judged again then.
    Held(Box<Source>, Timestamp),
    /// What these sources may have been held back for has changed.
    Wake(Vec<SourceId>),
    /// An order that had to wait at its fetcher is carried out now.
    Begun(OrderId),
    /// A fetcher is there to be given work. One of this id that was there before is gone, with what it had.
    FetcherJoined(FetcherId),
    /// A fetcher is gone, with what it had.
    FetcherLeft(FetcherId),
    Fetched(Vec<Fetched>),
    /// The store has written the reservation of this number.
    Reserved(u64),
    /// The store has reserved these numbers for visits.
    VisitNumbers(Range<u64>),
    /// Uploads that the store has committed, in order.
    Applied(Vec<(VisitId, Applied)>),
    /// What a person allows from now on.
    Budgets(Budgets),
    /// Which days are not like others, from now on.
    Calendars(Compiled),
    /// What the robots are to do, and with which credentials.
    Robots(Vec<RobotRow>),
    /// Pages of threads on this network that are worth another look.
    Stale(NetworkName, Vec<StalePage>),
    /// Whoever learns a forum anew wants to send this request; answered by [`Effect::Granted`].
    GrantWanted(Box<Request>),
    /// A forum was learned anew: what was found, or why nothing came of it.
    RelearnEnded(NetworkName, Result<String, String>),
    /// A command wants to ask a network itself: the number of its message, by which it is answered, and what it wants.
    Guest(u64, Box<GuestAsk>),
    /// Models of when the lists of a forum get their next record.
    Trained(Box<Trained>),
    /// Weights that all sources share, fitted anew.
    Fitted(Box<Mixture>),
    /// What the store knows of a stream that is to be opened.
    StreamFound(Box<StreamFound>),
    /// A stream is connected.
    StreamOpened(StreamId),
    /// Messages came through a stream, or word that it is alive.
    StreamHeard(StreamId, Box<StreamBatch>),
    /// A stream ended, or could not be opened.
    StreamClosed(StreamId, StreamEnd),
    /// Who watches what a stream brought, which is stored.
    StreamSifted(Box<Sifted>),
    /// The store is in trouble, or no longer: while it is, nothing new is begun or asked.
    Hold(bool),
    /// Begin nothing new; what is under way ends.
    Drain,
    /// The process ends and asks nothing more: what was reserved and not used is given back, by an
    /// [`Effect::Reserve`].
    Farewell,
}

/// Everything the engine can want.
#[derive(Debug)]
pub enum Effect {
    /// Load this source and answer with [`Event::Loaded`].
    Load(SourceId),
    /// Let this fetcher carry out this order and answer with [`Event::Fetched`].
    Fetch(FetcherId, Box<Order>),
    /// Tell this fetcher that nobody waits for the answer to this order any more.
    Cancel(FetcherId, OrderId),
    /// Commit this and answer with [`Event::Applied`].
    Apply(Box<Upload>),
    /// Commit what was granted of the quotas and answer with [`Event::Reserved`], in the order wanted.
    Reserve(Box<Reservation>),
    /// Reserve so many visit numbers in the store and answer with [`Event::VisitNumbers`].
    ReserveVisits(u64),
    /// Write this setting down; nobody waits for it.
    Note(&'static str, String),
    /// Read which old pages of this network are worth another look, and answer with [`Event::Stale`] if there are some.
    ReadStale(NetworkName),
    /// Have this forum learned anew, with [`Event::GrantWanted`] for each request, and answer with [`Event::RelearnEnded`].
    Relearn(NetworkName),
    /// Read for whom a stream is, and answer with [`Event::StreamFound`].
    ReadStream(Box<StreamAsk>),
    /// Open this stream, and answer with [`Event::StreamOpened`], [`Event::StreamHeard`] and at last [`Event::StreamClosed`].
    OpenStream(Box<StreamOrder>),
    /// Close this stream; nothing of it is waited for.
    CloseStream(StreamId),
    /// The oldest request that waits to be granted for this network may leave.
    Granted(NetworkName),
}
