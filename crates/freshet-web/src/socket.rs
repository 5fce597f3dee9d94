//! The WebSocket of a subscription: batches go out, the reader's word that it has them comes back.
//!
//! Text frames both ways: `{"cursor": 9, "records": […]}` out, `{"ack": 9}` in. What is offered, and when the cursor moves, is
//! `engine::deliver`'s business ([`Reader`]); here are the handshake, the frames and their limits. Whoever asks has passed
//! [`super::guard`], which also asks a browser whose page it is. Invariants: what is read is at most [`FRAME_BYTES_MAX`]; one
//! batch is on its way at a time; a line that is dead is noticed within [`SILENCE_MAX`], and one that is not read by
//! [`super::stall`]; the connection keeps its seat at the [`super::door`]. There is one for each subscription at most, and so
//! no room of their own.

use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::{
    CONNECTION, HeaderMap, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::response::{IntoResponse as _, Response};
use freshet_app::subscriptions;
use freshet_engine::deliver::{Reader, Told};
use freshet_fetch::http::websocket_answer;
use futures::{SinkExt as _, StreamExt as _};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::Shared;
use super::answer::{Answer, Problem};
use super::door::Guest;
use super::site::Site;

/// Longest message that is read: an acknowledgement has twenty bytes.
const FRAME_BYTES_MAX: usize = 4096;
/// Longest from the answer until the connection is ours.
const UPGRADE_WITHIN: Duration = Duration::from_secs(10);
/// Between two questions whether the reader is there, and whether its subscription is.
const PING_EVERY: Duration = Duration::from_secs(10);
/// A reader of whom nothing was heard for so long, not even the answer to a ping, is gone.
const SILENCE_MAX: Duration = Duration::from_secs(30);
/// Longest until a batch is on its way: as long as its reader has to acknowledge it.
const SENT_WITHIN: Duration = Duration::from_secs(30);
/// How long the other side's farewell is waited for.
const FAREWELL_WITHIN: Duration = Duration::from_secs(1);
/// After so long a reader comes back and shows anew that it may: as long as a login lasts.
const READ_FOR: Duration = Duration::from_hours(12);
/// Longest reason that fits into a closing frame, in bytes.
const REASON_BYTES_MAX: usize = 120;
/// What a second reader is told; the number is ours, of those that the standard leaves free.
const OCCUPIED: (u16, &str) = (4409, "somebody else reads this subscription; one reader at a time");

type Wire = WebSocketStream<TokioIo<Upgraded>>;

/// Why a connection ends: a number of the standard, and words.
type Reason = (CloseCode, String);

/// What a reader says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    /// It has everything up to this change.
    ack: u64,
}

/// Takes the connection over.
pub(super) async fn connect(
    State(site): State<Shared>,
    Extension(guest): Extension<Guest>,
    Path(name): Path<String>,
    mut request: Request,
) -> Answer<Response> {
    let answer = answer(request.headers())?;
    let Some(readers) = &site.parts.readers else {
        let problem = Problem::busy("no run delivers here");
        return Err(problem.hint("connect to the dashboard of `freshet run`"));
    };
    let asked = name.clone();
    site.read(move |_, data| Ok(subscriptions::check_readable(data, &asked)?)).await?;
    let upgrade = request.extensions_mut().remove::<OnUpgrade>().ok_or_else(no_socket)?;
    let talk = Talk { reader: readers.connect(&name), name, site: Arc::downgrade(&site), guest };
    let mut sockets = site.sockets.lock().unwrap_or_else(PoisonError::into_inner);
    // Those that have ended are forgotten.
    while sockets.try_join_next().is_some() {}
    sockets.spawn(talk.hold(upgrade));
    let headers = [(CONNECTION, "Upgrade"), (UPGRADE, "websocket"), (SEC_WEBSOCKET_ACCEPT, &answer)];
    Ok((StatusCode::SWITCHING_PROTOCOLS, headers).into_response())
}

/// The answer to the key of somebody who asks for a WebSocket.
fn answer(headers: &HeaderMap) -> Answer<String> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let is_asked = text(UPGRADE).is_some_and(|word| word.eq_ignore_ascii_case("websocket"))
        && text(SEC_WEBSOCKET_VERSION) == Some("13");
    let key = text(SEC_WEBSOCKET_KEY).filter(|_| is_asked).ok_or_else(no_socket)?;
    Ok(websocket_answer(key))
}

fn no_socket() -> Problem {
    Problem::new(StatusCode::UPGRADE_REQUIRED, "this is read over a WebSocket")
        .hint("ask for it with `Upgrade: websocket` and version 13, as WebSocket clients do")
}

/// One connection.
struct Talk {
    /// `None`: somebody else reads it.
    reader: Option<Reader>,
    name: String,
    /// Weak, since it is the site that ends this.
    site: Weak<Site>,
    guest: Guest,
}

