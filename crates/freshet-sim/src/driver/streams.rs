//! Streams on the virtual clock: what a server has sent by an instant is handed in at that instant.
//!
//! The frames are those of the fetch seam, read without waiting; the batches are made by the engine's own code. While the engine takes
//! nothing, nothing is read, as under tokio.

use freshet_engine::core::Event;
use freshet_engine::runner::{Input, RunError};
use freshet_engine::stream::{Hearing, StreamEnd, StreamOrder};
use freshet_fetch::stream::{self, Opened};
use freshet_store::api::Store;
use freshet_types::Clock;
use futures::FutureExt;

use super::Driver;

impl<S: Store> Driver<S> {
    pub(super) fn open_stream(&mut self, order: StreamOrder) -> Result<(), RunError> {
        let id = order.id;
        let opened = stream::open(&*self.kit.fetch, &order.request, order.transport).now_or_never();
        let Some(opened) = opened else {
            let end = StreamEnd::Broken("the stream did not open in time".to_owned());
            return self.input(Input::Event(Event::StreamClosed(id, end)));
        };
        match (StreamEnd::of_opening(&opened), opened) {
            (None, Ok(Opened::Stream(frames))) => {
                self.streams.insert(id, (order, frames));
                self.input(Input::Event(Event::StreamOpened(id)))
            }
            (end, _) => {
                let end = end.unwrap_or_else(|| StreamEnd::Broken("no stream came".to_owned()));
                self.input(Input::Event(Event::StreamClosed(id, end)))
            }
        }
    }

    /// Hands in what all streams have sent by now.
    pub(super) fn listen(&mut self) -> Result<(), RunError> {
        let ids: Vec<_> = self.streams.keys().copied().collect();
        for id in ids {
            while self.runner.core().takes_streams() {
                let Some((order, frames)) = self.streams.get_mut(&id) else { break };
                let now = self.clock.now();
                let (mut hearing, mut has_heard, mut end) = (Hearing::default(), false, None);
                while !hearing.is_full() && end.is_none() {
                    match frames.next().now_or_never() {
                        None => break,
                        Some(Ok(Some(frame))) => {
                            let definition = order.instance.network.definition();
                            let connector = self.kit.networks.connector_at(definition, order.version);
                            match connector {
                                Some(connector) => hearing.add_frame(frame, &*connector, order, now),
                                None => {
                                    end = Some(StreamEnd::Broken("its definition was replaced".to_owned()));
                                }
                            }
                            has_heard = true;
                        }
                        Some(Ok(None)) => {
                            end = Some(StreamEnd::Broken("the server closed the stream".to_owned()));
                        }
                        Some(Err(fault)) => end = Some(StreamEnd::of_fault(&fault)),
                    }
                }
                if has_heard {
                    let batch = Box::new(hearing.finish(now));
                    self.input(Input::Event(Event::StreamHeard(id, batch)))?;
                }
                if let Some(end) = end {
                    self.streams.remove(&id);
                    self.input(Input::Event(Event::StreamClosed(id, end)))?;
                }
                if !has_heard {
                    break;
                }
            }
        }
        Ok(())
    }
}
