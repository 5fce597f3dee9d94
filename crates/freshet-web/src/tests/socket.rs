//! Subscriptions over a WebSocket: a real subscriber behind it, readers that leave, are late, come twice or talk nonsense.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use freshet_engine::core::Moment;
use freshet_engine::deliver::Stepped;
use freshet_engine::deliver::way::Means;
use freshet_store::subscription::{State, Subscription, Way};
use futures::{SinkExt as _, StreamExt as _};
use reqwest::Upgraded;
use reqwest::header::{CONNECTION, ORIGIN, UPGRADE};
use serde_json::Value;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::*;

const NAME: &str = "live";
const PATH: &str = "/api/v1/subscriptions/live/socket";

fn add(served: &Visitor, name: &str, way: Way, state: State) {
    let mut store = testing::open(&served.folder.path().join("store.sqlite"));
    let subscription = Subscription { state, ..testing::subscription(name, way) };
    assert!(store.add_subscription(&subscription, 0).unwrap());
}

/// The thread of the subscription `live`, as a run has it, until this is dropped.
struct Delivery {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    progress: Arc<freshet_engine::deliver::Progress>,
}

impl Delivery {
    fn start(served: &Visitor, readers: &Readers) -> Self {
        let store = testing::open(&served.folder.path().join("store.sqlite"));
        let means = Means {
            networks: Arc::new(Networks::shipped()),
            contact: "a@b.example".to_owned(),
            clock: Arc::new(SystemClock),
            vault: Arc::new(Vault::empty()).into(),
            hidden: Vec::new(),
            readers: readers.clone(),
        };
        let row = store.subscriptions().unwrap().remove(0);
        let mut subscriber = means.subscriber(&row).unwrap();
        let (progress, is_over) = (subscriber.progress(), Arc::new(AtomicBool::new(false)));
        let ended = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            while !ended.load(Ordering::Acquire) {
                let moment = Moment { now: Timestamp::from_secs(9), wall_ms: 0 };
                match subscriber.step(&*store, moment) {
                    Stepped::Delivered => {}
                    _ => std::thread::park_timeout(Duration::from_millis(20)),
                }
            }
        });
        Self { is_over, thread: Some(thread), progress }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        self.thread.take().map(JoinHandle::join);
    }
}

fn asking(served: &Visitor, path: &str) -> RequestBuilder {
    let call = served.ask("GET", path).header(CONNECTION, "Upgrade").header(UPGRADE, "websocket");
    call.header("sec-websocket-version", "13").header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
}

type Wire = WebSocketStream<Upgraded>;

