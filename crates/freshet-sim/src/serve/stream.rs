//! The stream of a world over HTTP: server-sent events that end when the server does.
//!
//! The world is looked at every [`LOOK_EVERY`]; without news a heartbeat is sent every [`THUMP_EVERY`], as Mastodon does. A reader that
//! is too slow is cut off by the world, and one that does not read at all holds up nobody else.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use freshet_types::Clock;
use tokio::time::Instant;

use super::{Shared, respond};
use crate::WorldRequest;
use crate::dialect::Listener;

/// Wall time between two looks at the world.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Wall time between two heartbeats.
const THUMP_EVERY: Duration = Duration::from_secs(15);

/// Answers with a stream, or says why not.
pub(super) fn answer(shared: Arc<Shared>, request: &WorldRequest) -> Response {
    let listening = shared.world().listen(request, shared.clock.now());
    let listener = match listening {
        Ok(listener) => listener,
        Err(refusal) => return respond(*refusal),
    };
    let pieces =
        futures::stream::unfold((shared, listener, true), |(shared, mut listener, is_first)| async move {
            // The first heartbeat says at once that the stream stands.
            let piece =
                if is_first { Bytes::from_static(b":)\n\n") } else { next(&shared, &mut listener).await? };
            Some((Ok::<_, std::io::Error>(piece), (shared, listener, false)))
        });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(pieces)).into_response()
}

/// The next events, or a heartbeat; `None` when the stream ends.
async fn next(shared: &Shared, listener: &mut Listener) -> Option<Bytes> {
    let thump_at = Instant::now() + THUMP_EVERY;
    loop {
        let told = shared.world().tell(listener, shared.clock.now())?;
        if !told.is_empty() {
            let text = told.iter().map(|it| format!("event: {}\ndata: {}\n\n", it.event, it.data));
            return Some(Bytes::from(text.collect::<String>()));
        }
        if *shared.stop.borrow() {
            return None;
        }
        if Instant::now() >= thump_at {
            return Some(Bytes::from_static(b":thump\n\n"));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
