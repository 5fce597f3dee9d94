//! Step 5 of 10 in bulk: fetchers in the four states of [SocWeb, section 4.1].
//!
//! A fetcher connects, waits for orders, fetches and reads them side by side, and uploads what it has
//! in one message. It knows neither store nor schedule, so that a remote fetcher can take its place: beside the order it
//! needs the definition that the order names, and one that it does not have any more is a fault of nobody's.
//! An order that had to wait is told of when it begins, because its lease runs from then on; one
//! that is cancelled while it waits is dropped, and the answer to one that has left is dropped by the core.
//! The number of fetchers that really work follows the load: orders go to the least loaded
//! first, and an idle one costs a parked task. Pages are read on threads of their own ([`readers`]), but for usual
//! answers in JSON: those cost less than handing them over, and their parser is linear and bounded.

pub mod readers;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use freshet_fetch::Fetch;
use freshet_network::networks::Networks;
use freshet_types::{Clock, Connector, Fault, FaultKind, Response, Timestamp};
use futures::FutureExt as _;
use futures::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::mpsc;

use crate::core::Event;
use crate::order::{Answer, Fetched, FetcherId, Order, OrderId};
use readers::Readers;

/// Orders carried out at once: a server that lets its askers wait holds up nobody else's orders.
/// All fetchers together then have room for the visits that may be under way.
const AT_ONCE_MAX: usize = 16;

/// Longest answer in JSON that is read where it arrives: a usual page of posts, less than a millisecond of work. Handing
/// such a page to a thread costs more than it saves (docs/results/benchmarks.md, `pipeline`).
const INLINE_BYTES_MAX: usize = 128 << 10;

/// What a fetcher is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FetcherState {
    /// It is being set up.
    Connect,
    /// It has nothing to do.
    Wait,
    /// It asks a network.
    Fetch,
    /// It hands over what it has.
    Upload,
}

impl FetcherState {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Wait => "wait",
            Self::Fetch => "fetch",
            Self::Upload => "upload",
        }
    }
}

/// The handler's end of a fetcher: where its orders go, and what it is doing.
#[derive(Debug)]
pub struct FetcherHandle {
    jobs: mpsc::UnboundedSender<Job>,
    state: Arc<AtomicU8>,
}

/// What a fetcher is told.
#[derive(Debug)]
enum Job {
    CarryOut(Box<Order>),
    Cancel(OrderId),
}

impl FetcherHandle {
    /// Puts an order on its to-do list; gives whether the fetcher is still there.
    pub(crate) fn give(&self, order: Box<Order>) -> bool {
        self.jobs.send(Job::CarryOut(order)).is_ok()
    }

    /// Nobody waits for the answer to this order any more.
    pub fn cancel(&self, order: OrderId) {
        // A fetcher that is gone carries out nothing.
        let _ = self.jobs.send(Job::Cancel(order));
    }

    /// What it is doing.
    pub fn state(&self) -> FetcherState {
        match self.state.load(Ordering::Relaxed) {
            0 => FetcherState::Connect,
            1 => FetcherState::Wait,
            2 => FetcherState::Fetch,
            _ => FetcherState::Upload,
        }
    }
}

/// What every fetcher works with.
#[derive(Clone, Debug)]
pub struct FetcherKit {
    /// Who reads answers, by name and version.
    pub networks: Arc<Networks>,
    /// How requests are sent.
    pub fetch: Arc<dyn Fetch>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Answers are kept as received.
    pub keeps_raw: bool,
    /// Who reads pages; without them, whoever fetched one reads it, as on a virtual clock.
    pub readers: Option<Readers>,
}

/// Starts one fetcher. Its to-do list is bounded by the number of visits under way.
pub fn start(id: FetcherId, kit: FetcherKit, uploads: mpsc::UnboundedSender<Event>) -> FetcherHandle {
    let (jobs, todo) = mpsc::unbounded_channel();
    let state = Arc::new(AtomicU8::new(FetcherState::Connect as u8));
    tokio::spawn(work(id, kit, todo, uploads, Arc::clone(&state)));
    FetcherHandle { jobs, state }
}

/// Orders that a fetcher has not begun.
#[derive(Debug, Default)]
struct Queue {
    /// With whether it had to wait for those before it.
    orders: VecDeque<(Box<Order>, bool)>,
}