async fn connected(call: RequestBuilder) -> Wire {
    let response = call.send().await.unwrap();
    assert_eq!(response.status(), 101);
    assert_eq!(response.headers()["sec-websocket-accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    WebSocketStream::from_raw_socket(response.upgrade().await.unwrap(), Role::Client, None).await
}

/// The next batch.
async fn batch(wire: &mut Wire) -> Value {
    loop {
        match wire.next().await.expect("it is open").unwrap() {
            Message::Text(text) => return serde_json::from_str(&text).unwrap(),
            Message::Ping(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// With which number and words it is closed.
async fn farewell(wire: &mut Wire) -> (u16, String) {
    loop {
        match wire.next().await.expect("it is told why").unwrap() {
            Message::Close(Some(frame)) => return (frame.code.into(), frame.reason.to_string()),
            Message::Text(_) | Message::Ping(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_batch_comes_again_until_it_is_acknowledged() {
    let readers = Readers::default();
    let served = Visitor::start_with(None, None, Some(readers.clone())).await;
    add(&served, NAME, Way::Websocket, State::Running);
    let delivery = Delivery::start(&served, &readers);
    let mut first = connected(asking(&served, PATH)).await;
    let got = batch(&mut first).await;
    assert_eq!(got["records"].as_array().unwrap().len(), 2, "{got}");
    assert_eq!(got["records"][0]["kind"], "posts");
    assert_eq!(delivery.progress.cursor(), 0, "nobody has taken it");
    drop(first);
    // Until the one who left is missed, the place is taken.
    let (mut wire, again) = loop {
        let mut wire = connected(asking(&served, PATH)).await;
        match wire.next().await.unwrap().unwrap() {
            Message::Close(Some(frame)) => assert_eq!(u16::from(frame.code), 4409),
            Message::Text(text) => break (wire, serde_json::from_str(&text).unwrap()),
            _ => {
                let again = batch(&mut wire).await;
                break (wire, again);
            }
        }
    };
    assert_eq!(again, got);
    wire.send(Message::text(format!("{{\"ack\":{}}}", got["cursor"]))).await.unwrap();
    while delivery.progress.cursor() != got["cursor"].as_u64().unwrap() {
        tokio::task::yield_now().await;
    }
    assert_eq!(delivery.progress.standing().delivered_count, 2);
}

#[tokio::test]
async fn whoever_comes_second_or_talks_nonsense_is_told_why() {
    let readers = Readers::default();
    let served = Visitor::start_with(None, None, Some(readers.clone())).await;
    add(&served, NAME, Way::Websocket, State::Running);
    for (said, code, part) in [
        (Message::text("thanks"), 1008, "no acknowledgement"),
        (Message::text("{\"ack\":99}"), 1008, "`99` is the cursor of no batch"),
        (Message::binary(vec![1, 2]), 1003, "is text"),
        (Message::text("x".repeat(10_000)), 1009, "4096 bytes"),
    ] {
        let mut wire = connected(asking(&served, PATH)).await;
        // Its first ping says that it has the place.
        while !matches!(wire.next().await.unwrap().unwrap(), Message::Ping(_)) {}
        let mut other = connected(asking(&served, PATH)).await;
        let told = farewell(&mut other).await;
        assert!(told.0 == 4409 && told.1.contains("somebody else"), "{told:?}");
        wire.send(said.clone()).await.unwrap();
        let told = farewell(&mut wire).await;
        assert!(told.0 == code && told.1.contains(part), "{said:?}: {told:?}");
    }
}

#[tokio::test]
async fn only_who_may_look_reads_and_only_what_can_be_read() {
    let readers = Readers::default();
    let served = Visitor::start_with(Some(PASSWORD), Some(TOKEN), Some(readers)).await;
    add(&served, NAME, Way::Websocket, State::Running);
    add(&served, "paused", Way::Websocket, State::Paused);
    add(&served, "file", Way::File("/tmp/x".to_owned()), State::Running);
    let path = |name: &str| PATH.replace(NAME, name);
    assert_eq!(asking(&served, PATH).send().await.unwrap().status(), 401);
    for (call, status, part) in [
        (asking(&served, &path("nobody")), 400, "no subscription `nobody`"),
        (asking(&served, &path("paused")), 400, "`paused` is paused"),
        (asking(&served, &path("file")), 400, "goes to a file"),
        (asking(&served, PATH).header(ORIGIN, "http://evil.example"), 403, "another site"),
        (served.ask("GET", PATH), 426, "over a WebSocket"),
    ] {
        let response = call.bearer_auth(TOKEN).send().await.unwrap();
        let (got, text) = (response.status(), response.text().await.unwrap());
        assert!(got == status && text.contains(part), "{status} {part}: {got} {text}");
    }
    let own = served.served.url.trim_end_matches('/').to_owned();
    drop(connected(asking(&served, PATH).bearer_auth(TOKEN).header(ORIGIN, own)).await);
    let alone = Visitor::start(None, None).await;
    add(&alone, NAME, Way::Websocket, State::Running);
    let response = asking(&alone, PATH).send().await.unwrap();
    assert_eq!(response.status(), 503);
    assert!(response.text().await.unwrap().contains("no run delivers here"));
}
