//! Server-sent events: lines of an answer that does not end, put together to messages.
//!
//! A message is a block of lines up to an empty one: `event:`, `id:` and any number of `data:`; a line that begins with a colon only
//! says that the server is alive. A message that is too long is dropped whole, and the next one is read. Bounded by
//! [`MESSAGE_BYTES_MAX`] and [`SILENCE_MAX`].

use std::collections::VecDeque;
use std::sync::Arc;

use freshet_types::{Fault, StreamMessage};
use futures::future::BoxFuture;
use tokio::time::{Instant, timeout_at};

use super::super::fault;
use crate::Scrubber;
use crate::stream::{Frame, Frames, MESSAGE_BYTES_MAX, SILENCE_MAX};

/// A stream of events under way.
#[derive(Debug)]
pub(super) struct Events {
    incoming: reqwest::Response,
    host: String,
    scrubber: Option<Arc<Scrubber>>,
    lines: Lines,
    ready: VecDeque<Frame>,
}

impl Events {
    pub(super) fn new(incoming: reqwest::Response, host: String, scrubber: Option<Arc<Scrubber>>) -> Self {
        Self { incoming, host, scrubber, lines: Lines::default(), ready: VecDeque::new() }
    }

    async fn read(&mut self) -> Result<Option<Frame>, Fault> {
        // One that trickles bytes without ever ending a line is silent.
        let until = Instant::now() + SILENCE_MAX;
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(Some(self.scrubbed(frame)));
            }
            let chunk = timeout_at(until, self.incoming.chunk()).await;
            let chunk = chunk
                .map_err(|_| fault::timeout(&self.host, "no word of the stream"))?
                .map_err(|error| fault::fault_of(error, &self.host))?;
            match chunk {
                Some(chunk) => self.lines.write(&chunk, &mut self.ready),
                None => return Ok(None),
            }
        }
    }

    fn scrubbed(&self, frame: Frame) -> Frame {
        match (frame, &self.scrubber) {
            (Frame::Message(message), Some(scrubber)) => {
                let data = scrubber.scrub(&message.data).into_owned();
                Frame::Message(StreamMessage { data, ..message })
            }
            (frame, _) => frame,
        }
    }
}

impl Frames for Events {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Frame>, Fault>> {
        Box::pin(self.read())
    }
}

/// The lines of a stream, and the message that they are making.
#[derive(Debug, Default)]
struct Lines {
    line: Vec<u8>,
    message: StreamMessage,
    has_data: bool,
    /// The message is too long: it is passed over up to its end.
    is_spoilt: bool,
    /// A line ended with a carriage return: a line feed that follows belongs to it.
    was_return: bool,
}

impl Lines {
    /// Takes in some bytes; what they complete is added to `ready`.
    fn write(&mut self, bytes: &[u8], ready: &mut VecDeque<Frame>) {
        for &byte in bytes {
            let was_return = std::mem::take(&mut self.was_return);
            match byte {
                b'\n' if was_return => {}
                b'\n' | b'\r' => {
                    self.was_return = byte == b'\r';
                    self.end_line(ready);
                }
                _ if self.line.len() >= MESSAGE_BYTES_MAX => self.is_spoilt = true,
                _ => self.line.push(byte),
            }
        }
    }

    fn end_line(&mut self, ready: &mut VecDeque<Frame>) {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.end_message(ready);
        }
        if line[0] == b':' {
            return ready.push_back(Frame::Alive);
        }
        let text = String::from_utf8_lossy(&line);
        let (name, value) = text.split_once(':').unwrap_or((&*text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name.trim_start_matches('\u{feff}') {
            "event" => self.message.event = Some(value.to_owned()),
            "id" => self.message.id = Some(value.to_owned()),
            "data" if self.message.data.len() + value.len() > MESSAGE_BYTES_MAX => self.is_spoilt = true,
            "data" => {
                if self.has_data {
                    self.message.data.push('\n');
                }
                self.message.data.push_str(value);
                self.has_data = true;
            }
            _ => {}
        }
    }

    fn end_message(&mut self, ready: &mut VecDeque<Frame>) {
        let message = std::mem::take(&mut self.message);
        let has_data = std::mem::take(&mut self.has_data);
        if std::mem::take(&mut self.is_spoilt) {
            let why = format!("a message is longer than {MESSAGE_BYTES_MAX} bytes");
            ready.push_back(Frame::Dropped(why));
        } else if has_data {
            ready.push_back(Frame::Message(message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What these bytes give, whole and byte by byte.
    fn check(bytes: &str, expected: &[&str]) {
        let shown = |frame: &Frame| match frame {
            Frame::Message(it) => {
                let (event, id) = (it.event.as_deref().unwrap_or("-"), it.id.as_deref().unwrap_or("-"));
                format!("{event} {id} {}", it.data.escape_debug())
            }
            Frame::Alive => "alive".to_owned(),
            Frame::Dropped(why) => why.clone(),
        };
        for step in [1, 3, bytes.len().max(1)] {
            let (mut lines, mut ready) = (Lines::default(), VecDeque::new());
            bytes.as_bytes().chunks(step).for_each(|part| lines.write(part, &mut ready));
            assert_eq!(ready.iter().map(shown).collect::<Vec<_>>(), expected, "{bytes:?} by {step}");
        }
    }

    #[test]
    fn lines_become_messages() {
        check("", &[]);
        check("event: update\ndata: {\"id\": 1}\n\n", &["update - {\\\"id\\\": 1}"]);
        check("event:delete\r\nid: 7\r\ndata:12\r\n\r\n", &["delete 7 12"]);
        check(":thump\n\n:thump\n", &["alive", "alive"]);
        check("data: one\ndata: two\n\n", &["- - one\\ntwo"]);
        check("data: cut off", &[]);
        check("event: only a name\n\n", &[]);
        check("retry: 3\nunknown\n\ndata: x\n\n", &["- - x"]);
        check("data: a\rdata: b\r\rdata: c\n\n", &["- - a\\nb", "- - c"]);
    }

    #[test]
    fn what_is_too_long_is_dropped_and_the_next_is_read() {
        let long = "x".repeat(MESSAGE_BYTES_MAX + 1);
        let why = format!("a message is longer than {MESSAGE_BYTES_MAX} bytes");
        let (mut lines, mut ready) = (Lines::default(), VecDeque::new());
        lines.write(format!("data: {long}\n\ndata: next\n\n").as_bytes(), &mut ready);
        let half = "y".repeat(MESSAGE_BYTES_MAX / 2 + 1);
        lines.write(format!("data: {half}\ndata: {half}\n\n").as_bytes(), &mut ready);
        let next = StreamMessage { data: "next".to_owned(), ..StreamMessage::default() };
        assert_eq!(ready, [Frame::Dropped(why.clone()), Frame::Message(next), Frame::Dropped(why)]);
        assert!(lines.line.capacity() <= 2 * MESSAGE_BYTES_MAX);
    }
}
