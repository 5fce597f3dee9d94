//! Streams under tokio: a task for each connection, and one bounded queue from all of them to the loop.
//!
//! A task opens its stream, reads messages where they arrive, and hands them over in batches. While the loop takes nothing, because the
//! writer is behind, the queue is full, no task reads on, and the servers feel it. Nothing is decided here.

use freshet_fetch::stream::{self, Frame, Frames, Opened};
use freshet_types::Map;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{Duration, Instant, timeout_at};

use crate::core::Event;
use crate::fetcher::FetcherKit;
use crate::stream::{Hearing, StreamBatch, StreamEnd, StreamId, StreamOrder};

/// Batches that wait for the loop, of all streams together.
const BATCHES_MAX: usize = 8;
/// How long a batch is open for the next message once it has one.
const LINGER: Duration = Duration::from_millis(50);
/// How long it is open in all: who sends a message every few milliseconds is stored as soon as others.
const OPEN_MAX: Duration = Duration::from_millis(200);

/// All connections.
#[derive(Debug)]
pub(super) struct Streams {
    kit: FetcherKit,
    tasks: Map<StreamId, AbortHandle>,
    bring: mpsc::Sender<Event>,
    brought: mpsc::Receiver<Event>,
}

impl Streams {
    pub(super) fn new(kit: FetcherKit) -> Self {
        let (bring, brought) = mpsc::channel(BATCHES_MAX);
        Self { kit, tasks: Map::default(), bring, brought }
    }

    pub(super) fn open(&mut self, order: StreamOrder) {
        let (id, kit, bring) = (order.id, self.kit.clone(), self.bring.clone());
        let task = tokio::spawn(async move {
            let end = listen(&order, &kit, &bring).await;
            // Nobody listening means that the run has ended.
            let _ = bring.send(Event::StreamClosed(order.id, end)).await;
        });
        self.tasks.retain(|_, task| !task.is_finished());
        self.tasks.insert(id, task.abort_handle());
    }

    pub(super) fn close(&mut self, id: StreamId) {
        if let Some(task) = self.tasks.remove(&id) {
            task.abort();
        }
    }

    /// What came next, of any of them.
    pub(super) async fn recv(&mut self) -> Option<Event> {
        self.brought.recv().await
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        self.tasks.values().for_each(AbortHandle::abort);
    }
}

/// Carries out one order until its stream ends.
async fn listen(order: &StreamOrder, kit: &FetcherKit, bring: &mpsc::Sender<Event>) -> StreamEnd {
    let opened = stream::open(&*kit.fetch, &order.request, order.transport).await;
    let mut frames = match (StreamEnd::of_opening(&opened), opened) {
        (None, Ok(Opened::Stream(frames))) => frames,
        (end, _) => return end.unwrap_or_else(|| StreamEnd::Broken("no stream came".to_owned())),
    };
    if bring.send(Event::StreamOpened(order.id)).await.is_err() {
        return StreamEnd::Broken("the run has ended".to_owned());
    }
    loop {
        let (batch, end) = gather(&mut *frames, order, kit).await;
        let is_worth_telling = end.is_none() || batch.messages_count > 0;
        if is_worth_telling && bring.send(Event::StreamHeard(order.id, Box::new(batch))).await.is_err() {
            return StreamEnd::Broken("the run has ended".to_owned());
        }
        if let Some(end) = end {
            return end;
        }
    }
}

/// The next batch, and how the stream ended, if it did.
async fn gather(
    frames: &mut dyn Frames,
    order: &StreamOrder,
    kit: &FetcherKit,
) -> (StreamBatch, Option<StreamEnd>) {
    let now = || kit.clock.now();
    let mut hearing = Hearing::default();
    let mut next = frames.next().await;
    let close_at = Instant::now() + OPEN_MAX;
    let end = loop {
        let frame = match next {
            Ok(Some(frame)) => frame,
            Ok(None) => break Some(StreamEnd::Broken("the server closed the stream".to_owned())),
            Err(fault) => break Some(StreamEnd::of_fault(&fault)),
        };
        let is_alive = frame == Frame::Alive;
        let definition = order.instance.network.definition();
        let Some(connector) = kit.networks.connector_at(definition, order.version) else {
            break Some(StreamEnd::Broken("its definition was replaced".to_owned()));
        };
        hearing.add_frame(frame, &*connector, order, now());
        if is_alive || hearing.is_full() {
            break None;
        }
        match timeout_at(close_at.min(Instant::now() + LINGER), frames.next()).await {
            Ok(more) => next = more,
            Err(_) => break None,
        }
    };
    (hearing.finish(now()), end)
}

#[cfg(test)]
mod tests;
