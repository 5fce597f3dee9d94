//! Streams on the wire: what is opened, and what comes through it until it is closed.
//!
//! The seam between whoever listens and the two transports ([`crate::http`]), a recording or a simulated world. Invariants: a frame
//! and every wait are bounded by the constants below; nothing is read ahead, so whoever does not ask for the next frame holds up the
//! server, not this process's memory.

use std::fmt::Debug;
use std::time::Duration;

use freshet_types::{Fault, Response, StreamMessage};
use futures::future::BoxFuture;

/// Longest message; the largest posts that networks send are a twentieth of it.
pub(crate) const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// Longest silence: servers say that they are alive every 15 to 30 seconds.
pub(crate) const SILENCE_MAX: Duration = Duration::from_secs(90);

/// What came of opening a stream.
#[derive(Debug)]
pub enum Opened {
    Stream(Box<dyn Frames>),
    /// The server answered something else.
    Refused(Box<Response>),
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
