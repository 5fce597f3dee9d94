//! Step 5 of 10 in bulk: fetchers in the four states of [SocWeb, section 4.1].
//!
//! A fetcher connects, waits for orders, fetches and reads them side by side, and uploads what it has
//! in one message. It knows neither store nor schedule, so that a remote fetcher can take its place.
//! An order that had to wait is told of when it begins, because its lease runs from then on; one
//! that was given up meanwhile is dropped.
//! The number of fetchers that really work follows the load: orders go to the least loaded
//! first, and an idle one costs a parked task. Pages are read on threads of their own ([`readers`]), but for usual
//! answers in JSON: those cost less than handing them over, and their parser is linear and bounded.

pub mod readers;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use freshet_fetch::Fetch;
use freshet_types::{Clock, Fault, FaultKind, Response, Timestamp};
use futures::FutureExt as _;
use futures::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::mpsc;

use crate::core::Event;
use crate::visit::{Answer, Fetched, Order};
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
    /// Its to-do list.
    pub orders: mpsc::UnboundedSender<Box<Order>>,
    state: Arc<AtomicU8>,
}

impl FetcherHandle {
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
pub fn start(index: usize, kit: FetcherKit, uploads: mpsc::UnboundedSender<Event>) -> FetcherHandle {
    let (orders, todo) = mpsc::unbounded_channel();
    let state = Arc::new(AtomicU8::new(FetcherState::Connect as u8));
    tokio::spawn(work(index, kit, todo, uploads, Arc::clone(&state)));
    FetcherHandle { orders, state }
}

async fn work(
    index: usize,
    kit: FetcherKit,
    mut todo: mpsc::UnboundedReceiver<Box<Order>>,
    uploads: mpsc::UnboundedSender<Event>,
    state: Arc<AtomicU8>,
) {
    let enter = |next: FetcherState| state.store(next as u8, Ordering::Relaxed);
    let mut under_way = FuturesUnordered::new();
    // Orders had to wait for those before them.
    let mut is_behind = false;
    loop {
        enter(if under_way.is_empty() { FetcherState::Wait } else { FetcherState::Fetch });
        is_behind |= under_way.len() == AT_ONCE_MAX;
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
            order = todo.recv(), if under_way.len() < AT_ONCE_MAX => {
                let Some(order) = order else { return };
                // Whoever gave it up has told why; nobody waits for the answer.
                if !order.is_wanted() {
                    continue;
                }
                if is_behind && uploads.send(Event::Begun(order.visit)).is_err() {
                    return;
                }
                under_way.push(carry_out(index, &kit, *order));
                is_behind &= !todo.is_empty();
            }
        }
    }
}

/// One order: fetch it, read it.
pub async fn carry_out(index: usize, kit: &FetcherKit, order: Order) -> Fetched {
    let began = Instant::now();
    let result = kit.fetch.fetch(&order.request).await;
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let received_at = kit.clock.now();
    let (visit, fetcher) = (order.visit, index);
    let meter = order.request.meter.clone();
    let result = match result {
        Ok(response) => read(kit, order, response, received_at).await,
        Err(fault) => Err(fault),
    };
    Fetched { visit, fetcher, took_ms, received_at, extra_count: meter.extra_count(), result }
}

/// Reads an answer, or says why that is not done.
async fn read(kit: &FetcherKit, order: Order, response: Response, now: Timestamp) -> Result<Answer, Fault> {
    let keeps_raw = kit.keeps_raw;
    // The request's own address: it never holds a secret.
    let url = order.request.url.clone();
    let bytes = response.body.len();
    let is_small = is_small(&response);
    let work = move || {
        let page = order.read(&response, now);
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