impl Queue {
    /// Notes what the fetcher is told while so many orders are under way.
    fn on_job(&mut self, job: Job, under_way: usize) {
        match job {
            Job::CarryOut(order) => {
                let waits = under_way + self.orders.len() >= AT_ONCE_MAX;
                self.orders.push_back((order, waits));
            }
            Job::Cancel(id) => self.orders.retain(|(order, _)| order.id != id),
        }
    }
}

async fn work(
    id: FetcherId,
    kit: FetcherKit,
    mut todo: mpsc::UnboundedReceiver<Job>,
    uploads: mpsc::UnboundedSender<Event>,
    state: Arc<AtomicU8>,
) {
    let enter = |next: FetcherState| state.store(next as u8, Ordering::Relaxed);
    let mut under_way = FuturesUnordered::new();
    let mut queue = Queue::default();
    loop {
        while under_way.len() < AT_ONCE_MAX
            && let Some((order, has_waited)) = queue.orders.pop_front()
        {
            if has_waited && uploads.send(Event::Begun(order.id)).is_err() {
                return;
            }
            under_way.push(carry_out(id, &kit, *order));
        }
        enter(if under_way.is_empty() { FetcherState::Wait } else { FetcherState::Fetch });
        tokio::select! {
            Some(first) = under_way.next() => {
                enter(FetcherState::Upload);
                let mut done = vec![first];
                while let Some(Some(more)) = under_way.next().now_or_never() {
                    done.push(more);
                }
                if uploads.send(Event::Fetched(done)).is_err() {
                    return;
                }
            }
            job = todo.recv() => {
                let Some(job) = job else { return };
                queue.on_job(job, under_way.len());
                // What is cancelled already is not begun.
                while let Ok(job) = todo.try_recv() {
                    queue.on_job(job, under_way.len());
                }
            }
        }
    }
}

/// One order: fetch it, read it.
pub async fn carry_out(id: FetcherId, kit: &FetcherKit, order: Order) -> Fetched {
    let began = Instant::now();
    let (order_id, meter) = (order.id, order.request.meter.clone());
    let result = match kit.networks.connector_at(order.definition(), order.version) {
        Some(connector) => kit.fetch.fetch(&order.request).await.map(|response| (response, connector)),
        None => Err(replaced(&order)),
    };
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let received_at = kit.clock.now();
    let result = match result {
        Ok((response, connector)) => read(kit, (order, connector), response, received_at).await,
        Err(fault) => Err(fault),
    };
    Fetched { order: order_id, fetcher: id, took_ms, received_at, extra_count: meter.extra_count(), result }
}

fn replaced(order: &Order) -> Fault {
    let (name, version) = (order.definition(), order.version);
    Fault::new(
        FaultKind::Replaced,
        format!("the definition `{name}` of version {version} was replaced meanwhile"),
    )
}

/// Reads an answer, or says why that is not done.
async fn read(
    kit: &FetcherKit,
    (order, connector): (Order, Arc<dyn Connector>),
    response: Response,
    now: Timestamp,
) -> Result<Answer, Fault> {
    let keeps_raw = kit.keeps_raw;
    // The request's own address: it never holds a secret.
    let url = order.request.url.clone();
    let bytes = response.body.len();
    let is_small = is_small(&response);
    let work = move || {
        let page = order.read(&*connector, &response, now);
        match response.redirect() {
            Some(redirect) => Answer::Redirect(redirect, page.limits),
            None => Answer::Page(Box::new(page), keeps_raw.then_some(response.body)),
        }
    };
    match &kit.readers {
        Some(readers) if !is_small => readers.read(bytes, work).await.map_err(|why| {
            tracing::warn!(stuck = readers.stuck_count(), "`{url}` {why}");
            Fault::new(FaultKind::Unread, format!("`{url}` {why}"))
        }),
        _ => Ok(work()),
    }
}

fn is_small(response: &Response) -> bool {
    let first = response.body.iter().find(|byte| !byte.is_ascii_whitespace());
    response.body.len() <= INLINE_BYTES_MAX && matches!(first, None | Some(b'{' | b'['))
}

#[cfg(test)]
mod tests;
