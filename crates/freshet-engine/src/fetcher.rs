//! Step 5 of 10 in bulk: fetchers in the four states of [SocWeb, section 4.1].
//!
//! A fetcher connects, waits for orders, fetches and reads them side by side, and uploads what it has
//! in one message. It knows neither store nor schedule, so that a remote fetcher can take its place.
//! An order that had to wait is told of when it begins, because its lease runs from then on; one
//! that was given up meanwhile is dropped.
//! The number of fetchers that really work follows the load: orders go to the least loaded
//! first, and an idle one costs a parked task.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use freshet_fetch::Fetch;
use freshet_types::Clock;
use futures::FutureExt as _;
use futures::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::mpsc;

use crate::core::Event;
use crate::visit::{Answer, Fetched, Order};

/// Orders carried out at once: a server that lets its askers wait holds up nobody else's orders.
/// All fetchers together then have room for the visits that may be under way.
const AT_ONCE_MAX: usize = 16;

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
    let result = result.map(|response| {
        let page = order.read(&response, received_at);
        match response.redirect() {
            Some(redirect) => Answer::Redirect(redirect, page.limits),
            None => Answer::Page(Box::new(page), kit.keeps_raw.then_some(response.body)),
        }
    });
    let extra_count = order.request.meter.extra_count();
    Fetched { visit: order.visit, fetcher: index, took_ms, received_at, extra_count, result }
}

#[cfg(test)]
mod tests;
