//! Streams on the wire: what is opened, and what comes through it until it is closed.
//!
//! The seam between whoever listens and the two transports ([`crate::http`]), a recording or a simulated world. Invariants: a frame
//! and every wait are bounded by the constants below; nothing is read ahead, so whoever does not ask for the next frame holds up the
//! server, not this process's memory.

use std::fmt::Debug;
use std::time::Duration;

use freshet_types::{Fault, Request, Response, StreamMessage, Transport};
use futures::future::BoxFuture;

use crate::Fetch;

/// Longest message; the largest posts that networks send are a twentieth of it.
pub(crate) const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// Longest frame of a WebSocket. The AT Protocol allows 5 MB for the frames of its streams; a text is a message, and as long as one.
pub(crate) const FRAME_BYTES_MAX: usize = 5 << 20;
/// Longest silence: servers say that they are alive every 15 to 30 seconds.
pub(crate) const SILENCE_MAX: Duration = Duration::from_secs(90);

/// What came of opening a stream.
#[derive(Debug)]
pub enum Opened {
    Stream(Box<dyn Frames>),
    /// The server answered something else.
    Refused(Box<Response>),
}

/// Opens a stream of any transport. A poll is asked as any page is, and its answer is a stream of one message.
pub async fn open(fetch: &dyn Fetch, request: &Request, transport: Transport) -> Result<Opened, Fault> {
    if transport != Transport::Poll {
        return fetch.open(request, transport).await;
    }
    let response = fetch.fetch(request).await?;
    if !(200..300).contains(&response.status) {
        return Ok(Opened::Refused(Box::new(response)));
    }
    let frame = if response.body.len() > MESSAGE_BYTES_MAX {
        Frame::Dropped(format!("a page of more than {MESSAGE_BYTES_MAX} bytes"))
    } else {
        let data = String::from_utf8_lossy(&response.body).into_owned();
        Frame::Message(StreamMessage { data, ..StreamMessage::default() })
    };
    Ok(Opened::Stream(Box::new(Answer { frame: Some(frame) })))
}

/// One answer, as a stream.
#[derive(Debug)]
struct Answer {
    frame: Option<Frame>,
}

impl Frames for Answer {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Frame>, Fault>> {
        Box::pin(std::future::ready(Ok(self.frame.take())))
    }
}

/// What comes through a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    Message(StreamMessage),
    /// The server says that it is alive.
    Alive,
    /// A message that cannot be used, and why.
    Dropped(String),
}

/// An open stream; dropping it closes the connection.
pub trait Frames: Send + Debug {
    /// The next frame; `None` when the server has closed. Never hangs: a silent server is a fault. Giving up the wait loses nothing.
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Frame>, Fault>>;
}
