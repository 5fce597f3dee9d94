//! One fetcher against servers that let it wait.

use std::sync::Mutex;
use std::time::Duration;

use freshet_types::{Fault, FaultKind, Request, Response, SystemClock};
use futures::future::BoxFuture;

use super::*;
use crate::core::tests::Bench;

/// Longest that a test waits for what must come at once.
const PATIENCE: Duration = Duration::from_secs(20);

/// Never answers about accounts that begin with a 9; notes what it was asked.
#[derive(Debug, Default)]
struct Patchy(Mutex<Vec<String>>);

impl Fetch for Patchy {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        self.0.lock().unwrap().push(request.url.clone());
        let is_mute = request.url.contains("/accounts/9");
        Box::pin(async move {
            if is_mute {
                std::future::pending::<()>().await;
            }
            Err(Fault::new(FaultKind::Connect, "not today"))
        })
    }
}

fn order(account: &str) -> (Bench, Box<Order>) {
    let mut bench = Bench::new("change-rate");
    bench.know(1, account);
    let order = bench.orders.pop_front().expect("it is due");
    (bench, Box::new(order))
}

fn kit() -> (Arc<Patchy>, FetcherKit) {
    let fetch = Arc::new(Patchy::default());
    let kit = FetcherKit { fetch: Arc::clone(&fetch) as _, clock: Arc::new(SystemClock), keeps_raw: false };
    (fetch, kit)
}

#[tokio::test]
async fn servers_that_do_not_answer_hold_up_nobody_else() {
    let (_, kit) = kit();
    let (upload, mut uploads) = mpsc::unbounded_channel();
    let handle = start(0, kit, upload);
    // The visits must live, or nobody wants the answers.
    let mut benches = Vec::new();
    for account in ["91", "92", "93", "7"] {
        let (bench, order) = order(account);
        benches.push(bench);
        handle.orders.send(order).unwrap();
    }
    let event = tokio::time::timeout(PATIENCE, uploads.recv()).await.expect("the last order is not held up");
    assert!(matches!(event, Some(Event::Fetched(done)) if done.len() == 1));
    assert_eq!(handle.state(), FetcherState::Fetch);
}

#[tokio::test]
async fn an_order_that_was_given_up_is_not_sent() {
    let (fetch, kit) = kit();
    let (upload, mut uploads) = mpsc::unbounded_channel();
    let handle = start(0, kit, upload);
    let (given_up, first) = order("6");
    let (_waits, second) = order("7");
    drop(given_up);
    handle.orders.send(first).unwrap();
    handle.orders.send(second).unwrap();
    tokio::time::timeout(PATIENCE, uploads.recv()).await.expect("the second is answered");
    let asked = fetch.0.lock().unwrap().clone();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(asked[0].contains("/accounts/7"), "{asked:?}");
}