impl Talk {
    async fn hold(self, upgrade: OnUpgrade) {
        let Ok(Ok(upgraded)) = timeout(UPGRADE_WITHIN, upgrade).await else { return };
        let _work = self.guest.works();
        let config = WebSocketConfig::default()
            .max_message_size(Some(FRAME_BYTES_MAX))
            .max_frame_size(Some(FRAME_BYTES_MAX));
        let mut wire =
            WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;
        let end = match &self.reader {
            None => Some((CloseCode::from(OCCUPIED.0), OCCUPIED.1.to_owned())),
            Some(reader) => self.converse(&mut wire, reader).await.err(),
        };
        // The place is free before the reader is told to go: it may come back at once.
        drop(self.reader);
        if let Some((code, mut reason)) = end {
            reason.truncate(reason.floor_char_boundary(REASON_BYTES_MAX));
            let closed = wire.close(Some(CloseFrame { code, reason: reason.into() }));
            // Whoever has gone needs no farewell.
            let _ = timeout(FAREWELL_WITHIN, closed).await;
            let _ = timeout(FAREWELL_WITHIN, async { while let Some(Ok(_)) = wire.next().await {} }).await;
        }
    }

    /// Until the reader has left, or the reason why it is sent away.
    async fn converse(&self, wire: &mut Wire, reader: &Reader) -> Result<(), Reason> {
        let (mut heard_at, began) = (Instant::now(), Instant::now());
        // Nothing above it was sent.
        let mut sent_max = 0;
        let mut look = interval(PING_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                told = reader.told() => match told {
                    Told::Leave(why) => return Err((CloseCode::Restart, why)),
                    Told::Batch { cursor, text } => {
                        sent_max = sent_max.max(cursor);
                        let Ok(Ok(())) = timeout(SENT_WITHIN, wire.send(Message::text(text))).await else {
                            return Ok(());
                        };
                    }
                },
                heard = wire.next() => {
                    heard_at = Instant::now();
                    match heard {
                        Some(Ok(Message::Text(text))) => reader.takes(acknowledged(&text, sent_max)?),
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                        Some(Ok(Message::Binary(_))) => {
                            return Err((CloseCode::Unsupported, "an acknowledgement is text".to_owned()));
                        }
                        Some(Err(Error::Capacity(_))) => {
                            let why = format!("no message of more than {FRAME_BYTES_MAX} bytes is read");
                            return Err((CloseCode::Size, why));
                        }
                        Some(Ok(Message::Close(_) | Message::Frame(_)) | Err(_)) | None => return Ok(()),
                    }
                }
                _ = look.tick() => {
                    if heard_at.elapsed() > SILENCE_MAX {
                        return Err((CloseCode::Policy, "nothing was heard for 30 seconds".to_owned()));
                    }
                    if began.elapsed() > READ_FOR {
                        return Err((CloseCode::Away, "twelve hours have passed; connect again".to_owned()));
                    }
                    self.check().await?;
                    let Ok(Ok(())) = timeout(SENT_WITHIN, wire.send(Message::Ping(Vec::new().into()))).await else {
                        return Ok(());
                    };
                }
            }
        }
    }

    /// Whether the subscription is still there, and runs.
    async fn check(&self) -> Result<(), Reason> {
        let away = |why: &str| (CloseCode::Away, why.to_owned());
        let site = self.site.upgrade().ok_or_else(|| away("the dashboard ends"))?;
        let name = self.name.clone();
        let looked = site.read(move |_, data| Ok(subscriptions::check_readable(data, &name)?)).await;
        match looked {
            Err(problem) if problem.status.is_client_error() => Err((CloseCode::Normal, problem.message)),
            // A store that cannot be read for a moment says nothing of the subscription.
            _ => Ok(()),
        }
    }
}

/// The change up to which a reader has everything; nothing above `sent_max` was sent.
fn acknowledged(text: &str, sent_max: u64) -> Result<u64, Reason> {
    let policy = |why: String| (CloseCode::Policy, why);
    let word: Word = serde_json::from_str(text)
        .map_err(|_| policy("what was sent is no acknowledgement; it reads {\"ack\": CURSOR}".to_owned()))?;
    if word.ack > sent_max {
        return Err(policy(format!("`{}` is the cursor of no batch that was sent", word.ack)));
    }
    Ok(word.ack)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_or_refused_with_the_reason() {
        for (text, expected) in [
            ("{\"ack\":7}", Ok(7)),
            (" { \"ack\" : 3 } ", Ok(3)),
            ("{\"ack\":8}", Err("`8` is the cursor of no batch")),
            ("{\"ack\":-1}", Err("no acknowledgement")),
            ("{\"ack\":\"7\"}", Err("no acknowledgement")),
            ("{\"ack\":7,\"more\":1}", Err("no acknowledgement")),
            ("", Err("no acknowledgement")),
        ] {
            let read = acknowledged(text, 7).map_err(|(_, why)| why);
            match (read, expected) {
                (Ok(read), Ok(expected)) => assert_eq!(read, expected, "{text}"),
                (Err(why), Err(part)) => assert!(why.contains(part), "{text}: {why}"),
                (read, _) => panic!("{text}: {read:?}"),
            }
        }
    }
}
