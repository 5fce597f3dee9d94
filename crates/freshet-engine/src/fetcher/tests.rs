//! One fetcher against servers that let it wait.

use std::sync::Mutex;
use std::time::Duration;

use freshet_types::{Page, Request, SystemClock};
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
    let clock = Arc::new(SystemClock);
    let kit = FetcherKit { fetch: Arc::clone(&fetch) as _, clock, keeps_raw: false, readers: None };
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

/// Answers with a page that is not small.
#[derive(Debug)]
struct Answers;

impl Fetch for Answers {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let response = Response {
            status: 200,
            headers: Vec::new(),
            body: b"<html>".to_vec(),
            url: request.url.clone(),
            received_at: Timestamp::from_secs(0),
        };
        Box::pin(async move { Ok(response) })
    }
}

/// Reads until the test ends, where it was told so.
#[derive(Debug)]
struct Endless(Mutex<Option<std::sync::mpsc::Receiver<()>>>);

impl freshet_types::Connector for Endless {
    fn name(&self) -> &'static str {
        "endless"
    }

    fn endpoints(&self) -> &[freshet_types::Endpoint] {
        &[]
    }

    fn lookup(&self) -> Option<&freshet_types::Endpoint> {
        None
    }

    fn single(&self, _: &str) -> Option<&freshet_types::Endpoint> {
        None
    }

    fn ask(
        &self,
        _: &freshet_types::Target<'_>,
        _: &freshet_types::Intent,
    ) -> Result<Request, freshet_types::AskRefused> {
        Err(freshet_types::AskRefused("nothing is asked for".to_owned()))
    }

    fn read(
        &self,
        _: &freshet_types::Target<'_>,
        _: &freshet_types::Intent,
        _: &Response,
        _: Timestamp,
    ) -> Page {
        let wait = self.0.lock().unwrap().take();
        let _ = wait.map(|wait| wait.recv());
        Page::default()
    }
}

/// One page that is never read, on one worker of a runtime: before there were readers, this test did not end.
#[tokio::test]
async fn a_page_that_is_never_read_holds_up_nobody_else() {
    let readers = Readers::new(1, 1 << 20).within(Duration::from_millis(1));
    let kit = FetcherKit {
        fetch: Arc::new(Answers),
        clock: Arc::new(SystemClock),
        keeps_raw: false,
        readers: Some(readers),
    };
    let (upload, mut uploads) = mpsc::unbounded_channel();
    let handle = start(0, kit, upload);
    let (let_go, wait) = std::sync::mpsc::channel();
    let (_bench, mut order) = order("7");
    order.connector = Arc::new(Endless(Mutex::new(Some(wait))));
    let url = order.request.url.clone();
    handle.orders.send(order).unwrap();
    let event = tokio::time::timeout(PATIENCE, uploads.recv()).await.expect("it is given up");
    let Some(Event::Fetched(done)) = event else { panic!("{event:?}") };
    let fault = done[0].result.as_ref().expect_err("nothing was read");
    assert_eq!(fault.kind, FaultKind::Unread);
    assert!(fault.message.contains(&url) && fault.is_retryable(), "{fault}");
    drop(let_go);
}
