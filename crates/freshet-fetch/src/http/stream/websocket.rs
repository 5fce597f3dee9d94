//! The transport `websocket`: the handshake on top of an HTTP answer, and the frames after it.
//!
//! The connection is the client's own ([`super`]); the protocol is tungstenite's. A text and a binary frame are messages; what they
//! mean is their reader's business. Whatever a closing server says is dropped, and so is a text that is too long, and a binary frame
//! where a credential was shown, since it cannot be scrubbed. After [`PING_AFTER`] of silence the server is asked whether it is alive, and after
//! [`SILENCE_MAX`] it is taken for dead. A frame that is too long ends the connection, since what follows it cannot be told.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use freshet_types::{Fault, FaultKind, StreamMessage};
use futures::future::BoxFuture;
use futures::{SinkExt as _, StreamExt as _};
use reqwest::Upgraded;
use reqwest::header::{CONNECTION, HeaderMap, HeaderValue, UPGRADE};
use ring::rand::SecureRandom as _;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::super::fault;
use crate::Scrubber;
use crate::stream::{FRAME_BYTES_MAX, Frame, Frames, MESSAGE_BYTES_MAX, SILENCE_MAX};

/// After so long without a frame the server is asked whether it is there.
const PING_AFTER: Duration = Duration::from_secs(30);
/// So long it has to answer that.
const PONG_WITHIN: Duration = SILENCE_MAX.saturating_sub(PING_AFTER);
/// What the standard has both sides append to the key (RFC 6455, section 1.3).
const KEY_SALT: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Asks for a WebSocket; gives the key that the server must answer to.
pub(super) fn ask(headers: &mut HeaderMap) -> String {
    let mut key = [0; 16];
    // Without random numbers the key is a constant: it guards against proxies, not against people.
    let _ = ring::rand::SystemRandom::new().fill(&mut key);
    let key = STANDARD.encode(key);
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert("sec-websocket-version", HeaderValue::from_static("13"));
    let value = HeaderValue::from_str(&key).expect("base64 is plain text");
    headers.insert("sec-websocket-key", value);
    key
}

/// What a server answers to the key of a WebSocket.
pub fn accepted(key: &str) -> String {
    let salted = format!("{key}{KEY_SALT}");
    STANDARD.encode(ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, salted.as_bytes()))
}

/// Takes the connection over.
pub(super) async fn upgrade(
    incoming: reqwest::Response,
    key: &str,
    host: String,
    scrubber: Option<Arc<Scrubber>>,
) -> Result<Socket, Fault> {
    let answer = incoming.headers().get("sec-websocket-accept").and_then(|value| value.to_str().ok());
    if answer != Some(accepted(key).as_str()) {
        let what = format!("`{host}`: the server does not speak WebSocket: its answer to the key is wrong");
        return Err(Fault::new(FaultKind::Broken, what));
    }
    let upgraded = incoming.upgrade().await.map_err(|error| fault::fault_of(error, &host))?;
    let config = WebSocketConfig::default()
        .max_message_size(Some(FRAME_BYTES_MAX))
        .max_frame_size(Some(FRAME_BYTES_MAX));
    let wire = WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await;
    Ok(Socket { wire, host, scrubber })
}

/// A WebSocket under way.
#[derive(Debug)]
pub(super) struct Socket {
    wire: WebSocketStream<Upgraded>,
    host: String,
    scrubber: Option<Arc<Scrubber>>,
}

impl Socket {
    /// Says something to the server.
    pub(super) async fn say(&mut self, text: &str) -> Result<(), Fault> {
        let sent = timeout(PONG_WITHIN, self.wire.send(Message::text(text))).await;
        sent.map_err(|_| self.silent())?.map_err(|error| self.fault(&error))
    }

    async fn read(&mut self) -> Result<Option<Frame>, Fault> {
        let next = if let Ok(next) = timeout(PING_AFTER, self.wire.next()).await {
            next
        } else {
            let ping = self.wire.send(Message::Ping(Vec::new().into()));
            let sent = timeout(PING_AFTER, ping).await.map_err(|_| self.silent())?;
            sent.map_err(|error| self.fault(&error))?;
            timeout(PONG_WITHIN, self.wire.next()).await.map_err(|_| self.silent())?
        };
        match next {
            None | Some(Ok(Message::Close(_)) | Err(Error::ConnectionClosed | Error::AlreadyClosed)) => {
                Ok(None)
            }
            Some(Ok(Message::Text(text))) if text.len() > MESSAGE_BYTES_MAX => {
                Ok(Some(Frame::Dropped(format!("a message is longer than {MESSAGE_BYTES_MAX} bytes"))))
            }
            Some(Ok(Message::Text(text))) => {
                let data = match &self.scrubber {
                    Some(scrubber) => scrubber.scrub(&text).into_owned(),
                    None => text.to_string(),
                };
                Ok(Some(Frame::Message(StreamMessage { data, ..StreamMessage::default() })))
            }
            Some(Ok(Message::Binary(_))) if self.scrubber.is_some() => Ok(Some(Frame::Dropped(
                "a frame is binary on a stream that was shown a credential".to_owned(),
            ))),
            Some(Ok(Message::Binary(bytes))) => {
                let bytes = Some(bytes.into());
                Ok(Some(Frame::Message(StreamMessage { bytes, ..StreamMessage::default() })))
            }
            Some(Ok(_)) => Ok(Some(Frame::Alive)),
            Some(Err(error)) => Err(self.fault(&error)),
        }
    }

    fn silent(&self) -> Fault {
        fault::timeout(&self.host, "no word of the stream")
    }

    fn fault(&self, error: &Error) -> Fault {
        let kind = match error {
            Error::Capacity(_) => FaultKind::TooLarge,
            _ => FaultKind::Broken,
        };
        Fault::new(kind, format!("`{}`: the WebSocket broke: {error}", self.host))
    }
}

impl Frames for Socket {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Frame>, Fault>> {
        Box::pin(self.read())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_key_is_that_of_the_standard() {
        assert_eq!(accepted("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        let mut headers = HeaderMap::new();
        let (one, other) = (ask(&mut headers), ask(&mut headers));
        assert_ne!(one, other);
        assert_eq!(headers["sec-websocket-key"], other);
    }
}
