//! Streaming as Mastodon has it: events of the local timeline, for who has a token.
//!
//! Neither answers nor reposts are sent, as on the real thing; deletions are sent of everything. Nothing is sent again: who comes back
//! begins with what happens then.

use freshet_types::Timestamp;

use super::{Ask, Reply, WorldRequest, WorldResponse};
use crate::World;
use crate::world::{Dialect, Happened, Relation};

/// Events that are written in one go.
const EVENTS_AT_ONCE: usize = 256;

/// A reader of the stream.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    request: WorldRequest,
    /// The number of the event that it is told next.
    next: u64,
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) event: &'static str,
    pub(crate) data: String,
}

impl World {
    /// Whether a request is for a stream.
    pub(crate) fn is_stream(&self, request: &WorldRequest) -> bool {
        let is_path = matches!(
            request.path.trim_end_matches('/'),
            "/api/v1/streaming/public/local" | "/api/v1/streaming/public"
        );
        is_path && self.options.dialect == Dialect::Mastodon
    }

    /// Lets somebody listen from now on, or says why not.
    pub(crate) fn listen(
        &mut self,
        request: &WorldRequest,
        now: Timestamp,
    ) -> Result<Listener, Box<WorldResponse>> {
        self.advance_to(now);
        let admission = self.desk.admit(request, &self.options.limits, now);
        let refusal = if admission.is_refused {
            Reply::error(429, "Too many requests")
        } else if request.token().is_none() {
            Reply::error(401, "Error: Missing access token")
        } else {
            return Ok(Listener { request: request.clone(), next: self.posts.sent.next() });
        };
        let mut headers = vec![("content-type".to_owned(), refusal.content_type.to_owned())];
        headers.extend(admission.headers);
        let (status, body) = (refusal.status, refusal.body.into_bytes());
        Err(Box::new(WorldResponse { status, headers, body, ..WorldResponse::default() }))
    }

    /// What a listener has not been told yet; `None` where it was too slow and is cut off.
    pub(crate) fn tell(&mut self, listener: &mut Listener, now: Timestamp) -> Option<Vec<Told>> {
        self.advance_to(now);
        if self.posts.sent.is_gone(listener.next) {
            return None;
        }
        let mut told = Vec::new();
        while let Some(happened) = self.posts.sent.get(listener.next).filter(|_| told.len() < EVENTS_AT_ONCE)
        {
            listener.next += 1;
            told.extend(tell(&Ask::new(self, &listener.request), happened));
        }
        Some(told)
    }
}

fn tell(ask: &Ask<'_>, happened: Happened) -> Option<Told> {
    let (event, post_index) = match happened {
        Happened::Posted(post_index) => ("update", post_index),
        Happened::Edited(post_index) => ("status.update", post_index),
        Happened::Deleted(post_index) => {
            return Some(Told { event: "delete", data: ask.world.posts.get(post_index).id.to_string() });
        }
    };
    let post = ask.world.posts.get(post_index);
    if !matches!(post.relation(), Relation::Original) || !ask.world.is_post_visible(post) {
        return None;
    }
    let mut data = String::new();
    ask.face().post(&mut data, post_index);
    Some(Told { event, data })
}
