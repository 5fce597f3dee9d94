//! Back-pressure: while nobody takes batches, the stream is not read on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use freshet_fetch::Fetch;
use freshet_network::networks::Networks;
use freshet_types::{Fault, Instance, NetworkName, Request, Response, StreamMessage, SystemClock, Transport};
use futures::future::BoxFuture;

use super::*;
use crate::stream::MESSAGES_MAX;

/// A server that always has one more message, up to so many.
#[derive(Debug)]
struct Flood {
    read: Arc<AtomicU64>,
    count: u64,
}

#[derive(Debug)]
struct FloodFrames {
    read: Arc<AtomicU64>,
    count: u64,
}

impl Frames for FloodFrames {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Frame>, Fault>> {
        let number = self.read.fetch_add(1, Ordering::Relaxed);
        let message = StreamMessage {
            event: Some("delete".to_owned()),
            data: number.to_string(),
            ..StreamMessage::default()
        };
        Box::pin(std::future::ready(Ok((number < self.count).then_some(Frame::Message(message)))))
    }
}

impl Fetch for Flood {
    fn fetch<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        Box::pin(std::future::pending())
    }

    fn open<'a>(&'a self, _: &'a Request, _: Transport) -> BoxFuture<'a, Result<Opened, Fault>> {
        let frames = FloodFrames { read: Arc::clone(&self.read), count: self.count };
        Box::pin(std::future::ready(Ok(Opened::Stream(Box::new(frames)))))
    }
}

#[tokio::test]
async fn a_stream_is_not_read_on_while_nobody_takes_what_it_brings() {
    let (read, count) = (Arc::new(AtomicU64::new(0)), 10_000);
    let networks = Arc::new(Networks::shipped());
    let version = networks.snapshot().get("mastodon").unwrap().version;
    let fetch = Arc::new(Flood { read: Arc::clone(&read), count });
    let kit = FetcherKit { networks, fetch, clock: Arc::new(SystemClock), keeps_raw: false, readers: None };
    let mut streams = Streams::new(kit);
    let network = NetworkName::from("mastodon:a.example");
    let instance =
        Instance { network: network.clone(), base: "https://a.example".to_owned(), allow_private: false };
    streams.open(StreamOrder {
        id: StreamId(1),
        request: Request::get(&network, "https://a.example/"),
        transport: Transport::Sse,
        version,
        instance: Arc::new(instance),
        name: "local".into(),
    });
    // On one thread the task runs whenever we wait, and goes as far as it can.
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    let far = (BATCHES_MAX * MESSAGES_MAX) as u64;
    let reached = read.load(Ordering::Relaxed);
    assert!(reached <= far && reached >= far - 2 * MESSAGES_MAX as u64, "{reached} messages were read");
    let (mut messages_count, mut is_opened) = (0, false);
    loop {
        match streams.recv().await.expect("the sender lives in it") {
            Event::StreamOpened(_) => is_opened = true,
            Event::StreamHeard(_, batch) => messages_count += batch.messages_count,
            Event::StreamClosed(_, end) => {
                assert_eq!(end, StreamEnd::Broken("the server closed the stream".to_owned()));
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(is_opened);
    assert_eq!(messages_count, count, "nothing is lost by waiting");
}
