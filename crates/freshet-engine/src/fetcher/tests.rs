//! One fetcher against servers that let it wait.

use std::sync::Mutex;
use std::time::Duration;

use freshet_network::networks::Network;
use freshet_types::{DefinitionVersion, Instance, Page, Request, Schema, SystemClock};
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

fn order(account: &str) -> Box<Order> {
    let mut bench = Bench::new("change-rate");
    bench.know(1, account);
    Box::new(bench.orders.pop_front().expect("it is due"))
}

fn kit() -> (Arc<Patchy>, FetcherKit) {
    let fetch = Arc::new(Patchy::default());
    let clock = Arc::new(SystemClock);
    let networks = Arc::new(Networks::shipped());
    let kit = FetcherKit { networks, fetch: Arc::clone(&fetch) as _, clock, keeps_raw: false, readers: None };
    (fetch, kit)
}

#[tokio::test]
async fn servers_that_do_not_answer_hold_up_nobody_else() {
    let (_, kit) = kit();
    let (upload, mut uploads) = mpsc::unbounded_channel();
    let handle = start(FetcherId(0), kit, upload);
    for account in ["91", "92", "93", "7"] {
        assert!(handle.give(order(account)));
    }
    let event = tokio::time::timeout(PATIENCE, uploads.recv()).await.expect("the last order is not held up");
    assert!(matches!(event, Some(Event::Fetched(done)) if done.len() == 1));
    assert_eq!(handle.state(), FetcherState::Fetch);
}

#[tokio::test]
async fn an_order_that_was_given_up_is_not_sent() {
    let (fetch, kit) = kit();
    let (upload, mut uploads) = mpsc::unbounded_channel();
    let handle = start(FetcherId(0), kit, upload);
    let (first, mut second) = (order("6"), order("7"));
    let given_up = first.id;
    second.id.number += 1;
    assert!(handle.give(first) && handle.give(second));
    handle.cancel(given_up);
    tokio::time::timeout(PATIENCE, uploads.recv()).await.expect("the second is answered");
    let asked = fetch.0.lock().unwrap().clone();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(asked[0].contains("/accounts/7"), "{asked:?}");
}

/// Whether a page made by the shipped definition can be read after so many replacements of it, and what is said if not.
async fn check_replaced(times: usize, is_replaced: bool) {
    let (fetch, kit) = kit();
    let text = include_str!("../../../../networks/mastodon.toml");
    let order = order("7");
    for time in 0..times {
        kit.networks.apply_definition("mine.toml", &format!("{text}# {time}\n")).unwrap();
    }
    let fetched = carry_out(FetcherId(3), &kit, *order.clone()).await;
    let fault = fetched.result.expect_err("nobody answers");
    assert_eq!((fetched.order, fetched.fetcher), (order.id, FetcherId(3)));
    assert_eq!(fault.kind == FaultKind::Replaced, is_replaced, "{times}: {fault}");
    assert_eq!(fetch.0.lock().unwrap().is_empty(), is_replaced, "what cannot be read is not asked");
    if is_replaced {
        assert!(fault.message.contains("`mastodon`") && fault.is_retryable(), "{fault}");
        assert_eq!(fault.blame(), freshet_types::Blame::Ours);
    }
}

#[tokio::test]
async fn an_order_is_read_by_the_definition_that_it_names() {
    check_replaced(0, false).await;
    check_replaced(1, false).await;
    check_replaced(2, true).await;
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

impl Connector for Endless {
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
    let (let_go, wait) = std::sync::mpsc::channel();
    let networks = Networks::empty();
    let endless = Arc::new(Endless(Mutex::new(Some(wait))));
    networks.add(vec![Network::mined(endless, Schema::default())]);
    let kit = FetcherKit {
        networks: Arc::new(networks),
        fetch: Arc::new(Answers),
        clock: Arc::new(SystemClock),
        keeps_raw: false,
        readers: Some(readers),
    };
    let (upload, mut uploads) = mpsc::unbounded_channel();
    let handle = start(FetcherId(0), kit, upload);
    let mut order = order("7");
    order.instance = Arc::new(Instance { network: "endless".into(), ..(*order.instance).clone() });
    order.version = DefinitionVersion::of("");
    let url = order.request.url.clone();
    assert!(handle.give(order));
    let event = tokio::time::timeout(PATIENCE, uploads.recv()).await.expect("it is given up");
    let Some(Event::Fetched(done)) = event else { panic!("{event:?}") };
    let fault = done[0].result.as_ref().expect_err("nothing was read");
    assert_eq!(fault.kind, FaultKind::Unread);
    assert!(fault.message.contains(&url) && fault.is_retryable(), "{fault}");
    drop(let_go);
}
