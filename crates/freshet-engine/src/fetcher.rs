//! Step 5 of 10 in bulk: fetchers in the four states of [SocWeb, section 4.1].
//!
//! A fetcher connects, waits for orders, fetches and reads them, and uploads what it has in one
//! message. It knows neither store nor schedule, so that a remote fetcher can take its place.
//! The number of fetchers that really work follows the load: orders go to the least loaded
//! first, and an idle one costs a parked task.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use freshet_fetch::Fetch;
use freshet_types::Clock;
use tokio::sync::mpsc;

use crate::core::Event;
use crate::visit::{Fetched, Order};

/// Orders taken at once.
const BULK_MAX: usize = 16;
/// An upload is not held back longer than this for the sake of bulk.
const UPLOAD_AFTER: Duration = Duration::from_millis(50);

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
    let mut orders = Vec::with_capacity(BULK_MAX);
    loop {
        enter(FetcherState::Wait);
        if todo.recv_many(&mut orders, BULK_MAX).await == 0 {
            return;
        }
        enter(FetcherState::Fetch);
        let (mut done, mut since) = (Vec::with_capacity(orders.len()), Instant::now());
        for order in orders.drain(..) {
            done.push(carry_out(index, &kit, *order).await);
            if since.elapsed() > UPLOAD_AFTER {
                enter(FetcherState::Upload);
                if uploads.send(Event::Fetched(std::mem::take(&mut done))).is_err() {
                    return;
                }
                enter(FetcherState::Fetch);
                since = Instant::now();
            }
        }
        enter(FetcherState::Upload);
        if !done.is_empty() && uploads.send(Event::Fetched(done)).is_err() {
            return;
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
        (page, kit.keeps_raw.then_some(response.body))
    });
    Fetched { visit: order.visit, fetcher: index, took_ms, received_at, result }
}
